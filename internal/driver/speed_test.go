package driver

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"tilec/ir/machine"
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
