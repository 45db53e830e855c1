package cuda

import (
	"strings"
	"sync"

	"tilec/codegen"
)

// ownNames are those that the emitted text uses for itself.
const ownNames = `lane warp smem r s e i j kk fa fb word x m n w fs grid_index`

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

// dialect reserves the names that nothing of a program may have in the emitted text.
var dialect = sync.OnceValue(func() *codegen.Dialect {
	lists := []string{ownNames, cudaNames}
	for i := range helpers {
		lists = append(lists, helpers[i].name)
	}
	for _, t := range types {
		lists = append(lists, t.name)
	}
	return codegen.NewDialect(identifier, lists...)
})

// identifier keeps a program's name out of the space that C++ and CUDA keep for
// themselves: names that start with two underscores, or as CUDA's own do.
func identifier(name string) string {
	if strings.HasPrefix(name, "__") || strings.HasPrefix(name, "cuda") || strings.HasPrefix(name, "CUDA") {
		return "u" + name
	}
	return name
}
