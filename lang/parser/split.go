package parser

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// chunk is the tokens of one declaration, or stray tokens between two.
type chunk struct {
	tokens  []Token // without an EOF
	last    bool    // the file ends here
	deep    *Token  // the bracket that nests too deep, nil if none does
	suspect *pair   // braces whose indentation disagrees: one of them is probably at the wrong place
}

type pair struct{ open, close Token }

// split cuts a file's tokens (EOF last) into chunks. A declaration starts with its word; inside open braces only if
// the word stands in the first column, for then a brace was forgotten.
func split(tokens []Token) []chunk {
	var chunks []chunk
	start := 0
	for start < len(tokens)-1 {
		n := chunkLength(tokens[start : len(tokens)-1])
		chunks = append(chunks, newChunk(tokens[start:start+n], start+n == len(tokens)-1))
		start += n
	}
	return chunks
}

func chunkLength(tokens []Token) int {
	braces := 0
	awaitsKernel := tokens[0].Value == "@"
	for i, t := range tokens {
		switch {
		case t.Value == "{":
			braces++
		case t.Value == "}":
			braces--
		case i == 0 || !startsDecl(t):
		case awaitsKernel && (t.Value == "@" || t.Value == "kernel"):
			awaitsKernel = t.Value == "@"
		case braces <= 0 || t.Pos.Column == 1:
			return i
		}
	}
	return len(tokens)
}

func startsDecl(t Token) bool {
	if t.Type != Keyword && t.Value != "@" {
		return false
	}
	return grammar().decls[t.Value] != nil
}

func newChunk(tokens []Token, last bool) chunk {
	c := chunk{tokens: tokens, last: last}
	c.checkBrackets()
	return c
}

// peeking reads the chunk's tokens, then an EOF right behind them.
func (c *chunk) peeking() *lexer.PeekingLexer {
	final := c.tokens[len(c.tokens)-1]
	pos := final.Pos
	pos.Offset = end(final)
	return peeking(c.tokens, lexer.EOFToken(pos))
}

// checkBrackets looks at nesting depth and at the indentation of braces.
func (c *chunk) checkBrackets() {
	type opener struct {
		Token
		indent int
	}
	var open []opener
	line, indent := 0, 0
	for i, t := range c.tokens {
		first := t.Pos.Line != line
		if first {
			line, indent = t.Pos.Line, t.Pos.Column
		}
		if t.Type != Punct {
			continue
		}
		switch t.Value {
		case "(", "[", "{":
			open = append(open, opener{t, indent})
			if len(open) > maxDepth && c.deep == nil {
				c.deep = &c.tokens[i]
			}
		case "}":
			// Round and square brackets end with their statement, closed or not.
			for len(open) > 0 && open[len(open)-1].Value != "{" {
				open = open[:len(open)-1]
			}
			if len(open) == 0 {
				continue
			}
			top := open[len(open)-1]
			open = open[:len(open)-1]
			if first && top.indent != indent && c.suspect == nil {
				c.suspect = &pair{top.Token, t}
			}
		case ")", "]":
			if len(open) > 0 && open[len(open)-1].Value != "{" {
				open = open[:len(open)-1]
			}
		}
	}
}

// dropTrailingCommas removes each comma that directly precedes a closing bracket and follows an item.
func dropTrailingCommas(tokens []Token) []Token {
	out := tokens[:0]
	for i, t := range tokens {
		if t.Value == "," && i > 0 && i+1 < len(tokens) && isOneOf(tokens[i+1].Value, ")", "]", "}") &&
			!isOneOf(tokens[i-1].Value, "(", "[", "{", ",") {
			continue
		}
		out = append(out, t)
	}
	return out
}

func isOneOf(text string, options ...string) bool {
	for _, o := range options {
		if text == o {
			return true
		}
	}
	return false
}
