package diag

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// TextOptions chooses how [Reporter.WriteText] renders.
type TextOptions struct {
	Color bool // ANSI colours, for terminals
}

// WriteText renders the sorted diagnostics for people: place, message, source line with the span marked, notes, hint.
func (r *Reporter) WriteText(w io.Writer, opts TextOptions) error {
	shown, omitted := r.sorted()
	var out bytes.Buffer
	for _, d := range shown {
		d.writeText(&out, opts)
	}
	if omitted > 0 {
		fmt.Fprintf(&out, "%d more %s\n", omitted, plural(omitted, "error", "errors"))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Text renders one diagnostic as [Reporter.WriteText] does.
func (d *Diagnostic) Text(opts TextOptions) string {
	var out bytes.Buffer
	d.writeText(&out, opts)
	return out.String()
}

type style string

const (
	plain  style = ""
	bold   style = "\x1b[1m"
	red    style = "\x1b[1;31m"
	yellow style = "\x1b[1;33m"
	blue   style = "\x1b[1;34m"
	cyan   style = "\x1b[1;36m"
)

func (s style) paint(text string, opts TextOptions) string {
	if !opts.Color || s == plain || text == "" {
		return text
	}
	return string(s) + text + "\x1b[0m"
}

func (s Severity) style() style {
	switch s {
	case Error:
		return red
	case Warning:
		return yellow
	}
	return blue
}

func (d *Diagnostic) writeText(out *bytes.Buffer, opts TextOptions) {
	if d.Span.IsValid() {
		out.WriteString(bold.paint(d.Span.String()+":", opts) + " ")
	}
	label := d.Severity.String()
	if d.Code != "" {
		label += " " + string(d.Code)
	}
	out.WriteString(d.Severity.style().paint(label+":", opts) + " " + bold.paint(d.Message, opts) + "\n")
	writeExcerpt(out, d.Span, d.Severity.style(), opts)
	for _, n := range d.Notes {
		out.WriteString("  " + blue.paint("note", opts) + " ")
		if n.Span.IsValid() {
			out.WriteString(n.Span.String() + ": ")
		}
		out.WriteString(n.Text + "\n")
		if n.Span.IsValid() && !sameLine(n.Span, d.Span) {
			writeExcerpt(out, n.Span, blue, opts)
		}
	}
	if d.Advice != "" {
		out.WriteString("  " + cyan.paint("hint", opts) + ": " + d.Advice + "\n")
	}
}

func sameLine(a, b Span) bool { return a.File == b.File && a.Line() == b.Line() }

// maxExcerpt is how many runes of a source line are shown; longer lines are cut around the span.
const maxExcerpt = 160

// writeExcerpt shows the source line of the span's start and marks the span below it, up to the end of that line.
func writeExcerpt(out *bytes.Buffer, span Span, mark style, opts TextOptions) {
	if !span.IsValid() {
		return
	}
	line, column := span.Position()
	endLine, endColumn := span.EndPosition()
	text := []rune(strings.ToValidUTF8(span.File.Line(line), "\uFFFD"))
	if len(text) == 0 && column == 1 && line == span.File.LineCount() {
		return // the end of the file: an empty line tells nothing
	}
	first := min(column-1, len(text))
	width := len(text) - first
	if endLine == line {
		width = min(width, endColumn-column)
	}
	cut, tail := 0, ""
	if len(text) > maxExcerpt {
		cut = min(max(0, first-maxExcerpt/3), len(text))
		text = text[cut:]
		if len(text) > maxExcerpt {
			text, tail = text[:maxExcerpt], "…"
		}
		first -= cut
		width = min(width, len(text)-first)
	}
	lead := ""
	if cut > 0 {
		lead = "…"
	}
	var pad strings.Builder
	pad.WriteString(strings.Repeat(" ", utf8.RuneCountInString(lead)))
	for _, r := range text[:first] {
		if r == '\t' {
			pad.WriteRune('\t') // keeps the mark below its text whatever the width of a tab
		} else {
			pad.WriteByte(' ')
		}
	}
	gutter := strconv.Itoa(line)
	fmt.Fprintf(out, " %s | %s%s%s\n", gutter, lead, printable(text), tail)
	fmt.Fprintf(out, " %s | %s%s\n", strings.Repeat(" ", len(gutter)), pad.String(), mark.paint(strings.Repeat("^", max(1, width)), opts))
}

// printable replaces control characters, which a terminal would obey.
func printable(text []rune) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, string(text))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
