package docgen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	span = regexp.MustCompile("`[^`]*`")
)

// TestLinks follows the links between pages, and to headings of them.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(withoutCode(string(text)), "code"), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			path := page
			if to != "" {
				path = filepath.Join(filepath.Dir(page), filepath.FromSlash(to))
			}
			target, err := os.Stat(path)
			if err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
				continue
			}
			if anchor != "" && !target.IsDir() && !headings(t, path)[anchor] {
				t.Errorf("%s links to %s: no such heading", page, m[1])
			}
		}
	}
}

// headings are the anchors of a page's headings, as GitHub makes them.
func headings(t *testing.T, path string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for _, line := range strings.Split(withoutCode(string(text)), "\n") {
		title, ok := strings.CutPrefix(line, "#")
		if !ok {
			continue
		}
		var b strings.Builder
		for _, r := range strings.ToLower(strings.TrimLeft(title, "# ")) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				b.WriteRune(r)
			}
		}
		anchors[b.String()] = true
	}
	return anchors
}

// withoutCode leaves out fenced blocks.
func withoutCode(page string) string {
	var kept []string
	inside := false
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "```") {
			inside = !inside
			continue
		}
		if !inside {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
