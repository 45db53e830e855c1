package tensor

import "tilec/runtime/ptx/lanes"

// valuesFast is values for the types and places that the processor's vectors serve, and
// tells whether it did.
func valuesFast(t Type, to []float64, major, minor int, reg *lanes.V32) bool {
	if !hasFMA || t != F16 && t != BF16 {
		return false
	}
	switch {
	case minor == 1:
		_ = to[7*major+7]
		if t == F16 {
			rowsF16(&to[0], uintptr(8*major), reg)
		} else {
			rowsBF16(&to[0], uintptr(8*major), reg)
		}
	case major == 1 && minor == width:
		_ = to[8*width-1]
		if t == F16 {
			columnsF16(&to[0], reg)
		} else {
			columnsBF16(&to[0], reg)
		}
	default:
		return false
	}
	return true
}

// sumsFast gathers 8 rows of f32 from two registers.
func sumsFast(rows []float64, lo, hi *lanes.V32) bool {
	if !hasFMA {
		return false
	}
	_ = rows[63]
	pairsF32(&rows[0], lo, hi)
	return true
}

// scatterFast is the inverse, rounding.
func scatterFast(lo, hi *lanes.V32, rows []float64) bool {
	if !hasFMA {
		return false
	}
	_ = rows[63]
	partF32(lo, hi, &rows[0])
	return true
}

// rowsF16 widens the 8 elements of four lanes to a row, stride bytes apart.
//
//go:noescape
func rowsF16(to *float64, stride uintptr, reg *lanes.V32)

//go:noescape
func rowsBF16(to *float64, stride uintptr, reg *lanes.V32)

// columnsF16 does so for columns: rows of 8, an element of each group of four lanes.
//
//go:noescape
func columnsF16(to *float64, reg *lanes.V32)

//go:noescape
func columnsBF16(to *float64, reg *lanes.V32)

// pairsF32 widens the lanes of lo and hi in turn.
//
//go:noescape
func pairsF32(to *float64, lo, hi *lanes.V32)

//go:noescape
func partF32(lo, hi *lanes.V32, from *float64)
