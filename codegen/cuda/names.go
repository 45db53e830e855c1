package cuda

import (
	"slices"
	"strings"

	"tilec/codegen"
)

// ownNames are those that the emitted text uses for itself.
const ownNames = `lane warp smem r s e i j kk fa fb word x m n w fs grid_index`

// cppNames are the words of C++20, its alternative tokens, and macros that NVRTC
// defines without any header.
const cppNames = `alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
	concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
	dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept
	not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof
	static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union
	unsigned using virtual void volatile wchar_t while xor xor_eq NULL NAN INFINITY linux unix`

// cudaNames are what CUDA and its built-in headers declare and the emitted text uses
// or may not redeclare.
const cudaNames = `threadIdx blockIdx blockDim gridDim warpSize dim3 size_t ptrdiff_t clock clock_t clock64 nullptr_t std main
	printf assert malloc free memcpy memset min max abs exp exp2 exp2f log log2 log2f sqrt sqrtf rsqrt rsqrtf sin sinf cos cosf
	tan tanh tanhf erf erff floor floorf ceil ceilf trunc truncf rint rintf round pow powf fma fmaf fmin fmax fminf fmaxf fmodf
	isnan isinf isfinite signbit y0 y1 yn j0 j1 jn gamma lgamma tgamma signal`

// reserved lists the names that nothing of a program may have in the emitted text.
func reserved() []string {
	names := strings.Fields(ownNames + " " + cppNames + " " + cudaNames)
	for i := range helpers {
		names = append(names, helpers[i].name)
	}
	for _, t := range types {
		names = append(names, t.name)
	}
	return names
}

// newNames returns a scope in which the reserved names are taken.
func newNames() *codegen.Names {
	n := &codegen.Names{}
	n.Reserve(reserved()...)
	return n
}

// identifier keeps a program's name out of the space that C++ and CUDA keep for
// themselves: names that start with two underscores.
func identifier(name string) string {
	if strings.HasPrefix(name, "__") {
		return "u" + name
	}
	return name
}

// entryName is the symbol of a kernel's entry function: its own name, unless that is
// taken.
func entryName(kernel string) string {
	if slices.Contains(reserved(), kernel) {
		return kernel + "_kernel"
	}
	return identifier(kernel)
}
