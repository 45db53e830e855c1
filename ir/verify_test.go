package ir

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/runtime/array"
)

// framed puts operations into a function with something of everything in scope.
func framed(form, body string) string {
	tiles := ""
	for _, t := range []string{"s: f32[16, 8]", "m: f32[16]", "h: f16[16, 8]", "q: i32[16]", "z: f32[]"} {
		tiles += "  alloc " + t + placedAttributes(form, t) + "\n"
	}
	if form == "spec" {
		return "spec func f {\n  dim N = X[0]\n  param in X: f32[N]\n  param out Y: f32[N]\n  grid ()\n" + body + "\n}\n"
	}
	return form + ` func f {
  dim N = X[0]
  param in X: f32[N]
  param out Y: f32[N]
  param inout H: i32[N]
  param eps: f32
  grid (b: N)
` + tiles + `  map (i: 16, j: 8) s[i, j] = 0_f32` + placedAttributes(form, "map2") + `
  map (i: 16, j: 8) h[i, j] = 0_f16` + placedAttributes(form, "map2") + `
  map (i: 16) q[i] = 0_i32` + placedAttributes(form, "map1") + `
` + body + "\n}\n"
}

const (
	spread1 = " layout {reg: ; lane: (1) (2) (4) (8) (0); warp: -> 16}"
	spread2 = " layout {reg: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (1,0) (2,0); warp: -> 16x8}"
)

func placedAttributes(form, what string) string {
	switch {
	case form == "tile":
		return ""
	case strings.HasPrefix(what, "h:"):
		return " in shared layout {dim0: (8) (16) (32) (64); dim1: (1) (2) (4) -> 128}"
	case what == "map2":
		return spread2
	case what == "map1":
		return spread1
	case strings.Contains(what, "[16, 8]"):
		return " in register" + spread2
	case strings.Contains(what, "[16]"):
		return " in register" + spread1
	}
	return " in register layout {reg:; lane: () () () () (); warp: -> ()}"
}

// good holds, for every operation, lines that verify in the given form.
var good = map[Opcode]struct{ form, body string }{
	OpLet:         {"tile", "let x: f32 = eps * 2_f32"},
	OpVar:         {"tile", "var x: f32 = eps"},
	OpAssign:      {"tile", "var x: f32 = eps\nassign x = x + x"},
	OpAlloc:       {"tile", "alloc t: f32[4]"},
	OpFor:         {"tile", "for k in 0 .. N step 2 {\nlet y: i64 = k\n}"},
	OpWhile:       {"tile", "var n: i64 = N\nwhile n > 0 {\nassign n = n - 1\n}"},
	OpIf:          {"tile", "if b < 3 {\n} else {\n}"},
	OpCopy:        {"scheduled", "copy (i: 16, j: 8) h[i, j] = X[b * 16 + j] async" + spread2 + "\ncommit\nwait 0\nbarrier"},
	OpMap:         {"tile", "map (i: 16, j: 8) s[i, j] = f32(h[i, j]) where i < j"},
	OpReduce:      {"placed", "reduce max (i: 16) over (j: 8) m[i] = s[i, j]" + spread2},
	OpJoin:        {"placed", "map (i: 16) m[i] = 0_f32" + spread1 + "\njoin sum (i: 16) m[i] = m[i]" + spread1},
	OpContract:    {"tile", "contract (i: 16, j: 8) over (k: 8) s[i, j] += h[i, k] * h[j, k]"},
	OpScan:        {"tile", "scan sum axis 1 (i: 16, j: 8) s[i, j] = s[i, j]"},
	OpAtomic:      {"tile", "atomic sum () H[b] = 1_i32 old was: i32"},
	OpPrint:       {"tile", "print (eps, b) text [\"eps\", \"b\"]"},
	OpAssert:      {"tile", "assert (i: 16) q[i] >= 0_i32 text [\"negative\"]"},
	OpCommit:      {"scheduled", "copy (i: 16, j: 8) h[i, j] = X[i] async" + spread2 + "\ncommit"},
	OpWait:        {"scheduled", "copy (i: 16, j: 8) h[i, j] = X[i] async" + spread2 + "\ncommit\nwait 1"},
	OpBarrier:     {"scheduled", "barrier"},
	OpSetFlag:     {"scheduled", "setflag mte2 v 0"},
	OpWaitFlag:    {"scheduled", "setflag mte2 v b % 2\nwaitflag mte2 v b % 2"},
	OpCores:       {"tile", "cores half: i64 {\ncrossset fix 0\n} else {\ncrosswait half\n}"},
	OpCrossSet:    {"tile", "crossset fix 0"},
	OpCrossWait:   {"tile", "crosswait 3"},
	OpPipeBarrier: {"scheduled", "pipebarrier v"},
}

