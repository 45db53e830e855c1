package codegen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tilec/internal/diag"
)

// Writer builds indented C-like text.
type Writer struct {
	b      []byte
	indent int
	last   string          // the source comment written last
	said   map[string]bool // the source comments written so far
	scopes []int           // of what is open: where a Scope's brace stands, else -1
}

// Line writes one formatted line at the current indentation.
func (w *Writer) Line(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if text == "" {
		w.b = append(w.b, '\n')
		return
	}
	w.line(text)
}

// line writes a line that says something at the current indentation.
func (w *Writer) line(text string) {
	for range w.indent {
		w.b = append(w.b, step...)
	}
	w.b = append(append(w.b, text...), '\n')
}

// step is one level of indentation.
const step = "    "

// Open writes a line that ends in an opening brace and indents what follows.
func (w *Writer) Open(format string, args ...any) {
	if format == "" {
		w.Line("{")
	} else {
		w.Line(format+" {", args...)
	}
	w.indent++
	w.scopes = append(w.scopes, -1)
}

// Scope opens a block that only keeps names apart; Close drops its braces where a single
// statement stands between them.
func (w *Writer) Scope() {
	w.scopes = append(w.scopes, len(w.b))
	for range w.indent {
		w.b = append(w.b, step...)
	}
	w.b = append(w.b, "{\n"...)
	w.indent++
}

// Close ends the innermost Open or Scope; tail follows the brace.
func (w *Writer) Close(tail string) {
	w.indent--
	at := -1
	if n := len(w.scopes); n > 0 {
		at, w.scopes = w.scopes[n-1], w.scopes[:n-1]
	}
	if at >= 0 && tail == "" {
		inner := w.b[at+w.indent*len(step)+len("{\n"):]
		if lines, ok := single(string(inner), w.indent+1); ok {
			w.b = w.b[:at]
			for _, l := range lines {
				w.b = append(append(w.b, strings.TrimPrefix(l, step)...), '\n')
			}
			return
		}
	}
	w.Line("}%s", tail)
}

// single returns the lines of a text at some level of indentation if they are one
// statement, or nothing.
func single(text string, indent int) (lines []string, ok bool) {
	statements := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		lines = append(lines, line)
		own, ok := strings.CutPrefix(line, strings.Repeat(step, indent))
		switch {
		case !ok || strings.HasPrefix(own, "//"):
			return nil, false
		case strings.HasPrefix(own, " "), strings.HasPrefix(own, "}"), strings.HasPrefix(own, "#"):
		default:
			statements++
		}
	}
	return lines, statements <= 1
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
func (w *Writer) Source(s diag.Span) { w.source(s, false) }

// SourceOnce is Source for what only serves other operations of its line: nothing is written
// if the line has been before.
func (w *Writer) SourceOnce(s diag.Span) { w.source(s, true) }

func (w *Writer) source(s diag.Span, once bool) {
	if !s.IsValid() {
		return
	}
	line := s.Line()
	text := strings.TrimSpace(s.File.Line(line))
	comment := "// " + strconv.Itoa(line) + ": " + text
	if comment == w.last || once && w.said[comment] {
		return
	}
	if w.said == nil {
		w.said = map[string]bool{}
	}
	w.last, w.said[comment] = comment, true
	w.line(comment)
}

// Grow makes room for n bytes more.
func (w *Writer) Grow(n int) { w.b = slices.Grow(w.b, n) }

// Raw appends finished text as it is.
func (w *Writer) Raw(text string) { w.b = append(w.b, text...) }

// Indented returns an empty writer at the same indentation.
func (w *Writer) Indented() *Writer { return &Writer{indent: w.indent} }

// Len is the length of the text so far, in bytes.
func (w *Writer) Len() int { return len(w.b) }

// String returns the text so far.
func (w *Writer) String() string { return string(w.b) }

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
