package cuda

import (
	"fmt"

	"tilec/ir"
	"tilec/ir/layout"
	"tilec/runtime/array"
)

// multiplier is a contraction being printed on scalar multiply-adds: each thread
// holds blocks of 4 × 4 sums and walks along k.
type multiplier struct {
	k      *kernel
	op     *ir.Op
	p      ir.Product
	rm, rn int // rows and columns that a thread holds
	nBits  int
}

// multiplyAdd prints a contraction on scalar multiply-adds.
func (k *kernel) multiplyAdd(op *ir.Op, p ir.Product) {
	const own = 4 // register bits within the atom
	f := &multiplier{k: k, op: op, p: p}
	mBits := 0
	for _, b := range op.Layout.Bases(layout.Reg)[own:] {
		if b[0] != 0 {
			mBits++
		} else {
			f.nBits++
		}
	}
	f.rm, f.rn = 4<<mBits, 4<<f.nBits
	step := f.step()
	whole := p.K / step * step
	if whole > 0 {
		f.loop(0, whole, step)
	}
	if whole < p.K {
		f.loop(whole, p.K, 1)
	}
}

// step is how many values of k one iteration takes: as many as a 16-byte access to
// the left operand has, where the operands are of the sums' own type.
func (f *multiplier) step() int {
	p, t := f.p, f.p.C.Buf.Elem
	if p.A.Buf.Elem != t || p.B.Buf.Elem != t || t.Bits() < 32 {
		return 1
	}
	n := ir.WidestAccess * 8 / t.Bits()
	if p.K < n {
		return 1
	}
	return n
}

func (f *multiplier) loop(from, to, step int) {
	k, p, w := f.k, f.p, f.k.w
	ct := cTypes[p.C.Buf.Elem]
	if step == 1 {
		w.Line("#pragma unroll 2")
		w.Open("for (int kk = %d; kk < %d; ++kk)", from, to)
		w.Line("%s fa[%d], fb[%d];", ct, f.rm, f.rn)
		f.elements(p.A, p.I, 0, f.rm, "fa", "kk")
	} else {
		w.Line("#pragma unroll 1")
		w.Open("for (int kk = %d; kk < %d; kk += %d)", from, to, step)
		w.Line("alignas(16) %s fs[%d][%d];", ct, f.rm, step)
		if p.AKLast {
			w.Line("#pragma unroll")
			w.Line("for (int x = 0; x < %d; ++x) %s<16>(fs[x], %s);", f.rm, "copy_bytes", k.address(p.A, f.at(p.I, 0, "x", "kk")))
		} else {
			w.Line("#pragma unroll")
			w.Open("for (int s = 0; s < %d; ++s)", step)
			w.Line("#pragma unroll")
			w.Line("for (int x = 0; x < %d; ++x) fs[x][s] = %s;", f.rm, k.load(p.A, f.at(p.I, 0, "x", "kk + s")))
			w.Close("")
		}
		w.Line("#pragma unroll")
		w.Open("for (int s = 0; s < %d; ++s)", step)
		w.Line("alignas(16) %s fb[%d];", ct, f.rn)
	}
	kk := "kk"
	if step > 1 {
		kk = "kk + s"
	}
	if step > 1 && !p.BKLast && step == 4 {
		w.Line("#pragma unroll")
		w.Line("for (int x = 0; x < %d; x += 4) %s<16>(fb + x, %s);", f.rn, "copy_bytes", k.address(p.B, f.at(p.J, 1, "x", kk)))
	} else {
		f.elements(p.B, p.J, 1, f.rn, "fb", kk)
	}
	f.multiply(step)
	if step > 1 {
		w.Close("")
	}
	w.Close("")
}

// at is the environment of the thread's x-th row or column of an operand.
func (f *multiplier) at(v *ir.Var, dim int, x, kk string) *env {
	k := f.k
	own := k.threadPart(f.op.Layout, dim, map[int]string{0: "m", 1: "n"}[dim])
	place := fmt.Sprintf("(%s & 3) * 4 + (%s >> 2) * 16", x, x)
	if dim == 1 {
		place = fmt.Sprintf("(%s & 3) + (%s >> 2) * 32", x, x)
	}
	return &env{vars: map[*ir.Var]string{v: sum(own, place), f.p.R: kk}}
}

// elements prints the loads of an operand's values for one k, converted to the
// type of the sums.
func (f *multiplier) elements(a *ir.Access, v *ir.Var, dim, n int, name, kk string) {
	k := f.k
	value := ir.CastTo(f.p.C.Buf.Elem, ir.LoadAt(a))
	k.w.Line("#pragma unroll")
	k.w.Line("for (int x = 0; x < %d; ++x) %s[x] = %s;", n, name, top(k.expr(value, f.at(v, dim, "x", kk))))
}

// multiply prints the products of one k.
func (f *multiplier) multiply(step int) {
	k, w, t := f.k, f.k.w, f.p.C.Buf.Elem
	a := "fa[m]"
	if step > 1 {
		a = "fs[m][s]"
	}
	w.Line("#pragma unroll")
	w.Open("for (int m = 0; m < %d; ++m)", f.rm)
	w.Line("#pragma unroll")
	w.Open("for (int n = 0; n < %d; ++n)", f.rn)
	acc := fmt.Sprintf("%s[(n & 3) | (m & 3) << 2 | (n >> 2) << 4 | (m >> 2) << %d]", k.bufName(f.p.C.Buf), 4+f.nBits)
	switch t {
	case array.F32:
		w.Line("%s = fmaf(%s, fb[n], %s);", acc, a, acc)
	case array.F64:
		w.Line("%s = fma(%s, fb[n], %s);", acc, a, acc)
	default:
		w.Line("%s = %s;", acc, k.narrowed(t, fmt.Sprintf("(%s + %s * fb[n])", acc, a)))
	}
	w.Close("")
	w.Close("")
}
