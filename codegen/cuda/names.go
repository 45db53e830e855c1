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

// cudaNames are what CUDA's built-in headers declare, or macros that they define, as NVRTC
// 13.5 tells when a kernel is named so; names that begin with cuda are reserved too.
const cudaNames = `CUuuid MAJOR_VERSION MINOR_VERSION PATCH_LEVEL abs acos acosf acosh acoshf asin asinf asinh asinhf assert atan atan2 atan2f
	atanf atanh atanhf blockDim blockIdx cbrt cbrtf ceil ceilf clock clock64 clock_t copysign copysignf cos cosf cosh coshf cospi
	cospif cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f dim3 erf erfc erfcf erfcinv erfcinvf erfcx erfcxf erff erfinv
	erfinvf exp exp10 exp10f exp2 exp2f expf expm1 expm1f fabs fabsf fdim fdimf fdivide fdividef floor floorf fma fmaf fmax fmaxf
	fmin fminf fmod fmodf free frexp frexpf gamma gridDim hypot hypotf ilogb ilogbf isfinite isinf isnan j0 j0f j1 j1f jn jnf labs
	ldexp ldexpf lgamma lgammaf libraryPropertyType llabs llmax llmin llrint llrintf llround llroundf log log10 log10f log1p log1pf
	log2 log2f logb logbf logf lrint lrintf lround lroundf main malloc max memcpy memset min modf modff nan nanf nearbyint
	nearbyintf nextafter nextafterf norm norm3d norm3df norm4d norm4df normcdf normcdff normcdfinv normcdfinvf normf nullptr_t pow
	powf printf ptrdiff_t rcbrt rcbrtf remainder remainderf remquo remquof rhypot rhypotf rint rintf rnorm rnorm3d rnorm3df rnorm4d
	rnorm4df rnormf round roundf rsqrt rsqrtf scalbln scalblnf scalbn scalbnf signal signbit sin sincos sincosf sincospi sincospif
	sinf sinh sinhf sinpi sinpif size_t sqrt sqrtf std tan tanf tanh tanhf tgamma tgammaf threadIdx trunc truncf ullmax ullmin umax
	umin va_arg va_copy va_end va_list va_start warpSize y0 y0f y1 y1f yn ynf`

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
// themselves: names that start with two underscores, or as CUDA's own do.
func identifier(name string) string {
	if strings.HasPrefix(name, "__") || strings.HasPrefix(name, "cuda") || strings.HasPrefix(name, "CUDA") {
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
