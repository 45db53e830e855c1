package layout

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Layout is a linear map from the bits of its inputs to coordinates. Layouts
// are values: no function changes one that it was given.
type Layout struct {
	In  []Input
	Out []Output
}

// Input is one input of 2^len(Bases) values. Bases[b][o] is what its bit b
// contributes to output o.
type Input struct {
	Name  string
	Bases [][]int
}

// Output is one coordinate, below Size, a power of two.
type Output struct {
	Name string
	Size int
}

// Names of the inputs of a register layout and the output of a memory layout.
const (
	Reg    = "reg"
	Lane   = "lane"
	Warp   = "warp"
	Offset = "offset"
)

// Pow2 returns the least power of two that is at least n (1 for n <= 1).
func Pow2(n int) int {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len(uint(n-1))
}

// Log2 returns the number of bits of a power of two.
func Log2(n int) int { return bits.Len(uint(n)) - 1 }

// DimNames returns the names dim0, dim1, … of a tile's n coordinates.
func DimNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("dim%d", i)
	}
	return names
}

// Size returns how many values input name has, 1 if there is no such input.
func (l *Layout) Size(name string) int {
	if in := l.input(name); in != nil {
		return 1 << len(in.Bases)
	}
	return 1
}

func (l *Layout) input(name string) *Input {
	for i := range l.In {
		if l.In[i].Name == name {
			return &l.In[i]
		}
	}
	return nil
}

// Bases returns the bases of input name.
func (l *Layout) Bases(name string) [][]int {
	if in := l.input(name); in != nil {
		return in.Bases
	}
	return nil
}

// Apply returns the coordinates of one value of each input, in order of In.
func (l *Layout) Apply(in ...int) []int {
	out := make([]int, len(l.Out))
	l.ApplyTo(out, in...)
	return out
}

// ApplyTo is Apply into out.
func (l *Layout) ApplyTo(out []int, in ...int) {
	clear(out)
	for i, v := range in {
		for ; v != 0; v &= v - 1 {
			for o, c := range l.In[i].Bases[bits.TrailingZeros(uint(v))] {
				out[o] ^= c
			}
		}
	}
}

// Shape returns the sizes of the outputs.
func (l *Layout) Shape() []int {
	shape := make([]int, len(l.Out))
	for o := range shape {
		shape[o] = l.Out[o].Size
	}
	return shape
}

// Equal reports the same inputs, outputs and map.
func (l *Layout) Equal(m *Layout) bool {
	if l == nil || m == nil {
		return l == m
	}
	return slices.Equal(l.Out, m.Out) && slices.EqualFunc(l.In, m.In, func(a, b Input) bool {
		return a.Name == b.Name && slices.EqualFunc(a.Bases, b.Bases, slices.Equal)
	})
}

// String is the layout in text: inputs with their bases, then the output sizes,
// as in `{reg: (0,1) (8,0); lane: (0,2) …; warp: … -> 16x8}`.
func (l *Layout) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, in := range l.In {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(in.Name)
		b.WriteByte(':')
		for _, basis := range in.Bases {
			b.WriteString(" (")
			for o, c := range basis {
				if o > 0 {
					b.WriteByte(',')
				}
				fmt.Fprint(&b, c)
			}
			b.WriteByte(')')
		}
	}
	b.WriteString(" -> ")
	for o, out := range l.Out {
		if o > 0 {
			b.WriteByte('x')
		}
		fmt.Fprint(&b, out.Size)
	}
	if len(l.Out) == 0 {
		b.WriteString("()")
	}
	b.WriteByte('}')
	return b.String()
}

// outputs makes the outputs dim0, dim1, … of the padded shape.
func outputs(shape []int) []Output {
	out := make([]Output, len(shape))
	for i, n := range shape {
		out[i] = Output{Name: fmt.Sprintf("dim%d", i), Size: Pow2(n)}
	}
	return out
}

// Distributed makes a register layout over a tile of the given shape (padded to
// powers of two) from the bases of its three inputs.
func Distributed(shape []int, reg, lane, warp [][]int) *Layout {
	return &Layout{
		In:  []Input{{Reg, reg}, {Lane, lane}, {Warp, warp}},
		Out: outputs(shape),
	}
}
