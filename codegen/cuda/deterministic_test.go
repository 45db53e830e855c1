package cuda_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/internal/driver"
)

// texts emits all kernels of a file for an architecture, in a session of its own.
func texts(t *testing.T, file, arch string) map[string]string {
	t.Helper()
	s, m := session(t, arch)
	p := s.Load(file)
	_, units, err := s.Build(t.Context(), driver.BuildRequest{Program: p, Kernels: p.Pick(""), Machines: []*driver.Machine{m}, Kinds: []driver.Kind{driver.Text}})
	if err != nil {
		t.Error(err)
	}
	all := map[string]string{}
	for _, u := range units {
		all[u.Name()] = u.Text
	}
	return all
}

// TestEmissionIsDeterministic emits every example for every architecture several
// times at once: the texts are the same to the byte. Under -race it also shows that
// compilations share nothing that changes.
func TestEmissionIsDeterministic(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.tile")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	const times = 2
	results := make([]map[string]map[string]string, times)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			all := map[string]map[string]string{}
			for _, arch := range driver.Archs("cuda") {
				for _, file := range files {
					all[arch+" "+filepath.Base(file)] = texts(t, filepath.ToSlash(file), arch)
				}
			}
			results[i] = all
		})
	}
	wg.Wait()
	for _, again := range results[1:] {
		if diff := cmp.Diff(results[0], again); diff != "" {
			t.Errorf("two runs emit different texts:\n%s", diff)
		}
	}
}
