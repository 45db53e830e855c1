package array_test

import (
	"bytes"
	"fmt"

	"tilec/runtime/array"
)

func ExampleArray_Convert() {
	a := array.FromFloats64(array.F32, []float64{0.1, 70000, -1}, 3)
	fmt.Println(a.Convert(array.F16).Floats32())
	fmt.Println(a.Convert(array.F8E4M3).Floats32()) // saturates
	// Output:
	// [0.099975586 +Inf -1]
	// [0.1015625 448 -1]
}

func ExampleWriteNpy() {
	a := array.FromInts(array.I32, []int64{1, 2, 3, 4}, 2, 2)
	var file bytes.Buffer
	if err := array.WriteNpy(&file, a); err != nil {
		fmt.Println(err)
		return
	}
	b, err := array.ReadNpy(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.DType, b.Shape, b.Ints())
	// Output: i32 [2 2] [1 2 3 4]
}

// Elements narrower than a byte share bytes, the first in the low bits.
func ExampleFromInts() {
	a := array.FromInts(array.I4, []int64{1, -1, 7}, 1, 3)
	fmt.Printf("%#x\n", a.Data)
	// Output: 0xf107
}
