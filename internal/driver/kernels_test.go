package driver

import (
	"context"
	"path/filepath"
	"testing"
)

// TestFamilies proves the operators of the examples' folders, a folder a family, in
// the configuration that is chosen for them.
func TestFamilies(t *testing.T) {
	for _, file := range programs(t, filepath.Join("examples", "*")) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s := New(context.Background(), Options{Verify: true})
			wantOK(t, check(t, s, file, CheckOptions{Machines: machines(t, "sm_80"), Seed: 1}))
		})
	}
}
