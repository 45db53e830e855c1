package parser

import (
	"io"

	"github.com/alecthomas/participle/v2/lexer"
)

// Token is one lexical element. Value is the text exactly as written; Pos.Column counts bytes.
type Token = lexer.Token

// The kinds of token, lexer.EOF (-1) aside.
const (
	Ident   lexer.TokenType = -2 - iota
	Keyword                 // a reserved word
	Int
	Float
	String
	Punct   // an operator or bracket
	Bad     // text that no program may hold
	Comment // from `//` to the end of the line; only in the result of Scan
)

var symbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Ident": Ident, "Keyword": Keyword, "Int": Int, "Float": Float, "String": String, "Punct": Punct,
	"Bad": Bad, "Comment": Comment,
}

// keywords are reserved. Words which matter at one place only (`step`, `persistent`, `strided`, `signal` …) are not.
var keywords = map[string]bool{
	"import": true, "const": true, "fn": true, "kernel": true, "op": true, "test": true,
	"tune": true, "require": true, "grid": true, "spec": true,
	"let": true, "var": true, "tile": true, "copy": true, "gemm": true, "fill": true,
	"for": true, "unroll": true, "pipeline": true, "while": true, "if": true, "then": true, "else": true,
	"atomic": true, "assert": true, "return": true, "where": true, "over": true,
	"in": true, "out": true, "inout": true, "and": true, "or": true, "not": true, "true": true, "false": true,
}

// IsKeyword reports whether a word is reserved and cannot be a name.
func IsKeyword(word string) bool { return keywords[word] }

// puncts2 are the operators of two characters; some are known only to be refused with a hint.
var puncts2 = map[string]bool{
	"->": true, "..": true, "==": true, "!=": true, "<=": true, ">=": true, "<<": true, ">>": true,
	"+=": true, "*=": true, "|=": true, "&=": true,
	"-=": true, "/=": true, "%=": true, "^=": true, "&&": true, "||": true, "**": true, ":=": true,
}

const puncts1 = "()[]{},:;=+-*/%<>|^&~@"

// definition tells participle the kinds of token.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType { return symbols }

func (definition) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	tokens, _ := scan(string(text))
	last := len(tokens) - 1
	return &replay{tokens: tokens[:last], eof: tokens[last]}, nil
}

// replay hands out tokens that are already known, then EOF.
type replay struct {
	tokens []Token
	eof    Token
}

func (r *replay) Next() (Token, error) {
	if len(r.tokens) == 0 {
		return r.eof, nil
	}
	t := r.tokens[0]
	r.tokens = r.tokens[1:]
	return t, nil
}

func end(t Token) int { return t.Pos.Offset + len(t.Value) }
