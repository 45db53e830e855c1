package diag

import (
	"encoding/json"
	"io"
)

// The JSON form, one object a line; lines and columns are 1-based, columns count runes, offsets count bytes.
type jsonDiagnostic struct {
	Code     Code       `json:"code,omitempty"`
	Severity string     `json:"severity"`
	Place    *jsonSpan  `json:"place,omitempty"`
	Message  string     `json:"message"`
	Notes    []jsonNote `json:"notes,omitempty"`
	Hint     string     `json:"hint,omitempty"`
	Fix      *jsonEdit  `json:"fix,omitempty"`
}

type jsonSpan struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

type jsonNote struct {
	Place *jsonSpan `json:"place,omitempty"`
	Text  string    `json:"text"`
}

type jsonEdit struct {
	Place *jsonSpan `json:"place,omitempty"`
	Text  string    `json:"text"`
}

// WriteJSON renders the sorted diagnostics for programs, one JSON object a line; all of [Reporter.Sorted].
func (r *Reporter) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, d := range r.Sorted() {
		if err := enc.Encode(d.toJSON()); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON gives the diagnostic's JSON form.
func (d *Diagnostic) MarshalJSON() ([]byte, error) { return json.Marshal(d.toJSON()) }

func (d *Diagnostic) toJSON() jsonDiagnostic {
	out := jsonDiagnostic{Code: d.Code, Severity: d.Severity.String(), Place: d.Span.toJSON(), Message: d.Message, Hint: d.Advice}
	for _, n := range d.Notes {
		out.Notes = append(out.Notes, jsonNote{Place: n.Span.toJSON(), Text: n.Text})
	}
	if d.Fix != nil {
		out.Fix = &jsonEdit{Place: d.Fix.Span.toJSON(), Text: d.Fix.Text}
	}
	return out
}

func (s Span) toJSON() *jsonSpan {
	if !s.IsValid() {
		return nil
	}
	line, column := s.Position()
	endLine, endColumn := s.EndPosition()
	return &jsonSpan{File: s.File.Name, Line: line, Column: column, EndLine: endLine, EndColumn: endColumn, Start: s.Start, End: s.End}
}