func TestEveryOperationIsDescribedPrintedAndVerified(t *testing.T) {
	for code := OpLet; code < numOps; code++ {
		info := code.Info()
		if info.Name == "" || info.Doc == "" || info.Effect == 0 || info.Since == InvalidForm {
			t.Errorf("row %d of the table is incomplete: %+v", code, info)
		}
		if found, ok := LookupOpcode(info.Name); !ok || found != code {
			t.Errorf("%s is not found by its name", info.Name)
		}
		sample, ok := good[code]
		if !ok {
			t.Errorf("no sample of %s", code)
			continue
		}
		f := mustParse(t, code.String(), framed(sample.form, sample.body))
		if err := Verify(f); err != nil {
			t.Errorf("%s: %v", code, err)
		}
		if !strings.Contains(Print(f), "  "+code.String()) {
			t.Errorf("%s is not printed", code)
		}
		if !Equal(f, mustParse(t, "again", Print(f))) {
			t.Errorf("%s doesn't round-trip", code)
		}
	}
	if Opcode(numOps).String() != "invalid" || InvalidOp.String() != "invalid" {
		t.Error("no operation has a name")
	}
}

func TestEveryScalarOperationIsDescribed(t *testing.T) {
	for op := Const; op < numExprOps; op++ {
		if op.Info().Name == "" {
			t.Errorf("row %d of the table has no name", op)
		}
		if found, ok := LookupExprOp(op.String()); !ok || found != op {
			t.Errorf("%s is not found by its name", op)
		}
		if (op.Info().Infix != "") != (infixLevel(op) != lowest) {
			t.Errorf("%s has an infix spelling without a precedence, or the other way round", op)
		}
	}
}

func TestSamplesVerify(t *testing.T) {
	if err := Verify(mustParse(t, "matmul", samples(t)["matmul.tir"])); err != nil {
		t.Error(err)
	}
}

