package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
)

// place is where an element of a fragment is: register, and which of its elements.
type place struct{ reg, elem int }

// ISA formulas, one function an operand: the row and column of an element of lane
// l, as the ISA writes them ("Matrix Fragments for mma.m16n8k16" and so on).
func rowA(shape string, l int, p place) (int, int) {
	g, t := l/4, l%4
	i := p.reg*elems(shape) + p.elem // the ISA's index a_i
	switch shape {
	case "m16n8k16.16", "m16n8k8.16":
		row := g
		if !(i < 2 || i >= 4 && i < 6) {
			row += 8
		}
		col := t*2 + i&1
		if i >= 4 {
			col += 8
		}
		return row, col
	case "m16n8k4.32", "m16n8k8.32":
		row, col := g, t
		if i == 1 || i == 3 {
			row += 8
		}
		if i >= 2 {
			col += 4
		}
		return row, col
	case "m16n8k32.8", "m16n8k16.8":
		row := g
		if !(i < 4 || i >= 8 && i < 12) {
			row += 8
		}
		col := t*4 + i&3
		if i >= 8 {
			col += 16
		}
		return row, col
	case "m8n8k16.8":
		return g, t*4 + i
	case "m16n8k64.4", "m16n8k32.4":
		row := g
		if !(i < 8 || i >= 16 && i < 24) {
			row += 8
		}
		col := t*8 + i&7
		if i >= 16 {
			col += 32
		}
		return row, col
	case "m8n8k32.4":
		return g, t*8 + i
	case "m8n8k4.64":
		return g, t
	}
	panic(shape)
}

func colB(shape string, l int, p place) (k, n int) {
	g, t := l/4, l%4
	i := p.reg*elems(shape) + p.elem
	switch shape {
	case "m16n8k16.16", "m16n8k8.16":
		k = t*2 + i&1
		if i >= 2 {
			k += 8
		}
	case "m16n8k4.32", "m16n8k8.32":
		k = t
		if i == 1 {
			k += 4
		}
	case "m16n8k32.8", "m16n8k16.8", "m8n8k16.8":
		k = t*4 + i&3
		if i >= 4 {
			k += 16
		}
	case "m16n8k64.4", "m16n8k32.4", "m8n8k32.4":
		k = t*8 + i&7
		if i >= 8 {
			k += 32
		}
	case "m8n8k4.64":
		k = t
	default:
		panic(shape)
	}
	return k, g
}

// elems is the number of elements in a register, from the width after the dot.
func elems(shape string) int {
	var w int
	fmt.Sscanf(shape[strings.IndexByte(shape, '.'):], ".%d", &w)
	return max(32/w, 1)
}

// encode gives a random element and its value.
func encode(r *rand.Rand, t Type) (uint64, float64) {
	v := float64(r.IntN(13)-6) / 4
	switch t {
	case F16:
		return uint64(fp.F16().FromFloat64(v, fp.RN, false)), v
	case BF16:
		return uint64(fp.BF16().FromFloat64(v, fp.RN, false)), v
	case TF32: // with noise in the bits that don't take part
		return uint64(math.Float32bits(float32(v))) | uint64(r.IntN(1<<13)), v
	case F64:
		return math.Float64bits(v), v
	case E4M3:
		return uint64(fp.E4M3().FromFloat64(v, fp.RN, true)), v
	case E5M2:
		return uint64(fp.E5M2().FromFloat64(v, fp.RN, true)), v
	case S8:
		x := r.IntN(256) - 128
		return uint64(x) & 0xff, float64(x)
	case U8:
		x := r.IntN(256)
		return uint64(x), float64(x)
	case S4:
		x := r.IntN(16) - 8
		return uint64(x) & 0xf, float64(x)
	case U4:
		x := r.IntN(16)
		return uint64(x), float64(x)
	}
	panic(t)
}

// reg64 is room for a register of either width.
type reg64 struct{ v lanes.V64 }

func (r *reg64) v32() *lanes.V32 { return (*lanes.V32)(unsafe.Pointer(&r.v)) }

func newRegs(n int) ([]reg64, []*lanes.V32) {
	store := make([]reg64, n)
	var list []*lanes.V32
	for i := range store {
		list = append(list, store[i].v32())
	}
	return store, list
}

