package cuda

import "strings"

// helper is a device function, or type, of the emitted text and what it uses.
type helper struct {
	name string
	uses []string
	text string
}

// prelude returns the text of the helpers that are named and of those that they
// use, in the order of the table.
func prelude(used map[string]bool) string {
	need := map[string]bool{}
	var want func(name string)
	index := map[string]*helper{}
	for i := range helpers {
		index[helpers[i].name] = &helpers[i]
	}
	want = func(name string) {
		h := index[name]
		if h == nil || need[name] {
			return
		}
		need[name] = true
		for _, u := range h.uses {
			want(u)
		}
	}
	for _, name := range sortedKeys(used) {
		want(name)
	}
	var b strings.Builder
	for i := range types {
		b.WriteString(types[i])
	}
	for i := range helpers {
		if need[helpers[i].name] {
			b.WriteString("\n")
			b.WriteString(strings.TrimSpace(helpers[i].text))
			b.WriteString("\n")
		}
	}
	return b.String()
}

// types are the element types that C++ lacks; they only hold bits.
var types = []string{
	"struct f16 { unsigned short bits; };\n",
	"struct bf16 { unsigned short bits; };\n",
	"struct f8e4m3 { unsigned char bits; };\n",
	"struct f8e5m2 { unsigned char bits; };\n",
	"struct f8e8m0 { unsigned char bits; };\n",
	"struct f4e2m1 { unsigned char bits; };\n",
	"struct i4 { unsigned char bits; };\n",
	"struct u4 { unsigned char bits; };\n",
}
