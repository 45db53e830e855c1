package layout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseGivesTheLayoutBack(t *testing.T) {
	for _, l := range []*Layout{
		Blocked([]int{128, 32}, []int{1, 0}, 8, 4),
		Blocked([]int{5}, []int{0}, 1, 1),
		Blocked(nil, nil, 1, 1),
		Replicated([]int{4, 4}, 2),
		Shared([]int{2, 64, 64}, 8, Swizzle{Bits: 3}),
		Shared([]int{1}, 8, Swizzle{}),
		Shared(nil, 8, Swizzle{}),
	} {
		got, err := Parse(l.String())
		if err != nil {
			t.Errorf("%s: %v", l, err)
			continue
		}
		if !l.Equal(got) {
			t.Errorf("%s: other layout (-want +got):\n%s", l, cmp.Diff(l, got))
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                         `layout "" is not in braces`,
		"{reg: (1)}":               `layout "{reg: (1)}" has no output sizes`,
		"{(1) -> 2}":               `layout input "(1)" has no name`,
		"{reg: (1); reg: -> 2}":    `layout input "reg:" is nameless or there twice`,
		"{reg: 1 -> 2}":            `layout basis "1" is not in parentheses`,
		"{reg: (a) -> 2}":          `layout basis "(a)": "a" is not a number`,
		"{reg: (1) -> 3}":          `layout output size "3" is not a power of two`,
		"{reg: (2) -> 2}":          `layout basis [2] of reg is outside output dim0`,
		"{reg: (1,1) -> 2}":        `layout basis [1 1] of reg has 2 coordinates, the layout 1`,
		"{dim0: (-1) -> 2}":        `layout basis [-1] of dim0 is outside output offset`,
		"{dim0: -> 9999999999999}": `layout output size "9999999999999" is not a power of two`,
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(Blocked([]int{128, 32}, []int{1, 0}, 8, 4).String())
	f.Add(Shared([]int{2, 64, 64}, 8, Swizzle{Bits: 3}).String())
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(l.String())
		if err != nil || !l.Equal(again) {
			t.Fatalf("%s parses to %v, %v", l, again, err)
		}
	})
}
