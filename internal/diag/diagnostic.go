package diag

import "fmt"

// Severity orders diagnostics by weight; the zero Severity is invalid.
type Severity int

// The severities.
const (
	Error Severity = iota + 1
	Warning
	Remark
)

// String returns "error", "warning" or "remark".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Remark:
		return "remark"
	}
	return fmt.Sprintf("severity(%d)", int(s))
}

// Note is evidence for a diagnostic, with a place of its own (or none).
type Note struct {
	Span Span
	Text string
}

// Edit replaces the text of a span.
type Edit struct {
	Span Span
	Text string
}

// Diagnostic is one message to the user.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     Span
	Message  string
	Notes    []Note
	Advice   string // the hint: a way out, "" if there is none to offer
	Fix      *Edit  // an edit that follows the hint, nil if there is none
}

// Note adds evidence at a place of its own.
func (d *Diagnostic) Note(span Span, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{Span: span, Text: fmt.Sprintf(format, args...)})
	return d
}

// Hint sets the way out.
func (d *Diagnostic) Hint(format string, args ...any) *Diagnostic {
	d.Advice = fmt.Sprintf(format, args...)
	return d
}

// Replace sets the edit that follows the hint.
func (d *Diagnostic) Replace(span Span, text string) *Diagnostic {
	d.Fix = &Edit{Span: span, Text: text}
	return d
}

// Error returns "file:line:column: error E0203: message", so that a diagnostic can travel as a Go error.
func (d *Diagnostic) Error() string { return d.heading() }

func (d *Diagnostic) heading() string {
	text := d.Severity.String()
	if d.Code != "" {
		text += " " + string(d.Code)
	}
	text += ": " + d.Message
	if d.Span.IsValid() {
		text = d.Span.String() + ": " + text
	}
	return text
}
