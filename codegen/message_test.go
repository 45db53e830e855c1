package codegen

import (
	"testing"

	"tilec/ir"
)

func TestMessage(t *testing.T) {
	op := &ir.Op{Code: ir.OpPrint, Text: []string{"50% of ", ` is "half", `, " or so\n", "!"}, X: []*ir.Expr{ir.Int(4), ir.Int(2)}}
	format, args := Message(op, func(x *ir.Expr) (verb, arg string) { return "%ld", x.String() })
	if want := `50%% of %ld is \"half\", %ld or so\n !`; format != want {
		t.Errorf("format %q, want %q", format, want)
	}
	if want := ", 4, 2"; args != want {
		t.Errorf("arguments %q, want %q", args, want)
	}
}
