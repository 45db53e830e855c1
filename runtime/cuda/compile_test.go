package cuda

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// toolchain finds the real compiler, installing it the first time that tests run on a machine.
func toolchain(t testing.TB) *Toolchain {
	t.Helper()
	tc, err := Find(context.Background(), Search{})
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

const reverseKernel = `
#include <cuda_fp16.h>
#include <cuda_bf16.h>

extern "C" __global__ void __launch_bounds__(128) reverse(const __half* __restrict__ a, __nv_bfloat16* b, int n) {
  __shared__ float s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x] = i < n ? __half2float(a[i]) : 0.0f;
  __syncthreads();
  b[i] = __float2bfloat16(s[127 - threadIdx.x]);
}
`

func TestCompile(t *testing.T) {
	tc := toolchain(t)
	for _, arch := range []string{"sm_80", "sm_90a", "sm_120"} {
		result, err := tc.Compile(t.Context(), Source{"reverse.cu", reverseKernel}, Options{Arch: arch})
		if err != nil {
			t.Fatalf("%s: %v", arch, err)
		}
		ptx := string(result.PTX)
		for _, want := range []string{".visible .entry reverse(", ".target " + arch + "\n"} {
			if !strings.Contains(ptx, want) {
				t.Errorf("%s: PTX lacks %q:\n%s", arch, want, ptx)
			}
		}
		if strings.Contains(ptx, "\x00") {
			t.Errorf("%s: PTX holds a zero byte", arch)
		}
		image, err := elf.NewFile(bytes.NewReader(result.Cubin))
		if err != nil {
			t.Fatalf("%s: cubin: %v", arch, err)
		}
		const emCUDA = 190 // the ELF machine number of CUDA
		if image.Machine != emCUDA || image.Section(".text.reverse") == nil {
			t.Errorf("%s: cubin is for machine %d, sections %v", arch, image.Machine, image.Sections)
		}
		usage := result.Usage["reverse"]
		if usage.Registers == 0 || usage.Registers > 32 || usage.Shared < 512 || usage.SpillStores != 0 {
			t.Errorf("%s: usage %+v", arch, usage)
		}
		if result.Log != "" {
			t.Errorf("%s: log %q", arch, result.Log)
		}
	}
}

func TestCompileSpills(t *testing.T) {
	const text = `
extern "C" __global__ void spill(const float* a, float* b) {
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; i++) v[i] = a[i * 32 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; i++) b[(63 - i) * 32 + threadIdx.x] = v[i] * v[63 - i];
}`
	result, err := toolchain(t).Compile(t.Context(), Source{"spill.cu", text}, Options{Arch: "sm_80", MaxRegs: 24})
	if err != nil {
		t.Fatal(err)
	}
	usage := result.Usage["spill"]
	if usage.SpillStores == 0 || usage.SpillLoads == 0 || usage.Stack == 0 || usage.Registers > 24 {
		t.Errorf("64 live values in 24 registers give %+v", usage)
	}
}

func TestCompileOptions(t *testing.T) {
	tc := toolchain(t)
	const text = `extern "C" __global__ void multiplyAdd(float* a) { a[0] = a[1] * a[2] + a[3]; }`
	compile := func(o Options) string {
		t.Helper()
		o.Arch = "sm_80"
		result, err := tc.Compile(t.Context(), Source{"fma.cu", text}, o)
		if err != nil {
			t.Fatal(err)
		}
		if (len(result.Cubin) == 0) != o.PTXOnly {
			t.Errorf("%+v makes a cubin of %d bytes", o, len(result.Cubin))
		}
		return string(result.PTX)
	}
	for _, c := range []struct {
		options    Options
		has, lacks string
	}{
		{Options{}, "fma.rn.f32", ".file"},
		{Options{NoFMA: true}, "mul.rn.f32", "fma.rn.f32"},
		{Options{PTXOnly: true, LineInfo: true}, "\t.file\t1 \"/fma.cu\"\n", "mul.rn"},
		{Options{Extra: []string{"--use_fast_math"}}, "fma.rn.ftz.f32", "fma.rn.f32"},
	} {
		ptx := compile(c.options)
		if !strings.Contains(ptx, c.has) || strings.Contains(ptx, c.lacks) {
			t.Errorf("%+v: PTX should have %q and not %q:\n%s", c.options, c.has, c.lacks, ptx)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	tc := toolchain(t)
	_, err := tc.Compile(t.Context(), Source{"bad.cu", "\nextern \"C\" __global__ void k() { x = 1; }"}, Options{Arch: "sm_80"})
	var refused *CompileError
	if !errors.As(err, &refused) {
		t.Fatalf("error %v is no CompileError", err)
	}
	if _, err := tc.Compile(t.Context(), Source{"bad.cu", "?"}, Options{Arch: "sm_80", LineInfo: true}); err == nil || !strings.Contains(err.Error(), ": bad.cu(1): error") {
		t.Errorf("with line information the error is %v", err)
	}
	if want := `bad.cu(2): error: identifier "x" is undefined`; !strings.Contains(refused.Log, want) || !strings.Contains(err.Error(), want) {
		t.Errorf("log %q and error %q should hold %q", refused.Log, err, want)
	}
	if _, err := tc.Compile(t.Context(), Source{"k.cu", ""}, Options{Arch: "sm_10"}); !errors.As(err, &refused) {
		t.Errorf("architecture sm_10: %v", err)
	}
	if _, err := tc.Compile(t.Context(), Source{"k.cu", ""}, Options{Arch: "gfx90a"}); err == nil || errors.As(err, &refused) {
		t.Errorf("architecture gfx90a: %v", err)
	}
	// The assembler refuses here, not the front end.
	const asm = `extern "C" __global__ void k() { asm volatile("bogus.instruction;"); }`
	if _, err := tc.Compile(t.Context(), Source{"asm.cu", asm}, Options{Arch: "sm_80"}); !errors.As(err, &refused) {
		t.Errorf("bad inline assembly: %v", err)
	}
}

func TestCompileCancelled(t *testing.T) {
	tc := toolchain(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tc.Compile(ctx, Source{"k.cu", ""}, Options{Arch: "sm_80"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := tc.Compile(ctx, Source{"reverse.cu", reverseKernel}, Options{Arch: "sm_80"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled during: %v", err)
	}
}

// TestCompileConcurrently compiles at once in one process what must not get mixed up.
func TestCompileConcurrently(t *testing.T) {
	tc := toolchain(t)
	var group sync.WaitGroup
	for _, arch := range []string{"sm_80", "sm_86", "sm_89", "sm_90a"} {
		group.Go(func() {
			result, err := tc.Compile(t.Context(), Source{"reverse.cu", reverseKernel}, Options{Arch: arch})
			if err != nil {
				t.Error(err)
				return
			}
			if !strings.Contains(string(result.PTX), ".target "+arch+"\n") {
				t.Errorf("PTX for %s has another target", arch)
			}
		})
	}
	group.Wait()
}

func TestSplitLog(t *testing.T) {
	const log = `ptxas info    : 24 bytes gmem, 8 bytes cmem[4]
ptxas info    : Compiling entry function 'a' for 'sm_80'
ptxas info    : Function properties for a
ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 10 registers, used 2 barriers, 512 bytes smem, 372 bytes cmem[0]
ptxas info    : Compile time = 21.098 ms
ptxas info    : Compiling entry function '_Z1bPf' for 'sm_80'
ptxas info    : Function properties for _Z1bPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, 16+0 bytes smem
ptxas info    : Function properties for helper
ptxas         .     32 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
k.cu(3): warning #177-D: variable "x" was declared but never referenced

ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
`
	rest, usage := splitLog(log)
	want := map[string]Usage{
		"a":      {Registers: 10, Stack: 16, SpillStores: 8, SpillLoads: 12, Shared: 512, Barriers: 2},
		"_Z1bPf": {Registers: 255, Shared: 16},
		"helper": {Stack: 32},
	}
	if diff := cmp.Diff(want, usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	const wantRest = `k.cu(3): warning #177-D: variable "x" was declared but never referenced
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized`
	if diff := cmp.Diff(wantRest, rest); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func BenchmarkCompile(b *testing.B) {
	tc := toolchain(b)
	for b.Loop() {
		if _, err := tc.Compile(b.Context(), Source{"reverse.cu", reverseKernel}, Options{Arch: "sm_80"}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAssemble(t *testing.T) {
	tc := toolchain(t)
	compiled, err := tc.Compile(t.Context(), Source{"reverse.cu", reverseKernel}, Options{Arch: "sm_80", PTXOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	result, err := tc.Assemble(t.Context(), "reverse.ptx", compiled.PTX, "sm_80")
	if err != nil {
		t.Fatal(err)
	}
	if usage := result.Usage["reverse"]; len(result.Cubin) == 0 || usage.Shared != 512 {
		t.Errorf("cubin of %d bytes, usage %+v", len(result.Cubin), usage)
	}
	var refused *CompileError
	if _, err := tc.Assemble(t.Context(), "bad.ptx", []byte("bogus"), "sm_80"); !errors.As(err, &refused) {
		t.Errorf("bad PTX: %v", err)
	}
}

func BenchmarkCompileParallel(b *testing.B) {
	tc := toolchain(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := tc.Compile(b.Context(), Source{"reverse.cu", reverseKernel}, Options{Arch: "sm_80"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
