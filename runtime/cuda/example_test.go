package cuda_test

import (
	"context"
	"fmt"
	"strings"

	"tilec/runtime/cuda"
)

// Compiles a kernel for an architecture that this machine need not have.
func ExampleToolchain_Compile() {
	ctx := context.Background()
	tools, err := cuda.Find(ctx, cuda.Search{})
	if err != nil {
		fmt.Println(err)
		return
	}
	source := cuda.Source{Name: "scale.cu", Text: `extern "C" __global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }`}
	res, err := tools.Compile(ctx, source, cuda.Options{Arch: "sm_80"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(string(res.PTX), ".entry scale"), len(res.Cubin) > 0, res.Usage["scale"].SpillStores)
	// Output: true true 0
}
