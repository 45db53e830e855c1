package ascend

import (
	"fmt"
	"strings"

	"tilec/codegen"
	"tilec/ir"
)

// message prints a message of scalars (Ascend C, printf: it takes no double, and 64-bit numbers as long).
func (k *kernel) message(op *ir.Op) {
	format, args := codegen.Message(op, func(x *ir.Expr) (verb, arg string) {
		value := codegen.Top(k.expr(x, nil))
		switch {
		case x.Type.IsFloat():
			return "%f", fmt.Sprintf("static_cast<float>(%s)", value)
		case x.Type.Bits() == 64 && x.Type.IsSigned():
			return "%ld", value
		case x.Type.Bits() == 64:
			return "%lu", value
		case x.Type.IsUnsigned():
			return "%u", value
		}
		return "%d", value
	})
	k.w.Line("AscendC::printf(\"%s\\n\"%s);", format, args)
}

// assertion prints what stops a kernel where a condition does not hold.
func (k *kernel) assertion(op *ir.Op) {
	k.w.Open("if (!%s)", codegen.Operand(k.expr(op.X[0], nil)))
	k.w.Line("AscendC::printf(\"%s\\n\");", codegen.Escaped(strings.Join(op.Text, " ")))
	k.w.Line("Trap();")
	k.w.Close("")
}
