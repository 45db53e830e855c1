package driver

import (
	"context"
	"strings"
	"testing"
)

// session serves one program from memory.
func session(text string) *Session {
	return New(context.Background(), Options{Verify: true, Read: func(string) (string, error) { return text, nil }})
}

// TestShapes wants random shapes of all kinds, empty and tiny ones among them.
func TestShapes(t *testing.T) {
	s := session(`kernel k(X: f32[M, N], Y: out f32[M, N]) {
    require M % 2 == 0, "pairs"
    grid (m: M, b: ceildiv(N, 32)) { Y[m, b*32 + i] = X[m, b*32 + i] over i: 32 }
    spec { Y[m, n] = X[m, n] }
}
test "t" k { M = 4, N = 40 }
`)
	p := s.Load("k.tile")
	wantClean(t, p.Reporter)
	random := p.randomCases(p.cases(1), CheckOptions{Shapes: 30, Seed: 1})
	if len(random) != 30 {
		t.Fatalf("%d cases", len(random))
	}
	empty, one, odd := false, false, false
	for _, c := range random {
		if c.Dims["M"]%2 != 0 {
			t.Errorf("%s: the requirement is not met", c.name)
		}
		empty = empty || c.Dims["M"] == 0 || c.Dims["N"] == 0
		one = one || c.Dims["N"] == 1
		odd = odd || c.Dims["N"]%2 == 1
	}
	if !empty || !one || !odd {
		t.Errorf("empty %v, one column %v, odd %v", empty, one, odd)
	}
	if again := p.randomCases(p.cases(1), CheckOptions{Shapes: 30, Seed: 1}); again[7].name != random[7].name {
		t.Error("the same seed gives other shapes")
	}
	wantOK(t, check(t, s, "k.tile", CheckOptions{Machines: machines(t, "sm_80"), Seed: 1, Shapes: 6}))
}

// TestShrink wants the smallest shape at which a kernel fails.
func TestShrink(t *testing.T) {
	s := session(`kernel k(X: f32[M, N], Y: out f32[M, N]) {
    grid (m: M, b: ceildiv(N, 32)) { Y[m, b*32 + i] = if b*32 + i < 50 then X[m, b*32 + i] else 0 over i: 32 }
    spec { Y[m, n] = X[m, n] }
}
test "t" k { M = 7, N = 40 }
`)
	for _, r := range check(t, s, "k.tile", CheckOptions{Machines: machines(t, "sm_80"), Seed: 1, Shapes: 12}) {
		if !strings.HasPrefix(r.Test, "random") || r.OK() {
			continue
		}
		if got := r.Failures[0].Dims; got != "M = 1, N = 51" {
			t.Errorf("%s shrinks to %s", r.Test, got)
		}
		return
	}
	t.Error("no random shape fails")
}

// TestConfigs runs every combination; one that does not fit is no failure.
func TestConfigs(t *testing.T) {
	s := session(`kernel k(X: f32[M, N], Y: out f32[M, N]) {
    tune BM in [8, 512] where BM > 4, BN in [32, 256]
    grid (bx: ceildiv(N, BN), by: ceildiv(M, BM)) {
        tile x: f32[BM, BN] in shared
        copy X[by*BM, bx*BN] -> x
        copy x -> Y[by*BM, bx*BN]
    }
    spec { Y[m, n] = X[m, n] }
}
test "t" k { M = 9, N = 40 }
`)
	r := check(t, s, "k.tile", CheckOptions{Machines: machines(t, "sm_80"), Seed: 1, AllConfigs: true})
	wantOK(t, r)
	if len(r) != 1 || r[0].Configs != 3 || len(r[0].Unfit) != 1 || r[0].Unfit[0].Config != "BM = 512, BN = 256" ||
		!strings.Contains(r[0].Unfit[0].Reason, "bytes") {
		t.Errorf("%d configurations ran; %+v", r[0].Configs, r[0].Unfit)
	}
	one := check(t, s, "k.tile", CheckOptions{Machines: machines(t, "sm_80"), Seed: 1, Define: Definitions{"BM": "8", "BN": "32"}})
	if one[0].Config != "BM = 8, BN = 32" {
		t.Errorf("configuration %s", one[0].Config)
	}
}
