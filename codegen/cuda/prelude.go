package cuda

import (
	"slices"
	"strings"
	"sync"
)

// helper is a device function, or type, of the emitted text and what it uses.
type helper struct {
	name string
	uses []string
	text string
}

// library finds the types and helpers by name.
type library struct {
	helper, typ map[string]int // positions in helpers and types
	// types are, for each helper, the types that its text names.
	types [][]int
}

var catalogue = sync.OnceValue(func() *library {
	l := &library{helper: map[string]int{}, typ: map[string]int{}, types: make([][]int, len(helpers))}
	for i := range helpers {
		l.helper[helpers[i].name] = i
	}
	for i := range types {
		l.typ[types[i].name] = i
	}
	for i := range helpers {
		eachWord(helpers[i].text, func(w string) {
			if t, ok := l.typ[w]; ok && !slices.Contains(l.types[i], t) {
				l.types[i] = append(l.types[i], t)
			}
		})
	}
	return l
})

// prelude returns the text of the types and helpers that the bodies name, and of
// those that these use, in the order of the tables.
func prelude(bodies []string) string {
	l := catalogue()
	need, needType := make([]bool, len(helpers)), make([]bool, len(types))
	var want func(i int)
	want = func(i int) {
		if need[i] {
			return
		}
		need[i] = true
		for _, t := range l.types[i] {
			needType[t] = true
		}
		for _, u := range helpers[i].uses {
			want(l.helper[u])
		}
	}
	for _, body := range bodies {
		eachWord(body, func(w string) {
			if i, ok := l.helper[w]; ok {
				want(i)
			} else if i, ok := l.typ[w]; ok {
				needType[i] = true
			}
		})
	}
	var b strings.Builder
	for i, t := range types {
		if needType[i] {
			b.WriteString(t.text)
		}
	}
	for i := range helpers {
		if need[i] {
			b.WriteByte('\n')
			b.WriteString(strings.TrimSpace(helpers[i].text))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// eachWord calls f on the identifiers of a C++ text, comments left out.
func eachWord(text string, f func(word string)) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '/' && strings.HasPrefix(text[i:], "//"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return
			}
			i += end
		case isWord(c):
			start := i
			for i < len(text) && isWord(text[i]) {
				i++
			}
			f(text[start:i])
		default:
			i++
		}
	}
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
