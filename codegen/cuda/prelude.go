package cuda

import (
	"maps"
	"strings"
)

// helper is a device function, or type, of the emitted text and what it uses.
type helper struct {
	name string
	uses []string
	text string
}

// prelude returns the text of the types and helpers that the bodies name, and of
// those that these use, in the order of the tables.
func prelude(bodies string) string {
	words := wordsIn(bodies)
	need := map[string]bool{}
	index := map[string]*helper{}
	for i := range helpers {
		index[helpers[i].name] = &helpers[i]
	}
	var want func(h *helper)
	want = func(h *helper) {
		if h == nil || need[h.name] {
			return
		}
		need[h.name] = true
		for _, u := range h.uses {
			want(index[u])
		}
	}
	for i := range helpers {
		if words[helpers[i].name] {
			want(&helpers[i])
		}
	}
	var text strings.Builder
	for i := range helpers {
		if need[helpers[i].name] {
			text.WriteString("\n" + strings.TrimSpace(helpers[i].text) + "\n")
			maps.Copy(words, wordsIn(helpers[i].text))
		}
	}
	var b strings.Builder
	for _, t := range types {
		if words[t.name] {
			b.WriteString(t.text)
		}
	}
	return b.String() + text.String()
}

// wordsIn returns the identifiers of a C++ text, comments left out.
func wordsIn(text string) map[string]bool {
	words := map[string]bool{}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '/' && strings.HasPrefix(text[i:], "//"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return words
			}
			i += end
		case isWord(c):
			start := i
			for i < len(text) && isWord(text[i]) {
				i++
			}
			words[text[start:i]] = true
		default:
			i++
		}
	}
	return words
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// types are the element types that C++ lacks; they only hold bits.
var types = []struct{ name, text string }{
	{"f16", "struct f16 { unsigned short bits; };\n"},
	{"bf16", "struct bf16 { unsigned short bits; };\n"},
	{"f8e4m3", "struct f8e4m3 { unsigned char bits; };\n"},
	{"f8e5m2", "struct f8e5m2 { unsigned char bits; };\n"},
	{"f8e8m0", "struct f8e8m0 { unsigned char bits; };\n"},
	{"f4e2m1", "struct f4e2m1 { unsigned char bits; };\n"},
	{"i4", "struct i4 { unsigned char bits; };\n"},
	{"u4", "struct u4 { unsigned char bits; };\n"},
}
