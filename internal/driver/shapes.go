package driver

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/lang/types"
)

// interesting are extents at which kernels tend to be wrong: nothing, one element,
// a few, and the neighbourhood of powers of two.
var interesting = []int64{0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 192, 255, 257}

// maxRandomElements bounds the tensors of a random shape, so that a check of many
// stays quick.
const maxRandomElements = 1 << 17

// randomCases makes tests with random dimensions: opts.Shapes of them for each
// kernel, generics and inputs as in its tests, one after another.
func (p *Program) randomCases(tests []*testCase, opts CheckOptions) []*testCase {
	byKernel := map[*types.Kernel][]*testCase{}
	var kernels []*types.Kernel
	for _, c := range tests {
		if byKernel[c.Kernel] == nil {
			kernels = append(kernels, c.Kernel)
		}
		byKernel[c.Kernel] = append(byKernel[c.Kernel], c)
	}
	var all []*testCase
	for _, k := range kernels {
		r := rand.New(rand.NewPCG(opts.Seed, uint64(len(k.Name))<<32+uint64(k.Name[0])))
		seen := map[string]bool{}
		templates := byKernel[k]
		tiny := tinyDims(templates[0].Dims)
		for n, tries := 0, 0; n < opts.Shapes && tries < 50*opts.Shapes; tries++ {
			t := templates[tries%len(templates)]
			dims := randomDims(r, t.Dims)
			if i := tries / 2; tries%2 == 0 && i < len(tiny) { // every other one, so that a few shapes hold both
				t, dims = templates[0], tiny[i]
			}
			c := t.withDims(dims)
			if c == nil || c.elements() > maxRandomElements || seen[c.name] {
				continue
			}
			seen[c.name] = true
			all = append(all, c)
			n++
		}
	}
	return all
}

// tinyDims are shapes without elements and with one along some dimension.
func tinyDims(like map[string]int64) []map[string]int64 {
	ones := map[string]int64{}
	for name := range like {
		ones[name] = 1
	}
	all := []map[string]int64{ones}
	names := slices.Sorted(maps.Keys(like))
	for _, n := range []int64{0, 1} {
		for _, name := range names {
			dims := maps.Clone(like)
			dims[name] = n
			all = append(all, dims)
		}
	}
	return all
}

func randomDims(r *rand.Rand, like map[string]int64) map[string]int64 {
	dims := map[string]int64{}
	for _, name := range slices.Sorted(maps.Keys(like)) {
		switch r.IntN(4) {
		case 0: // what the test has, so that requirements are met now and then
			dims[name] = like[name]
		case 1: // a multiple or part of it
			dims[name] = like[name] * (1 + r.Int64N(3)) / (1 + r.Int64N(2))
		default:
			dims[name] = interesting[r.IntN(len(interesting))]
		}
	}
	return dims
}

// withDims returns the test with other dimensions, nil if the kernel refuses them.
func (c *testCase) withDims(dims map[string]int64) *testCase {
	t := *c.test
	t.Bindings = slices.Clone(c.test.Bindings)
	for i, b := range t.Bindings {
		if b.Name == nil {
			continue
		}
		if n, ok := dims[b.Name.Name]; ok {
			other := *b
			other.Value = &ast.Int{Place: b.Place, Text: fmt.Sprint(n), Value: big.NewInt(n)}
			t.Bindings[i] = &other
		}
	}
	for _, in := range c.Inputs {
		if in.Kind == types.FileInput || in.Kind == types.ValuesInput {
			return nil // those have one shape
		}
	}
	tc, ok := types.Evaluate(c.program.Program, &t, &diag.Reporter{})
	if !ok {
		return nil
	}
	name := "random " + dimsText(tc.Dims)
	if text := genericsText(c); text != "" {
		name += ", " + text
	}
	return &testCase{program: c.program, name: name, test: &t, TestCase: tc, seed: c.seed, random: true}
}

// genericsText spells the generics that the test binds.
func genericsText(c *testCase) string {
	var parts []string
	for _, b := range c.test.Bindings {
		if v, ok := c.Generics[b.Name.Name]; ok {
			parts = append(parts, b.Name.Name+" = "+v.String())
		}
	}
	return strings.Join(parts, ", ")
}

func dimsText(dims map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		parts = append(parts, fmt.Sprintf("%s = %d", name, dims[name]))
	}
	return strings.Join(parts, ", ")
}

// elements is a bound on the size of the case: the product of its dimensions.
func (c *testCase) elements() int64 {
	n := int64(1)
	for _, d := range c.Dims {
		n *= max(d, 1)
		if n > maxRandomElements*64 {
			return n
		}
	}
	return n / 16
}

// maxShrinks bounds how many smaller shapes are tried.
const maxShrinks = 60

// shrink looks for the smallest dimensions that fail still, and returns that
// attempt.
func (s *Session) shrink(ctx context.Context, j *job, failed *attempt, opts CheckOptions, workers int) (*attempt, error) {
	best := failed
	tries := 0
	for changed := true; changed; {
		changed = false
		for _, name := range slices.Sorted(maps.Keys(best.c.Dims)) {
			for _, n := range smaller(best.c.Dims[name]) {
				if tries++; tries > maxShrinks {
					break
				}
				dims := maps.Clone(best.c.Dims)
				dims[name] = n
				c := best.c.withDims(dims)
				if c == nil {
					continue
				}
				again := *j
				again.c, again.bindings, again.pinned = c, best.inst.Bindings, true
				a, _, err := s.attempt(ctx, &again, opts, workers)
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				if err == nil && a != nil && a.failure != nil {
					best, changed = a, true
					break
				}
			}
		}
	}
	best.failure.Dims = dimsText(best.c.Dims)
	return best, nil
}

// smaller lists values below n to try, the least first.
func smaller(n int64) []int64 {
	var all []int64
	for _, m := range []int64{0, 1, n / 2, n - n/4, n - 1} {
		if m >= 0 && m < n && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}
