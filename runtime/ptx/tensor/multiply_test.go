package tensor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMultiply compares the processor's kernel with the portable one, to the bit.
func TestMultiply(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		m, k := 8*(1+r.IntN(2)), 4<<r.IntN(5)
		a, b := make([]float64, m*k), make([]float64, k*width)
		var c, d [maxM * width]float64
		for _, s := range [][]float64{a, b} {
			for i := range s {
				s[i] = r.NormFloat64() * math.Exp2(float64(r.IntN(20)))
				s[i] = math.Float64frombits(math.Float64bits(s[i]) &^ (1<<42 - 1)) // 11 bits: products are exact
			}
		}
		for i := range c {
			c[i] = r.NormFloat64()
		}
		d = c
		multiply(&c, a, b, m, k)
		multiplyGo(&d, a, b, m, k)
		if c != d {
			t.Fatalf("%d x 8 x %d differs", m, k)
		}
	}
}
