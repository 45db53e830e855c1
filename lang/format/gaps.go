package format

import "tilec/lang/parser"

// gap is the number of spaces between two tokens of a line.
func (l *layout) gap(left, right *piece) int {
	switch {
	case left == nil, l.tight[right.Pos.Offset], l.glue[left.Pos.Offset]:
		return 0
	case left.Type == parser.Punct && (left.Value == "(" || left.Value == "["):
		return 0
	case right.Type != parser.Punct:
		return 1
	}
	switch right.Value {
	case ",", ")", "]":
		return 0
	case ":":
		if !l.colons[right.Pos.Offset] {
			return 0
		}
	case "[":
		if left.Type == parser.Ident || left.Value == ")" {
			return 0
		}
	case "(":
		if left.Value == "]" {
			return 0
		}
	}
	return 1
}
