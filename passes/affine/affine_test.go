package affine

import (
	"testing"

	"pgregory.net/rapid"

	"tilec/ir"
)

func index(name string, kind ir.VarKind) *ir.Var {
	return &ir.Var{Name: name, Type: ir.Index, Kind: kind}
}

// setup is a kernel's scalars: dimensions N and K, grid index b below
// ceildiv(N, 128), loop variable k below ceildiv(K, 32), points i below 128, j
// below 32.
type setup struct {
	*Prover
	n, kk, b, k, i, j *ir.Var
}

func newSetup(multiple bool) *setup {
	s := &setup{Prover: New(), n: index("N", ir.DimVar), kk: index("K", ir.DimVar), b: index("b", ir.GridVar),
		k: index("k", ir.LoopVar), i: index("i", ir.IterVar), j: index("j", ir.IterVar)}
	s.Dim(s.n)
	s.Dim(s.kk)
	if multiple {
		s.Multiple(ir.RefTo(s.n), 128)
		s.Multiple(ir.RefTo(s.kk), 32)
	}
	s.Range(s.b, ir.Int(0), ceildiv(ir.RefTo(s.n), 128))
	s.Range(s.k, ir.Int(0), ceildiv(ir.RefTo(s.kk), 32))
	s.Range(s.i, ir.Int(0), ir.Int(128))
	s.Range(s.j, ir.Int(0), ir.Int(32))
	return s
}

func ceildiv(x *ir.Expr, n int64) *ir.Expr {
	return ir.Bin(ir.Div, ir.Bin(ir.Add, x, ir.Int(n-1)), ir.Int(n))
}

// parse reads an expression over the scalars of s.
func (s *setup) parse(t *testing.T, text string) *ir.Expr {
	t.Helper()
	typ := "bool"
	if e := text; !containsAny(e, "<", ">", "=") {
		typ = "i64"
	}
	f, err := ir.Parse("expr", `tile func f {
dim N = A[0]
dim K = A[1]
param in A: i32[N, K]
grid (b: 1)
for k in 0 .. 1 {
  for i in 0 .. 1 {
    for j in 0 .. 1 {
      let x: `+typ+` = `+text+`
    }
  }
}
}`)
	if err != nil {
		t.Fatal(err)
	}
	loop := f.Body.Ops[0]
	with := map[*ir.Var]*ir.Expr{
		f.Dims[0].Var: ir.RefTo(s.n), f.Dims[1].Var: ir.RefTo(s.kk), f.Grid[0].Var: ir.RefTo(s.b),
		loop.Var: ir.RefTo(s.k), loop.Body.Ops[0].Var: ir.RefTo(s.i), loop.Body.Ops[0].Body.Ops[0].Var: ir.RefTo(s.j),
	}
	return loop.Body.Ops[0].Body.Ops[0].Body.Ops[0].X[0].Subst(with)
}

func containsAny(s string, subs ...string) bool {
	for _, sub := range subs {
		for i := range len(s) {
			if s[i:i+1] == sub {
				return true
			}
		}
	}
	return false
}

func TestProves(t *testing.T) {
	tests := []struct {
		cond     string
		multiple bool // N and K are multiples of the tile
		want     string
	}{
		{"i < 128", false, "holds"},
		{"i < 127", false, "unknown"},
		{"i >= 128", false, "fails"},
		{"i + j < 159", false, "holds"},
		{"b * 128 + i >= 0", false, "holds"},
		{"b * 128 < N", false, "holds"},
		{"b * 128 + i < N", false, "unknown"},
		{"b * 128 + i < N", true, "holds"},
		{"k * 32 + j < K", true, "holds"},
		{"k * 32 + j < K", false, "unknown"},
		{"k < (K + 31) / 32", false, "holds"},
		{"k < K", false, "holds"},
		{"(k + 1) * 32 <= K", true, "holds"},
		{"(k * 32 + j) / 32 == k", false, "holds"},
		{"(k * 32 + j) % 32 == j", false, "holds"},
		{"N > 0", false, "holds"}, // else b has no value
		{"min(i, N) <= 127", false, "holds"},
		{"max(i, j) >= 0", false, "holds"},
		{"max(i, j) < 128", false, "holds"},
		{"min(max(b - 5, 0), N) >= 0", false, "holds"},
		{"min(max(b - 5, 0), N) <= N", false, "holds"},
		{"i64(A[0, 0]) < 2147483648", false, "holds"},
		{"i64(A[0, 0]) < 2147483647", false, "unknown"},
		{"i % N >= 0", false, "holds"},
		{"i % N < N", false, "holds"},
		{"N / K <= N", false, "holds"},
		{"N * K >= 0", false, "holds"},
		{"i - 64 < 64 and j != 32", false, "holds"},
		{"j == 40 or i < 0", false, "fails"},
		{"not(j == 40)", false, "holds"},
		{"i * 9223372036854775807 >= 0", false, "unknown"},
	}
	for _, test := range tests {
		s := newSetup(test.multiple)
		c := s.parse(t, test.cond)
		got := "unknown"
		switch {
		case s.Holds(c) && s.Fails(c):
			got = "contradiction"
		case s.Holds(c):
			got = "holds"
		case s.Fails(c):
			got = "fails"
		}
		if got != test.want {
			t.Errorf("%s (multiple %v): got %s, want %s", test.cond, test.multiple, got, test.want)
		}
	}
}

