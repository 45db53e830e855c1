package parser

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// maxInt is the largest value that an integer literal may have: the largest u64.
var maxInt = new(big.Int).SetUint64(math.MaxUint64)

func at(t Token) ast.Place {
	return ast.Place{At: diag.Span{Start: t.Pos.Offset, End: end(t)}}
}

func ident(t Token) *ast.Ident { return &ast.Ident{Place: at(t), Name: t.Value} }

func intLiteral(t Token) (ast.Expr, error) {
	digits, base := t.Value, 10
	switch {
	case strings.HasPrefix(digits, "0x"):
		digits, base = digits[2:], 16
	case strings.HasPrefix(digits, "0b"):
		digits, base = digits[2:], 2
	}
	if !wellFormed(digits, base) {
		return nil, badToken(diag.BadNumber, t, "%s is not a number", quote(t.Value)).
			hint("integers are written 123, 0x7f or 0b101, with `_` between digits if you like")
	}
	digits = strings.ReplaceAll(digits, "_", "")
	tooLarge := badToken(diag.NumberTooLarge, t, "the number %s does not fit in 64 bits", abbreviate(t.Value)).
		hint("the largest integer is 18446744073709551615; write a float if you do not need it exact")
	if len(strings.TrimLeft(digits, "0")) > 64 {
		return nil, tooLarge
	}
	value, ok := new(big.Int).SetString(digits, base)
	if !ok || value.Cmp(maxInt) > 0 {
		return nil, tooLarge
	}
	return &ast.Int{Place: at(t), Text: t.Value, Value: value}, nil
}

// wellFormed reports whether there are digits, all of the base, with single underscores between them only.
func wellFormed(digits string, base int) bool {
	previous := byte('_')
	for i := 0; i < len(digits); i++ {
		c := digits[i]
		if c == '_' {
			if previous == '_' {
				return false
			}
		} else if !isDigitOf(c, base) {
			return false
		}
		previous = c
	}
	return previous != '_'
}

func isDigitOf(c byte, base int) bool {
	switch base {
	case 2:
		return c == '0' || c == '1'
	case 16:
		return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	}
	return isDigit(c)
}

func floatLiteral(t Token) (ast.Expr, error) {
	text := strings.ToLower(t.Value)
	mantissa, exponent, hasExponent := strings.Cut(text, "e")
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	exponent = strings.TrimPrefix(strings.TrimPrefix(exponent, "+"), "-")
	if !wellFormed(whole, 10) || hasFraction && !wellFormed(fraction, 10) || hasExponent && !wellFormed(exponent, 10) {
		return nil, badToken(diag.BadNumber, t, "%s is not a number", quote(t.Value)).
			hint("floats are written 1.5, 2e-3 or 1.0e6")
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil {
		return nil, badToken(diag.NumberTooLarge, t, "the number %s is too large for a float", abbreviate(t.Value)).
			hint("the constant `inf` is infinity")
	}
	return &ast.Float{Place: at(t), Text: t.Value, Value: value}, nil
}

func stringLiteral(t Token) (*ast.String, error) {
	raw := t.Value
	if len(raw) < 2 || raw[len(raw)-1] != '"' || endsEscaped(raw) {
		return nil, badToken(diag.BadString, t, "this string is not closed").hint("end it with `\"` on the same line")
	}
	var out strings.Builder
	for i := 1; i < len(raw)-1; i++ {
		c := raw[i]
		if c != '\\' {
			out.WriteByte(c)
			continue
		}
		i++
		switch raw[i] {
		case 'n':
			out.WriteByte('\n')
		case 't':
			out.WriteByte('\t')
		case '"', '\\':
			out.WriteByte(raw[i])
		default:
			return nil, badToken(diag.BadString, t, "unknown escape in a string: a backslash before %s", quote(string([]rune(raw[i:])[0]))).
				hint("the escapes are \\n, \\t, \\\" and \\\\")
		}
	}
	return &ast.String{Place: at(t), Value: strings.ToValidUTF8(out.String(), "\uFFFD")}, nil
}

// endsEscaped reports whether the last quote of a raw string is an escaped one.
func endsEscaped(raw string) bool {
	n := 0
	for i := len(raw) - 2; i > 0 && raw[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

func quote(text string) string { return "`" + abbreviate(text) + "`" }

// abbreviate keeps messages readable when a token is long.
func abbreviate(text string) string {
	const most = 40
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:most-10], "") + "…"
}
