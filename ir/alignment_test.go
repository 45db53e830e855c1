package ir

import (
	"testing"

	"pgregory.net/rapid"

	"tilec/runtime/array"
)

// TestFactorsDivide evaluates random index expressions with dimensions that hold
// what is assumed of them: each value is a multiple of the factor.
func TestFactorsDivide(t *testing.T) {
	n := &Var{Name: "N", Type: Index, Kind: DimVar}
	k := &Var{Name: "k", Type: Index, Kind: LoopVar}
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.Int64Range(1, 48).Draw(t, "of")
		a := AlignmentOf(&Func{Assumes: []Assumption{{Multiple: RefTo(n), Of: of}}})
		values := map[*Var]int64{n: of * rapid.Int64Range(0, 50).Draw(t, "N"), k: rapid.Int64Range(0, 50).Draw(t, "k")}
		var expr func(depth int) (*Expr, int64)
		expr = func(depth int) (*Expr, int64) {
			if depth == 0 {
				switch rapid.IntRange(0, 2).Draw(t, "leaf") {
				case 0:
					return RefTo(n), values[n]
				case 1:
					return RefTo(k), values[k]
				}
				c := rapid.Int64Range(-64, 64).Draw(t, "const")
				return Int(c), c
			}
			x, vx := expr(depth - 1)
			y, vy := expr(depth - 1)
			switch rapid.IntRange(0, 7).Draw(t, "op") {
			case 0:
				return Bin(Add, x, y), vx + vy
			case 1:
				return Bin(Sub, x, y), vx - vy
			case 2:
				return Bin(Mul, x, y), vx * vy
			case 3:
				return Bin(Min, x, y), min(vx, vy)
			case 4:
				return Bin(Max, x, y), max(vx, vy)
			case 5:
				return Un(Neg, x), -vx
			case 6:
				if vx < vy {
					return SelectOf(Bin(Lt, x, y), x, y), vx
				}
				return SelectOf(Bin(Lt, x, y), x, y), vy
			}
			return Bin(Div, x, Int(3)), vx // not evaluated: its factor must be 1
		}
		e, v := expr(rapid.IntRange(0, 3).Draw(t, "depth"))
		divides := true
		e.Walk(func(x *Expr) bool {
			divides = divides && x.Op != Div
			return divides
		})
		f := a.Factor(e)
		if f < 1 || f&(f-1) != 0 || f > unlimited {
			t.Fatalf("the factor of %s is %d", e, f)
		}
		if divides && v%f != 0 {
			t.Fatalf("%s is %d with N = %d and k = %d, no multiple of %d", e, v, values[n], values[k], f)
		}
		if !divides && e.Op == Div && f != 1 {
			t.Fatalf("a quotient is taken for a multiple of %d", f)
		}
	})
}

// accesses returns the functions' copies by order, and what is known of their
// alignment.
func accesses(t *testing.T, text string) ([]*Op, *Alignment) {
	t.Helper()
	f := mustParse(t, "f.tir", text)
	var ops []*Op
	f.Body.Walk(func(op *Op) {
		if op.Code == OpCopy {
			ops = append(ops, op)
		}
	})
	return ops, AlignmentOf(f)
}

