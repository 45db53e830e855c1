//go:build !amd64

package tensor

import "tilec/runtime/ptx/lanes"

func multiply(c *[maxM * width]float64, a, b []float64, m, k int) { multiplyGo(c, a, b, m, k) }

func valuesFast(Type, []float64, int, int, *lanes.V32) bool { return false }

func sumsFast([]float64, *lanes.V32, *lanes.V32) bool { return false }

func scatterFast(_, _ *lanes.V32, _ []float64) bool { return false }
