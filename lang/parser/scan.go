package parser

import (
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Scan returns all tokens of a text in order, comments included, EOF at the end.
func Scan(text string) []Token {
	s := scanner{text: text, line: 1}
	s.run()
	return s.tokens
}

// scan separates the tokens from the comments.
func scan(text string) (tokens, comments []Token) {
	all := Scan(text)
	tokens = all[:0]
	for _, t := range all {
		if t.Type == Comment {
			comments = append(comments, t)
		} else {
			tokens = append(tokens, t)
		}
	}
	return tokens, comments
}

type scanner struct {
	text      string
	at        int
	line      int
	lineStart int
	tokens    []Token
}

func (s *scanner) run() {
	s.tokens = make([]Token, 0, len(s.text)/3+1)
	s.at = len(s.text) - len(strings.TrimPrefix(s.text, "\uFEFF"))
	s.lineStart = s.at
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\n':
			s.at++
			s.line++
			s.lineStart = s.at
		case c == ' ' || c == '\t' || c == '\r':
			s.at++
		default:
			kind, size := s.token()
			s.emit(kind, size)
			s.at += size
		}
	}
	s.emit(lexer.EOF, 0)
}

func (s *scanner) emit(kind lexer.TokenType, size int) {
	pos := lexer.Position{Offset: s.at, Line: s.line, Column: s.at - s.lineStart + 1}
	s.tokens = append(s.tokens, Token{Type: kind, Value: s.text[s.at : s.at+size], Pos: pos})
}

// token measures the token at the current place, which is no white space.
func (s *scanner) token() (lexer.TokenType, int) {
	rest := s.text[s.at:]
	c := rest[0]
	switch {
	case isLetter(c):
		word := rest[:spanOf(rest, isWord)]
		if keywords[word] {
			return Keyword, len(word)
		}
		return Ident, len(word)
	case isDigit(c):
		return number(rest)
	case c == '"':
		return String, stringLength(rest)
	case strings.HasPrefix(rest, "//"):
		line, _, _ := strings.Cut(rest, "\n")
		return Comment, len(strings.TrimRight(line, " \t\r"))
	case len(rest) > 1 && puncts2[rest[:2]]:
		return Punct, 2
	case strings.IndexByte(puncts1, c) >= 0:
		return Punct, 1
	case c < utf8.RuneSelf:
		return Bad, 1
	}
	// A run of foreign characters is one mistake, not many.
	return Bad, spanOf(rest, func(c byte) bool { return c >= utf8.RuneSelf })
}

// number takes everything that sticks to a number, so that `12ab` is one bad number and not two tokens.
func number(rest string) (lexer.TokenType, int) {
	n := spanOf(rest, isWord)
	kind := Int
	if n+1 < len(rest) && rest[n] == '.' && isDigit(rest[n+1]) && allDecimal(rest[:n]) {
		kind = Float
		n += 1 + spanOf(rest[n+1:], isWord)
	}
	mantissa := rest[:n]
	isHex := len(mantissa) > 1 && (mantissa[1] == 'x' || mantissa[1] == 'X')
	if e := strings.IndexAny(mantissa, "eE"); e >= 0 && !isHex {
		kind = Float
		if e == n-1 && n < len(rest) && (rest[n] == '+' || rest[n] == '-') {
			n += 1 + spanOf(rest[n+1:], isWord)
		}
	}
	return kind, n
}

func allDecimal(s string) bool {
	return spanOf(s, func(c byte) bool { return isDigit(c) || c == '_' }) == len(s)
}

// stringLength includes the quotes; a string that is not closed ends with its line.
func stringLength(rest string) int {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			return i + 1
		case '\n':
			return len(strings.TrimRight(rest[:i], "\r"))
		case '\\':
			if i+1 < len(rest) && rest[i+1] != '\n' {
				i++
			}
		}
	}
	return len(rest)
}

func spanOf(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) }
