package fuzz

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tilec/internal/diag"
	"tilec/internal/driver"
	"tilec/lang/format"
)

// program draws a program.
func program(t *rapid.T) *Program {
	return Generate(rapid.Uint64().Draw(t, "seed"), rapid.Uint64Range(0, 1<<20).Draw(t, "number"))
}

func TestFormatIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := program(t).Text()
		once := formatted(t, text)
		if twice := formatted(t, once); twice != once {
			t.Fatalf("formatted once:\n%s\ntwice:\n%s", once, twice)
		}
	})
}

func formatted(t *rapid.T, text string) string {
	rep := &diag.Reporter{}
	out, ok := format.Source(diag.NewFile("fuzz.tile", text), rep)
	if !ok {
		t.Fatalf("%s\n%s", report(rep), text)
	}
	return out
}

func TestGenerateIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Uint64().Draw(t, "seed"), rapid.Uint64Range(0, 1<<20).Draw(t, "number")
		if a, b := Generate(seed, n).Text(), Generate(seed, n).Text(); a != b {
			t.Fatalf("first:\n%s\nthen:\n%s", a, b)
		}
	})
}

func TestCloneSharesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := program(t)
		before := p.Text()
		q := p.Clone()
		if q.Text() != before {
			t.Fatalf("the copy differs:\n%s\nof:\n%s", q.Text(), before)
		}
		q.eachExtent(func(e *Extent) { e.N, e.Name = 1, "" })
		q.walkAll(func(at **Expr) { (*at).Name += "x" })
		q.Launches = nil
		if p.Text() != before {
			t.Fatalf("changed with its copy:\n%s", p.Text())
		}
	})
}

// TestGeneratedProgramsAreWellTyped has the checker look at many programs: it finds
// nothing to complain about, other than what the compiler does not take yet.
func TestGeneratedProgramsAreWellTyped(t *testing.T) {
	const seeds, numbers = 8, 150
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := driver.New(t.Context(), driver.Options{})
			for n := range uint64(numbers) {
				text := Generate(seed, n).Text()
				r := s.Fresh(func(string) (string, error) { return text, nil }).Load("fuzz.tile").Reporter
				for _, d := range r.Sorted() {
					if d.Severity == diag.Error && d.Code != diag.NotSupported {
						t.Errorf("program %d of seed %d: %s\n%s", n, seed, d.Text(diag.TextOptions{}), text)
						break
					}
				}
			}
		})
	}
}
