package ast_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/lang/parser"
)

func expr(t *testing.T, text string) ast.Expr {
	t.Helper()
	rep := new(diag.Reporter)
	x := parser.ParseExpr(diag.NewFile("expr", text), rep)
	if x == nil {
		t.Fatalf("%s: %v", text, rep.Sorted())
	}
	return x
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"(a)":                                 "a",
		"2 * N":                               "2*N",
		"(a+b)*c":                             "(a + b) * c",
		"a-(b-c)-d":                           "a - (b - c) - d",
		"a - b - c":                           "a - b - c",
		"(a < b) == (c < d)":                  "(a < b) == (c < d)",
		"not (a and b) or not c == d":         "not (a and b) or not c == d",
		"-(a + b) * ~c":                       "-(a + b) * ~c",
		"- -x":                                "--x",
		"(-x) * (not y)":                      "-x * (not y)",
		"if a then b else if c then d else e": "if a then b else if c then d else e",
		"(if a then b else c) + 1":            "(if a then b else c) + 1",
		"sum[k, j:3](x[k , j])":               "sum[k, j: 3](x[k, j])",
		"A[r:r+1, 0]":                         "A[r : r + 1, 0]",
		"peer(A, r)[i]":                       "peer(A, r)[i]",
		"atomic H[i] max= 1 + 2":              "atomic H[i] max= 1 + 2",
		`file("a\"\\b\n")`:                    `file("a\"\\b\n")`,
		"a | b ^ c & d << 1 + 2 * 3":          "a | b ^ c & d << 1 + 2*3",
		"0x1_0 + 1e-3 + (true)":               "0x1_0 + 1e-3 + true",
	} {
		x := expr(t, in)
		got := ast.Text(x)
		if got != want {
			t.Errorf("%s is written %s, want %s", in, got, want)
		}
		if d := cmp.Diff(ast.Dump(x), ast.Dump(expr(t, got))); d != "" {
			t.Errorf("%s changed its meaning: %s", in, d)
		}
	}
}

// TestInspect checks order and pruning.
func TestInspect(t *testing.T) {
	var order []string
	ast.Inspect(expr(t, "f(a, b[c]) + sum[k: n](d)"), func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			order = append(order, id.Name)
		}
		_, pruned := n.(*ast.Index)
		return !pruned
	})
	if d := cmp.Diff([]string{"f", "a", "sum", "k", "n", "d"}, order); d != "" {
		t.Error(d)
	}
}

func TestOperatorsHaveNames(t *testing.T) {
	for op := ast.Or; op <= ast.Rem; op++ {
		if op.String() == "" || op.Precedence() == 0 {
			t.Errorf("operator %d has no text or precedence", op)
		}
	}
	for op := ast.Set; op <= ast.AndSet; op++ {
		if op.String() == "" {
			t.Errorf("assignment %d has no text", op)
		}
	}
	var zero ast.BinaryOp
	if zero.String() != "invalid" || zero.Precedence() != 0 || ast.AssignOp(0).String() != "invalid" || ast.UnaryOp(0).String() != "invalid" {
		t.Error("a zero operator is valid")
	}
}

func TestOpSpan(t *testing.T) {
	x := expr(t, "(a)  <= b").(*ast.Binary)
	if got := x.OpSpan().Text(); got != "<=" {
		t.Errorf("the operator is at %q", got)
	}
}
