package fp

import (
	"math"
	"math/big"
)

// exactBits holds every sum and product of doubles, from the largest power to the least.
const exactBits = 4400

func exact(x float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(x) }

// round64 rounds x, not zero, to a double in the mode.
func round64(x *big.Float, mode Mode) float64 {
	r, acc := x.Float64()
	switch {
	case mode == RN || acc == big.Exact:
	case acc == big.Above && (mode == RM || mode == RZ && r > 0):
		return math.Nextafter(r, math.Inf(-1))
	case acc == big.Below && (mode == RP || mode == RZ && r <= 0):
		return math.Nextafter(r, math.Inf(1))
	}
	return r
}

// directed gives the value of an operation in the mode: nearest is what it is to
// nearest, which also decides what is not finite.
func directed(nearest float64, mode Mode, operands []float64, value func() *big.Float) float64 {
	if mode == RN || nearest != nearest {
		return nearest
	}
	for _, x := range operands {
		if x-x != 0 {
			return nearest
		}
	}
	x := value()
	if x.Sign() == 0 {
		return nearest
	}
	return round64(x, mode)
}

// Add64 returns a+b rounded once in the mode.
func Add64(a, b float64, mode Mode) float64 {
	return directed(ZeroSign(a+b, a, b, mode), mode, []float64{a, b}, func() *big.Float { return exact(0).Add(exact(a), exact(b)) })
}

// Mul64 returns a·b rounded once in the mode.
func Mul64(a, b float64, mode Mode) float64 {
	return directed(a*b, mode, []float64{a, b}, func() *big.Float { return exact(0).Mul(exact(a), exact(b)) })
}

// FMA64 returns a·b+c rounded once in the mode.
func FMA64(a, b, c float64, mode Mode) float64 {
	nearest := math.FMA(a, b, c)
	if mode == RM && nearest == 0 && !(a*b == 0 && c == 0 && !math.Signbit(a*b) && !math.Signbit(c)) {
		nearest = math.Copysign(0, -1)
	}
	return directed(nearest, mode, []float64{a, b, c}, func() *big.Float {
		p := exact(0).Mul(exact(a), exact(b))
		return p.Add(p, exact(c))
	})
}

// Div64 returns a/b rounded once in the mode.
func Div64(a, b float64, mode Mode) float64 {
	if b == 0 {
		return a / b
	}
	return directed(a/b, mode, []float64{a, b}, func() *big.Float { return nearly().Quo(exact(a), exact(b)) })
}

// Sqrt64 returns the square root rounded once in the mode.
func Sqrt64(x float64, mode Mode) float64 {
	return directed(math.Sqrt(x), mode, []float64{x}, func() *big.Float { return nearly().Sqrt(exact(x)) })
}

// nearly has bits enough that a quotient or root of doubles that is not exact is not
// taken for one, nor for the middle between two.
func nearly() *big.Float { return new(big.Float).SetPrec(256) }
