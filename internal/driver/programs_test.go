package driver

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tilec/internal/golden"
	"tilec/ir/machine"
)

// programs lists the .tile files of a folder, from the project's root.
func programs(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", dir, "*.tile"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs in %s (%v)", dir, err)
	}
	return paths
}

// check runs the tests of a program.
func check(t *testing.T, s *Session, file string, opts CheckOptions) []*Result {
	t.Helper()
	p := s.Load(file)
	wantClean(t, p.Reporter)
	var results []*Result
	opts.Result = func(r *Result) { results = append(results, r) }
	sum, err := s.Check(t.Context(), []*Program{p}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Tests != len(results) {
		t.Errorf("%d results of %d tests", len(results), sum.Tests)
	}
	return results
}

func wantOK(t *testing.T, results []*Result) {
	t.Helper()
	if len(results) == 0 {
		t.Error("no results")
	}
	for _, r := range results {
		for _, f := range r.Failures {
			t.Errorf("%s %q %s: %s %s: %s\n%v\n%s", r.Kernel, r.Test, r.Arch, f.Config, f.Stage, f.Text, f.Mismatches, strings.Join(f.Findings, "\n"))
		}
	}
}

// TestPrograms proves the examples, and the kernels of testdata, in the configuration
// that is chosen for them.
func TestPrograms(t *testing.T) {
	for _, dir := range []string{"examples", "testdata/kernels"} {
		for _, file := range programs(t, dir) {
			t.Run(path.Base(filepath.ToSlash(file)), func(t *testing.T) {
				t.Parallel()
				s := New(context.Background(), Options{Verify: true})
				wantOK(t, check(t, s, file, CheckOptions{Machines: machines(t, "sm_80"), Seed: 1}))
			})
		}
	}
}

// TestArchitectures proves the examples' first tests on the other architectures.
func TestArchitectures(t *testing.T) {
	for _, arch := range Archs("cuda") {
		if arch == "sm_80" {
			continue
		}
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			s := New(context.Background(), Options{})
			for _, file := range programs(t, "examples") {
				if base := filepath.Base(file); base != "softmax.tile" && base != "vector_add.tile" {
					continue
				}
				wantOK(t, check(t, s, file, CheckOptions{Machines: machines(t, arch), Seed: 1}))
			}
		})
	}
}

// TestAscend proves programs on AI cores, by the host machine.
func TestAscend(t *testing.T) {
	m, err := Machines("ascend", []string{"910b"})
	if err != nil {
		t.Fatal(err)
	}
	files := programs(t, "examples")
	for _, name := range []string{
		"testdata/kernels/access.tile", "testdata/kernels/conditions.tile", "testdata/kernels/messages.tile", "testdata/kernels/operands.tile", "testdata/kernels/scalars.tile",
		"testdata/kernels/sums.tile", "testdata/kernels/windows.tile",
		"examples/attention/variants.tile", "examples/moe/moe.tile", "examples/recurrent/lstm.tile",
	} {
		files = append(files, filepath.Join("..", "..", filepath.FromSlash(name)))
	}
	for _, file := range files {
		t.Run(path.Base(filepath.ToSlash(file)), func(t *testing.T) {
			t.Parallel()
			s := New(context.Background(), Options{Verify: true})
			wantOK(t, check(t, s, file, CheckOptions{Machines: m, Seed: 1}))
		})
	}
}

func machines(t testing.TB, archs ...string) []*machine.Machine {
	t.Helper()
	ms, err := Machines("cuda", archs)
	if err != nil {
		t.Fatal(err)
	}
	return ms
}

// TestGolden compares the emitted text of every kernel of the examples, for every
// architecture, with testdata/golden.
func TestGolden(t *testing.T) {
	s := New(context.Background(), Options{Verify: true})
	root := filepath.Join("..", "..", "testdata", "golden")
	for _, file := range programs(t, "examples") {
		p := s.Load(file)
		wantClean(t, p.Reporter)
		dir := filepath.Join(root, strings.TrimSuffix(filepath.Base(file), ".tile"))
		cases := map[string]bool{}
		r := BuildRequest{Program: p, Kernels: p.Pick(""), Machines: machines(t, AllArchs), Kinds: []Kind{Text, Host}}
		out, _, err := s.Build(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, k := range p.Pick("") {
			r := BuildRequest{Program: p, Kernels: []Kernel{k}, Machines: aiCores(t), Kinds: []Kind{Text, Host}}
			more, _, err := s.Build(t.Context(), r)
			if err != nil && !lacksType(err) {
				t.Errorf("%s: %v", file, err)
			}
			out = append(out, more...)
		}
		for _, o := range out {
			if strings.HasSuffix(o.Name, suffixes[Host]) && !strings.Contains(o.Name, ".sm_80.") {
				continue // alike but for its head
			}
			cases[o.Name] = true
			t.Run(o.Name, func(t *testing.T) { golden.Compare(t, filepath.Join(dir, o.Name), string(o.Data)) })
		}
		golden.Leftovers(t, dir, cases)
	}
}

// aiCores is the architecture of AI cores whose text is kept; the others of its kind differ in names alone.
func aiCores(t *testing.T) []*Machine {
	t.Helper()
	ms, err := Machines("ascend", []string{"910b"})
	if err != nil {
		t.Fatal(err)
	}
	return ms
}

func lacksType(err error) bool {
	var r *Refusal
	if !errors.As(err, &r) {
		return false
	}
	_, ok := r.LacksType()
	return ok
}

// TestDeterministic wants the same bytes from one job and from many.
func TestDeterministic(t *testing.T) {
	build := func(jobs int) []Output {
		s := New(context.Background(), Options{Jobs: jobs})
		p := s.Load(filepath.Join("..", "..", "examples", "norms.tile"))
		wantClean(t, p.Reporter)
		out, _, err := s.Build(t.Context(), BuildRequest{Program: p, Kernels: p.Pick(""), Machines: machines(t, AllArchs), Kinds: []Kind{Text, Host}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	one, many := build(1), build(8)
	if !slices.EqualFunc(one, many, func(x, y Output) bool { return x.Name == y.Name && string(x.Data) == string(y.Data) }) {
		t.Error("outputs differ")
	}
}
