package cuda

import (
	"fmt"
	"strconv"
	"strings"

	"tilec/ir/layout"
)

// run is a stretch of consecutive input bits that go to consecutive output bits.
type run struct {
	from, to, n int // input bit, output bit, length
}

// runsOf finds the runs of bits that contribute to output o; the layout must be
// Simple.
func runsOf(bases [][]int, o int) []run {
	var runs []run
	for b, basis := range bases {
		v := basis[o]
		if v == 0 {
			continue
		}
		to := layout.Log2(v)
		if n := len(runs); n > 0 && runs[n-1].from+runs[n-1].n == b && runs[n-1].to+runs[n-1].n == to {
			runs[n-1].n++
			continue
		}
		runs = append(runs, run{b, to, 1})
	}
	return runs
}

// number reads an expression that is a decimal number alone.
func number(e string) (int, bool) {
	digits := strings.TrimPrefix(e, "-")
	if digits == "" || len(digits) > 18 || strings.Trim(digits, "0123456789") != "" {
		return 0, false // the common case, told without an error being made
	}
	n, err := strconv.Atoi(e)
	return n, err == nil
}

// bitsOf moves runs of bits of the C++ expression x, which has size values, to
// their places; "0" when nothing is left.
func bitsOf(x string, size int, runs []run) string {
	if n, ok := number(x); ok {
		v := 0
		for _, r := range runs {
			v |= (n >> r.from & (1<<r.n - 1)) << r.to
		}
		return strconv.Itoa(v)
	}
	sum := ""
	for i, r := range runs {
		e := x
		if r.from > 0 {
			e = "(" + operand(e) + " >> " + strconv.Itoa(r.from) + ")"
		}
		if size > 1<<(r.from+r.n) {
			e = "(" + operand(e) + " & " + strconv.Itoa(1<<r.n-1) + ")"
		}
		if r.to > 0 {
			e = operand(e) + " * " + strconv.Itoa(1<<r.to)
		}
		if i > 0 {
			e = sum + " + " + e
		}
		sum = e
	}
	if sum == "" {
		return "0"
	}
	return sum
}

// part is a dimension of a layout.
type part struct {
	layout *layout.Layout
	dim    int
}

// threadPart returns the C++ name of what the thread adds to coordinate d under
// layout l, declared once at the top of the kernel; "" if it adds nothing.
func (k *kernel) threadPart(l *layout.Layout, d int, hint string) string {
	name, known := k.parts[part{l, d}]
	if !known {
		lane := bitsOf("lane", 32, runsOf(l.Bases(layout.Lane), d))
		warp := bitsOf("warp", 1<<len(l.Bases(layout.Warp)), runsOf(l.Bases(layout.Warp), d))
		if e := sum(lane, warp); e != "0" {
			name = k.topValue("int", e, "t_"+hint)
		}
		k.parts[part{l, d}] = name
	}
	return name
}

// topValue declares a constant at the top of the kernel, once for each expression.
func (k *kernel) topValue(typ, e, name string) string {
	key := typ + " " + e
	if n, ok := k.tops[key]; ok {
		return n
	}
	n := k.names.Take(name)
	k.tops[key] = n
	k.top.Line("const %s %s = %s;", typ, n, top(e))
	return n
}

// topArray declares an array of constants at the top of the kernel, once.
func (k *kernel) topArray(typ string, values []string, name string) string {
	list := strings.Join(values, ", ")
	key := typ + "[] " + list
	if n, ok := k.tops[key]; ok {
		return n
	}
	n := k.names.Take(name)
	k.tops[key] = n
	k.top.Line("const %s %s[%d] = {%s};", typ, n, len(values), list)
	return n
}

func sum(parts ...string) string {
	text := ""
	for _, p := range parts {
		switch {
		case p == "0" || p == "":
		case text == "":
			text = p
		default:
			text += " + " + p
		}
	}
	if text == "" {
		return "0"
	}
	return text
}

// coordinate is coordinate d of the element in register idx, a C++ expression.
func (k *kernel) coordinate(l *layout.Layout, d int, idx, hint string) string {
	return sum(k.threadPart(l, d, hint), k.fromRegister(l, d, idx))
}

// fromRegister is what the register adds to coordinate d; "0" if nothing.
func (k *kernel) fromRegister(l *layout.Layout, d int, idx string) string {
	return bitsOf(idx, l.Size(layout.Reg), runsOf(l.Bases(layout.Reg), d))
}

// registerIndex is the register of a tile, laid out as tile, that holds what
// register idx of an operation laid out as op touches through an access whose
// dimension d is the operation's iteration dims[d] (-1 for none).
func registerIndex(op, tile *layout.Layout, dims []int, idx string) (string, bool) {
	var runs []run
	used := 0
	for b, basis := range op.Bases(layout.Reg) {
		want := make([]int, len(dims))
		zero := true
		for d, i := range dims {
			if i >= 0 {
				want[d] = basis[i]
				zero = zero && basis[i] == 0
			}
		}
		if zero {
			continue
		}
		at := -1
		for t, have := range tile.Bases(layout.Reg) {
			if equalInts(have, want) {
				at = t
				break
			}
		}
		if at < 0 {
			return "", false
		}
		used++
		if n := len(runs); n > 0 && runs[n-1].from+runs[n-1].n == b && runs[n-1].to+runs[n-1].n == at {
			runs[n-1].n++
			continue
		}
		runs = append(runs, run{b, at, 1})
	}
	return bitsOf(idx, op.Size(layout.Reg), runs), true
}

func equalInts(a, b []int) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// copies returns the condition under which a thread is the first of those that
// hold the same elements under l, "" when no two threads do.
func copies(l *layout.Layout) string {
	var conds []string
	for _, in := range []string{layout.Lane, layout.Warp} {
		mask := 0
		for b, basis := range l.Bases(in) {
			zero := true
			for _, v := range basis {
				zero = zero && v == 0
			}
			if zero {
				mask |= 1 << b
			}
		}
		switch {
		case mask == 0:
		case mask == 1<<len(l.Bases(in))-1:
			conds = append(conds, in+" == 0")
		default:
			conds = append(conds, fmt.Sprintf("(%s & %d) == 0", in, mask))
		}
	}
	return strings.Join(conds, " && ")
}