func TestWidths(t *testing.T) {
	const text = `tile func f {
  dim M = A[0]
  dim N = A[1]
  param in A: f16[M, N] in global
  param in B: f16[M, 2 * N] in global
  param in C: f16[M, N] in global
  param in D: f16[M, N] strided (D_0, D_1) in global
  param in U: u4[M, N] in global
  param in F: f64[M, N] in global
  param in V: f16[N] in global
  assume A aligned 16
  assume B aligned 16
  assume D aligned 16
  assume U aligned 16
  assume F aligned 16
  assume V aligned 4
  assume multiple N of 4
  grid (b: M)
  alloc t: f16[8, 64]
  alloc u: u4[8, 64]
  alloc d: f64[8, 64]
  COPY
}
`
	for _, test := range []struct {
		copy  string
		width int // of the source, along j
	}{
		{"(i: 8, j: 64) t[i, j] = A[b + i, j]", 4},         // rows are multiples of 4
		{"(i: 8, j: 64) t[i, j] = B[b + i, j]", 8},         // and of 8
		{"(i: 8, j: 64) t[i, j] = A[b * 2 + 2, j + i]", 1}, // j starts anywhere
		{"(i: 8, j: 64) t[i, j] = A[b * 2, j + 2]", 2},     // j starts at 2
		{"(i: 8, j: 64) t[i, j] = A[b * 2, j + N]", 4},     //
		{"(i: 8, j: 64) t[i, j] = A[b * 8, j]", 8},         // every eighth row starts on 16 bytes
		{"(i: 8, j: 64) t[i, j] = A[0, j]", 8},             // the first row does
		{"(i: 8, j: 64) t[i, j] = A[j, i]", 1},             // a column
		{"(i: 8, j: 64) t[i, j] = C[b + i, j]", 1},         // nothing is known
		{"(i: 8, j: 64) t[i, j] = D[b + i, j]", 1},         // strides may be anything
		{"(i: 8, j: 64) u[i, j] = U[b + i, j]", 4},         //
		{"(i: 8, j: 64) d[i, j] = F[b + i, j]", 2},         // 16 bytes at most
		{"(i: 1, j: 64) t[i, j] = V[j + 16]", 2},           // aligned to 4 bytes
		{"(i: 8, j: 64) t[i, j] = A[b + i, j] guard(j < N)", 4},
	} {
		ops, a := accesses(t, replace(text, test.copy))
		op := ops[0]
		if got := a.Width(op.Src[0], op.Dom[1].Var); got != test.width {
			t.Errorf("%s: %d elements at once, want %d", test.copy, got, test.width)
		}
	}
	ops, a := accesses(t, replace(text, "(i: 8, j: 64) t[i, j] = A[b + i, j]"))
	if got := a.Width(ops[0].Dst, ops[0].Dom[1].Var); got != 8 {
		t.Errorf("a tile is touched %d elements at once", got)
	}
	if got := a.Width(ops[0].Dst, ops[0].Dom[0].Var); got != 1 {
		t.Errorf("a tile is touched %d elements at once across rows", got)
	}
}

func TestUniformGuards(t *testing.T) {
	const text = `tile func f {
  dim M = A[0]
  dim N = A[1]
  param in A: f16[M, N] in global
  assume A aligned 16
  assume multiple N of 8
  grid (b: M)
  alloc t: f16[8, 64]
  COPY
}
`
	for guard, want := range map[string]bool{
		"j < N":                     true,
		"b * 64 + j < N":            true,
		"b + j < N":                 false,
		"j + 4 < N":                 false,
		"j < M":                     false,
		"i < M":                     true,
		"j >= 8 and j < N":          true,
		"j > 8":                     false,
		"N > j":                     true,
		"N - j > 0":                 false,
		"j == 8":                    false,
		"j < N or i < 4":            false,
		"i + b < M and 64 + j < N":  true,
		"i + b < M and 64 + j <= N": false,
	} {
		ops, a := accesses(t, replace(text, "(i: 8, j: 64) t[i, j] = A[b + i, j] guard("+guard+")"))
		op := ops[0]
		if got := a.UniformGuard(op.Src[0].Guard, op.Dom[1].Var, 8); got != want {
			t.Errorf("%s: one value for 8 elements: %v, want %v", guard, got, want)
		}
	}
}

func TestWithout(t *testing.T) {
	i := &Var{Name: "i", Type: Index, Kind: IterVar}
	n := &Var{Name: "n", Type: Index, Kind: DimVar}
	for _, test := range []struct {
		e    *Expr
		rest string
		ok   bool
	}{
		{RefTo(i), "0", true},
		{Bin(Add, RefTo(n), RefTo(i)), "n + 0", true},
		{Bin(Sub, Bin(Add, RefTo(i), Int(4)), RefTo(n)), "0 + 4 - n", true},
		{RefTo(n), "", false},
		{Bin(Sub, RefTo(n), RefTo(i)), "", false},
		{Bin(Add, RefTo(i), RefTo(i)), "", false},
		{Bin(Mul, RefTo(i), Int(2)), "", false},
		{FloatOf(array.F32, 1), "", false},
	} {
		rest, ok := Without(test.e, i)
		if ok != test.ok || ok && rest.String() != test.rest {
			t.Errorf("%s without i: %v, %v, want %s, %v", test.e, rest, ok, test.rest, test.ok)
		}
	}
}
