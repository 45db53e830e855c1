package ptx

import (
	"math"
	"strings"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
)

// wmmaOp is wmma.mma.
type wmmaOp struct {
	m, n, k    int
	saturate   bool
	xor        bool // of single bits: those that differ are counted, not those in common
	d, a, b, c fragment
}

func (op *wmmaOp) eachReg(f func(r *int32, write bool)) {
	for _, l := range [][]memReg{op.a.regs, op.b.regs, op.c.regs} {
		for i := range l {
			f(&l[i].reg, false)
		}
	}
	for i := range op.d.regs {
		f(&op.d.regs[i].reg, true)
	}
}

func (d *decoder) wmmaMultiply(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	op := &wmmaOp{}
	shape := ""
	var types, bitwise []string
	for _, m := range ast.Mods[1:] {
		switch {
		case m == "sync" || m == "aligned" || m == "row" || m == "col" || m == "rn":
		case m == "satfinite":
			op.saturate = true
		case m == "xor" || m == "and" || m == "popc":
			bitwise = append(bitwise, m)
		case shape == "" && strings.HasPrefix(m, "m"):
			shape = m
		case wmmaBits[m] != 0:
			types = append(types, m)
		default:
			return in, d.unsupported(r)
		}
	}
	if len(types) == 2 { // of f16 operands: those of d and c
		types = []string{types[0], "f16", "f16", types[1]}
	}
	m, n, k, ok := shapeOf(shape)
	if !ok || len(types) != 4 || !strings.Contains(" "+wmmaShapes[types[1]]+" ", " "+shape+" ") || !wmmaLegal(types) {
		return in, d.unsupported(r)
	}
	ofBits := len(bitwise) == 2 && bitwise[0] != "popc" && bitwise[1] == "popc"
	if (types[1] == "b1") != ofBits || !ofBits && bitwise != nil || ofBits && op.saturate {
		return in, d.unsupported(r)
	}
	op.xor = ofBits && bitwise[0] == "xor"
	if err := d.wantArgs(r, 4, 4); err != nil {
		return in, err
	}
	op.m, op.n, op.k = m, n, k
	op.d, op.c = fragment{typ: types[0], rows: m, cols: n}, fragment{typ: types[3], rows: m, cols: n}
	op.a, op.b = fragment{typ: types[1], rows: m, cols: k}, fragment{typ: types[2], rows: k, cols: n}
	for i, f := range []*fragment{&op.d, &op.a, &op.b, &op.c} {
		var err error
		if f.regs, err = d.wmmaRegs(r, ast.Args[i], f, i == 1 || i == 2, i > 0); err != nil {
			return in, err
		}
	}
	in.class, in.x, in.exec = classTensor, op, execWMMA
	return in, nil
}

// wmmaLegal checks that the types of d, a, b, c go together.
func wmmaLegal(t []string) bool {
	sum := map[string]string{"f16": "f16 f32", "bf16": "f32", "tf32": "f32", "f64": "f64", "s8": "s32", "u8": "s32", "s4": "s32", "u4": "s32", "b1": "s32"}[t[1]]
	same := t[1] == t[2] || (t[1] == "s8" || t[1] == "u8") && (t[2] == "s8" || t[2] == "u8")
	return same && strings.Contains(sum, t[0]) && strings.Contains(sum, t[3])
}

// wmmaValue gives an element's value.
func wmmaValue(typ string, x uint64) float64 {
	switch typ {
	case "f16":
		return float64(fp.F16ToF32(uint16(x)))
	case "bf16":
		return float64(math.Float32frombits(uint32(x) << 16))
	case "tf32":
		return float64(math.Float32frombits(uint32(x) &^ 0x1fff))
	case "f32":
		return float64(math.Float32frombits(uint32(x)))
	case "f64":
		return math.Float64frombits(x)
	case "s8":
		return float64(int8(x))
	case "s4":
		return float64(int8(x<<4) >> 4)
	case "s32":
		return float64(int32(x))
	}
	return float64(x)
}

// values reads a whole matrix, rows first.
func (f *fragment) values(w *warp, to []float64) {
	for e := range f.rows * f.cols {
		to[e] = wmmaValue(f.typ, f.get(w, e%lanes.Width, e/lanes.Width))
	}
}

// execWMMA computes D = A·B + C: products are exact, sums begin with C in the order
// of k and are rounded once, as in package tensor.
func execWMMA(w *warp, in *instr, _ uint32) {
	op := in.x.(*wmmaOp)
	var room [3][1024]float64
	a, b, c := room[0][:op.m*op.k], room[1][:op.k*op.n], room[2][:op.m*op.n]
	op.a.values(w, a)
	op.b.values(w, b)
	op.c.values(w, c)
	for i := range op.m {
		for j := range op.n {
			s := c[i*op.n+j]
			for k := range op.k {
				if op.xor {
					if a[i*op.k+k] != b[k*op.n+j] {
						s++
					}
					continue
				}
				s = math.FMA(a[i*op.k+k], b[k*op.n+j], s)
			}
			e := i*op.n + j
			op.d.put(w, e%lanes.Width, e/lanes.Width, op.round(s))
		}
	}
}

// round gives a sum as the bits of an element of D.
func (op *wmmaOp) round(s float64) uint64 {
	switch op.d.typ {
	case "f16":
		return uint64(fp.F16().FromFloat64(s, fp.RN, false))
	case "f32":
		if s != s {
			return 0x7fffffff
		}
		return uint64(math.Float32bits(float32(s)))
	case "s32":
		if op.saturate {
			s = min(max(s, math.MinInt32), math.MaxInt32)
		}
		return uint64(uint32(int64(s)))
	}
	if s != s {
		return 0x7fffffffffffffff
	}
	return math.Float64bits(s)
}
