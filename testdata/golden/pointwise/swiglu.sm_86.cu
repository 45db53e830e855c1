// Kernel `swiglu` of pointwise.tile for sm_86, made by tilec. Do not edit.
// Generics: T = bf16.
// Tuned: BM = 4, BN = 256.
//
// Launch: a one-dimensional grid of (N + 255) / 256 x (M + 3) / 4 blocks; nothing if that is 0.
//   swiglu: 128 threads, 0 bytes of dynamic shared memory; needs N % 8 == 0, X, Y aligned to 16 bytes, every extent at most 2^30
//   swiglu_any: 128 threads, 0 bytes of dynamic shared memory

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

// 2^x within 2 units in the last place; results below 2^-126 are flushed to 0.
static __device__ __forceinline__ float exp2_f32(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }

// e^x as 2^(x log2(e)): the relative error is within 2^-22 + |x| * 2^-23; results below 2^-126 are flushed to 0.
static __device__ __forceinline__ float exp_f32(float x) { return exp2_f32(x * 1.4426950408889634f); }

static __device__ __forceinline__ float sigmoid_f32(float x) { return 1.0f / (1.0f + exp_f32(-x)); }

/// Y = silu(gate) * up, the two halves of X's rows.
extern "C" __global__ void __launch_bounds__(128, 1)
swiglu(const bf16* __restrict__ X, bf16* __restrict__ Y, int M, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_i = warp;
    const int t_j = lane * 8;
    int rest = (int)blockIdx.x;
    const int bx = rest % ((N + 255) / 256);
    rest /= (N + 255) / 256;
    const int by = rest;
    // 5: let gate[i: BM, j: BN] = f32(X[by*BM + i, bx*BN + j])
    alignas(16) float gate[8];  // f32[4, 256]
    {
        alignas(16) unsigned X_v[4];
        if (by * 4 + t_i < M && bx * 256 + t_j < (long long)N * 2) {
            copy_bytes<16>(X_v, X + (long long)(by * 4 + t_i) * (2 * (long long)N) + bx * 256 + t_j);
        } else {
            X_v[0] = 0;
            X_v[1] = 0;
            X_v[2] = 0;
            X_v[3] = 0;
        }
        #pragma unroll
        for (int e = 0; e < 8; ++e) {
            gate[e] = from_bf16(get_bf16(X_v, e));
        }
    }
    // 7: Y[by*BM + i, bx*BN + j] = gate[i, j] * sigmoid(gate[i, j]) * up[i, j]
    if (by * 4 + t_i < M && bx * 256 + t_j < N) {
        alignas(16) unsigned X_v_2[4];
        copy_bytes<16>(X_v_2, X + (long long)(by * 4 + t_i) * (2 * (long long)N) + N + bx * 256 + t_j);
        alignas(16) unsigned out[4];
        float y[8];
        #pragma unroll
        for (int e = 0; e < 8; ++e) {
            y[e] = gate[e] * sigmoid_f32(gate[e]) * from_bf16(get_bf16(X_v_2, e));
        }
        out[0] = round_pack_bf16(y[0], y[1]);
        out[1] = round_pack_bf16(y[2], y[3]);
        out[2] = round_pack_bf16(y[4], y[5]);
        out[3] = round_pack_bf16(y[6], y[7]);
        store_once(Y + (long long)(by * 4 + t_i) * N + bx * 256 + t_j, out);
    }
}

/// Y = silu(gate) * up, the two halves of X's rows.
extern "C" __global__ void __launch_bounds__(128, 1)
swiglu_any(const bf16* __restrict__ X, bf16* __restrict__ Y, long long M, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_j = lane + warp * 32;
    int rest = (int)blockIdx.x;
    const long long bx = rest % ((N + 255) / 256);
    rest /= (N + 255) / 256;
    const long long by = rest;
    // 5: let gate[i: BM, j: BN] = f32(X[by*BM + i, bx*BN + j])
    alignas(16) float gate[8];  // f32[4, 256]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        gate[r] = from_bf16(((r >> 1) < M - by * 4 && (r & 1) * 128 < N * 2 - (bx * 256 + t_j)) ? X[(long long)(by * 4 + (r >> 1)) * (2 * N) + bx * 256 + (t_j + (r & 1) * 128)] : bf16{0x0});
    }
    // 7: Y[by*BM + i, bx*BN + j] = gate[i, j] * sigmoid(gate[i, j]) * up[i, j]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if ((r >> 1) < M - by * 4 && (r & 1) * 128 < N - (bx * 256 + t_j)) Y[(long long)(by * 4 + (r >> 1)) * N + bx * 256 + (t_j + (r & 1) * 128)] = to_bf16(gate[r] * sigmoid_f32(gate[r]) * from_bf16(X[(long long)(by * 4 + (r >> 1)) * (2 * N) + N + bx * 256 + (t_j + (r & 1) * 128)]));
    }
}
