package sass_test

import (
	"strings"
	"testing"

	"tilec/runtime/cuda"
	"tilec/runtime/cuda/sass"
)

const kernels = `
extern "C" __global__ void __launch_bounds__(128) product(const unsigned* __restrict__ A, float* C, int K) {
  __shared__ unsigned s[2048];
  float c[4] = {0, 0, 0, 0};
#pragma unroll 1
  for (int k = 0; k < K; k++) {
    __syncthreads();
    s[threadIdx.x] = A[k * 128 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 4; j++) {
      unsigned a0 = s[j * 4 + threadIdx.x % 16], a1 = s[j * 4 + threadIdx.x % 16 + 1], b0 = s[128 + j + threadIdx.x % 8];
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                   : "r"(a0), "r"(a1), "r"(b0));
    }
  }
  for (int i = 0; i < K; i++) C[i * 128 + threadIdx.x] = c[0] * c[1] + c[2] / c[3] + i;
}
extern "C" __global__ void plain(float* C) { C[threadIdx.x] *= 2; }
`

func TestCompiledKernels(t *testing.T) {
	tc, err := cuda.Find(t.Context(), cuda.Search{})
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"sm_80", "sm_90a", "sm_120"} {
		result, err := tc.Compile(t.Context(), cuda.Source{Name: "k.cu", Text: kernels}, cuda.Options{Arch: arch})
		if err != nil {
			t.Fatal(err)
		}
		text, err := tc.Disassemble(t.Context(), result.Cubin)
		if err != nil {
			t.Fatal(err)
		}
		loop, err := sass.HotLoop(text, "product")
		if err != nil {
			t.Fatalf("%s: %v", arch, err)
		}
		if loop.Tensor != 4 || loop.ByOpcode["BAR"] != 2 || loop.ByOpcode["LDG"] != 1 || loop.ByOpcode["STS"] != 1 || loop.Total > 60 {
			t.Errorf("%s: hot loop has %d instructions, %d tensor: %v", arch, loop.Total, loop.Tensor, loop.ByOpcode)
		}
		if _, err := sass.HotLoop(text, "plain"); err == nil || !strings.Contains(err.Error(), "no loop") {
			t.Errorf("%s: a kernel without a loop: %v", arch, err)
		}
	}
	if _, err := tc.Disassemble(t.Context(), []byte("not a cubin")); err == nil {
		t.Error("text is disassembled")
	}
}
