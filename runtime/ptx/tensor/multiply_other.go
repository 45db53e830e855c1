//go:build !amd64

package tensor

func multiply(c *[maxM * width]float64, a, b []float64, m, k int) { multiplyGo(c, a, b, m, k) }
