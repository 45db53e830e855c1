package passes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/machine"
)

// program reads a function of testdata/programs and the sizes to run it with.
func program(t testing.TB, file string) (f *ir.Func, runs []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if dims, ok := strings.CutPrefix(strings.TrimSpace(line), "// run:"); ok {
			runs = append(runs, dims)
		}
	}
	if f, err = ir.Parse(filepath.Base(file), string(text)); err != nil {
		t.Fatal(err)
	}
	return f, runs
}

func programs(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/programs/*.tir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	return files
}

// TestEveryPassKeepsTheResults runs whole programs through all passes. After
// each one the function is well-formed and computes the same, to the bit.
func TestEveryPassKeepsTheResults(t *testing.T) {
	m, err := machine.Lookup("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range programs(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tir"), func(t *testing.T) {
			t.Parallel()
			original, runs := program(t, file)
			if len(runs) == 0 {
				t.Fatal("no sizes to run it with")
			}
			for _, f := range Variants(original) {
				rep := &diag.Reporter{}
				var have Facts
				for _, p := range Table() {
					if err := RunList(&Context{Machine: m, Reporter: rep}, f, []Pass{p}, Options{Verify: true}); err != nil {
						t.Fatalf("%s: %v %v", p.Name, err, rep.Sorted())
					}
					have |= p.Gives
					if f.Form == ir.ScheduledForm && have&Scheduled == 0 {
						continue // races until all barriers are in
					}
					for _, dims := range runs {
						if !assumptionsHold(t, f, dims) {
							continue
						}
						if !t.Run(p.Name, func(t *testing.T) { sameResults(t, original, f, dims) }) {
							return
						}
					}
				}
			}
		})
	}
}

// assumptionsHold reports whether a variant may be launched with these sizes.
func assumptionsHold(t *testing.T, f *ir.Func, dims string) bool {
	t.Helper()
	for _, a := range f.Assumes {
		if a.Multiple != nil && dimension(t, a.Multiple, sizes(t, dims))%a.Of != 0 {
			return false
		}
	}
	return true
}

func BenchmarkSimplify(b *testing.B) {
	for _, file := range programs(b) {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".tir"), func(b *testing.B) {
			f, _ := program(b, file)
			b.ReportAllocs()
			for b.Loop() {
				if err := simplify(&Context{}, ir.Clone(f)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
