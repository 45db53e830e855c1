package operand

import "unsafe"

// Overlap reports that two views may share elements: the arrays behind them share memory.
func Overlap(v, w View) bool {
	if v.Array == nil || w.Array == nil || len(v.Array.Data) == 0 || len(w.Array.Data) == 0 {
		return false
	}
	a, b := v.Array.Data, w.Array.Data
	first, second := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return first < second+uintptr(len(b)) && second < first+uintptr(len(a))
}
