package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// limits of Parse: inputs of at most 2^maxBits values, outputs below 2^maxBits.
const maxBits = 40

// Parse reads a layout in the text that String writes. The outputs of a layout
// from dim0, dim1, … are named offset, those of any other dim0, dim1, ….
func Parse(text string) (*Layout, error) {
	s := strings.TrimSpace(text)
	if !strings.HasPrefix(s, "{") || !strings.HasSuffix(s, "}") || len(s) < 2 {
		return nil, fmt.Errorf("layout %q is not in braces", text)
	}
	inputs, sizes, ok := strings.Cut(s[1:len(s)-1], "->")
	if !ok {
		return nil, fmt.Errorf("layout %q has no output sizes", text)
	}
	l := &Layout{}
	for _, part := range strings.Split(inputs, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, bases, ok := strings.Cut(part, ":")
		if !ok {
			return nil, fmt.Errorf("layout input %q has no name", strings.TrimSpace(part))
		}
		in := Input{Name: strings.TrimSpace(name)}
		if in.Name == "" || l.input(in.Name) != nil {
			return nil, fmt.Errorf("layout input %q is nameless or there twice", strings.TrimSpace(part))
		}
		for _, basis := range strings.Fields(bases) {
			b, err := parseBasis(basis)
			if err != nil {
				return nil, err
			}
			in.Bases = append(in.Bases, b)
		}
		if len(in.Bases) > maxBits {
			return nil, fmt.Errorf("layout input %s has more than %d bits", in.Name, maxBits)
		}
		l.In = append(l.In, in)
	}
	if err := l.parseOutputs(strings.TrimSpace(sizes)); err != nil {
		return nil, err
	}
	return l, l.check()
}

func parseBasis(text string) ([]int, error) {
	body, ok := strings.CutPrefix(text, "(")
	body, closed := strings.CutSuffix(body, ")")
	if !ok || !closed {
		return nil, fmt.Errorf("layout basis %q is not in parentheses", text)
	}
	if body == "" {
		return []int{}, nil
	}
	var basis []int
	for _, c := range strings.Split(body, ",") {
		v, err := strconv.Atoi(c)
		if err != nil {
			return nil, fmt.Errorf("layout basis %q: %q is not a number", text, c)
		}
		basis = append(basis, v)
	}
	return basis, nil
}

func (l *Layout) parseOutputs(text string) error {
	if text == "()" {
		return nil
	}
	for o, part := range strings.Split(text, "x") {
		size, err := strconv.Atoi(part)
		if err != nil || size < 1 || size&(size-1) != 0 || size > 1<<maxBits {
			return fmt.Errorf("layout output size %q is not a power of two", part)
		}
		l.Out = append(l.Out, Output{Name: l.outputName(o), Size: size})
	}
	return nil
}

// outputName returns the usual name of output o: a memory layout has an offset,
// a register layout the tile's coordinates.
func (l *Layout) outputName(o int) string {
	for i, in := range l.In {
		if in.Name != fmt.Sprintf("dim%d", i) {
			return fmt.Sprintf("dim%d", o)
		}
	}
	return Offset
}

// check reports bases that don't match the outputs.
func (l *Layout) check() error {
	for _, in := range l.In {
		for _, basis := range in.Bases {
			if len(basis) != len(l.Out) {
				return fmt.Errorf("layout basis %v of %s has %d coordinates, the layout %d", basis, in.Name, len(basis), len(l.Out))
			}
			for o, v := range basis {
				if v < 0 || v >= l.Out[o].Size {
					return fmt.Errorf("layout basis %v of %s is outside output %s", basis, in.Name, l.Out[o].Name)
				}
			}
		}
	}
	return nil
}
