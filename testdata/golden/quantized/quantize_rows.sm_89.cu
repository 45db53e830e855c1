// Kernel `quantize_rows` of quantized.tile for sm_89, made by tilec. Do not edit.
// Tuned: BN = 1024.
//
// Launch: a one-dimensional grid of M blocks; nothing if that is 0.
//   quantize_rows: 128 threads, 16 bytes of dynamic shared memory; needs N % 16 == 0, X, Y, S aligned to 16 bytes, every extent at most 2^30
//   quantize_rows_any: 128 threads, 16 bytes of dynamic shared memory

struct bf16 { unsigned short bits; };
struct f8e4m3 { unsigned char bits; };

// bf16 to f32, exact.
static __device__ __forceinline__ float from_bf16(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }

// f32 to a float of few bits, to nearest even, saturating; nan has all bits set.
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
}

static __device__ __forceinline__ f8e4m3 to_f8e4m3(float x) { return f8e4m3{(unsigned char)small_float<4, 3, 7, 0x7e, 0x7f>(x)}; }

// Element i of packed words.
static __device__ __forceinline__ bf16 get_bf16(const unsigned* w, int i) { return bf16{(unsigned short)(w[i >> 1] >> (i & 1) * 16)}; }

static __device__ __forceinline__ unsigned pack_f8e4m3(f8e4m3 a, f8e4m3 b, f8e4m3 c, f8e4m3 d) { return (unsigned)a.bits | (unsigned)b.bits << 8 | (unsigned)c.bits << 16 | (unsigned)d.bits << 24; }

// Moves N aligned bytes in one access.
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
}

// x / y, given inv = 1 / y: correctly rounded unless the quotient or inv is near the ends of the range.
static __device__ __forceinline__ float divide(float x, float y, float inv) {
    const float q = x * inv, rest = fmaf(-q, y, x);
    return rest == rest ? fmaf(rest, inv, q) : q;
}

/// Per-row dynamic quantization to f8: Y = round(X / s), s = max|X| / 448.
extern "C" __global__ void __launch_bounds__(128, 1)
quantize_rows(const bf16* __restrict__ X, f8e4m3* __restrict__ Y, float* __restrict__ S, int M, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_j = lane * 8 + warp * 256;
    float* const x_max_warps = reinterpret_cast<float*>(smem);  // f32[4]
    const int row = blockIdx.x;
    // 5: var peak: f32 = 0
    float peak = 0.0f;
    // 6: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (int k = 0; k < (N + 1023) / 1024; ++k) {
        // 8: peak = max(peak, max[j](x[j]))
        float x_max;
        __syncthreads();
        {
            float x_max_part[1];
            #pragma unroll
            for (int r = 0; r < 1; ++r) x_max_part[r] = -__int_as_float(0x7f800000);
            {
                alignas(16) unsigned X_v[4];
                if (k * 1024 + t_j < N) {
                    copy_bytes<16>(X_v, X + (long long)row * N + k * 1024 + t_j);
                } else {
                    X_v[0] = 0;
                    X_v[1] = 0;
                    X_v[2] = 0;
                    X_v[3] = 0;
                }
                #pragma unroll
                for (int e = 0; e < 8; ++e) {
                    x_max_part[0] = fmaxf(x_max_part[0], fabsf(from_bf16(get_bf16(X_v, e))));
                }
            }
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                x_max_part[0] = fmaxf(x_max_part[0], __shfl_xor_sync(0xffffffff, x_max_part[0], mask));
            }
            if (lane == 0) x_max_warps[warp] = x_max_part[0];
            __syncthreads();
            x_max_part[0] = x_max_warps[0];
            #pragma unroll
            for (int w = 1; w < 4; ++w) x_max_part[0] = fmaxf(x_max_part[0], x_max_warps[w]);
            x_max = x_max_part[0];
        }
        peak = fmaxf(peak, x_max);
    }
    // 10: let s = max(peak, 1e-12) / 448
    const float s_2 = fmaxf(peak, 1e-12f) / 448.0f;
    // 11: S[row] = s
    if (lane == 0 && warp == 0) {
        S[row] = s_2;
    }
    // 12: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (int k_2 = 0; k_2 < (N + 1023) / 1024; ++k_2) {
        // 14: Y[row, k*BN + j] = f8e4m3(x[j] / s)
        const float s_inv = 1.0f / s_2;
        if (k_2 * 1024 + t_j < N) {
            alignas(16) unsigned X_v_2[4];
            copy_bytes<16>(X_v_2, X + (long long)row * N + k_2 * 1024 + t_j);
            alignas(16) unsigned out[2];
            f8e4m3 y[8];
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                y[e] = to_f8e4m3(divide(from_bf16(get_bf16(X_v_2, e)), s_2, s_inv));
            }
            out[0] = pack_f8e4m3(y[0], y[1], y[2], y[3]);
            out[1] = pack_f8e4m3(y[4], y[5], y[6], y[7]);
            copy_bytes<8>(Y + (long long)row * N + k_2 * 1024 + t_j, out);
        }
    }
}

/// Per-row dynamic quantization to f8: Y = round(X / s), s = max|X| / 448.
extern "C" __global__ void __launch_bounds__(128, 1)
quantize_rows_any(const bf16* __restrict__ X, f8e4m3* __restrict__ Y, float* __restrict__ S, long long M, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_j = lane + warp * 32;
    float* const x_max_warps = reinterpret_cast<float*>(smem);  // f32[4]
    const long long row = blockIdx.x;
    // 5: var peak: f32 = 0
    float peak = 0.0f;
    // 6: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (long long k = 0; k < (N + 1023) / 1024; ++k) {
        // 8: peak = max(peak, max[j](x[j]))
        float x_max;
        __syncthreads();
        {
            float x_max_part[1];
            x_max_part[0] = fabsf(from_bf16((k * 1024 + t_j < N) ? X[(long long)row * N + k * 1024 + t_j] : bf16{0x0}));
            #pragma unroll
            for (int s = 1; s < 8; ++s) x_max_part[0] = fmaxf(x_max_part[0], fabsf(from_bf16((s * 128 < N - (k * 1024 + t_j)) ? X[(long long)row * N + k * 1024 + (t_j + s * 128)] : bf16{0x0})));
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                x_max_part[0] = fmaxf(x_max_part[0], __shfl_xor_sync(0xffffffff, x_max_part[0], mask));
            }
            if (lane == 0) x_max_warps[warp] = x_max_part[0];
            __syncthreads();
            x_max_part[0] = x_max_warps[0];
            #pragma unroll
            for (int w = 1; w < 4; ++w) x_max_part[0] = fmaxf(x_max_part[0], x_max_warps[w]);
            x_max = x_max_part[0];
        }
        peak = fmaxf(peak, x_max);
    }
    // 10: let s = max(peak, 1e-12) / 448
    const float s_2 = fmaxf(peak, 1e-12f) / 448.0f;
    // 11: S[row] = s
    if (lane == 0 && warp == 0) {
        S[row] = s_2;
    }
    // 12: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (long long k_2 = 0; k_2 < (N + 1023) / 1024; ++k_2) {
        // 14: Y[row, k*BN + j] = f8e4m3(x[j] / s)
        const float s_inv = 1.0f / s_2;
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            if (r * 128 < N - (k_2 * 1024 + t_j)) Y[(long long)row * N + k_2 * 1024 + (t_j + r * 128)] = to_f8e4m3(divide(from_bf16(X[(long long)row * N + k_2 * 1024 + (t_j + r * 128)]), s_2, s_inv));
        }
    }
}
