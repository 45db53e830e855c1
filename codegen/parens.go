package codegen

import "strings"

// Levels of C++ operators, loosest first, as far as expressions are spelled here:
// every binary operator stands between spaces.
const (
	AnyLevel = iota
	TernaryLevel
	OrLevel
	AndLevel
	BitLevel // | ^ &, which read better in parentheses whatever the rules
	EqualLevel
	CompareLevel
	ShiftLevel
	SumLevel
	ProductLevel
	TermLevel
)

var levels = map[string]int{
	"?": TernaryLevel, ":": TernaryLevel, "||": OrLevel, "&&": AndLevel, "|": BitLevel, "^": BitLevel, "&": BitLevel,
	"==": EqualLevel, "!=": EqualLevel, "<": CompareLevel, ">": CompareLevel, "<=": CompareLevel, ">=": CompareLevel,
	"<<": ShiftLevel, ">>": ShiftLevel, "+": SumLevel, "-": SumLevel, "*": ProductLevel, "/": ProductLevel, "%": ProductLevel,
}

// Within drops the parentheses round an expression where it stands as an operand
// of operators that bind as tightly as level or less.
func Within(level int, e string) string {
	for strings.HasPrefix(e, "(") && closes(e) {
		inner := e[1 : len(e)-1]
		if levelOf(inner) < level {
			return e
		}
		e = inner
	}
	return e
}

// Top drops the parentheses round a whole expression.
func Top(e string) string { return Within(AnyLevel, e) }

// levelOf is the loosest operator of an expression outside parentheses.
func levelOf(e string) int {
	level, depth, start := TermLevel, 0, 0
	for i := 0; i <= len(e); i++ {
		if i < len(e) {
			switch e[i] {
			case '(', '[', '{':
				depth++
				continue
			case ')', ']', '}':
				depth--
				continue
			}
		}
		if i < len(e) && e[i] != ' ' {
			continue
		}
		if depth == 0 {
			if l, ok := levels[e[start:i]]; ok && l < level {
				level = l
			}
			start = i + 1
		}
	}
	return level
}

// Operand puts parentheses round an expression that is not a single term.
func Operand(e string) string {
	if strings.Contains(e, " ") && levelOf(e) < TermLevel {
		return "(" + e + ")"
	}
	return e
}

// closes reports that the parenthesis that opens e is closed only at its end.
func closes(e string) bool {
	depth := 0
	for i, c := range e {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 && i < len(e)-1 {
				return false
			}
		}
	}
	return true
}
