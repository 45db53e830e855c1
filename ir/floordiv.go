package ir

// FloorDiv is the Div of two integers: toward negative infinity, by zero 0.
func FloorDiv(x, y int64) int64 {
	if y == 0 {
		return 0
	}
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}
