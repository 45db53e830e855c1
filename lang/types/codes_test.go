package types_test

import (
	"testing"

	"tilec/internal/diag"
)

// TestCodeExamples checks that the example of each code of the checker yields that code and no other, and that every
// code without an example is one that a single file can't yield.
func TestCodeExamples(t *testing.T) {
	for _, info := range diag.Codes() {
		if info.Code < "E02" || info.Code >= "E07" {
			continue
		}
		if info.Example == "" {
			if info.Code != diag.ImportCycle {
				t.Errorf("%s has no example", info.Code)
			}
			continue
		}
		t.Run(string(info.Code), func(t *testing.T) {
			rep := checkText(map[string]string{"example.tile": info.Example}, "example.tile")
			got := rep.Sorted()
			if len(got) == 0 {
				t.Error("no diagnostic")
			}
			for _, d := range got {
				if d.Code != info.Code {
					t.Errorf("yields %v", d)
				}
				if want := diag.Error; info.Code != diag.EdgeFill && d.Severity != want {
					t.Errorf("%v is no error", d)
				}
			}
		})
	}
}