func TestLayouts(t *testing.T) {
	forms := []string{
		"m16n8k16.row.col.f32.f16.f16.f32", "m16n8k8.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f16.f16.f16.f16", "m16n8k8.row.col.f16.f16.f16.f16",
		"m16n8k16.row.col.f32.bf16.bf16.f32", "m16n8k8.row.col.f32.bf16.bf16.f32", "m16n8k8.row.col.f32.tf32.tf32.f32", "m16n8k4.row.col.f32.tf32.tf32.f32",
		"m8n8k4.row.col.f64.f64.f64.f64", "m16n8k32.row.col.f32.e4m3.e5m2.f32", "m16n8k32.row.col.f32.e5m2.e4m3.f32", "m16n8k16.row.col.f32.e4m3.e4m3.f32",
		"m16n8k32.row.col.f16.e4m3.e4m3.f16", "m16n8k32.row.col.s32.s8.u8.s32", "m16n8k16.row.col.s32.u8.s8.s32", "m8n8k16.row.col.s32.s8.s8.s32",
		"m16n8k64.row.col.s32.s4.u4.s32", "m16n8k32.row.col.s32.u4.s4.s32", "m8n8k32.row.col.s32.s4.s4.s32", "m16n8k32.row.col.satfinite.s32.s8.s8.s32",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range forms {
		m, err := ParseMMA(strings.Split("sync.aligned."+name, "."))
		if err != nil {
			t.Fatal(err)
		}
		shape := fmt.Sprintf("%s.%d", name[:strings.IndexByte(name, '.')], m.A.Bits())
		na, nb, nc := m.Regs()
		var ma, mb, mc, want [16][64]float64
		sa, a := newRegs(na)
		sb, b := newRegs(nb)
		_, c := newRegs(nc)
		_, d := newRegs(nc)
		put := func(s []reg64, typ Type, l int, p place, bits uint64) {
			if typ == F64 {
				s[p.reg].v[l] = bits
			} else {
				s[p.reg].v32()[l] |= uint32(bits) << (p.elem * typ.Bits())
			}
		}
		for l := range 32 {
			for reg := range na {
				for e := range elems(shape) {
					p := place{reg, e}
					bits, v := encode(r, m.A)
					put(sa, m.A, l, p, bits)
					row, col := rowA(shape, l, p)
					ma[row][col] = v
				}
			}
			for reg := range nb {
				for e := range elems(shape) {
					p := place{reg, e}
					bits, v := encode(r, m.B)
					put(sb, m.B, l, p, bits)
					k, n := colB(shape, l, p)
					mb[n][k] = v
				}
			}
		}
		for i := range m.M {
			for j := range m.N {
				mc[i][j] = float64(r.IntN(9) - 4)
				want[i][j] = mc[i][j]
				for k := range m.K {
					want[i][j] += ma[i][k] * mb[j][k]
				}
			}
		}
		eachSum(m, func(l, reg, half, i, j int) { setSum(m, c[reg], l, half, mc[i][j]) })
		m.Run(d, a, b, c)
		eachSum(m, func(l, reg, half, i, j int) {
			w := want[i][j]
			if m.D == F16 {
				w = fp.F16().ToFloat64(fp.F16().FromFloat64(w, fp.RN, false))
			}
			if got := getSum(m, d[reg], l, half); got != w {
				t.Fatalf("%s: D[%d,%d] = %g, want %g", name, i, j, got, w)
			}
		})
		// In place: D may be C.
		m.Run(c, a, b, c)
		for i := range c {
			if *c[i] != *d[i] {
				t.Fatalf("%s: in place differs", name)
			}
		}
	}
}

// eachSum visits C's elements: c0, c1 in row g, c2, c3 in row g+8, columns 2t and 2t+1.
func eachSum(m *MMA, f func(l, reg, half, i, j int)) {
	for l := range 32 {
		for e := range m.M * m.N / 32 {
			i, j := l/4, l%4*2+e&1
			if e >= 2 {
				i += 8
			}
			if m.C == F16 {
				f(l, e/2, e&1, i, j)
			} else {
				f(l, e, 0, i, j)
			}
		}
	}
}

func setSum(m *MMA, reg *lanes.V32, l, half int, v float64) {
	switch m.C {
	case F64:
		lanes.Wide(reg)[l] = math.Float64bits(v)
	case F32:
		reg[l] = math.Float32bits(float32(v))
	case S32:
		reg[l] = uint32(int32(v))
	case F16:
		reg[l] |= fp.F16().FromFloat64(v, fp.RN, false) << (16 * half)
	}
}

func getSum(m *MMA, reg *lanes.V32, l, half int) float64 {
	switch m.D {
	case F64:
		return math.Float64frombits(lanes.Wide(reg)[l])
	case F32:
		return float64(math.Float32frombits(reg[l]))
	case S32:
		return float64(int32(reg[l]))
	}
	return fp.F16().ToFloat64(reg[l] >> (16 * half) & 0xffff)
}

func TestSpecialValues(t *testing.T) {
	m, err := ParseMMA(strings.Split("sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "."))
	if err != nil {
		t.Fatal(err)
	}
	_, a := newRegs(4)
	_, b := newRegs(2)
	_, c := newRegs(4)
	_, d := newRegs(4)
	a[0][0], b[0][0] = 0x7c00, 0x3c00 // inf at A[0,0], one at B[0,0]
	a[0][4], b[0][4] = 0x0001, 0x0001 // the least subnormal at A[1,0] and B[0,1]
	a[0][8] = 0x7e00                  // NaN at A[2,0]
	c[0][12] = 0x7f7fffff             // the largest f32 at C[3,0]
	m.Run(d, a, b, c)
	for _, w := range []struct {
		l    int
		want uint32
	}{{0, 0x7f800000}, {8, 0x7fffffff}, {12, 0x7f7fffff}} {
		if got := d[0][w.l]; got != w.want {
			t.Errorf("lane %d: %#x, want %#x", w.l, got, w.want)
		}
	}
	if got := math.Float32frombits(d[1][4]); got != 0x1p-48 {
		t.Errorf("product of subnormals: %g", got)
	}
}

func TestSaturation(t *testing.T) {
	for _, sat := range []bool{false, true} {
		name := "sync.aligned.m16n8k16.row.col.s32.s8.s8.s32"
		want := uint32(0x80000000)
		if sat {
			name, want = "sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32", 0x7fffffff
		}
		m, err := ParseMMA(strings.Split(name, "."))
		if err != nil {
			t.Fatal(err)
		}
		_, a := newRegs(2)
		_, b := newRegs(1)
		_, c := newRegs(4)
		a[0][0], b[0][0], c[0][0] = 1, 1, 0x7fffffff
		m.Run(c, a, b, c)
		if c[0][0] != want {
			t.Errorf("saturating %v: %#x, want %#x", sat, c[0][0], want)
		}
	}
}

func TestBits(t *testing.T) {
	m, err := ParseMMA(strings.Split("sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", "."))
	if err != nil {
		t.Fatal(err)
	}
	_, a := newRegs(4)
	_, b := newRegs(2)
	_, c := newRegs(4)
	for r := range a {
		for l := range a[r] {
			a[r][l] = 0xff
		}
	}
	for r := range b {
		for l := range b[r] {
			b[r][l] = 0xf0f
		}
	}
	m.Run(c, a, b, c)
	for r := range c {
		for l, x := range c[r] {
			if x != 8*4 { // 8 words a row, 4 bits in common
				t.Fatalf("register %d lane %d: %d", r, l, x)
			}
		}
	}
}

func TestUnknownForms(t *testing.T) {
	for _, f := range []string{
		"sync.aligned.m16n8k16.row.row.f32.f16.f16.f32", "sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
		"sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32", "sync.aligned", "", "sync.aligned.m16n8k256.row.col.s32.b1.b1.s32",
	} {
		if _, err := ParseMMA(strings.Split(f, ".")); err == nil {
			t.Errorf("mma.%s was accepted", f)
		}
	}
}

func BenchmarkMMA(b *testing.B) {
	for _, name := range []string{"m16n8k16.row.col.f32.f16.f16.f32", "m16n8k32.row.col.s32.s8.s8.s32", "m16n8k8.row.col.f32.tf32.tf32.f32"} {
		m, err := ParseMMA(strings.Split("sync.aligned."+name, "."))
		if err != nil {
			b.Fatal(err)
		}
		na, nb, nc := m.Regs()
		_, ra := newRegs(na)
		_, rb := newRegs(nb)
		_, rc := newRegs(nc)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m.Run(rc, ra, rb, rc)
			}
		})
	}
}
