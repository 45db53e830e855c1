package codegen

import (
	"strings"

	"tilec/ir"
)

// Message returns the format of an [ir.OpPrint] for printf, and its arguments, each behind a comma; value spells one, with its verb.
func Message(op *ir.Op, value func(x *ir.Expr) (verb, arg string)) (format, args string) {
	for i, x := range op.X {
		if i < len(op.Text) {
			format += Escaped(op.Text[i])
		}
		verb, arg := value(x)
		format += verb
		args += ", " + arg
	}
	if len(op.Text) > len(op.X) {
		format += Escaped(strings.Join(op.Text[len(op.X):], " "))
	}
	return format, args
}

// Escaped spells a text inside the quotes of a format for printf.
func Escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "%", "%%").Replace(s)
}
