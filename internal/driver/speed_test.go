package driver

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"tilec/ir/machine"
	"tilec/lang/types"
)

// BenchmarkText measures a file's way from source to CUDA text, tunables chosen
// included, all its kernels together.
func BenchmarkText(b *testing.B) {
	var paths []string
	for _, pattern := range []string{"../../examples/*.tile", "../../examples/*/*.tile"} {
		more, err := filepath.Glob(pattern)
		if err != nil || len(more) == 0 {
			b.Fatal("no examples", err)
		}
		paths = append(paths, more...)
	}
	m, err := machine.Lookup("sm_80")
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(filepath.Base(path), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := New(context.Background(), Options{Read: func(string) (string, error) { return string(text), nil }})
				p := s.Load(path)
				r := BuildRequest{Program: p, Kernels: p.Pick(""), Machines: []*Machine{m}, Kinds: []Kind{Text}}
				if _, _, err := s.Build(context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestLongReductions wants loops over what many results are made of to stay loops: their
// text, unrolled, would keep NVIDIA's compiler busy for seconds.
func TestLongReductions(t *testing.T) {
	s := New(t.Context(), Options{})
	p := s.Load("../../testdata/kernels/windows.tile")
	wantClean(t, p.Reporter)
	m := machines(t, "sm_80")[0]
	for _, k := range p.Pick("") {
		inst, err := s.instance(p, k.Kernel, configs(k.Kernel, types.Bindings{}, m)[0])
		if err != nil {
			t.Fatal(err)
		}
		u, err := s.emit(t.Context(), p, inst, m)
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Compile(t.Context(), u, ForMachine)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b.PTX, []byte("\n")); n > 10_000 {
			t.Errorf("%s takes %d lines of PTX", k.Name, n)
		}
	}
}
