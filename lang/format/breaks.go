package format

const step = 4 // spaces a level

// breaks decides which tokens start a line, and the gaps between the others.
func (l *layout) breaks() {
	c := cursor{layout: l}
	for i := range l.pieces {
		if !l.pieces[i].drop {
			c.place(i)
		}
	}
}

// cursor walks over the tokens and knows the statement that it is in.
type cursor struct {
	*layout
	last   *piece // the piece before, comments included, dropped ones not
	first  *piece // the first piece of the current line
	level  int    // of the current statement
	column int    // where the current statement starts in the source
	broken bool   // the statement has line breaks so far, blocks aside
}

func (c *cursor) place(i int) {
	p := &c.pieces[i]
	offset := p.Pos.Offset
	sourceBreak := c.last == nil || p.Pos.Line > c.last.Pos.Line
	level, isStmt := c.stmts[offset]
	owner, closes := c.closes[offset]
	switch {
	case p.isComment():
		c.comment(i, sourceBreak)
	case p.Value == "," && c.isTrailing(i):
		p.drop = true
		return
	case isStmt:
		p.newline, p.indent = true, level*step
		p.blank = c.blankBefore(p)
		c.level, c.column, c.broken = level, c.sourceColumn(p), false
	case closes:
		p.newline, p.indent = true, owner*step
		c.level, c.broken = owner, false
	case c.last != nil && c.last.isComment():
		c.continuation(p)
	case c.opens[offset]:
		p.gap = 1
		if c.broken && !closesBracket(c.first) {
			p.newline, p.indent = true, c.level*step
		}
		c.broken = false
	case p.Value == "else" && c.last.Value == "}":
		p.gap = 1
	case sourceBreak:
		c.continuation(p)
	default:
		p.gap = c.gap(c.previous(i), p)
	}
	if p.newline {
		c.first = p
	}
	c.last = p
}

// comment places a comment: on a line of its own where the next token would stand, or behind the token before it.
func (c *cursor) comment(i int, sourceBreak bool) {
	p := &c.pieces[i]
	if !sourceBreak {
		p.gap = max(1, c.sourceColumn(p)-c.sourceColumn(c.last)-width(c.last.Value))
		return
	}
	p.newline = true
	next := c.next(i)
	if next == nil {
		p.blank = c.blankBefore(p)
		return
	}
	if level, ok := c.stmts[next.Pos.Offset]; ok {
		p.indent, p.blank = level*step, c.blankBefore(p)
		return
	}
	if owner, ok := c.closes[next.Pos.Offset]; ok {
		p.indent, p.blank = (owner+1)*step, c.blankBefore(p)
		return
	}
	c.continuation(p)
}

// continuation starts a line inside a statement; it moves with its statement.
func (c *cursor) continuation(p *piece) {
	least := step
	if closesBracket(p) {
		least = 0
	}
	p.newline = true
	p.indent = c.level*step + max(least, c.sourceColumn(p)-c.column)
	c.broken = true
}

func closesBracket(p *piece) bool { return p.Value == ")" || p.Value == "]" || p.Value == "}" }

// blankBefore keeps a blank line that the author left, but not at the start of a block.
func (c *cursor) blankBefore(p *piece) bool {
	if c.last == nil || p.Pos.Line < c.last.Pos.Line+2 {
		return false
	}
	return !c.opens[c.last.Pos.Offset]
}

// isTrailing reports whether a comma stands before a closing bracket on its line.
func (c *cursor) isTrailing(i int) bool {
	next := c.next(i + 1)
	return next != nil && closesBracket(next) &&
		next == &c.pieces[i+1] && next.Pos.Line == c.pieces[i].Pos.Line
}

// sourceColumn is the column of a token in the source, tabs counted as one level.
func (l *layout) sourceColumn(p *piece) int {
	start := p.Pos.Offset - (p.Pos.Column - 1)
	return width(l.source[start:p.Pos.Offset])
}

func width(text string) int {
	n := 0
	for _, r := range text {
		if r == '\t' {
			n += step - n%step
		} else {
			n++
		}
	}
	return n
}
