package codegen

import (
	"fmt"
	"strconv"
	"strings"

	"tilec/internal/diag"
)

// Writer builds indented C-like text.
type Writer struct {
	b      strings.Builder
	indent int
	last   string // the source comment written last
}

// Line writes one formatted line at the current indentation.
func (w *Writer) Line(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if text == "" {
		w.b.WriteByte('\n')
		return
	}
	w.line(text)
}

// line writes a line that says something at the current indentation.
func (w *Writer) line(text string) {
	for range w.indent {
		w.b.WriteString("    ")
	}
	w.b.WriteString(text)
	w.b.WriteByte('\n')
}

// Open writes a line that ends in an opening brace and indents what follows.
func (w *Writer) Open(format string, args ...any) {
	if format == "" {
		w.Line("{")
	} else {
		w.Line(format+" {", args...)
	}
	w.indent++
}

// Close ends the innermost Open; tail follows the brace.
func (w *Writer) Close(tail string) {
	w.indent--
	w.Line("}%s", tail)
}

// Else turns the innermost Open into its other branch.
func (w *Writer) Else() {
	w.indent--
	w.Line("} else {")
	w.indent++
}

// Doc writes a documentation comment, one line for each of text's that says something.
func (w *Writer) Doc(text string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			w.Line("/// %s", line)
		}
	}
}

// Source writes the program line of a span as a comment, once for a run of
// operations from the same line.
func (w *Writer) Source(s diag.Span) {
	if !s.IsValid() {
		return
	}
	line := s.Line()
	text := strings.TrimSpace(s.File.Line(line))
	comment := "// " + strconv.Itoa(line) + ": " + text
	if comment == w.last {
		return
	}
	w.last = comment
	w.line(comment)
}

// Grow makes room for n bytes more.
func (w *Writer) Grow(n int) { w.b.Grow(n) }

// Raw appends finished text as it is.
func (w *Writer) Raw(text string) { w.b.WriteString(text) }

// Indented returns an empty writer at the same indentation.
func (w *Writer) Indented() *Writer { return &Writer{indent: w.indent} }

// Len is the length of the text so far, in bytes.
func (w *Writer) Len() int { return w.b.Len() }

// String returns the text so far.
func (w *Writer) String() string { return w.b.String() }

// Names gives out identifiers that are unique within a scope.
type Names struct {
	reserved map[string]bool // shared, never written
	used     map[string]bool
}

// Take returns name, or name with the first free number appended, and marks it used.
func (n *Names) Take(name string) string {
	if n.used == nil {
		n.used = map[string]bool{}
	}
	unique := name
	for i := 2; n.used[unique] || n.reserved[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	n.used[unique] = true
	return unique
}

// Reserve marks names that Take must not give out.
func (n *Names) Reserve(names ...string) {
	for _, name := range names {
		n.Take(name)
	}
}
