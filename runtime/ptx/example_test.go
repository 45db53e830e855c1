package ptx_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"tilec/runtime/ptx"
)

// iota writes every thread's number, and reads one element too many.
const iota = `.version 8.0
.target sm_80
.address_size 64
.visible .entry iota(.param .u64 out)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r1;
	ld.global.u32 %r2, [%rd3+4];
	ret;
}`

func ExampleKernel_Launch() {
	m, err := ptx.Parse("iota.ptx", iota)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := m.Kernel("iota")
	if err != nil {
		fmt.Println(err)
		return
	}
	out := &ptx.Buffer{Name: "out", Data: make([]byte, 4*32)}
	rep, err := k.Launch(context.Background(), ptx.Config{Block: [3]int{32, 1, 1}, Checks: ptx.CheckShared}, out)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(binary.LittleEndian.Uint32(out.Data[4*31:]), rep.Counters.Warps)
	for _, f := range rep.Findings {
		fmt.Println(f.Kind, "at PTX line", f.At.PTXLine, "by thread", f.Thread[0])
	}
	// Output:
	// 31 7
	// out of bounds at PTX line 13 by thread 31
}
