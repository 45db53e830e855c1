package main

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "tilec/internal/driver" // what TestFresh runs, so that a change of it runs the test again
	"tilec/runtime/ptx"
	"tilec/runtime/ptxlaunch"
)

var update = flag.Bool("update", false, "renew package blas")

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), ptxlaunch.New(ptxlaunch.Config{Checks: ptx.CheckAll}), &out); err != nil {
		t.Fatal(err)
	}
	want := `C = A · B: C[0, 0] = 1.25, C[49, 39] = -1.25
Y = 2 · C[0] + Y: Y[0] = 3.5
refused: matmul: B: an array of f32, one of f16 is needed
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// generate makes package blas anew, by the command that main.go names.
func generate(t *testing.T) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	command := exec.Command("go", "run", "tilec/cmd/tilec", "build", "blas.tile", "-target=cuda", "-arch=sm_80", "--emit=go", "-o", dir)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder(t, filepath.Join(dir, "blas"))
}

// folder reads the files of a folder.
func folder(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// compiler is the line of a PTX text that says which NVRTC made it.
var compiler = regexp.MustCompile(`Compiler Build ID: .*`)

// TestFresh wants package blas to be what tilec makes of blas.tile today. Compiled code is compared where it comes from the
// same compiler.
func TestFresh(t *testing.T) {
	made, kept := generate(t), folder(t, "blas")
	if *update {
		for name := range kept {
			if err := os.Remove(filepath.Join("blas", name)); err != nil {
				t.Fatal(err)
			}
		}
		for name, data := range made {
			if err := os.WriteFile(filepath.Join("blas", name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	same := true
	for name, data := range kept {
		if strings.HasSuffix(name, ".ptx") {
			same = same && bytes.Equal(compiler.Find(data), compiler.Find(made[name]))
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(made)), slices.Sorted(maps.Keys(kept))); diff != "" {
		t.Fatalf("files of package blas (-want +got; -update renews them):\n%s", diff)
	}
	for name := range made {
		if (same || strings.HasSuffix(name, ".go")) && !bytes.Equal(made[name], kept[name]) {
			t.Errorf("%s is out of date; -update renews it", name)
		}
	}
}
