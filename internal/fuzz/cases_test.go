package fuzz_test

import (
	"path/filepath"
	"testing"

	"tilec/internal/driver"
)

// TestCases runs the programs that once failed, shrunk.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("../../testdata/fuzz/*.tile")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	s := driver.New(t.Context(), driver.Options{Verify: true})
	machines, err := driver.Machines(driver.AllTargets, []string{"sm_80", "sm_90a", "sm_120", "910b"})
	if err != nil {
		t.Fatal(err)
	}
	var programs []*driver.Program
	for _, name := range files {
		p := s.Load(filepath.ToSlash(name))
		for _, d := range p.Reporter.Sorted() {
			if p.Reporter.HasErrors() {
				t.Errorf("%s", d.Error())
			}
		}
		if !p.Reporter.HasErrors() {
			programs = append(programs, p)
		}
	}
	sum, err := s.Check(t.Context(), programs, driver.CheckOptions{Machines: machines, EveryPass: true, Seed: 1, Result: func(r *driver.Result) {
		for _, f := range r.Failures {
			t.Errorf("%s %q: %s: %s %v %s", filepath.Base(r.File), r.Test, f.Stage, f.Text, f.Mismatches, f.Findings)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Tests == 0 {
		t.Error("no tests")
	}
}
