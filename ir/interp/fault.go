package interp

import (
	"fmt"
	"strings"

	"tilec/internal/diag"
	"tilec/ir"
)

// Fault is an error of the program that was run.
type Fault struct {
	// Op is the operation that failed; nil for conditions of the launch.
	Op *ir.Op
	// Span is the place of the access or operation.
	Span diag.Span
	// Grid is the indices of the grid instance, fastest first.
	Grid []GridIndex
	// Message says what was wrong.
	Message string
}

// GridIndex is the value of a grid variable.
type GridIndex struct {
	Name  string
	Value int64
}

// Error returns "place: message\n  in op\n  at grid (x = 1, y = 0)", without the
// parts that are not known.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Span.IsValid() {
		fmt.Fprintf(&b, "%s: ", f.Span)
	}
	b.WriteString(f.Message)
	if f.Op != nil {
		fmt.Fprintf(&b, "\n  in %s", f.Op.Header())
	}
	if len(f.Grid) > 0 {
		b.WriteString("\n  at grid (")
		for i, g := range f.Grid {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s = %d", g.Name, g.Value)
		}
		b.WriteByte(')')
	}
	return b.String()
}

// element spells an element of a buffer.
func element(b *ir.Buffer, at []int64) string {
	var s strings.Builder
	s.WriteString(b.Name)
	s.WriteByte('[')
	for i, v := range at {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprint(&s, v)
	}
	s.WriteByte(']')
	return s.String()
}

// shapeText spells a shape.
func shapeText(ext []int) string {
	return strings.ReplaceAll(fmt.Sprint(ext), " ", ", ")
}
