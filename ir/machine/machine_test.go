package machine

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/ir"
	"tilec/ir/layout"
	"tilec/runtime/array"
)

// TestEveryCUDAArchitectureIsThere compares with the facts of the CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability": shared
// memory a CTA and an SM in KiB, warps and CTAs an SM.
func TestEveryCUDAArchitectureIsThere(t *testing.T) {
	type limits struct{ CTA, SM, Warps, CTAs int }
	want := map[string]limits{
		"sm_80":   {163, 164, 64, 32},
		"sm_86":   {99, 100, 48, 16},
		"sm_89":   {99, 100, 48, 24},
		"sm_90a":  {227, 228, 64, 32},
		"sm_100a": {227, 228, 64, 32},
		"sm_120":  {99, 100, 48, 24},
	}
	got := map[string]limits{}
	for _, name := range Names("cuda") {
		m, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		s := m.Memory(ir.Shared)
		got[name] = limits{int(s.Bytes >> 10), int(s.PerSM >> 10), m.Limits.WarpsPerSM, m.Limits.CTAsPerSM}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCodeIsGeneratedFor(t *testing.T) {
	var got []string
	for _, name := range Names("cuda") {
		if m, _ := Lookup(name); m.Emits {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff([]string{"sm_80", "sm_86", "sm_89", "sm_90a", "sm_120"}, sortedBy(got, []string{"sm_80", "sm_86", "sm_89", "sm_90a", "sm_120"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// sortedBy puts names in the order of another list, the unknown ones last.
func sortedBy(names, order []string) []string {
	out := slices.Clone(names)
	at := func(n string) int {
		if i := slices.Index(order, n); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortFunc(out, func(a, b string) int { return at(a) - at(b) })
	return out
}

func TestLookupNamesWhatThereIs(t *testing.T) {
	for _, name := range []string{"", "sm_70", "SM_80", "sm_80 "} {
		m, err := Lookup(name)
		want := `no architecture "` + name + `"; known are 910b, 910c, 950, sm_100a, sm_120, sm_80, sm_86, sm_89, sm_90a`
		if m != nil || err == nil || err.Error() != want {
			t.Errorf("%q: got %v, %v, want %s", name, m, err, want)
		}
	}
	if names := Names("toaster"); len(names) != 0 {
		t.Errorf("machines of an unknown family: %v", names)
	}
}

// TestTablesAreSane checks what every description must hold to be of use.
func TestTablesAreSane(t *testing.T) {
	for i := range machines {
		m := &machines[i]
		l, r := m.Limits, m.Rates
		if m.Name == "" || m.Family == "" || m.Parts == "" || r.Source == "" {
			t.Errorf("%s: a name or source is missing", m.Name)
		}
		for _, mem := range m.Memories {
			if mem.Bytes <= 0 || mem.Align <= 0 || mem.Align&(mem.Align-1) != 0 || mem.Source == "" {
				t.Errorf("%s: memory %s: %+v", m.Name, mem.Space, mem)
			}
			if mem.PerSM != 0 && mem.Bytes+mem.Reserved > mem.PerSM {
				t.Errorf("%s: a CTA may take %d bytes of %s and %d are reserved, an SM has %d", m.Name, mem.Bytes, mem.Space, mem.Reserved, mem.PerSM)
			}
		}
		for _, p := range m.Paths {
			if m.Memory(p.From) == nil || m.Memory(p.To) == nil || len(p.Bytes) == 0 || p.Source == "" {
				t.Errorf("%s: path from %s to %s: %+v", m.Name, p.From, p.To, p)
			}
			if !slices.IsSortedFunc(p.Bytes, func(a, b int) int { return b - a }) || p.Bytes[0] > ir.WidestAccess {
				t.Errorf("%s: path from %s to %s moves %v bytes", m.Name, p.From, p.To, p.Bytes)
			}
			if m.Path(p.From, p.To, p.Async) == nil {
				t.Errorf("%s: path from %s to %s isn't found", m.Name, p.From, p.To)
			}
		}
		if l.WarpSize != 32 || l.ThreadsPerCTA > l.WarpsPerSM*l.WarpSize || l.CTAsPerSM < 1 || l.RegistersThread > 255 || l.RegistersPerSM%l.RegisterGranule != 0 {
			t.Errorf("%s: limits %+v", m.Name, l)
		}
		if r.SMs < 1 || r.ClockGHz < 1 || r.FMA32 < 32 || r.FMA64 <= 0 || r.MUFU <= 0 || r.SharedBPC <= 0 || r.GlobalGBs < 100 || r.L2Bytes < 1<<20 {
			t.Errorf("%s: rates %+v", m.Name, r)
		}
		names := map[string]bool{}
		for _, a := range m.Atoms {
			if names[a.Name] || a.Name == FMAName || a.Source == "" || a.Rate <= r.FMA32 {
				t.Errorf("%s: atom %s is there twice, without a source, or no faster than scalar code", m.Name, a.Name)
			}
			names[a.Name] = true
			if got := m.AtomNamed(a.Name, a.A, a.B, a.C); got == nil || got.Name != a.Name {
				t.Errorf("%s: atom %s isn't found by its name", m.Name, a.Name)
			}
			if best := m.Atom(a.A, a.B, a.C); best == nil || best.Rate < a.Rate {
				t.Errorf("%s: the atom for %s is %v", m.Name, a.A, best)
			}
		}
	}
}

func TestMissingThings(t *testing.T) {
	m, err := Lookup("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	if m.Memory(ir.UB) != nil || m.Path(ir.Shared, ir.Global, true) != nil || m.Atom(array.F64, array.F64, array.F64) != nil || m.AtomNamed("frob", array.F16, array.F16, array.F32) != nil {
		t.Error("sm_80 has what it has not")
	}
	if a := m.Atom(array.F16, array.F16, array.F16); a != nil {
		t.Errorf("products summed in f16 have atom %s", a.Name)
	}
}

// TestFragments compares every atom with the PTX ISA, "Matrix Fragments for
// mma.m16n8k16" and its siblings: g is lane/4, t is lane%4, and a 32-bit register
// holds p elements of consecutive k, the lower ones lower.
func TestFragments(t *testing.T) {
	for i := range machines {
		for _, a := range machines[i].Atoms {
			p := 32 / a.A.Bits()
			if a.M != 16 || a.N != 8 || a.K != 8*p && a.K != 4*p {
				t.Errorf("%s is %d by %d by %d", a.Name, a.M, a.N, a.K)
			}
			compare := func(what string, l *layout.Layout, registers int, want func(r, lane int) [2]int) {
				t.Helper()
				if l.Size(layout.Reg) != registers || l.Size(layout.Lane) != 32 || l.Size(layout.Warp) != 1 || !l.Covers() {
					t.Fatalf("%s: %s is laid out %s", a.Name, what, l)
				}
				for r := range registers {
					for lane := range 32 {
						if got := l.Apply(r, lane, 0); [2]int(got) != want(r, lane) {
							t.Fatalf("%s: %s element %d of lane %d is %v, the ISA says %v", a.Name, what, r, lane, got, want(r, lane))
						}
					}
				}
			}
			// a0: (g, k low), a1: (g+8, k low), a2: (g, k high), a3: (g+8, k high)
			compare("A", a.LayoutA, a.M*a.K/32, func(r, lane int) [2]int {
				word, part := r/p, r%p
				return [2]int{lane/4 + 8*(word&1), p*(lane%4) + part + 4*p*(word>>1)}
			})
			// b0: k low, b1: k high, of column g
			compare("B", a.LayoutB, a.N*a.K/32, func(r, lane int) [2]int {
				word, part := r/p, r%p
				return [2]int{lane / 4, p*(lane%4) + part + 4*p*word}
			})
			// c0, c1: (g, 2t), (g, 2t+1); c2, c3: the same 8 rows below
			compare("C", a.LayoutC, 4, func(r, lane int) [2]int {
				return [2]int{lane/4 + 8*(r>>1), 2*(lane%4) + r&1}
			})
		}
	}
}

// TestScalarAtom: each thread has four columns of every fourth row, all of them the whole 16 × 32.
func TestScalarAtom(t *testing.T) {
	m, err := Lookup("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	a := m.FMA(array.F64, array.F64, array.F64)
	if a.Name != FMAName || a.C != array.F64 || !a.LayoutC.Covers() || a.LayoutC.Size(layout.Reg) != 16 {
		t.Errorf("%+v", a)
	}
	for r := range 16 {
		if got := a.LayoutC.Apply(r, 0, 0); got[0] != 4*(r/4) || got[1] != r%4 {
			t.Errorf("register %d of the first thread is %v", r, got)
		}
	}
	if got := m.AtomNamed(FMAName, array.F32, array.F32, array.F32); got == nil || got.A != array.F32 {
		t.Errorf("the scalar atom by name is %v", got)
	}
}
