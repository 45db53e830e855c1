package types

import (
	"maps"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// flow knows, at a point of a body, which arrays have been written.
type flow struct {
	written map[*Array]bool // on every path
	maybe   map[*Array]branch
}

// branch is a block that may not run, as a reason why an array may be unwritten.
type branch struct {
	span diag.Span
	text string // "the loop here may run zero times"
}

func newFlow() *flow { return &flow{written: map[*Array]bool{}, maybe: map[*Array]branch{}} }

func (f *flow) write(a *Array) { f.written[a] = true }

// read checks that an array has been written where it is read.
func (f *flow) read(c *checker, a *Array, at diag.Span) {
	if f == nil || f.written[a] || !needsWrite(a) {
		return
	}
	f.written[a] = true // once is enough
	code, what := diag.Unwritten, a.Name
	if a.Kind == Out && !c.spec {
		code, what = diag.ReadOfOut, a.Name+", which is out,"
	}
	var d *diag.Diagnostic
	if why, some := f.maybe[a]; some {
		d = c.errorf(code, at, "%s may be read before it is written", what).
			Note(why.span, "it is written in this block, but %s", why.text)
	} else {
		d = c.errorf(code, at, "%s is read before anything is written to it", what)
	}
	switch {
	case a.Kind == Tile && a.Param == nil:
		d.Note(a.Span, "%s is declared here without a value", a.Name).
			Hint("give it a value where it is declared: tile %s: %s = 0", a.Name, a.Type())
	case code == diag.ReadOfOut && a.Param != nil && a.Param.Type != nil:
		d.Note(a.Span, "%s is declared here; its contents are undefined at first", a.Name).
			Hint("to use what it holds before, declare it inout: %s: inout %s", a.Name, a.Param.Type.Span().Text())
	default:
		d.Note(a.Span, "%s is declared here; its contents are undefined at first", a.Name)
	}
}

// needsWrite reports an array whose contents are undefined at first.
func needsWrite(a *Array) bool {
	switch a.Kind {
	case Tile, Temporary, Out:
		return true
	}
	return false
}

// attempt runs a block that may not run at all, and undoes what it would prove.
func (f *flow) attempt(why branch, run func()) {
	before := maps.Clone(f.written)
	run()
	f.forget(before, why)
}

// forget goes back to a former state; what was written since may have been.
func (f *flow) forget(before map[*Array]bool, why branch) {
	for a := range f.written {
		if _, known := f.maybe[a]; !before[a] && !known {
			f.maybe[a] = why
		}
	}
	f.written = before
}

// either runs the two arms of an if; what both write is written.
func (f *flow) either(then, otherwise func(), whyNot branch) {
	before := maps.Clone(f.written)
	then()
	first := f.written
	f.written = maps.Clone(before)
	otherwise()
	for a := range f.written {
		if !first[a] && !before[a] {
			if _, known := f.maybe[a]; !known {
				f.maybe[a] = whyNot
			}
			delete(f.written, a)
		}
	}
	for a := range first {
		if _, known := f.maybe[a]; !f.written[a] && !known {
			f.maybe[a] = whyNot
		}
	}
}

// readWhole is a read of a whole array.
func (c *checker) readWhole(a *Array, at diag.Span) { c.flow.read(c, a, at) }

// loopBranch describes a loop that may run zero times.
func loopBranch(s ast.Node) branch {
	return branch{span: s.Span(), text: "the loop may run zero times"}
}