func TestVerifyFinds(t *testing.T) {
	tests := []struct{ form, body, want string }{
		{"tile", "let x: f32 = eps + 1_f64", "operands of eps + 1_f64 have types f32 and f64"},
		{"tile", "let x: f16 = f16(eps) + 1_f16", "add computes in f16 (f16(eps) + 1_f16); cast to f32 first"},
		{"tile", "let x: f64 = eps", "the value is eps of type f32, not f64"},
		{"tile", "let x: bool = not(b)", "not is not defined on i64 (not(b)); the value is not(b) of type i64, not bool"},
		{"tile", "let x: i64 = exp(b)", "exp is not defined on i64 (exp(b))"},
		{"tile", "let x: i32 = bitcast(i32, b)", "bitcast(i32, b) takes 32 bits from a value of type i64"},
		{"tile", "let x: i64 = select(b, b, b)", "the condition of select(b, b, b) is of type i64"},
		{"tile", "let x: f32 = s[0]", "s[0] has 1 indices, s has 2 dimensions"},
		{"tile", "let x: f32 = s[0, 8]", "index 8 of s[0, 8] is outside dimension 1, of extent 8"},
		{"tile", "let x: f32 = s[eps, 0]", "an index of s is eps of type f32, not an integer"},
		{"tile", "let x: f32 = X[0] else(0_f32)", "X[0] else(0_f32) has an else but no guard"},
		{"tile", "let x: f32 = X[0] guard(b)", "the guard of X is b of type i64, not bool"},
		{"tile", "let x: f32 = X[0] guard(true) else(0_f16)", "what X gives outside is 0_f16 of type f16, not f32"},
		{"tile", "assign b = 1", "b is assigned, but it is no mutable scalar in scope"},
		{"tile", "for k in 0 .. N step 0 {\n}", "the step 0 is not positive"},
		{"tile", "if b {\n}", "the condition is b of type i64, not bool"},
		{"tile", "map (i: 8, j: 16) s[i, j] = 0_f32", "j runs to 16, but dimension 1 of s has extent 8"},
		{"tile", "map (i: N) Y[i] = 0_f32", "extent N of i is no positive constant"},
		{"tile", "map (i: 16) s[i, 0] = 0_f16", "the value is 0_f16 of type f16, not f32"},
		{"tile", "map (i: 16, j: 8) m[i] = s[i, j]", "all points of j write the same element m[i]"},
		{"tile", "map (i: 16) X[i] = 0_f32", "map writes X, which is an input"},
		{"tile", "map (i: 16) Y[i] guard(true) else(0_f32) = 0_f32", "destination Y[i] guard(true) else(0_f32) has an else"},
		{"tile", "map (i: 16) m[i] = 0_f32 where i", "where is i of type i64, not bool"},
		{"tile", "reduce max (i: 16) over (j: 8) s[i, j] = s[i, j]", "destination s[i, j] depends on the reduced index j"},
		{"tile", "reduce exchange (i: 16) over (j: 8) m[i] = s[i, j]", "reduce doesn't combine by exchange"},
		{"tile", "reduce argmax (i: 16) over (j: 8) m[i] = s[i, j]", "combination argmax is not defined on f32"},
		{"tile", "reduce any (i: 16) over (j: 8) m[i] = s[i, j]", "combination any is not defined on f32"},
		{"tile", "copy (i: 16, j: 4) s[i, j * 2] = X[i]", "index j * 2 of s[i, j * 2] is not an iteration variable plus an offset"},
		{"tile", "copy (i: 4) s[i, i] = X[i]", "i stands in two dimensions of s[i, i]"},
		{"tile", "contract (i: 16, j: 8) over (k: 8) h[i, j] += h[i, k] * h[k, j]", "a contraction of f16 adds up in f16"},
		{"tile", "contract (i: 16, j: 8) over (k: 8) s[i, j] += h[i, 0] * h[0, j]", "no operand depends on the reduced index k"},
		{"tile", "contract (i: 16, j: 8) over (k: 8) s[i, j] += h[i, k] * q[k]", "the operands are of types f16 and i32"},
		{"tile", "scan sum axis 2 (i: 16, j: 8) s[i, j] = s[i, j]", "axis 2 of a domain of 2 dimensions"},
		{"tile", "atomic prod (i: 16) H[i] = 1_i32", "atomic doesn't combine by prod"},
		{"tile", "atomic sum (i: 16) H[i] = 1_i32 old w: i32", "an atomic on many elements has one old value"},
		{"tile", "barrier", "barrier doesn't stand in tile form"},
		{"tile", "copy (i: 16) m[i] = X[i] async", "an asynchronous copy stands in tile form"},
		{"tile", "alloc t: f32[N]", "tile t has the extent N, which is no positive constant"},
		{"tile", "alloc t: f32[2] temporary", "buffer t is of a kind (5) that isn't declared here"},
		{"tile", "alloc t: f32[2] in shared layout {dim0: -> 1}", "the layout of t covers 1 of 2 elements of dimension 0"},
		{"tile", "let x: f32 = z[]", "tile z is read before anything is written to it"},
		{"tile", "for k in 0 .. N {\nlet x: f32 = m[0]\nmap (i: 16) m[i] = 0_f32\n}", "tile m is read before anything is written to it"},
		{"tile", "for k in 0 .. N {\nif k > 0 {\nlet x: f32 = m[0]\n}\nmap (i: 16) m[i] = 0_f32\n}", ""},
		{"tile", "reduce sum accumulate (i: 16) over (j: 8) m[i] = s[i, j]", "tile m is read before anything is written to it"},
		{"placed", "alloc t: f32[2]", "tile t has no memory"},
		{"placed", "alloc t: f32[2] in register", "tile t has no layout"},
		{"placed", "map (i: 16) m[i] = 0_f32", "map has no layout"},
		{"placed", "map (i: 16) m[i] = 0_f32 layout {reg:; lane: (1) (2) (4) (0) (0); warp: -> 8}", "the operation's layout covers 8 of 16 points of i"},
		{"placed", "map (i: 16) m[i] = f32(i) layout {reg:; lane: (8) (4) (2) (1) (0); warp: -> 16}",
			"threads touch elements of register tile m that they don't hold: the tile is laid out {reg:; lane: (1) (2) (4) (8) (0); warp: -> 16}, the operation touches {reg:; lane: (8) (4) (2) (1) (0); warp: -> 16}"},
		{"placed", "map (i: 8, j: 8) Y[i] = s[i + 1, j]" + spread2, "all points of j write the same element Y[i]; register tile s is indexed by more than plain iteration variables: s[i + 1, j]"},
		{"placed", "contract (i: 16, j: 8) over (k: 8) s[i, j] += h[i, k] * h[k, j]", "contract names no atom"},
		{"placed", "reduce max (i: 16) over (j: 8) m[i] = s[i, j]" + spread2 + " scratch (t: f32[4] in register)", "scratch buffer t is in register, which operations don't use so"},
		{"scheduled", "wait 0", "wait without any commit"},
		{"scheduled", "commit", "commit without any asynchronous copy"},
		{"scheduled", "copy (i: 16, j: 8) h[i, j] = X[i] async" + spread2, "asynchronous copy without any commit"},
		{"spec", "map (i: N) Y[i] = X[i]", ""},
		{"spec", "alloc t: f64[N] temporary\nmap (i: N) t[i] = f64(X[i])", ""},
		{"spec", "barrier", "barrier doesn't stand in spec form"},
	}
	for _, test := range tests {
		text := framed(test.form, test.body)
		f := mustParse(t, "f", text)
		var got []string
		if err := Verify(f); err != nil {
			for _, p := range err.(*Malformed).Problems {
				got = append(got, p.Text)
			}
		}
		if diff := cmp.Diff(test.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.body, diff)
		}
	}
}

