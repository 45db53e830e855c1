package format

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/lang/parser"
)

// Source returns the formatted text of a file. A file with syntax errors is not formatted: they go to the reporter
// and ok is false.
func Source(file *diag.File, rep *diag.Reporter) (text string, ok bool) {
	own := new(diag.Reporter)
	tree := parser.Parse(file, own)
	for _, d := range own.Sorted() {
		rep.Add(d)
	}
	if own.HasErrors() {
		return "", false
	}
	l := newLayout(file.Text)
	l.roles(tree)
	l.breaks()
	l.spaceDecls(tree)
	l.alignTests(tree)
	return l.text(), true
}

// piece is a token with the white space before it.
type piece struct {
	parser.Token
	drop    bool // leave the token out
	newline bool // the token starts a line …
	blank   bool // … after a blank one,
	indent  int  // … behind that many spaces
	gap     int  // otherwise the spaces before it
}

func (p *piece) isComment() bool { return p.Type == parser.Comment }

func (p *piece) end() int { return p.Pos.Offset + len(p.Value) }

// layout decides about the white space before every token. Byte offsets of tokens serve as keys.
type layout struct {
	source string
	pieces []piece
	at     map[int]int // index of the piece at an offset

	stmts  map[int]int  // starts of statements and declarations: their level
	closes map[int]int  // closing braces of blocks of several lines: the level of their owner
	opens  map[int]bool // opening braces of blocks, in several lines or one
	tight  map[int]bool // tokens that stick to their left neighbour
	glue   map[int]bool // tokens that stick to their right neighbour
	colons map[int]bool // colons of ranges

	inChain map[*ast.Binary]bool // multiplications already decided with the chain that they are part of
}

func newLayout(text string) *layout {
	l := &layout{source: text, at: map[int]int{}, stmts: map[int]int{}, closes: map[int]int{}, opens: map[int]bool{},
		tight: map[int]bool{}, glue: map[int]bool{}, colons: map[int]bool{},
		inChain: map[*ast.Binary]bool{}}
	for _, t := range parser.Scan(text) {
		if t.Type == lexer.EOF {
			break
		}
		l.at[t.Pos.Offset] = len(l.pieces)
		l.pieces = append(l.pieces, piece{Token: t, drop: t.Type == parser.Punct && t.Value == ";"})
	}
	return l
}

func (l *layout) text() string {
	var out strings.Builder
	for i := range l.pieces {
		p := &l.pieces[i]
		if p.drop {
			continue
		}
		switch {
		case p.newline && out.Len() > 0:
			out.WriteByte('\n')
			if p.blank {
				out.WriteByte('\n')
			}
			fallthrough
		case p.newline:
			out.WriteString(strings.Repeat(" ", p.indent))
		default:
			out.WriteString(strings.Repeat(" ", p.gap))
		}
		out.WriteString(p.Value)
	}
	if out.Len() > 0 {
		out.WriteByte('\n')
	}
	return out.String()
}

// previous returns the token before piece i, nil at the start; comments and dropped tokens are passed over.
func (l *layout) previous(i int) *piece {
	for i--; i >= 0; i-- {
		if p := &l.pieces[i]; !p.drop && !p.isComment() {
			return p
		}
	}
	return nil
}

// next returns the first token at or after piece i, nil at the end.
func (l *layout) next(i int) *piece {
	for ; i < len(l.pieces); i++ {
		if p := &l.pieces[i]; !p.drop && !p.isComment() {
			return p
		}
	}
	return nil
}

// after returns the first token at or after an offset, nil at the end.
func (l *layout) after(offset int) *piece {
	lo, hi := 0, len(l.pieces)
	for lo < hi {
		if mid := (lo + hi) / 2; l.pieces[mid].Pos.Offset < offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return l.next(lo)
}
