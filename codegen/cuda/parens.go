package cuda

import "tilec/codegen"

// Levels of operators, as in package codegen.
const (
	orLevel      = codegen.OrLevel
	andLevel     = codegen.AndLevel
	equalLevel   = codegen.EqualLevel
	shiftLevel   = codegen.ShiftLevel
	sumLevel     = codegen.SumLevel
	productLevel = codegen.ProductLevel
	termLevel    = codegen.TermLevel
)

func within(level int, e string) string { return codegen.Within(level, e) }

func top(e string) string { return codegen.Top(e) }

func operand(e string) string { return codegen.Operand(e) }
