package exec

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"tilec/runtime/array"
)

// Generator fills an array.
type Generator struct {
	name string
	args []float64
}

const undefined = "undefined"

// generators names the generators with their arguments' default values.
var generators = []struct {
	name, args string
	defaults   []float64
	number     func(r *rand.Rand, i int, args []float64) float64
}{
	{undefined, "", nil, nil},
	{"zeros", "", nil, func(*rand.Rand, int, []float64) float64 { return 0 }},
	{"ones", "", nil, func(*rand.Rand, int, []float64) float64 { return 1 }},
	{"full", "value", []float64{0}, func(_ *rand.Rand, _ int, a []float64) float64 { return a[0] }},
	{"arange", "start, step", []float64{0, 1}, func(_ *rand.Rand, i int, a []float64) float64 { return a[0] + float64(i)*a[1] }},
	{"normal", "mean, deviation", []float64{0, 1}, func(r *rand.Rand, _ int, a []float64) float64 { return a[0] + a[1]*r.NormFloat64() }},
	{"uniform", "low, high", []float64{0, 1}, func(r *rand.Rand, _ int, a []float64) float64 { return a[0] + (a[1]-a[0])*r.Float64() }},
	{"randint", "low, high", []float64{0, 2}, func(r *rand.Rand, _ int, a []float64) float64 {
		return a[0] + float64(r.Int64N(max(int64(a[1]-a[0]), 1)))
	}},
}

var callForm = regexp.MustCompile(`^([a-z]+)(?:\((.*)\))?$`)

// parseGenerator reads "name" or "name(a,b)"; nil if the text is something else, a file's name.
func parseGenerator(text string) (*Generator, error) {
	m := callForm.FindStringSubmatch(text)
	if m == nil {
		return nil, nil
	}
	for _, g := range generators {
		if g.name != m[1] {
			continue
		}
		out := &Generator{name: g.name, args: append([]float64{}, g.defaults...)}
		if strings.TrimSpace(m[2]) == "" {
			return out, nil
		}
		parts := strings.Split(m[2], ",")
		if len(parts) > len(g.defaults) {
			return nil, fmt.Errorf("%s: the arguments of %s are (%s)", text, g.name, g.args)
		}
		for i, p := range parts {
			x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %q is not a number", text, p)
			}
			out.args[i] = x
		}
		return out, nil
	}
	if strings.HasSuffix(text, ")") {
		var names []string
		for _, g := range generators {
			names = append(names, g.name)
		}
		return nil, fmt.Errorf("no generator %s; there is %s", m[1], strings.Join(names, ", "))
	}
	return nil, nil
}

// fill sets every element. Equal seeds and names give equal values.
func (g *Generator) fill(a *array.Array, name string, seed uint64) {
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	for _, k := range generators {
		if k.name != g.name || k.number == nil {
			continue
		}
		for i := range a.Len() {
			a.SetFloat(i, k.number(r, i, g.args))
		}
	}
}
