package interp_test

import (
	"context"
	"fmt"

	"tilec/ir"
	"tilec/ir/interp"
	"tilec/runtime/array"
)

func ExampleRun() {
	f, err := ir.Parse("scale.tir", `tile func scale {
  dim N = X[0]
  param in X: f16[N]
  param out Y: f16[N]
  param by: f32
  grid (b: (N + 3) / 4)
  map (i: 4) Y[b * 4 + i] = f16(f32(X[b * 4 + i] guard(b * 4 + i < N)) * by) where b * 4 + i < N
}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := interp.Run(context.Background(), f, interp.Args{
		Tensors: map[string]*array.Array{"X": array.FromFloats64(array.F16, []float64{1, 2, 3, 4, 5}, 5)},
		Floats:  map[string]float64{"by": 0.5},
	}, interp.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Tensors["Y"].Floats32(), res.Instances)
	// Output: [0.5 1 1.5 2 2.5] 2
}
