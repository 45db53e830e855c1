package types_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"tilec/internal/diag"
)

var tokenPattern = regexp.MustCompile(`[A-Za-z_]\w*|[0-9][\w.]*|"[^"\n]*"|->|\.\.|[-+*/%<>=!&|^~]=?|[^\s]`)

// seedTexts are well-formed programs to make others of.
func seedTexts(t testing.TB) []string {
	t.Helper()
	var texts []string
	for _, name := range exampleFiles(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if strings.HasSuffix(f.Name, ".tile") {
				texts = append(texts, strip(string(f.Data)))
			}
		}
	}
	return texts
}

// TestMutants: programs with some tokens exchanged for others never make the checker panic, and are judged the same
// each time.
func TestMutants(t *testing.T) {
	seeds := seedTexts(t)
	var pool []string
	for _, s := range seeds {
		pool = append(pool, tokenPattern.FindAllString(s, -1)...)
	}
	render := func(text string) string {
		rep := checkText(map[string]string{"m.tile": text}, "m.tile")
		var out strings.Builder
		if err := rep.WriteText(&out, diag.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(seeds).Draw(t, "seed")
		at := tokenPattern.FindAllStringIndex(text, -1)
		tokens := tokenPattern.FindAllString(text, -1)
		for range rapid.IntRange(1, 4).Draw(t, "count") {
			i := rapid.IntRange(0, len(tokens)-1).Draw(t, "at")
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				tokens[i] = ""
			case 1:
				tokens[i] = rapid.SampledFrom(tokens).Draw(t, "own")
			default:
				tokens[i] = rapid.SampledFrom(pool).Draw(t, "other")
			}
		}
		var b strings.Builder
		end := 0
		for i, span := range at {
			b.WriteString(text[end:span[0]])
			b.WriteString(tokens[i])
			end = span[1]
		}
		b.WriteString(text[end:])
		first := render(b.String())
		if again := render(b.String()); again != first {
			t.Fatalf("two judgements of\n%s\n%s\n%s", b.String(), first, again)
		}
		if strings.Contains(first, "%!") {
			t.Fatalf("badly formatted: %s", first)
		}
	})
}
