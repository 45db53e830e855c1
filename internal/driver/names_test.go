package driver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tilec/internal/diag"
	"tilec/lang/parser"
	"tilec/lang/types"
	"tilec/runtime/cuda"
)

// cNames are names that mean something in C++ or CUDA, and some that the emitted text
// uses itself.
var cNames = strings.Fields(`alignas alignof and_eq asm auto bitand bitor break case catch char char16_t char32_t char8_t
	class co_await compl concept const_cast constexpr continue decltype default delete do double dynamic_cast enum explicit
	export extern float friend goto inline int long mutable namespace new noexcept not_eq nullptr operator or_eq private
	protected public register reinterpret_cast requires short signed sizeof static static_assert static_cast struct switch
	template this thread_local throw try typedef typeid typename union unsigned using virtual void volatile wchar_t xor
	xor_eq main std printf assert malloc free memcpy memset memmove clock clock64 sin sinf expf exp2f fmaf fminf rsqrtf isnan signbit
	y0 y1 j0 jn gamma lgamma threadIdx blockIdx blockDim gridDim warpSize dim3 float2 float4 int4 uint4 uint3 size_t atomicAdd __syncthreads
	__shfl_sync lane warp smem rest pin floor_div floor_mod shared_address cp_async cp_async_wait ldmatrix_x4 round_pack_f16 acc
	__global__ __shared__ __restrict__ out unlikely NULL INT_MAX INFINITY NAN remainder norm hypot erfc expm1 sincos umax llmin
	nan frexp va_list va_start cudaStream_t cudaSuccess libraryPropertyType MAJOR_VERSION normcdf cbrt fdim logb scalbn`)

// TestNames gives every part of a program names that C++ or the emitted text has, and
// wants it to compile and run.
func TestNames(t *testing.T) {
	for i, part := range []string{
		"kernel k(NAME: f32[N], Y_: out f32[N]) {\n grid (b_: ceildiv(N, 32)) { Y_[b_*32 + i_] = NAME[b_*32 + i_] over i_: 32 }\n spec { Y_[n_] = NAME[n_] }\n}\n",
		"kernel k(X_: f32[NAME], Y_: out f32[NAME], p_: f32) {\n grid (b_: ceildiv(NAME, 32)) {\n tile t_: f32[32]\n copy X_[b_*32] -> t_\n copy t_ -> Y_[b_*32] }\n}\n",
		"kernel k(X_: f32[N], Y_: out f32[N], NAME: f32) {\n grid (b_: ceildiv(N, 32)) {\n let v_ = NAME + 1\n Y_[b_*32 + i_] = X_[b_*32 + i_] * v_ over i_: 32 }\n}\n",
		"kernel k(X_: f32[N], Y_: out f32[N]) {\n grid (NAME: ceildiv(N, 32)) { let z_ = NAME*32\n Y_[z_ + i_] = X_[z_ + i_] over i_: 32 }\n}\n",
		"kernel k(X_: f32[N], Y_: out f32[N]) {\n grid (b_: ceildiv(N, 32)) {\n tile NAME: f32[32] in shared\n copy X_[b_*32] -> NAME\n var q_: f32 = 0\n for NAME2 in 0 .. 3 { q_ += f32(NAME2) }\n Y_[b_*32 + i_] = NAME[31 - i_] + q_ over i_: 32 }\n}\n",
		"kernel NAME(X_: f32[N], Y_: out f32[N]) {\n grid (b_: ceildiv(N, 32)) { Y_[b_*32 + i_] = X_[b_*32 + i_] over i_: 32 }\n}\n",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			s := New(context.Background(), Options{Read: func(path string) (string, error) { return text.String(), nil }})
			n := 0
			for _, name := range cNames {
				one := strings.ReplaceAll(part, "NAME2", name+"_2")
				one = strings.ReplaceAll(one, "NAME", name)
				one = strings.Replace(one, "kernel k(", fmt.Sprintf("kernel k%d(", n), 1)
				rep := &diag.Reporter{}
				types.Check(types.Load("one.tile", func(string) (string, error) { return one, nil }, parser.Parse, rep), rep)
				if !rep.HasErrors() { // the language's own words and functions are no names
					text.WriteString(one)
					n++
				}
			}
			if n < 100 {
				t.Errorf("only %d names", n)
			}
			p := s.Load("names.tile")
			wantClean(t, p.Reporter)
			r := BuildRequest{Program: p, Kernels: p.Pick(""), Machines: machines(t, "sm_80"), Kinds: []Kind{Text}}
			_, units, err := s.Build(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			// NVRTC takes all the kernels at once, each in a namespace of its own.
			var all strings.Builder
			for n, u := range units {
				fmt.Fprintf(&all, "namespace unit%d {\n%s\n}\n", n, strings.ReplaceAll(u.Text, `extern "C" `, ""))
			}
			tools, err := s.toolchain()
			if err != nil {
				t.Fatal(err)
			}
			compileText(t, tools, all.String())
		})
	}
}

func compileText(t *testing.T, tools *cuda.Toolchain, text string) {
	t.Helper()
	_, err := tools.Compile(t.Context(), cuda.Source{Name: "names.cu", Text: text}, cuda.Options{Arch: "sm_80", PTXOnly: true})
	var refused *cuda.CompileError
	if errors.As(err, &refused) {
		lines := strings.Split(text, "\n")
		for line := range strings.Lines(refused.Log) {
			if n := 0; strings.Contains(line, "error") {
				fmt.Sscanf(line, "names.cu(%d)", &n)
				t.Errorf("%s%s", line, lines[max(n-1, 0)])
			}
		}
	} else if err != nil {
		t.Error(err)
	}
}