func TestVerifyFindsWhatTextCannotSay(t *testing.T) {
	x := &Var{Name: "x", Type: array.F32, Kind: LetVar}
	tests := []struct {
		name, want string
		ops        []*Op
	}{
		{"out of scope", "scalar x is used out of scope", []*Op{{Code: OpAssert, X: []*Expr{Bin(Lt, RefTo(x), FloatOf(array.F32, 1))}, Text: []string{""}}}},
		{"defined twice", "scalar x is defined twice", []*Op{
			{Code: OpLet, Var: x, X: []*Expr{FloatOf(array.F32, 1)}}, {Code: OpLet, Var: x, X: []*Expr{FloatOf(array.F32, 1)}}}},
		{"missing operand", "let has 0 scalar operands, not 1", []*Op{{Code: OpLet, Var: x}}},
		{"nil operand", "the value is missing", []*Op{{Code: OpLet, Var: x, X: []*Expr{nil}}}},
		{"surplus field", "let has a where", []*Op{{Code: OpLet, Var: x, X: []*Expr{FloatOf(array.F32, 1)}, Where: BoolOf(true)}}},
		{"wrong kind", "scalar x is of the wrong kind (6) for its definition", []*Op{{Code: OpVar, Var: x, X: []*Expr{FloatOf(array.F32, 1)}}}},
		{"unrounded", "constant 0.1 is no value of type f32", []*Op{{Code: OpLet, Var: x, X: []*Expr{{Op: Const, Type: array.F32, Float: 0.1}}}}},
		{"no buffer", "an access names no buffer", []*Op{{Code: OpMap, X: []*Expr{Int(0)}, Dst: &Access{}}}},
		{"unknown", "unknown operation 0", []*Op{{}}},
		{"unknown expression", "expression of unknown operation 0", []*Op{{Code: OpLet, Var: x, X: []*Expr{{}}}}},
	}
	for _, test := range tests {
		f := &Func{Name: "f", Form: TileForm, Body: &Block{Ops: test.ops}}
		err := Verify(f)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func TestProblemsNameThePlace(t *testing.T) {
	f := mustParse(t, "f.tir", framed("tile", "let x: f64 = eps\nlet y: f64 = eps"))
	want := `f is malformed
f.tir:16:1: the value is eps of type f32, not f64
	in let x: f64 = eps
f.tir:17:1: the value is eps of type f32, not f64
	in let y: f64 = eps`
	if err := Verify(f); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// Whatever parses can be verified: no panic, however senseless.
func FuzzVerify(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text)
	}
	for _, sample := range good {
		f.Add(framed(sample.form, sample.body))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if fn, err := Parse("fuzz", text); err == nil {
			_ = Verify(fn)
		}
	})
}
