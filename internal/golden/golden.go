package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "renew the expected files")

// Update reports that expected files are to be renewed.
func Update() bool { return *update }

// Compare compares a text with a file; under -update it writes the file.
func Compare(t testing.TB, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err == nil && string(want) == got {
		return
	}
	if Update() {
		write(t, path, got)
		return
	}
	if err != nil {
		t.Errorf("%v (-update makes it)", err)
		return
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; -update renews it):\n%s", path, cut(diff))
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// maxDiff is how many bytes of a difference are shown; the file itself has the rest.
const maxDiff = 4000

func cut(diff string) string {
	if len(diff) > maxDiff {
		return diff[:maxDiff] + "\n…"
	}
	return diff
}

// Leftovers reports files of a folder that no case has: the cases' file names are
// given. Under -update it removes them.
func Leftovers(t testing.TB, dir string, cases map[string]bool) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch path := filepath.Join(dir, e.Name()); {
		case cases[e.Name()]:
		case !Update():
			t.Errorf("%s belongs to no case (-update removes it)", path)
		default:
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
