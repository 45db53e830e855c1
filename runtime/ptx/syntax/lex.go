package syntax

import (
	"math"
	"strconv"
	"strings"
)

type tokenKind uint8

const (
	eof     tokenKind = iota
	ident             // name, may start with % or $
	dotWord           // .word, :: included
	number
	str
	punct
)

type token struct {
	kind tokenKind
	text string
	pos  Pos
	lit  Literal
	// spaced tells that white space or a comment comes before the token;
	// an opcode ends at the first space.
	spaced bool
}

type lexer struct {
	file string
	src  string
	off  int
	line int
	bol  int // offset of the line's first byte
}

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '%'
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= '0' && c <= '9'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) pos() Pos { return Pos{l.line, l.off - l.bol + 1} }

func (l *lexer) errorf(p Pos, msg string) *Error { return &Error{l.file, p, msg} }

// skip passes white space, comments and "@@DWARF" lines.
func (l *lexer) skip() (bool, *Error) {
	start := l.off
	for l.off < len(l.src) {
		switch c := l.src[l.off]; {
		case c == '\n':
			l.off++
			l.line++
			l.bol = l.off
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == 0:
			l.off++
		case strings.HasPrefix(l.src[l.off:], "//") || strings.HasPrefix(l.src[l.off:], "@@") || c == '#' && l.off == l.bol:
			for l.off < len(l.src) && l.src[l.off] != '\n' {
				l.off++
			}
		case strings.HasPrefix(l.src[l.off:], "/*"):
			p := l.pos()
			end := strings.Index(l.src[l.off+2:], "*/")
			if end < 0 {
				return false, l.errorf(p, "comment is not closed")
			}
			for range end + 4 {
				if l.src[l.off] == '\n' {
					l.line++
					l.bol = l.off + 1
				}
				l.off++
			}
		default:
			return l.off > start, nil
		}
	}
	return l.off > start, nil
}

func (l *lexer) next() (token, *Error) {
	spaced, err := l.skip()
	if err != nil {
		return token{}, err
	}
	t := token{pos: l.pos(), spaced: spaced}
	if l.off >= len(l.src) {
		return t, nil
	}
	start := l.off
	switch c := l.src[l.off]; {
	case isIdentStart(c):
		l.off++
		for l.off < len(l.src) && isWord(l.src[l.off]) {
			l.off++
		}
		t.kind = ident
	case c == '.' && l.off+1 < len(l.src) && isWord(l.src[l.off+1]):
		l.off++
		for l.off < len(l.src) && (isWord(l.src[l.off]) || strings.HasPrefix(l.src[l.off:], "::") || l.src[l.off] == ':' && l.src[l.off-1] == ':') {
			l.off++
		}
		t.kind = dotWord
	case isDigit(c):
		return l.number(t)
	case c == '"':
		l.off++
		for l.off < len(l.src) && l.src[l.off] != '"' {
			if l.src[l.off] == '\n' {
				break
			}
			if l.src[l.off] == '\\' && l.off+1 < len(l.src) {
				l.off++
			}
			l.off++
		}
		if l.off >= len(l.src) || l.src[l.off] != '"' {
			return t, l.errorf(t.pos, "string is not closed")
		}
		l.off++
		t.kind, t.text = str, l.src[start+1:l.off-1]
		return t, nil
	case strings.IndexByte("{}[]()<>,;:|!@+-*/=&^~?.", c) >= 0:
		l.off++
		t.kind = punct
	default:
		return t, l.errorf(t.pos, "unexpected character "+strconv.QuoteRune(rune(c)))
	}
	t.text = l.src[start:l.off]
	return t, nil
}

func (l *lexer) number(t token) (token, *Error) {
	start := l.off
	t.kind = number
	rest := l.src[l.off:]
	// 0f and 0d literals give the bits of a float.
	if len(rest) > 1 && rest[0] == '0' && (rest[1]|32 == 'f' || rest[1]|32 == 'd') {
		want, kind := 8, F32Lit
		if rest[1]|32 == 'd' {
			want, kind = 16, F64Lit
		}
		if len(rest) >= 2+want {
			if v, err := strconv.ParseUint(rest[2:2+want], 16, 64); err == nil {
				l.off += 2 + want
				t.text = l.src[start:l.off]
				t.lit = Literal{Kind: kind, Int: v}
				if kind == F64Lit {
					t.lit.F64 = math.Float64frombits(v)
				} else {
					t.lit.F64 = float64(math.Float32frombits(uint32(v)))
				}
				return t, nil
			}
		}
		return t, l.errorf(t.pos, "float literal needs "+strconv.Itoa(want)+" hexadecimal digits")
	}
	hex := len(rest) > 1 && rest[0] == '0' && rest[1]|32 == 'x'
	float := false
	for l.off < len(l.src) {
		c := l.src[l.off]
		if c == '.' && !hex && !float && l.off+1 < len(l.src) && isDigit(l.src[l.off+1]) {
			float = true
		} else if !hex && c|32 == 'e' && l.off > start && l.off+1 < len(l.src) && strings.IndexByte("+-0123456789", l.src[l.off+1]) >= 0 {
			float = true
			l.off++
		} else if !isWord(c) {
			break
		}
		l.off++
	}
	t.text = l.src[start:l.off]
	if float {
		v, err := strconv.ParseFloat(t.text, 64)
		if err != nil && !math.IsInf(v, 0) {
			return t, l.errorf(t.pos, "bad number "+strconv.Quote(t.text))
		}
		t.lit = Literal{Kind: F64Lit, F64: v, Int: math.Float64bits(v)}
		return t, nil
	}
	v, err := strconv.ParseUint(strings.TrimRight(t.text, "U"), 0, 64)
	if err != nil || strings.Contains(t.text, "_") {
		return t, l.errorf(t.pos, "bad number "+strconv.Quote(t.text))
	}
	t.lit = Literal{Kind: IntLit, Int: v}
	return t, nil
}
