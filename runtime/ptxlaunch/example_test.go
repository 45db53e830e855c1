package ptxlaunch_test

import (
	"context"
	"fmt"

	"tilec/runtime/array"
	"tilec/runtime/launch"
	"tilec/runtime/ptx"
	"tilec/runtime/ptxlaunch"
)

// increment adds 1 to an element a thread.
const increment = `.version 8.0
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 x)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r2, [%rd3];
	add.s32 %r3, %r2, 1;
	st.global.u32 [%rd3], %r3;
	ret;
}`

func ExampleMachine() {
	machine := ptxlaunch.New(ptxlaunch.Config{Checks: ptx.CheckAll})
	kernel := &launch.Kernel{
		Entry: "increment", Arch: "sm_80", PTX: []byte(increment),
		Params: []launch.Param{{Name: "x", Type: array.I32, Pointer: true}},
	}
	x := array.FromInts(array.I32, []int64{1, 2, 3, 4}, 4)
	// The caller holds a launch.Launcher; a GPU would do as well.
	var on launch.Launcher = machine
	if err := on.Launch(context.Background(), kernel, [3]int64{1, 1, 1}, [3]int{4, 1, 1}, 0, []launch.Arg{launch.InOut(x)}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Ints())
	// Output: [2 3 4 5]
}
