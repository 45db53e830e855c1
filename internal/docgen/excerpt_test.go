package docgen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tilec/internal/driver"
	"tilec/ir/machine"
	"tilec/lang/types"
)

// emitted is the CUDA text of matmul at 128 × 128 × 32 with three stages.
func emitted(t *testing.T) string {
	t.Helper()
	s := driver.New(t.Context(), driver.Options{Read: func(path string) (string, error) {
		text, err := os.ReadFile(filepath.Join("../../examples", path))
		return string(text), err
	}})
	p := s.Load("matmul.tile")
	if p.Reporter.HasErrors() {
		t.Fatal(p.Reporter.Sorted())
	}
	m, err := machine.Lookup("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	tunes := map[string]int64{"BM": 128, "BN": 128, "BK": 32, "stages": 3}
	inst, err := p.Instantiate(p.Kernels[0], types.Bindings{Tunes: tunes})
	if err != nil {
		t.Fatal(err)
	}
	unit, err := driver.Emit(inst.Tile, m, p.Path, driver.EmitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return unit.Text
}

// excerpts are the head of the emitted text and its main loop, without common indentation.
func excerpts(t *testing.T) map[string]string {
	t.Helper()
	text := emitted(t)
	head, _, _ := strings.Cut(text, "\n\n")
	_, rest, found := strings.Cut(text, "extern \"C\" __global__")
	start := strings.Index(rest, "    for (int k = 0;")
	end := strings.Index(rest[max(start, 0):], "\n    }\n")
	if !found || start < 0 || end < 0 {
		t.Fatalf("no main loop in\n%s", text)
	}
	loop := rest[start : start+end+len("\n    }\n")]
	var lines []string
	for line := range strings.Lines(loop) {
		lines = append(lines, strings.TrimPrefix(line, "    "))
	}
	return map[string]string{"head": fenced(head), "loop": fenced(strings.Join(lines, ""))}
}

func fenced(text string) string { return "```cuda\n" + strings.TrimRight(text, "\n") + "\n```" }
