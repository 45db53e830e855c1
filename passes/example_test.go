package passes_test

import (
	"fmt"
	"time"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/ir/machine"
	"tilec/passes"
)

// Runs all passes on a function in tile form, watching.
func ExampleRun() {
	f, err := ir.Parse("double.tir", `tile func double {
  dim N = X[0]
  param in X: f32[N]
  param out Y: f32[N]
  grid (b: (N + 127) / 128)
  alloc t: f32[128]
  map (i: 128) t[i] = X[b * 128 + i] guard(b * 128 + i < N)
  map (i: 128) Y[b * 128 + i] = t[i] * 2_f32 where b * 128 + i < N
}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := machine.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	watch := passes.ObserverFunc(func(p *passes.Pass, f *ir.Func, _ time.Duration) {
		if p.Name == "fuse" {
			fmt.Println(len(f.Body.Ops), "operation after", p.Name)
		}
	})
	ctx := &passes.Context{Machine: m, Reporter: &diag.Reporter{}}
	err = passes.Run(ctx, f, passes.Options{Verify: true, Observers: []passes.Observer{watch}})
	fmt.Println(err, f.Form, f.Warps)
	// Output:
	// 1 operation after fuse
	// <nil> scheduled 1
}