func TestAssumptionsAreForgotten(t *testing.T) {
	s := newSetup(false)
	c := s.parse(t, "i < N")
	mark := s.Mark()
	both := s.parse(t, "128 <= N and A[i, j] == 3_i32")
	element := both.Args[1]
	s.Assume(both)
	if !s.Holds(c) || !s.Holds(element) {
		t.Error("not proved from the assumption")
	}
	s.Release(mark)
	if s.Holds(c) || s.Holds(element) {
		t.Error("still proved")
	}
	s.Refute(ir.Bin(ir.Or, s.parse(t, "N < 128"), element))
	if !s.Holds(c) || !s.Fails(element) {
		t.Error("not proved from the refutation")
	}
}

func TestSteps(t *testing.T) {
	s := newSetup(false)
	v := index("v", ir.LoopVar)
	s.Multiple(ir.RefTo(s.n), 64)
	s.Steps(v, ir.Int(0), ir.RefTo(s.n), 64)
	last := ir.Bin(ir.Lt, ir.Bin(ir.Add, ir.RefTo(v), ir.Int(63)), ir.RefTo(s.n))
	if !s.Holds(last) {
		t.Errorf("%s isn't proved", last)
	}
	start := ir.Bin(ir.Mul, ir.Bin(ir.Div, ir.Bin(ir.Add, ir.RefTo(v), ir.RefTo(s.j)), ir.Int(64)), ir.Int(64))
	if got := s.Simplify(start).String(); got != "v" {
		t.Errorf("%s: got %s, want v", start, got)
	}
}

