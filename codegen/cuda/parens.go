package cuda

import "strings"

// Levels of C++ operators, loosest first, as far as expressions are spelled here:
// every binary operator stands between spaces.
const (
	anyLevel = iota
	ternaryLevel
	orLevel
	andLevel
	bitLevel // | ^ &, which read better in parentheses whatever the rules
	equalLevel
	compareLevel
	shiftLevel
	sumLevel
	productLevel
	termLevel
)

var levels = map[string]int{
	"?": ternaryLevel, ":": ternaryLevel, "||": orLevel, "&&": andLevel, "|": bitLevel, "^": bitLevel, "&": bitLevel,
	"==": equalLevel, "!=": equalLevel, "<": compareLevel, ">": compareLevel, "<=": compareLevel, ">=": compareLevel,
	"<<": shiftLevel, ">>": shiftLevel, "+": sumLevel, "-": sumLevel, "*": productLevel, "/": productLevel, "%": productLevel,
}

// within drops the parentheses round an expression where it stands as an operand
// of operators that bind as tightly as level or less.
func within(level int, e string) string {
	for strings.HasPrefix(e, "(") && closes(e) {
		inner := e[1 : len(e)-1]
		if levelOf(inner) < level {
			return e
		}
		e = inner
	}
	return e
}

// top drops the parentheses round a whole expression.
func top(e string) string { return within(anyLevel, e) }

// levelOf is the loosest operator of an expression outside parentheses.
func levelOf(e string) int {
	level, depth, start := termLevel, 0, 0
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
