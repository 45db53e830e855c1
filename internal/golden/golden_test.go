package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a testing.TB that notes failures.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "case.txt")
	r := &recorder{TB: t}
	Compare(r, path, "a\nb\n")
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "-update makes it") {
		t.Errorf("a missing file: %q", r.errors)
	}
	write(t, path, "a\nb\n")
	r = &recorder{TB: t}
	Compare(r, path, "a\nb\n")
	if len(r.errors) > 0 {
		t.Errorf("equal: %q", r.errors)
	}
	Compare(r, path, "a\nc\n")
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], `"c"`) {
		t.Errorf("different: %q", r.errors)
	}
}

func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		write(t, filepath.Join(dir, name), "")
	}
	r := &recorder{TB: t}
	Leftovers(r, dir, map[string]bool{"a.txt": true})
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "b.txt") {
		t.Errorf("%q", r.errors)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err != nil {
		t.Error(err)
	}
}
