package cuda

// helpers is the table of device functions, in the order in which they are emitted.
var helpers = []helper{
	{"from_f16", nil, `// f16 to f32, exact.
static __device__ __forceinline__ float from_f16(f16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits)); return y; }`},
	{"to_f16", nil, `// f32 to f16, to nearest even.
static __device__ __forceinline__ f16 to_f16(float x) { f16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }`},
	{"from_bf16", nil, `// bf16 to f32, exact.
static __device__ __forceinline__ float from_bf16(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }`},
	{"to_bf16", nil, `// f32 to bf16, to nearest even.
static __device__ __forceinline__ bf16 to_bf16(float x) { bf16 y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }`},
	{"round_odd", nil, `// f64 to f32, rounded to odd: a second rounding to a narrower type is then exact to nearest even.
static __device__ __forceinline__ float round_odd(double x) {
    float y = __double2float_rz(x);
    if ((double)y != x && x == x && fabsf(y) < __int_as_float(0x7f800000)) y = __uint_as_float(__float_as_uint(y) | 1);
    return y;
}`},
	{"small_float", nil, `// f32 to a float of few bits, to nearest even, saturating; nan has all bits set.
template <int kExponent, int kMantissa, int kBias, unsigned kMost, unsigned kNaN>
static __device__ __forceinline__ unsigned small_float(float x) {
    const unsigned u = __float_as_uint(x), sign = (u >> 31) << (kExponent + kMantissa);
    const unsigned a = u & 0x7fffffff;
    if (a > 0x7f800000) return sign | kNaN;
    const int e = (int)(a >> 23) - 127;
    unsigned m = (a & 0x7fffff) | (a >> 23 ? 0x800000 : 0);
    int shift = 23 - kMantissa + (e < 1 - kBias ? 1 - kBias - e : 0);
    unsigned r = 0;
    if (shift < 26) {
        const unsigned half = 1u << (shift - 1), rest = m & ((half << 1) - 1);
        r = m >> shift;
        if (rest > half || rest == half && (r & 1)) ++r;
    }
    if (e >= 1 - kBias) r += (unsigned)(e + kBias - 1) << kMantissa;
    return sign | min(r, kMost);
}`},
	{"to_f8e4m3", []string{"small_float"}, `static __device__ __forceinline__ f8e4m3 to_f8e4m3(float x) { return f8e4m3{(unsigned char)small_float<4, 3, 7, 0x7e, 0x7f>(x)}; }`},
	{"to_f8e5m2", []string{"small_float"}, `static __device__ __forceinline__ f8e5m2 to_f8e5m2(float x) { return f8e5m2{(unsigned char)small_float<5, 2, 15, 0x7b, 0x7f>(x)}; }`},
	{"to_f4e2m1", []string{"small_float"}, `static __device__ __forceinline__ f4e2m1 to_f4e2m1(float x) { return f4e2m1{(unsigned char)small_float<2, 1, 1, 0x7, 0x7>(x)}; }`},
	{"to_f8e8m0", nil, `// f32 to a power of two, the magnitude rounded up; nan has all bits set.
static __device__ __forceinline__ f8e8m0 to_f8e8m0(float x) {
    const unsigned u = __float_as_uint(x) & 0x7fffffff, e = u >> 23, m = u & 0x7fffff;
    const unsigned up = e == 0 ? m > 0x400000 : m != 0;
    return f8e8m0{(unsigned char)(u > 0x7f800000 ? 0xff : min(e + up, 0xfeu))};
}`},
	{"from_f8e4m3", nil, `static __device__ __forceinline__ float from_f8e4m3(f8e4m3 x) {
    const unsigned a = x.bits & 0x7f;
    const float v = a == 0x7f ? __int_as_float(0x7fffffff) : a < 8 ? (float)a * 0x1p-9f : __uint_as_float((a << 20) + (120u << 23));
    return x.bits & 0x80 ? -v : v;
}`},
	{"from_f8e5m2", []string{"from_f16"}, `static __device__ __forceinline__ float from_f8e5m2(f8e5m2 x) { return from_f16(f16{(unsigned short)(x.bits << 8)}); }`},
	{"from_f4e2m1", nil, `static __device__ __forceinline__ float from_f4e2m1(f4e2m1 x) {
    const unsigned a = x.bits & 7;
    const float v = a < 2 ? (float)a * 0.5f : __uint_as_float((a << 22) + (126u << 23));
    return x.bits & 8 ? -v : v;
}`},
	{"from_f8e8m0", nil, `static __device__ __forceinline__ float from_f8e8m0(f8e8m0 x) {
    return x.bits == 0xff ? __int_as_float(0x7fffffff) : x.bits == 0 ? 0x1p-127f : __uint_as_float((unsigned)x.bits << 23);
}`},
	{"from_i4", nil, `static __device__ __forceinline__ int from_i4(i4 x) { return (int)(x.bits << 28) >> 28; }`},
	{"from_u4", nil, `static __device__ __forceinline__ int from_u4(u4 x) { return x.bits & 15; }`},
	{"to_i4", nil, `static __device__ __forceinline__ i4 to_i4(long long x) { return i4{(unsigned char)(x & 15)}; }`},
	{"to_u4", nil, `static __device__ __forceinline__ u4 to_u4(long long x) { return u4{(unsigned char)(x & 15)}; }`},
	{"round_pack_f16", nil, `// Two f32 values to a word of f16, the first in the lower half.
static __device__ __forceinline__ unsigned round_pack_f16(float lo, float hi) { unsigned y; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(hi), "f"(lo)); return y; }`},
	{"round_pack_bf16", nil, `// Two f32 values to a word of bf16, the first in the lower half.
static __device__ __forceinline__ unsigned round_pack_bf16(float lo, float hi) { unsigned y; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(hi), "f"(lo)); return y; }`},
	{"mul_f16x2", nil, `// Two products at a time, each rounded once.
static __device__ __forceinline__ unsigned mul_f16x2(unsigned x, unsigned y) { unsigned z; asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y)); return z; }`},
	{"fma_f16x2", nil, `// x * y + z, two at a time.
static __device__ __forceinline__ unsigned fma_f16x2(unsigned x, unsigned y, unsigned z) { unsigned d; asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(z)); return d; }`},
	{"fma_bf16x2", nil, `// x * y + z, two at a time.
static __device__ __forceinline__ unsigned fma_bf16x2(unsigned x, unsigned y, unsigned z) { unsigned d; asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(z)); return d; }`},
	{"add_f16x2", []string{"fma_f16x2"}, `static __device__ __forceinline__ unsigned add_f16x2(unsigned x, unsigned y) { return fma_f16x2(x, 0x3c003c00, y); }`},
	{"sub_f16x2", []string{"fma_f16x2"}, `static __device__ __forceinline__ unsigned sub_f16x2(unsigned x, unsigned y) { return fma_f16x2(y, 0xbc00bc00, x); }`},
	{"mul_bf16x2", []string{"fma_bf16x2"}, `// Two products at a time, each rounded once: adding -0 changes nothing.
static __device__ __forceinline__ unsigned mul_bf16x2(unsigned x, unsigned y) { return fma_bf16x2(x, y, 0x80008000); }`},
	{"add_bf16x2", []string{"fma_bf16x2"}, `static __device__ __forceinline__ unsigned add_bf16x2(unsigned x, unsigned y) { return fma_bf16x2(x, 0x3f803f80, y); }`},
	{"sub_bf16x2", []string{"fma_bf16x2"}, `static __device__ __forceinline__ unsigned sub_bf16x2(unsigned x, unsigned y) { return fma_bf16x2(y, 0xbf80bf80, x); }`},
	{"widen_u8_f16", []string{"add_f16x2"}, `// Elements 2i and 2i + 1 of a word: a byte in the low bits of 1024 is 1024 more than itself.
template <int i>
static __device__ __forceinline__ unsigned widen_u8_f16(unsigned w) { return add_f16x2(__byte_perm(w, 0x64646464, i == 0 ? 0x4140 : 0x4342), 0xe400e400); }`},
	{"widen_i8_f16", []string{"add_f16x2"}, `// Elements 2i and 2i + 1 of a word: a byte plus 128 in the low bits of 1024 is 1152 more than itself.
template <int i>
static __device__ __forceinline__ unsigned widen_i8_f16(unsigned w) { return add_f16x2(__byte_perm(w ^ 0x80808080, 0x64646464, i == 0 ? 0x4140 : 0x4342), 0xe480e480); }`},
	{"widen_u4_f16", []string{"fma_f16x2"}, `// Elements 2i and 2i + 1 of a word: 4 bits in the low bits of 1024 are 1024 more than themselves, the next 4 a 16th of that.
template <int i>
static __device__ __forceinline__ unsigned widen_u4_f16(unsigned w) { return fma_f16x2(__byte_perm(w, 0x64646464, 0x4040 | i * 0x101) & 0xfff0ff0f, 0x2c003c00, 0xd400e400); }`},
	{"widen_i4_f16", []string{"fma_f16x2"}, `// Elements 2i and 2i + 1 of a word: 4 bits plus 8 in the low bits of 1024 are 1032 more than themselves, the next 4 a 16th of that.
template <int i>
static __device__ __forceinline__ unsigned widen_i4_f16(unsigned w) { return fma_f16x2(__byte_perm(w ^ 0x88888888, 0x64646464, 0x4040 | i * 0x101) & 0xfff0ff0f, 0x2c003c00, 0xd480e408); }`},
	{"widen_i8_bf16", []string{"sub_bf16x2"}, `// Elements 2i and 2i + 1 of a word: 7 bits in those of 128, less 128 or, where the sign is set, 256.
template <int i>
static __device__ __forceinline__ unsigned widen_i8_bf16(unsigned w) {
    const unsigned x = __byte_perm(w, 0x43434343, i == 0 ? 0x4140 : 0x4342);
    return sub_bf16x2(x & 0xff7fff7f, x & 0xff80ff80);
}`},
	{"widen_u8_bf16", []string{"widen_i8_bf16", "add_bf16x2"}, `// Elements 2i and 2i + 1 of a word, as signed ones less 128.
template <int i>
static __device__ __forceinline__ unsigned widen_u8_bf16(unsigned w) { return add_bf16x2(widen_i8_bf16<i>(w ^ 0x80808080), 0x43004300); }`},
	{"widen_u4_bf16", []string{"add_bf16x2"}, `// Elements 2i and 2i + 1 of a word: 4 bits in the low bits of 128 are 128 more than themselves.
template <int i>
static __device__ __forceinline__ unsigned widen_u4_bf16(unsigned w) { return add_bf16x2((__byte_perm(w, w >> 4, i * 0x1111 + 0x0400) & 0x000f000f) | 0x43004300, 0xc300c300); }`},
	{"widen_i4_bf16", []string{"add_bf16x2"}, `// Elements 2i and 2i + 1 of a word: 4 bits plus 8 in the low bits of 128 are 136 more than themselves.
template <int i>
static __device__ __forceinline__ unsigned widen_i4_bf16(unsigned w) {
    w ^= 0x88888888;
    return add_bf16x2((__byte_perm(w, w >> 4, i * 0x1111 + 0x0400) & 0x000f000f) | 0x43004300, 0xc308c308);
}`},
	{"widen_f8e5m2_f16", nil, `// Elements 2i and 2i + 1 of a word: the upper halves of f16.
template <int i>
static __device__ __forceinline__ unsigned widen_f8e5m2_f16(unsigned w) { return __byte_perm(w, 0, i == 0 ? 0x1404 : 0x3424); }`},
	{"widen_f8e4m3_f16", []string{"mul_f16x2", "fma_f16x2"}, `// Elements 2i and 2i + 1 of a word: the bits are those of an f16 256 times smaller, except of nan, which would
// be 480, the one value that 35840 / 256 takes beyond the range; infinity times 0 is nan.
template <int i>
static __device__ __forceinline__ unsigned widen_f8e4m3_f16(unsigned w) {
    const unsigned x = __byte_perm(w, 0, i == 0 ? 0x1404 : 0x3424), y = (x & 0x80008000) | ((x >> 1) & 0x3f803f80);
    return fma_f16x2(y, 0x5c005c00, mul_f16x2(mul_f16x2(y, 0x78607860), 0));
}`},
	{"pack_f16", nil, `static __device__ __forceinline__ unsigned pack_f16(f16 lo, f16 hi) { return lo.bits | (unsigned)hi.bits << 16; }`},
	{"get_f16", nil, `// Element i of packed words.
static __device__ __forceinline__ f16 get_f16(const unsigned* w, int i) { return f16{(unsigned short)(w[i >> 1] >> (i & 1) * 16)}; }`},
	{"set_f16", nil, `static __device__ __forceinline__ void set_f16(unsigned* w, int i, f16 x) { w[i >> 1] = (w[i >> 1] & ~(0xffffu << (i & 1) * 16)) | (unsigned)x.bits << (i & 1) * 16; }`},
	{"pack_bf16", nil, `static __device__ __forceinline__ unsigned pack_bf16(bf16 lo, bf16 hi) { return lo.bits | (unsigned)hi.bits << 16; }`},
	{"get_bf16", nil, `// Element i of packed words.
static __device__ __forceinline__ bf16 get_bf16(const unsigned* w, int i) { return bf16{(unsigned short)(w[i >> 1] >> (i & 1) * 16)}; }`},
	{"set_bf16", nil, `static __device__ __forceinline__ void set_bf16(unsigned* w, int i, bf16 x) { w[i >> 1] = (w[i >> 1] & ~(0xffffu << (i & 1) * 16)) | (unsigned)x.bits << (i & 1) * 16; }`},
	{"pack_i16", nil, `static __device__ __forceinline__ unsigned pack_i16(short lo, short hi) { return (unsigned short)lo | (unsigned)(unsigned short)hi << 16; }`},
	{"get_i16", nil, `static __device__ __forceinline__ short get_i16(const unsigned* w, int i) { return (short)(w[i >> 1] >> (i & 1) * 16); }`},
	{"set_i16", nil, `static __device__ __forceinline__ void set_i16(unsigned* w, int i, short x) { w[i >> 1] = (w[i >> 1] & ~(0xffffu << (i & 1) * 16)) | (unsigned)(unsigned short)x << (i & 1) * 16; }`},
	{"pack_u16", nil, `static __device__ __forceinline__ unsigned pack_u16(unsigned short lo, unsigned short hi) { return (unsigned short)lo | (unsigned)(unsigned short)hi << 16; }`},
	{"get_u16", nil, `static __device__ __forceinline__ unsigned short get_u16(const unsigned* w, int i) { return (unsigned short)(w[i >> 1] >> (i & 1) * 16); }`},
	{"set_u16", nil, `static __device__ __forceinline__ void set_u16(unsigned* w, int i, unsigned short x) { w[i >> 1] = (w[i >> 1] & ~(0xffffu << (i & 1) * 16)) | (unsigned)(unsigned short)x << (i & 1) * 16; }`},
	{"pack_i8", nil, `static __device__ __forceinline__ unsigned pack_i8(signed char a, signed char b, signed char c, signed char d) { return (unsigned)(unsigned char)a | (unsigned)(unsigned char)b << 8 | (unsigned)(unsigned char)c << 16 | (unsigned)(unsigned char)d << 24; }`},
	{"get_i8", nil, `static __device__ __forceinline__ signed char get_i8(const unsigned* w, int i) { return (signed char)(w[i >> 2] >> (i & 3) * 8); }`},
	{"set_i8", nil, `static __device__ __forceinline__ void set_i8(unsigned* w, int i, signed char x) { w[i >> 2] = (w[i >> 2] & ~(0xffu << (i & 3) * 8)) | (unsigned)(unsigned char)x << (i & 3) * 8; }`},
	{"pack_u8", nil, `static __device__ __forceinline__ unsigned pack_u8(unsigned char a, unsigned char b, unsigned char c, unsigned char d) { return (unsigned)(unsigned)a | (unsigned)(unsigned)b << 8 | (unsigned)(unsigned)c << 16 | (unsigned)(unsigned)d << 24; }`},
	{"get_u8", nil, `static __device__ __forceinline__ unsigned char get_u8(const unsigned* w, int i) { return (unsigned char)(w[i >> 2] >> (i & 3) * 8); }`},
	{"set_u8", nil, `static __device__ __forceinline__ void set_u8(unsigned* w, int i, unsigned char x) { w[i >> 2] = (w[i >> 2] & ~(0xffu << (i & 3) * 8)) | (unsigned)(unsigned)x << (i & 3) * 8; }`},
	{"pack_f8e4m3", nil, `static __device__ __forceinline__ unsigned pack_f8e4m3(f8e4m3 a, f8e4m3 b, f8e4m3 c, f8e4m3 d) { return (unsigned)a.bits | (unsigned)b.bits << 8 | (unsigned)c.bits << 16 | (unsigned)d.bits << 24; }`},
	{"get_f8e4m3", nil, `static __device__ __forceinline__ f8e4m3 get_f8e4m3(const unsigned* w, int i) { return f8e4m3{(unsigned char)(w[i >> 2] >> (i & 3) * 8)}; }`},
	{"set_f8e4m3", nil, `static __device__ __forceinline__ void set_f8e4m3(unsigned* w, int i, f8e4m3 x) { w[i >> 2] = (w[i >> 2] & ~(0xffu << (i & 3) * 8)) | (unsigned)x.bits << (i & 3) * 8; }`},
	{"pack_f8e5m2", nil, `static __device__ __forceinline__ unsigned pack_f8e5m2(f8e5m2 a, f8e5m2 b, f8e5m2 c, f8e5m2 d) { return (unsigned)a.bits | (unsigned)b.bits << 8 | (unsigned)c.bits << 16 | (unsigned)d.bits << 24; }`},
	{"get_f8e5m2", nil, `static __device__ __forceinline__ f8e5m2 get_f8e5m2(const unsigned* w, int i) { return f8e5m2{(unsigned char)(w[i >> 2] >> (i & 3) * 8)}; }`},
	{"set_f8e5m2", nil, `static __device__ __forceinline__ void set_f8e5m2(unsigned* w, int i, f8e5m2 x) { w[i >> 2] = (w[i >> 2] & ~(0xffu << (i & 3) * 8)) | (unsigned)x.bits << (i & 3) * 8; }`},
	{"pack_f8e8m0", nil, `static __device__ __forceinline__ unsigned pack_f8e8m0(f8e8m0 a, f8e8m0 b, f8e8m0 c, f8e8m0 d) { return (unsigned)a.bits | (unsigned)b.bits << 8 | (unsigned)c.bits << 16 | (unsigned)d.bits << 24; }`},
	{"get_f8e8m0", nil, `static __device__ __forceinline__ f8e8m0 get_f8e8m0(const unsigned* w, int i) { return f8e8m0{(unsigned char)(w[i >> 2] >> (i & 3) * 8)}; }`},
	{"set_f8e8m0", nil, `static __device__ __forceinline__ void set_f8e8m0(unsigned* w, int i, f8e8m0 x) { w[i >> 2] = (w[i >> 2] & ~(0xffu << (i & 3) * 8)) | (unsigned)x.bits << (i & 3) * 8; }`},
	{"pack_i4", nil, `static __device__ __forceinline__ unsigned pack_i4(i4 x0, i4 x1, i4 x2, i4 x3, i4 x4, i4 x5, i4 x6, i4 x7) { return (unsigned)(x0.bits & 15) << 0 | (unsigned)(x1.bits & 15) << 4 | (unsigned)(x2.bits & 15) << 8 | (unsigned)(x3.bits & 15) << 12 | (unsigned)(x4.bits & 15) << 16 | (unsigned)(x5.bits & 15) << 20 | (unsigned)(x6.bits & 15) << 24 | (unsigned)(x7.bits & 15) << 28; }`},
	{"get_i4", nil, `static __device__ __forceinline__ i4 get_i4(const unsigned* w, int i) { return i4{(unsigned char)(w[i >> 3] >> (i & 7) * 4 & 15)}; }`},
	{"set_i4", nil, `static __device__ __forceinline__ void set_i4(unsigned* w, int i, i4 x) { w[i >> 3] = (w[i >> 3] & ~(15u << (i & 7) * 4)) | (unsigned)(x.bits & 15) << (i & 7) * 4; }`},
	{"pack_u4", nil, `static __device__ __forceinline__ unsigned pack_u4(u4 x0, u4 x1, u4 x2, u4 x3, u4 x4, u4 x5, u4 x6, u4 x7) { return (unsigned)(x0.bits & 15) << 0 | (unsigned)(x1.bits & 15) << 4 | (unsigned)(x2.bits & 15) << 8 | (unsigned)(x3.bits & 15) << 12 | (unsigned)(x4.bits & 15) << 16 | (unsigned)(x5.bits & 15) << 20 | (unsigned)(x6.bits & 15) << 24 | (unsigned)(x7.bits & 15) << 28; }`},
	{"get_u4", nil, `static __device__ __forceinline__ u4 get_u4(const unsigned* w, int i) { return u4{(unsigned char)(w[i >> 3] >> (i & 7) * 4 & 15)}; }`},
	{"set_u4", nil, `static __device__ __forceinline__ void set_u4(unsigned* w, int i, u4 x) { w[i >> 3] = (w[i >> 3] & ~(15u << (i & 7) * 4)) | (unsigned)(x.bits & 15) << (i & 7) * 4; }`},
	{"pack_f4e2m1", nil, `static __device__ __forceinline__ unsigned pack_f4e2m1(f4e2m1 x0, f4e2m1 x1, f4e2m1 x2, f4e2m1 x3, f4e2m1 x4, f4e2m1 x5, f4e2m1 x6, f4e2m1 x7) { return (unsigned)(x0.bits & 15) << 0 | (unsigned)(x1.bits & 15) << 4 | (unsigned)(x2.bits & 15) << 8 | (unsigned)(x3.bits & 15) << 12 | (unsigned)(x4.bits & 15) << 16 | (unsigned)(x5.bits & 15) << 20 | (unsigned)(x6.bits & 15) << 24 | (unsigned)(x7.bits & 15) << 28; }`},
	{"get_f4e2m1", nil, `static __device__ __forceinline__ f4e2m1 get_f4e2m1(const unsigned* w, int i) { return f4e2m1{(unsigned char)(w[i >> 3] >> (i & 7) * 4 & 15)}; }`},
	{"set_f4e2m1", nil, `static __device__ __forceinline__ void set_f4e2m1(unsigned* w, int i, f4e2m1 x) { w[i >> 3] = (w[i >> 3] & ~(15u << (i & 7) * 4)) | (unsigned)(x.bits & 15) << (i & 7) * 4; }`},
	{"store_pair", nil, `// Stores one or both elements of a byte; what is not stored stays, if there is anything.
static __device__ __forceinline__ void store_pair(unsigned char* p, bool in, unsigned x, bool next, unsigned y, bool end) {
    if (in && (next || end)) *p = (unsigned char)(x | y << 4);
    else if (in) *p = (unsigned char)(*p & 0xf0 | x);
    else *p = (unsigned char)(*p & 0xf | y << 4);
}`},
	{"copy_bytes", nil, `// Moves N aligned bytes in one access.
template <int N> struct access_type;
template <> struct access_type<16> { typedef uint4 type; };
template <> struct access_type<8> { typedef uint2 type; };
template <> struct access_type<4> { typedef unsigned type; };
template <> struct access_type<2> { typedef unsigned short type; };
template <> struct access_type<1> { typedef unsigned char type; };
template <int N>
static __device__ __forceinline__ void copy_bytes(void* to, const void* from) {
    typedef typename access_type<N>::type type;
    *reinterpret_cast<type*>(to) = *reinterpret_cast<const type*>(from);
}`},
	{"zero_bytes", []string{"copy_bytes"}, `template <int N>
static __device__ __forceinline__ void zero_bytes(void* to) { *reinterpret_cast<typename access_type<N>::type*>(to) = typename access_type<N>::type{}; }`},
	{"shared_address", nil, `// The address of a pointer within the shared window.
static __device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }`},
	{"store_shared", nil, `// Stores N bytes to shared memory in one instruction.
template <int N>
static __device__ __forceinline__ void store_shared(unsigned to, const unsigned* w) {
    if (N == 16) asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(w[0]), "r"(w[1]), "r"(w[2 % (N / 4)]), "r"(w[3 % (N / 4)]) : "memory");
    else asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(w[0]), "r"(w[1]) : "memory");
}`},
	{"store_global", nil, `// Stores 16 bytes to global memory in one instruction.
static __device__ __forceinline__ void store_global(void* to, const void* from) {
    const unsigned* w = reinterpret_cast<const unsigned*>(from);
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
}`},
	{"store_once", nil, `// Stores 16 bytes to global memory in one instruction; the kernel touches them nowhere else.
static __device__ __forceinline__ void store_once(void* to, const void* from) {
    const unsigned* w = reinterpret_cast<const unsigned*>(from);
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]));
}`},
	{"pin", nil, `// x itself, computed once: without this, ptxas computes addresses anew in each iteration of a loop.
static __device__ __forceinline__ unsigned pin(unsigned x) { return __shfl_sync(0xffffffff, x, threadIdx.x & 31); }`},
	{"cp_async", []string{"shared_address"}, `// Starts a copy of N bytes to shared memory, of which those beyond the count are zeroed instead.
template <int N>
static __device__ __forceinline__ void cp_async(unsigned to, const void* from, int bytes = N) {
    if (N == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(from), "r"(bytes), "n"(N) : "memory");
}`},
	{"cp_async_commit", nil, `static __device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }`},
	{"cp_async_wait", nil, `// Waits until at most N groups of copies are in flight.
template <int N>
static __device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }`},
	{"ldmatrix_x2", nil, `// Loads 2 8x8 matrices of 16-bit elements; each lane gives the address of a row.
static __device__ __forceinline__ void ldmatrix_x2(unsigned* d, unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(address) : "memory");
}`},
	{"ldmatrix_x2_trans", nil, `// Loads 2 8x8 matrices of 16-bit elements, transposed; each lane gives the address of a row.
static __device__ __forceinline__ void ldmatrix_x2_trans(unsigned* d, unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(address) : "memory");
}`},
	{"ldmatrix_x4", nil, `// Loads 4 8x8 matrices of 16-bit elements; each lane gives the address of a row.
static __device__ __forceinline__ void ldmatrix_x4(unsigned* d, unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(address) : "memory");
}`},
	{"ldmatrix_x4_trans", nil, `// Loads 4 8x8 matrices of 16-bit elements, transposed; each lane gives the address of a row.
static __device__ __forceinline__ void ldmatrix_x4_trans(unsigned* d, unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(address) : "memory");
}`},
	{"round_tf32", nil, `// An f32 value rounded to tf32, to nearest, ties away from zero.
static __device__ __forceinline__ unsigned round_tf32(unsigned x) { unsigned y; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(__uint_as_float(x))); return y; }`},
	{"mma_m16n8k16_f16", nil, `// c += a * b on the matrix unit.
static __device__ __forceinline__ void mma_m16n8k16_f16(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}`},
	{"mma_m16n8k16_bf16", nil, `// c += a * b on the matrix unit.
static __device__ __forceinline__ void mma_m16n8k16_bf16(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}`},
	{"mma_m16n8k8_tf32", nil, `// c += a * b on the matrix unit.
static __device__ __forceinline__ void mma_m16n8k8_tf32(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}`},
	{"mma_m16n8k32_i8", nil, `// c += a * b on the matrix unit.
static __device__ __forceinline__ void mma_m16n8k32_i8(int* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}`},
	{"mma_m16n8k32_u8", nil, `// c += a * b on the matrix unit.
static __device__ __forceinline__ void mma_m16n8k32_u8(int* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}`},
	{"exp2_f32", nil, `// 2^x within 2 units in the last place; results below 2^-126 are flushed to 0.
static __device__ __forceinline__ float exp2_f32(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }`},
	{"exp_f32", []string{"exp2_f32"}, `// e^x as 2^(x log2(e)): the relative error is within 2^-22 + |x| * 2^-23; results below 2^-126 are flushed to 0.
static __device__ __forceinline__ float exp_f32(float x) { return exp2_f32(x * 1.4426950408889634f); }`},
	{"divide", nil, `// x / y, given inv = 1 / y: correctly rounded unless the quotient or inv is near the ends of the range.
static __device__ __forceinline__ float divide(float x, float y, float inv) {
    const float q = x * inv, rest = fmaf(-q, y, x);
    return rest == rest ? fmaf(rest, inv, q) : q;
}`},
	{"rsqrt_f32", nil, `// 1/sqrt(x): the hardware's approximation.
static __device__ __forceinline__ float rsqrt_f32(float x) { return rsqrtf(x); }`},
	{"sigmoid_f32", []string{"exp_f32"}, `static __device__ __forceinline__ float sigmoid_f32(float x) { return 1.0f / (1.0f + exp_f32(-x)); }`},
	{"sigmoid_f64", nil, `static __device__ __forceinline__ double sigmoid_f64(double x) { return 1.0 / (1.0 + exp(-x)); }`},
	{"floor_div", nil, `// Division toward negative infinity; by zero gives 0.
template <typename T>
static __device__ __forceinline__ T floor_div(T x, T y) { if (y == 0) return 0; if (y == (T)-1 && (T)-1 < 0) return (T)(0 - x); const T q = x / y; return q - (T)(x % y != 0 && ((x < 0) != (y < 0))); }`},
	{"floor_mod", nil, `// Remainder with the sign of the divisor; by zero gives 0.
template <typename T>
static __device__ __forceinline__ T floor_mod(T x, T y) { if (y == 0 || y == (T)-1 && (T)-1 < 0) return 0; const T m = x % y; return m != 0 && ((m < 0) != (y < 0)) ? m + y : m; }`},
	{"abs_int", nil, `// |x|; the least value stays as it is.
template <typename T>
static __device__ __forceinline__ T abs_int(T x) { return x < 0 ? (T)(0ull - x) : x; }`},
	{"mod_f32", nil, `static __device__ __forceinline__ float mod_f32(float x, float y) { const float m = fmodf(x, y); return m != 0.0f && ((m < 0.0f) != (y < 0.0f)) ? m + y : m; }`},
	{"mod_f64", nil, `static __device__ __forceinline__ double mod_f64(double x, double y) { const double m = fmod(x, y); return m != 0.0 && ((m < 0.0) != (y < 0.0)) ? m + y : m; }`},
	{"shl", nil, `// Shifts by the width or more give 0.
template <typename T, typename N>
static __device__ __forceinline__ T shl(T x, N n) { return n < 0 || n >= (N)(sizeof(T) * 8) ? (T)0 : (T)((unsigned long long)x << n); }`},
	{"shr", nil, `// Arithmetic for signed types; shifts by the width or more leave the sign.
template <typename T, typename N>
static __device__ __forceinline__ T shr(T x, N n) { return n < 0 || n >= (N)(sizeof(T) * 8) ? (T)(x < 0 ? -1 : 0) : (T)(x >> n); }`},
	{"truncate_i32", nil, `// Toward zero, saturating; nan gives 0.
static __device__ __forceinline__ int truncate_i32(float x) { int y; asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(y) : "f"(x)); return x != x ? 0 : y; }
static __device__ __forceinline__ int truncate_i32(double x) { int y; asm("cvt.rzi.s32.f64 %0, %1;" : "=r"(y) : "d"(x)); return x != x ? 0 : y; }`},
	{"truncate_u32", nil, `static __device__ __forceinline__ unsigned truncate_u32(float x) { unsigned y; asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(y) : "f"(x)); return x != x ? 0 : y; }
static __device__ __forceinline__ unsigned truncate_u32(double x) { unsigned y; asm("cvt.rzi.u32.f64 %0, %1;" : "=r"(y) : "d"(x)); return x != x ? 0 : y; }`},
	{"truncate_i64", nil, `static __device__ __forceinline__ long long truncate_i64(float x) { long long y; asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(y) : "f"(x)); return x != x ? 0 : y; }
static __device__ __forceinline__ long long truncate_i64(double x) { long long y; asm("cvt.rzi.s64.f64 %0, %1;" : "=l"(y) : "d"(x)); return x != x ? 0 : y; }`},
	{"truncate_u64", nil, `static __device__ __forceinline__ unsigned long long truncate_u64(float x) { unsigned long long y; asm("cvt.rzi.u64.f32 %0, %1;" : "=l"(y) : "f"(x)); return x != x ? 0 : y; }
static __device__ __forceinline__ unsigned long long truncate_u64(double x) { unsigned long long y; asm("cvt.rzi.u64.f64 %0, %1;" : "=l"(y) : "d"(x)); return x != x ? 0 : y; }`},
	{"bitcast", nil, `template <typename To, typename From>
static __device__ __forceinline__ To bitcast(From x) { static_assert(sizeof(To) == sizeof(From), "sizes differ"); To y; memcpy(&y, &x, sizeof(y)); return y; }`},
	{"argmax", nil, `// Keeps the greater value, the lower index of equal ones; nan never wins.
template <typename T>
static __device__ __forceinline__ void argmax(T& best, long long& at, T value, long long index) { if (value > best || value == best && index < at) { best = value; at = index; } }`},
	{"argmin", nil, `// Keeps the lesser value, the lower index of equal ones; nan never wins.
template <typename T>
static __device__ __forceinline__ void argmin(T& best, long long& at, T value, long long index) { if (value < best || value == best && index < at) { best = value; at = index; } }`},
	{"philox", nil, `// Philox 4x32-10 of a seed and an offset; uniform in [0, 1) from the upper 24 bits of the first word.
static __device__ __forceinline__ float philox(long long seed, long long offset) {
    unsigned c0 = (unsigned)offset, c1 = (unsigned)(offset >> 32), c2 = 0, c3 = 0;
    unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
#pragma unroll
    for (int i = 0; i < 10; ++i) {
        const unsigned h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0;
        const unsigned h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
        c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0;
        k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
    }
    return (float)(c0 >> 8) * 0x1p-24f;
}`},
	{"atomic_update", nil, `// Replaces *p by f(*p) atomically, through compare-and-swap of the word that holds it; returns the old value.
template <typename T, typename F>
static __device__ __forceinline__ T atomic_update(T* p, F f) {
    if (sizeof(T) == 2) {
        unsigned short seen = *(volatile unsigned short*)p;
        for (;;) {
            T old; memcpy(&old, &seen, sizeof(seen));
            T next = f(old);
            unsigned short put = 0, got; memcpy(&put, &next, sizeof(put));
            asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(got) : "l"(p), "h"(seen), "h"(put) : "memory");
            if (got == seen) return old;
            seen = got;
        }
    }
    if (sizeof(T) == 8) {
        unsigned long long* w = reinterpret_cast<unsigned long long*>(p);
        unsigned long long seen = *(volatile unsigned long long*)w;
        for (;;) {
            T old; memcpy(&old, &seen, sizeof(T));
            T next = f(old);
            unsigned long long put = 0; memcpy(&put, &next, sizeof(T));
            const unsigned long long got = atomicCAS(w, seen, put);
            if (got == seen) return old;
            seen = got;
        }
    }
    const unsigned long long address = (unsigned long long)p;
    unsigned* w = reinterpret_cast<unsigned*>(address & ~3ull);
    const unsigned shift = (unsigned)(address & 3) * 8;
    const unsigned mask = sizeof(T) >= 4 ? 0xffffffffu : ((1u << sizeof(T) * 8 % 32) - 1) << shift;
    unsigned seen = *(volatile unsigned*)w;
    for (;;) {
        const unsigned bits = (seen & mask) >> shift;
        T old; memcpy(&old, &bits, sizeof(T) < 4 ? sizeof(T) : 4);
        T next = f(old);
        unsigned put = 0; memcpy(&put, &next, sizeof(T) < 4 ? sizeof(T) : 4);
        const unsigned got = atomicCAS(w, seen, (seen & ~mask) | put << shift);
        if (got == seen) return old;
        seen = got;
    }
}`},
}
