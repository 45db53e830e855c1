package format

import (
	"tilec/lang/ast"
)

// spaceDecls puts a blank line around kernels, functions and ops, above the comments that precede them.
func (l *layout) spaceDecls(tree *ast.File) {
	for i := 1; i < len(tree.Decls); i++ {
		before, after := tree.Decls[i-1], tree.Decls[i]
		if !isLarge(before) && !isLarge(after) {
			continue
		}
		var first *piece // the first line behind the declaration before
		spaced := false
		for j := l.at[before.Span().End-1] + 1; ; j++ {
			p := &l.pieces[j]
			if p.newline {
				spaced = spaced || p.blank
				if first == nil {
					first = p
				}
			}
			if p.Pos.Offset == after.Span().Start {
				break
			}
		}
		if !spaced && first != nil {
			first.blank = true
		}
	}
}

func isLarge(d ast.Decl) bool {
	switch d.(type) {
	case *ast.Fn, *ast.Kernel, *ast.Op:
		return true
	}
	return false
}

// alignTests aligns the columns of tests on consecutive lines where the author did.
func (l *layout) alignTests(tree *ast.File) {
	var run []*ast.Test
	for i, d := range tree.Decls {
		t, ok := d.(*ast.Test)
		if len(run) > 0 && (!ok || !l.follows(tree.Decls[i-1], t)) {
			l.alignRun(run)
			run = nil
		}
		if ok {
			run = append(run, t)
		}
	}
	l.alignRun(run)
}

// follows reports whether a test will stand on the line after another declaration, which has one line.
func (l *layout) follows(before ast.Decl, t *ast.Test) bool {
	for i := l.at[before.Span().Start] + 1; l.pieces[i].Pos.Offset < t.Span().Start; i++ {
		if l.pieces[i].newline {
			return false
		}
	}
	return !l.pieces[l.at[t.Span().Start]].blank
}

func (l *layout) alignRun(run []*ast.Test) {
	if len(run) < 2 {
		return
	}
	var titles, kernels, braces []*piece
	for _, t := range run {
		kernel := l.at[t.Kernel.Span().Start]
		if kernel < 2 || kernel+1 >= len(l.pieces) || l.pieces[kernel].newline || l.pieces[kernel+1].newline {
			return
		}
		titles = append(titles, &l.pieces[kernel-1])
		kernels = append(kernels, &l.pieces[kernel])
		braces = append(braces, &l.pieces[kernel+1])
	}
	ends := make([]int, len(run))
	for i, t := range titles {
		ends[i] = len("test ") + width(t.Value)
	}
	l.alignColumn(run, kernels, ends, true)
	for i, k := range kernels {
		ends[i] += k.gap + width(k.Value)
	}
	l.alignColumn(run, braces, ends, false)
}

// alignColumn sets the gaps before a column of tokens. ends says where the text before each ends in the output. A column that
// the author aligned stays where it is; another one is aligned at the longest text if always is set.
func (l *layout) alignColumn(run []*ast.Test, column []*piece, ends []int, always bool) {
	longest := 0
	wanted := make([]int, len(run))
	aligned := true
	for i, p := range column {
		wanted[i] = l.sourceColumn(p) - l.sourceColumn(&l.pieces[l.at[run[i].Span().Start]])
		aligned = aligned && wanted[i] == wanted[0] && wanted[i] > ends[i]
		longest = max(longest, ends[i])
	}
	for i, p := range column {
		switch {
		case aligned:
			p.gap = wanted[i] - ends[i]
		case always:
			p.gap = longest + 1 - ends[i]
		}
	}
}
