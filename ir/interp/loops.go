package interp

import "math"

func addOp[T number]() binaryOp[T, T] {
	return binaryOp[T, T]{
		func(x, y T) T { return x + y },
		func(out, x, y []T) {
			x, y = x[:len(out)], y[:len(out)]
			for l := range out {
				out[l] = x[l] + y[l]
			}
		},
		func(out, x []T, y T) {
			x = x[:len(out)]
			for l := range out {
				out[l] = x[l] + y
			}
		},
		func(out []T, x T, y []T) {
			y = y[:len(out)]
			for l := range out {
				out[l] = x + y[l]
			}
		},
	}
}

func subOp[T number]() binaryOp[T, T] {
	return binaryOp[T, T]{
		func(x, y T) T { return x - y },
		func(out, x, y []T) {
			x, y = x[:len(out)], y[:len(out)]
			for l := range out {
				out[l] = x[l] - y[l]
			}
		},
		func(out, x []T, y T) {
			x = x[:len(out)]
			for l := range out {
				out[l] = x[l] - y
			}
		},
		func(out []T, x T, y []T) {
			y = y[:len(out)]
			for l := range out {
				out[l] = x - y[l]
			}
		},
	}
}

// mulOp stores every product, so that none is fused into a later addition.
func mulOp[T number]() binaryOp[T, T] {
	return binaryOp[T, T]{
		func(x, y T) T { return T(x * y) },
		func(out, x, y []T) {
			x, y = x[:len(out)], y[:len(out)]
			for l := range out {
				out[l] = x[l] * y[l]
			}
		},
		func(out, x []T, y T) {
			x = x[:len(out)]
			for l := range out {
				out[l] = x[l] * y
			}
		},
		func(out []T, x T, y []T) {
			y = y[:len(out)]
			for l := range out {
				out[l] = x * y[l]
			}
		},
	}
}

func quoOp[T float32 | float64]() binaryOp[T, T] {
	return binaryOp[T, T]{
		one: func(x, y T) T { return x / y },
		vv: func(out, x, y []T) {
			x, y = x[:len(out)], y[:len(out)]
			for l := range out {
				out[l] = x[l] / y[l]
			}
		},
		vs: func(out, x []T, y T) {
			x = x[:len(out)]
			for l := range out {
				out[l] = x[l] / y
			}
		},
	}
}

// minNum and maxNum give the other operand when one is nan, and take -0 for less
// than +0, as PTX's min and max do.
func minNum[T float32 | float64](x, y T) T {
	switch {
	case x < y || y != y:
		return x
	case x == y && math.Signbit(float64(x)):
		return x
	}
	return y
}

func maxNum[T float32 | float64](x, y T) T {
	switch {
	case x > y || y != y:
		return x
	case x == y && !math.Signbit(float64(x)):
		return x
	}
	return y
}

func minOp[T float32 | float64]() binaryOp[T, T] {
	return binaryOp[T, T]{one: minNum[T], vv: func(out, x, y []T) {
		for l := range out {
			out[l] = minNum(x[l], y[l])
		}
	}}
}

func maxOp[T float32 | float64]() binaryOp[T, T] {
	return binaryOp[T, T]{one: maxNum[T], vv: func(out, x, y []T) {
		for l := range out {
			out[l] = maxNum(x[l], y[l])
		}
	}}
}

func eqOp[T lane]() binaryOp[T, bool] {
	return binaryOp[T, bool]{
		one: func(x, y T) bool { return x == y },
		vs: func(out []bool, x []T, y T) {
			for l := range out {
				out[l] = x[l] == y
			}
		},
	}
}

func neOp[T lane]() binaryOp[T, bool] {
	return binaryOp[T, bool]{one: func(x, y T) bool { return x != y }}
}

func ltOp[T number]() binaryOp[T, bool] {
	return binaryOp[T, bool]{
		one: func(x, y T) bool { return x < y },
		vv: func(out []bool, x, y []T) {
			for l := range out {
				out[l] = x[l] < y[l]
			}
		},
		vs: func(out []bool, x []T, y T) {
			for l := range out {
				out[l] = x[l] < y
			}
		},
		sv: func(out []bool, x T, y []T) {
			for l := range out {
				out[l] = x < y[l]
			}
		},
	}
}

func leOp[T number]() binaryOp[T, bool] {
	return binaryOp[T, bool]{
		one: func(x, y T) bool { return x <= y },
		vv: func(out []bool, x, y []T) {
			for l := range out {
				out[l] = x[l] <= y[l]
			}
		},
		vs: func(out []bool, x []T, y T) {
			for l := range out {
				out[l] = x[l] <= y
			}
		},
		sv: func(out []bool, x T, y []T) {
			for l := range out {
				out[l] = x <= y[l]
			}
		},
	}
}
