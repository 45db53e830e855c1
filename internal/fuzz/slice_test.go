package fuzz_test

import (
	"testing"

	"tilec/internal/driver"
	"tilec/internal/fuzz"
)

// TestSlice runs the first programs of a fixed seed, in turn on every architecture.
func TestSlice(t *testing.T) {
	machines, err := driver.Machines(driver.AllTargets, []string{"sm_80", "sm_90a", "sm_86", "sm_120", "sm_89", "910b"})
	if err != nil {
		t.Fatal(err)
	}
	count := uint64(200)
	if testing.Short() {
		count = 40
	}
	sum, err := fuzz.Run(t.Context(), fuzz.Options{
		Session:  driver.New(t.Context(), driver.Options{Verify: true}),
		Machines: machines,
		Seed:     20,
		Count:    count,
		Found: func(r *fuzz.Report) {
			t.Errorf("program %d on %s: %s\n%s", r.Number, r.Arch, r.Stage, r.Source(20))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Programs != int(count) || sum.Refused > sum.Programs/10+sum.On["910b"]/2 { // which has fewer types
		t.Errorf("%d programs of %d, %d of them declined: %v", sum.Programs, count, sum.Refused, sum.Refusal)
	}
}
