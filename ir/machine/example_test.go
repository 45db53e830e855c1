package machine_test

import (
	"fmt"

	"tilec/ir"
	"tilec/ir/machine"
	"tilec/runtime/array"
)

func ExampleLookup() {
	m, err := machine.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Memory(ir.Shared).Bytes, m.Limits.RegistersThread)
	a := m.Atom(array.BF16, array.BF16, array.F32)
	fmt.Println(a.Name, a.M, a.N, a.K)
	fmt.Println(m.Path(ir.Global, ir.Shared, true).Bytes)
	// Output:
	// 166912 255
	// mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 16 8 16
	// [16 8 4]
}
