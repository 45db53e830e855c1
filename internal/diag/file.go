package diag

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// File is one source text. It must not be copied after first use.
type File struct {
	Name string // as shown to the user, with forward slashes
	Text string

	once  sync.Once
	lines []int // byte offset of the first byte of each line
}

// NewFile returns a file with the given name and text.
func NewFile(name, text string) *File { return &File{Name: name, Text: text} }

func (f *File) lineTable() []int {
	f.once.Do(func() {
		f.lines = append(f.lines, 0)
		for i := 0; i < len(f.Text); i++ {
			if f.Text[i] == '\n' {
				f.lines = append(f.lines, i+1)
			}
		}
	})
	return f.lines
}

// Position returns the 1-based line and column, in runes, of a byte offset; offsets outside the text are clamped.
func (f *File) Position(offset int) (line, column int) {
	offset = max(0, min(offset, len(f.Text)))
	lines := f.lineTable()
	line = sort.SearchInts(lines, offset+1)
	return line, utf8.RuneCountInString(f.Text[lines[line-1]:offset]) + 1
}

// Line returns the text of a 1-based line without its line end, or "" where there is no such line.
func (f *File) Line(line int) string {
	lines := f.lineTable()
	if line < 1 || line > len(lines) {
		return ""
	}
	text := f.Text[lines[line-1]:]
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	return strings.TrimSuffix(text, "\r")
}

// LineCount returns the number of lines; a final line end starts one more, empty, line.
func (f *File) LineCount() int { return len(f.lineTable()) }