func TestSimplify(t *testing.T) {
	for text, want := range map[string]string{
		"k * 32 + j - k * 32":     "j",
		"(k * 32 + j) / 32":       "k",
		"(k * 32 + j) % 32":       "j",
		"b * 128 + i":             "b * 128 + i",
		"i + 1 + 2 - 4":           "i - 1",
		"i * 2 + i":               "i * 3",
		"0 - i + j":               "j - i",
		"min(i, i)":               "i",
		"(i + N) / 1":             "N + i",
		"b + (N + 127) / 128 - b": "(N + 127) / 128",
		"5 - 2 * 3":               "-1",
	} {
		s := newSetup(false)
		if got := s.Simplify(s.parse(t, text)).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// value computes an expression of the random test below.
func value(e *ir.Expr, at map[*ir.Var]int64) int64 {
	var x, y int64
	if len(e.Args) > 0 {
		x = value(e.Args[0], at)
	}
	if len(e.Args) > 1 {
		y = value(e.Args[1], at)
	}
	truth := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	switch e.Op {
	case ir.Const:
		return e.Int
	case ir.Ref:
		return at[e.Var]
	case ir.Neg:
		return -x
	case ir.Add:
		return x + y
	case ir.Sub:
		return x - y
	case ir.Mul:
		return x * y
	case ir.Div:
		if y == 0 {
			return 0
		}
		return ir.FloorDiv(x, y)
	case ir.Mod:
		if y == 0 {
			return 0
		}
		return x - y*ir.FloorDiv(x, y)
	case ir.Min:
		return min(x, y)
	case ir.Max:
		return max(x, y)
	case ir.Select:
		if x != 0 {
			return y
		}
		return value(e.Args[2], at)
	case ir.Lt:
		return truth(x < y)
	case ir.Le:
		return truth(x <= y)
	case ir.Gt:
		return truth(x > y)
	case ir.Ge:
		return truth(x >= y)
	case ir.Eq:
		return truth(x == y)
	case ir.Ne:
		return truth(x != y)
	case ir.And:
		return x & y
	case ir.Or:
		return x | y
	}
	panic("unexpected " + e.Op.String())
}

func TestProofsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New()
		n, k, i := index("n", ir.DimVar), index("k", ir.LoopVar), index("i", ir.IterVar)
		vars := []*ir.Var{n, k, i}
		small := rapid.Int64Range(-3, 9)
		var expr func(depth int) *ir.Expr
		compare := rapid.SampledFrom([]ir.ExprOp{ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.Eq, ir.Ne})
		cond := func(depth int) *ir.Expr { return ir.Bin(compare.Draw(t, "cmp"), expr(depth), expr(depth)) }
		expr = func(depth int) *ir.Expr {
			if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
				if rapid.Bool().Draw(t, "const") {
					return ir.Int(small.Draw(t, "c"))
				}
				return ir.RefTo(rapid.SampledFrom(vars).Draw(t, "v"))
			}
			switch op := rapid.SampledFrom([]ir.ExprOp{ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max, ir.Neg, ir.Select}).Draw(t, "op"); op {
			case ir.Neg:
				return ir.Un(op, expr(depth-1))
			case ir.Select:
				return ir.SelectOf(cond(depth-1), expr(depth-1), expr(depth-1))
			case ir.Mul, ir.Div, ir.Mod:
				if rapid.Bool().Draw(t, "by const") {
					return ir.Bin(op, expr(depth-1), ir.Int(small.Draw(t, "c")))
				}
				fallthrough
			default:
				return ir.Bin(op, expr(depth-1), expr(depth-1))
			}
		}
		p.Dim(n)
		multiple := rapid.Int64Range(1, 3).Draw(t, "multiple")
		p.Multiple(ir.RefTo(n), multiple)
		step := rapid.Int64Range(1, 3).Draw(t, "step")
		divisor := rapid.Int64Range(1, 4).Draw(t, "divisor")
		limit := ceildiv(ir.RefTo(n), divisor)
		p.Steps(k, ir.Int(0), limit, step)
		extent := rapid.Int64Range(1, 4).Draw(t, "extent")
		p.Range(i, ir.Int(0), ir.Int(extent))
		assumed := cond(2)
		p.Assume(assumed)
		tested := cond(3)
		if rapid.Bool().Draw(t, "compound") {
			tested = ir.Bin(rapid.SampledFrom([]ir.ExprOp{ir.And, ir.Or}).Draw(t, "op"), tested, cond(2))
		}
		whole := expr(3)
		holds, fails, short := p.Holds(tested), p.Fails(tested), p.Simplify(whole)
		decided, known := p.Decide(tested)
		for nv := int64(0); nv <= 12; nv += multiple {
			at := map[*ir.Var]int64{n: nv}
			for kv := int64(0); kv < value(limit, at); kv += step {
				at[k] = kv
				for iv := range extent {
					at[i] = iv
					if value(assumed, at) == 0 {
						continue
					}
					if v := value(tested, at); holds && v == 0 || fails && v != 0 {
						t.Fatalf("%s at n=%d k=%d i=%d is %d; holds %v, fails %v; assumed %s", tested, nv, kv, iv, v, holds, fails, assumed)
					} else if known && decided != (v != 0) {
						t.Fatalf("%s at n=%d k=%d i=%d is %d, and was decided to be %v; assumed %s", tested, nv, kv, iv, v, decided, assumed)
					}
					if v, w := value(whole, at), value(short, at); v != w {
						t.Fatalf("%s became %s: %d, %d at n=%d k=%d i=%d", whole, short, v, w, nv, kv, iv)
					}
				}
			}
		}
	})
}

func BenchmarkUnprovableGuard(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := newSetup(false)
		c := ir.Bin(ir.Lt, ir.Bin(ir.Add, ir.Bin(ir.Mul, ir.RefTo(s.b), ir.Int(128)), ir.RefTo(s.i)), ir.RefTo(s.n))
		if s.Holds(c) || s.Fails(c) {
			b.Fatal("proved")
		}
	}
}
