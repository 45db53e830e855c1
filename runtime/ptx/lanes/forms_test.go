package lanes

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"tilec/runtime/ptx/fp"
)

// number reads an operand of testdata/forms.txt as bits.
func number(s string) (uint64, error) {
	if hi, lo, ok := strings.Cut(s, ":"); ok {
		h, err := number(hi)
		if err != nil {
			return 0, err
		}
		l, err := number(lo)
		return h<<16 | l, err
	}
	if v, err := strconv.ParseUint(s, 0, 64); err == nil {
		return v, nil
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(v), nil
	}
	v, err := strconv.ParseFloat(s[:len(s)-1], 64)
	if err != nil {
		return 0, err
	}
	switch s[len(s)-1] {
	case 'd':
		return math.Float64bits(v), nil
	case 'f':
		return uint64(fp.F32().FromFloat64(v, fp.RN, false)), nil
	case 'h':
		return uint64(fp.F16().FromFloat64(v, fp.RN, false)), nil
	case 'b':
		return uint64(fp.BF16().FromFloat64(v, fp.RN, false)), nil
	}
	return 0, fmt.Errorf("number %q has no type", s)
}

// register is room for a value of any type.
type register struct{ v V64 }

func (r *register) narrow() *V32 { return (*V32)(unsafe.Pointer(&r.v)) }

// set gives every lane the bits x of a value of type t.
func (r *register) set(t Type, x uint64) {
	for i := range Width {
		if t.Slots() == 2 {
			r.v[i] = x
		} else {
			r.narrow()[i] = uint32(x & (^uint64(0) >> (64 - t.Bits())))
		}
	}
}

// get reads a lane.
func (r *register) get(t Type, lane int) uint64 {
	if t.Slots() == 2 {
		return r.v[lane]
	}
	return uint64(r.narrow()[lane])
}

// TestForms evaluates every case of testdata/forms.txt.
func TestForms(t *testing.T) {
	file, err := os.Open("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := checkForm(strings.Fields(line)); err != nil {
			t.Errorf("forms.txt:%d: %s: %v", n, line, err)
		}
	}
}

func checkForm(f []string) error {
	parts := strings.Split(f[0], ".")
	op, err := Lookup(parts[0], parts[1:])
	if err != nil {
		return err
	}
	args := f[1:]
	if len(args) < 2 || args[len(args)-2] != "=" {
		return fmt.Errorf("no result")
	}
	want, err := number(args[len(args)-1])
	if err != nil {
		return err
	}
	args = args[:len(args)-2]
	if len(args) != len(op.Args) {
		return fmt.Errorf("%d operands, wants %d", len(args), len(op.Args))
	}
	var regs [4]register
	for i, t := range op.Args {
		x, err := number(args[i])
		if err != nil {
			return err
		}
		regs[i+1].set(t, x)
	}
	d, a, b, c := regs[0].narrow(), regs[1].narrow(), regs[2].narrow(), regs[3].narrow()
	if op.Test != nil {
		if got := op.Test(a, b, c); got != -uint32(want&1) {
			return fmt.Errorf("got %#x", got)
		}
		if op.High == nil {
			return nil
		}
		if got := op.High(a, b, c); got != -uint32(want>>1) {
			return fmt.Errorf("upper half: got %#x", got)
		}
		return nil
	}
	if op.Fn == nil {
		return fmt.Errorf("no function")
	}
	op.Fn(d, a, b, c)
	want &= ^uint64(0) >> (64 - op.Res.Bits())
	for lane := range Width {
		if got := regs[0].get(op.Res, lane); got != want {
			return fmt.Errorf("lane %d: got %#x, want %#x", lane, got, want)
		}
	}
	return nil
}

// TestFormsHaveCases wants a case of every arithmetic form that compilers were seen to
// make: in testdata/forms.txt, or for the approximate ones in TestApproximate.
func TestFormsHaveCases(t *testing.T) {
	tested := map[string]bool{}
	for _, form := range firstWords(t, "testdata/forms.txt") {
		tested[form] = true
	}
	for _, form := range firstWords(t, "../testdata/forms.txt") {
		op, mods, _ := strings.Cut(form, ".")
		if tested[form] || strings.Contains(mods, "approx") {
			continue
		}
		switch op {
		case "lop3", "bfi", "mov", "selp": // TestLop3, TestInsert, and what all programs of the machine's tests use
			continue
		}
		if o, err := Lookup(op, strings.Split(mods, ".")); err == nil && o.Carry == nil { // else TestCarry
			t.Errorf("%s has no case", form)
		}
	}
}

// firstWords gives the first word of every line that is no comment.
func firstWords(t *testing.T, file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 0 && f[0][0] != '#' {
			words = append(words, f[0])
		}
	}
	return words
}
