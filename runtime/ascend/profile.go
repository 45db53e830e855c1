package ascend

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// Profile is what the cores of a launch did, in the model of time that Rates is.
type Profile struct {
	Cycles float64       `json:"cycles"` // until the last core ended
	Kinds  []KindProfile `json:"kinds"`  // the cube's first; those that did something
}

// KindProfile sums up what the cores of one kind did.
type KindProfile struct {
	Cube         bool               `json:"cube"`
	Cores        int                `json:"cores"`
	Cycles       float64            `json:"cycles"`       // of a core, on average
	Busy         map[string]float64 `json:"busy"`         // by pipe, the part of the cores' time
	Instructions map[string]int64   `json:"instructions"` // by pipe and name, such as "V Add"
	Bytes        map[string]int64   `json:"bytes"`        // by path, such as "GM>UB" or "workspace>L1"
	Flags        int64              `json:"flags"`
	Waits        int64              `json:"waits"`
	Barriers     int64              `json:"barriers"`
	CrossFlags   int64              `json:"crossFlags"`
}

// Profile sums the counters of the cores up.
func (r *Report) Profile() *Profile {
	p := &Profile{}
	for _, cube := range []bool{true, false} {
		k := KindProfile{Cube: cube, Busy: map[string]float64{}, Instructions: map[string]int64{}, Bytes: map[string]int64{}}
		for i := range r.Cores {
			if c := &r.Cores[i]; c.Core.Cube == cube && len(c.Instructions) > 0 {
				k.add(c)
				p.Cycles = max(p.Cycles, c.Cycles)
			}
		}
		if k.Cores == 0 {
			continue
		}
		for pipe := range k.Busy {
			k.Busy[pipe] /= k.Cycles
		}
		k.Cycles /= float64(k.Cores)
		p.Kinds = append(p.Kinds, k)
	}
	return p
}

func (k *KindProfile) add(c *Counters) {
	k.Cores++
	k.Cycles += c.Cycles
	for pipe, cycles := range c.Busy {
		if cycles > 0 {
			k.Busy[pipe] += cycles
		}
	}
	for name, n := range c.Instructions {
		k.Instructions[name] += n
	}
	for path, n := range c.Bytes {
		k.Bytes[path] += n
	}
	k.Flags += c.Flags
	k.Waits += c.Waits
	k.Barriers += c.Barriers
	k.CrossFlags += c.CrossFlags
}

// WriteTable writes the profile for people to read.
func (p *Profile) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "modelled cycles\t%.0f\t\n", p.Cycles)
	for i := range p.Kinds {
		p.Kinds[i].write(w)
	}
	return w.Flush()
}

func (k *KindProfile) write(w io.Writer) {
	kind := "vector"
	if k.Cube {
		kind = "cube"
	}
	fmt.Fprintf(w, "\n%d %s cores\t%.0f cycles each\t\n", k.Cores, kind, k.Cycles)
	for _, pipe := range largest(k.Busy) {
		fmt.Fprintf(w, "pipe %s\t%.1f %%\t\n", pipe, 100*k.Busy[pipe])
	}
	for _, path := range largest(k.Bytes) {
		fmt.Fprintf(w, "%s\t%d bytes\t\n", path, k.Bytes[path])
	}
	for _, name := range largest(k.Instructions) {
		fmt.Fprintf(w, "%s\t%d\t\n", name, k.Instructions[name])
	}
	fmt.Fprintf(w, "flags set\t%d\t\nflags awaited\t%d\t\nbarriers\t%d\t\ncross-core flags\t%d\t\n", k.Flags, k.Waits, k.Barriers, k.CrossFlags)
}

// largest lists the keys of a map by value, the largest first.
func largest[N int64 | float64](m map[string]N) []string {
	keys := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(m[b], m[a]) })
	return keys
}
