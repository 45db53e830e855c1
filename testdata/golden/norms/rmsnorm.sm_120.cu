// Kernel `rmsnorm` of norms.tile for sm_120, made by tilec. Do not edit.
// Generics: T = bf16.
// Tuned: BM = 1, BN = 2048.
//
// Launch: a one-dimensional grid of M blocks; nothing if that is 0.
//   rmsnorm: 256 threads, 32 bytes of dynamic shared memory; needs N % 8 == 0, X, G, Y aligned to 16 bytes, every extent at most 2^30
//   rmsnorm_any: 256 threads, 32 bytes of dynamic shared memory

struct bf16 { unsigned short bits; };

// bf16 to f32, exact.
static __device__ __forceinline__ float from_bf16(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }

// f32 to bf16, to nearest even.
static __device__ __forceinline__ bf16 to_bf16(float x) { bf16 y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }

// Two f32 values to a word of bf16, the first in the lower half.
static __device__ __forceinline__ unsigned round_pack_bf16(float lo, float hi) { unsigned y; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(hi), "f"(lo)); return y; }

// Element i of packed words.
static __device__ __forceinline__ bf16 get_bf16(const unsigned* w, int i) { return bf16{(unsigned short)(w[i >> 1] >> (i & 1) * 16)}; }

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

// Stores 16 bytes to global memory in one instruction; the kernel touches them nowhere else.
static __device__ __forceinline__ void store_once(void* to, const void* from) {
    const unsigned* w = reinterpret_cast<const unsigned*>(from);
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]));
}

// 1/sqrt(x): the hardware's approximation.
static __device__ __forceinline__ float rsqrt_f32(float x) { return rsqrtf(x); }

/// Y = X / rms(X) * G, row by row.
extern "C" __global__ void __launch_bounds__(256, 1)
rmsnorm(const bf16* __restrict__ X, const bf16* __restrict__ G, bf16* __restrict__ Y, float eps, int M, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_j = lane * 8 + warp * 256;
    float* const ss_warps = reinterpret_cast<float*>(smem);  // f32[8, 1]
    const int b = blockIdx.x;
    // 5: tile ss: f32[BM] = 0
    float ss;  // f32[1]
    ss = 0.0f;
    // 6: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (int k = 0; k < (N + 2047) / 2048; ++k) {
        // 7: let x[i: BM, j: BN] = f32(X[b*BM + i, k*BN + j])
        alignas(16) float x_2[8];  // f32[1, 2048]
        {
            alignas(16) unsigned X_v[4];
            if (k * 2048 + t_j < N) {
                copy_bytes<16>(X_v, X + (long long)b * N + k * 2048 + t_j);
            } else {
                X_v[0] = 0;
                X_v[1] = 0;
                X_v[2] = 0;
                X_v[3] = 0;
            }
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                x_2[e] = from_bf16(get_bf16(X_v, e));
            }
        }
        // 8: ss[i] += sum[j](x[i, j] * x[i, j])
        __syncthreads();
        {
            float ss_part[1];
            ss_part[0] = (x_2[0] * x_2[0]);
            #pragma unroll
            for (int s = 1; s < 8; ++s) ss_part[0] = ss_part[0] + (x_2[s] * x_2[s]);
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                ss_part[0] = ss_part[0] + __shfl_xor_sync(0xffffffff, ss_part[0], mask);
            }
            if (lane == 0) ss_warps[warp] = ss_part[0];
            __syncthreads();
            ss_part[0] = ss_warps[0];
            #pragma unroll
            for (int w = 1; w < 8; ++w) ss_part[0] = ss_part[0] + ss_warps[w];
            ss = ss + ss_part[0];
        }
    }
    // 10: let r[i] = rsqrt(ss[i] / f32(N) + eps)
    float r_2;  // f32[1]
    r_2 = rsqrt_f32(ss / (float)N + eps);
    // 11: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (int k_2 = 0; k_2 < (N + 2047) / 2048; ++k_2) {
        // 13: Y[b*BM + i, k*BN + j] = x[i, j] * r[i] * f32(G[k*BN + j])
        if (k_2 * 2048 + t_j < N) {
            alignas(16) unsigned X_v_2[4];
            copy_bytes<16>(X_v_2, X + (long long)b * N + k_2 * 2048 + t_j);
            alignas(16) unsigned G_v[4];
            copy_bytes<16>(G_v, G + k_2 * 2048 + t_j);
            alignas(16) unsigned out[4];
            float y[8];
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                y[e] = from_bf16(get_bf16(X_v_2, e)) * r_2 * from_bf16(get_bf16(G_v, e));
            }
            out[0] = round_pack_bf16(y[0], y[1]);
            out[1] = round_pack_bf16(y[2], y[3]);
            out[2] = round_pack_bf16(y[4], y[5]);
            out[3] = round_pack_bf16(y[6], y[7]);
            store_once(Y + (long long)b * N + k_2 * 2048 + t_j, out);
        }
    }
}

/// Y = X / rms(X) * G, row by row.
extern "C" __global__ void __launch_bounds__(256, 1)
rmsnorm_any(const bf16* __restrict__ X, const bf16* __restrict__ G, bf16* __restrict__ Y, float eps, long long M, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_j = lane + warp * 32;
    float* const ss_warps = reinterpret_cast<float*>(smem);  // f32[8, 1]
    const long long b = blockIdx.x;
    // 5: tile ss: f32[BM] = 0
    float ss;  // f32[1]
    ss = 0.0f;
    // 6: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (long long k = 0; k < (N + 2047) / 2048; ++k) {
        // 7: let x[i: BM, j: BN] = f32(X[b*BM + i, k*BN + j])
        alignas(16) float x_2[8];  // f32[1, 2048]
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            x_2[r] = from_bf16((r * 256 < N - (k * 2048 + t_j)) ? X[(long long)b * N + k * 2048 + (t_j + r * 256)] : bf16{0x0});
        }
        // 8: ss[i] += sum[j](x[i, j] * x[i, j])
        __syncthreads();
        {
            float ss_part[1];
            ss_part[0] = (x_2[0] * x_2[0]);
            #pragma unroll
            for (int s = 1; s < 8; ++s) ss_part[0] = ss_part[0] + (x_2[s] * x_2[s]);
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                ss_part[0] = ss_part[0] + __shfl_xor_sync(0xffffffff, ss_part[0], mask);
            }
            if (lane == 0) ss_warps[warp] = ss_part[0];
            __syncthreads();
            ss_part[0] = ss_warps[0];
            #pragma unroll
            for (int w = 1; w < 8; ++w) ss_part[0] = ss_part[0] + ss_warps[w];
            ss = ss + ss_part[0];
        }
    }
    // 10: let r[i] = rsqrt(ss[i] / f32(N) + eps)
    float r_2;  // f32[1]
    r_2 = rsqrt_f32(ss / (float)N + eps);
    // 11: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (long long k_2 = 0; k_2 < (N + 2047) / 2048; ++k_2) {
        // 13: Y[b*BM + i, k*BN + j] = x[i, j] * r[i] * f32(G[k*BN + j])
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            if (r * 256 < N - (k_2 * 2048 + t_j)) Y[(long long)b * N + k_2 * 2048 + (t_j + r * 256)] = to_bf16(from_bf16(X[(long long)b * N + k_2 * 2048 + (t_j + r * 256)]) * r_2 * from_bf16(G[k_2 * 2048 + (t_j + r * 256)]));
        }
    }
}
