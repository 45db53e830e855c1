package ascend

import (
	"fmt"
	"strings"

	"tilec/codegen"
	"tilec/ir"
)

// message prints a message of scalars (Ascend C, printf: it takes no double, and 64-bit numbers as long).
func (k *kernel) message(op *ir.Op) {
	format, args := "", ""
	for i, x := range op.X {
		if i < len(op.Text) {
			format += escaped(op.Text[i])
		}
		value := k.expr(x, nil)
		switch {
		case x.Type.IsFloat():
			format += "%f"
			value = fmt.Sprintf("static_cast<float>(%s)", codegen.Top(value))
		case x.Type.Bits() == 64 && x.Type.IsSigned():
			format += "%ld"
		case x.Type.Bits() == 64:
			format += "%lu"
		case x.Type.IsUnsigned():
			format += "%u"
		default:
			format += "%d"
		}
		args += ", " + codegen.Top(value)
	}
	if len(op.Text) > len(op.X) {
		format += escaped(strings.Join(op.Text[len(op.X):], " "))
	}
	k.w.Line("AscendC::printf(\"%s\\n\"%s);", format, args)
}

// assertion prints what stops a kernel where a condition does not hold.
func (k *kernel) assertion(op *ir.Op) {
	k.w.Open("if (!%s)", codegen.Operand(k.expr(op.X[0], nil)))
	k.w.Line("AscendC::printf(\"%s\\n\");", escaped(strings.Join(op.Text, " ")))
	k.w.Line("Trap();")
	k.w.Close("")
}

func escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "%", "%%").Replace(s)
}
