package diag

import "fmt"

// Span is the half-open byte range [Start, End) of a file. The zero Span means "no place".
type Span struct {
	File       *File
	Start, End int
}

// IsValid reports whether the span names a place.
func (s Span) IsValid() bool { return s.File != nil }

// Text returns the source text that the span covers.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	start := max(0, min(s.Start, len(s.File.Text)))
	return s.File.Text[start:max(start, min(s.End, len(s.File.Text)))]
}

// Position returns the 1-based line and column, in runes, of the span's start; 0, 0 for no place.
func (s Span) Position() (line, column int) {
	if s.File == nil {
		return 0, 0
	}
	return s.File.Position(s.Start)
}

// EndPosition returns the 1-based line and column, in runes, just past the span; 0, 0 for no place.
func (s Span) EndPosition() (line, column int) {
	if s.File == nil {
		return 0, 0
	}
	return s.File.Position(s.End)
}

// Line returns the 1-based line of the span's start; 0 for no place.
func (s Span) Line() int {
	line, _ := s.Position()
	return line
}

// To returns the span from the start of s to the end of t; where one of them is no place, the other.
func (s Span) To(t Span) Span {
	switch {
	case s.File == nil:
		return t
	case t.File != s.File:
		return s
	}
	return Span{File: s.File, Start: min(s.Start, t.Start), End: max(s.End, t.End)}
}

// String returns "file:line:column", or "-" for no place.
func (s Span) String() string {
	if s.File == nil {
		return "-"
	}
	line, column := s.Position()
	return fmt.Sprintf("%s:%d:%d", s.File.Name, line, column)
}
