package ir_test

import (
	"fmt"

	"tilec/ir"
)

func ExampleParse() {
	f, err := ir.Parse("double.tir", `tile func double {
  dim N = X[0]
  param in X: f32[N]
  param out Y: f32[N]
  grid (b: N)
  map () Y[b] = X[b] + X[b]
}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ir.Verify(f); err != nil {
		fmt.Println(err)
		return
	}
	op := f.Body.Ops[0]
	fmt.Println(op.Code, op.Dst.Buf.Name, op.X[0].Op)
	fmt.Print(ir.Print(f))
	// Output:
	// map Y add
	// tile func double {
	//   dim N = X[0]
	//   param in X: f32[N]
	//   param out Y: f32[N]
	//   grid (b: N)
	//   map () Y[b] = X[b] + X[b]
	// }
}

// The verifier names all that is wrong, with the operation in text form.
func ExampleVerify() {
	f, err := ir.Parse("bad.tir", `tile func bad {
  param out Y: f32[4]
  grid ()
  map () Y[0] = 1_i32
}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ir.Verify(f))
	// Output:
	// bad is malformed
	// bad.tir:4:3: the value is 1_i32 of type i32, not f32
	// 	in map () Y[0] = 1_i32
}
