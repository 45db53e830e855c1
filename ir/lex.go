package ir

import "fmt"

// tokenKind is a kind of token of the text form.
type tokenKind uint8

const (
	invalidToken tokenKind = iota
	endToken
	nameToken   // identifiers and keywords
	numberToken // digits, fraction, exponent and type suffix: 1.5_f32
	stringToken // quoted, with the quotes
	signToken   // operators and brackets
	layoutToken // { … -> … }, after the word layout
)

type token struct {
	kind       tokenKind
	text       string
	start, end int // byte offsets
	line       int
}

// remark is a comment that stands behind something on its line.
type remark struct {
	line int
	text string
}

// lex splits text into tokens, the last one endToken, and collects the comments
// that stand behind an operation.
func lex(text string) ([]token, []remark, error) {
	var toks []token
	var remarks []remark
	line := 1
	add := func(kind tokenKind, start, end int) {
		toks = append(toks, token{kind, text[start:end], start, end, line})
	}
	for at := 0; at < len(text); {
		c := text[at]
		start := at
		switch {
		case c == '\n':
			line++
			at++
		case c == ' ' || c == '\t' || c == '\r':
			at++
		case c == '/' && at+1 < len(text) && text[at+1] == '/':
			for at < len(text) && text[at] != '\n' {
				at++
			}
			if n := len(toks); n > 0 && toks[n-1].line == line {
				remarks = append(remarks, remark{line, text[start+2 : at]})
			}
		case c == '"':
			end, ok := stringEnd(text, at)
			if !ok {
				return nil, nil, lexError(start, line, "string without an end")
			}
			at = end
			add(stringToken, start, at)
		case c == '{' && len(toks) > 0 && toks[len(toks)-1].text == "layout":
			first := line
			for at < len(text) && text[at] != '}' {
				if text[at] == '\n' {
					line++
				}
				at++
			}
			if at == len(text) {
				return nil, nil, lexError(start, first, "layout without an end")
			}
			at++
			add(layoutToken, start, at)
		case '0' <= c && c <= '9':
			at = numberEnd(text, at)
			add(numberToken, start, at)
		case isIdentByte(c, true):
			for at < len(text) && isIdentByte(text[at], false) && !isRange(text, at) {
				at++
			}
			add(nameToken, start, at)
		default:
			n := signLength(text[at:])
			if n == 0 {
				return nil, nil, lexError(start, line, fmt.Sprintf("unexpected %q", text[at:at+1]))
			}
			at += n
			add(signToken, start, at)
		}
	}
	toks = append(toks, token{kind: endToken, start: len(text), end: len(text), line: line})
	return toks, remarks, nil
}

// lexFault is a fault with its place in the text.
type lexFault struct {
	start, line int
	message     string
}

func (f *lexFault) Error() string { return fmt.Sprintf("line %d: %s", f.line, f.message) }

func lexError(start, line int, message string) error { return &lexFault{start, line, message} }

func stringEnd(text string, at int) (int, bool) {
	for at++; at < len(text) && text[at] != '\n'; at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1, true
		}
	}
	return at, false
}

func isRange(text string, at int) bool {
	return text[at] == '.' && at+1 < len(text) && text[at+1] == '.'
}

func numberEnd(text string, at int) int {
	digits := func() {
		for at < len(text) && '0' <= text[at] && text[at] <= '9' {
			at++
		}
	}
	digits()
	if at < len(text) && text[at] == '.' && !isRange(text, at) {
		at++
		digits()
	}
	if at < len(text) && text[at] == 'e' {
		mark := at
		at++
		if at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		first := at
		digits()
		if at == first {
			at = mark
		}
	}
	if at < len(text) && text[at] == '_' {
		for at < len(text) && isIdentByte(text[at], false) && text[at] != '.' {
			at++
		}
	}
	return at
}

// signLength returns the length of the longest sign that text starts with.
func signLength(text string) int {
	if len(text) >= 2 {
		switch text[:2] {
		case "..", "<<", ">>", "==", "!=", "<=", ">=", "+=":
			return 2
		}
	}
	switch text[0] {
	case '(', ')', '[', ']', '{', '}', ',', ':', '=', '+', '-', '*', '/', '%', '&', '|', '^', '<', '>':
		return 1
	}
	return 0
}
