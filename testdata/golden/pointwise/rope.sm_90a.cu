// Kernel `rope` of pointwise.tile for sm_90a, made by tilec. Do not edit.
// Generics: T = bf16, D = 128.
// Tuned: BS = 4.
//
// Launch: a one-dimensional grid of (S + 3) / 4 x H blocks; nothing if that is 0.
//   rope: 32 threads, 0 bytes of dynamic shared memory; needs X, ids, cosines, sines, Y aligned to 16 bytes, every extent at most 2^30
//   rope_any: 32 threads, 0 bytes of dynamic shared memory

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

template <int N>
static __device__ __forceinline__ void zero_bytes(void* to) { *reinterpret_cast<typename access_type<N>::type*>(to) = typename access_type<N>::type{}; }

// Stores 16 bytes to global memory in one instruction.
static __device__ __forceinline__ void store_global(void* to, const void* from) {
    const unsigned* w = reinterpret_cast<const unsigned*>(from);
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
}

/// Rotary position embedding, halves rotated against each other, positions read from a table of ids.
extern "C" __global__ void __launch_bounds__(32, 1)
rope(const bf16* __restrict__ X, const int* __restrict__ ids, const float* __restrict__ cosines, const float* __restrict__ sines, bf16* __restrict__ Y, int S, int H, int P) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_i = lane >> 3;
    const int t_j = (lane & 7) * 8;
    int rest = (int)blockIdx.x;
    const int sb = rest % ((S + 3) / 4);
    rest /= (S + 3) / 4;
    const int h = rest;
    // 18: let c[i: BS, j: D / 2] = cosines[ids[sb*BS + i], j]
    alignas(16) float c[8];  // f32[4, 64]
    int ids_once;  // i32[4]
    ids_once = (sb * 4 + t_i < S) ? ids[sb * 4 + t_i] : 0;
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
        if (sb * 4 + t_i < S && ids_once >= 0 && ids_once < P) copy_bytes<16>(c + r, cosines + (long long)ids_once * 64 + t_j + r);
        else zero_bytes<16>(c + r);
    }
    // 19: let s[i: BS, j: D / 2] = sines[ids[sb*BS + i], j]
    alignas(16) float s_2[8];  // f32[4, 64]
    int ids_once_2;  // i32[4]
    ids_once_2 = (sb * 4 + t_i < S) ? ids[sb * 4 + t_i] : 0;
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
        if (sb * 4 + t_i < S && ids_once_2 >= 0 && ids_once_2 < P) copy_bytes<16>(s_2 + r, sines + (long long)ids_once_2 * 64 + t_j + r);
        else zero_bytes<16>(s_2 + r);
    }
    // 20: let lo[i: BS, j: D / 2] = f32(X[sb*BS + i, h, j])
    alignas(16) float lo[8];  // f32[4, 64]
    {
        alignas(16) unsigned X_v[4];
        if (sb * 4 + t_i < S) {
            copy_bytes<16>(X_v, X + ((long long)(sb * 4 + t_i) * H + h) * 128 + t_j);
        } else {
            X_v[0] = 0;
            X_v[1] = 0;
            X_v[2] = 0;
            X_v[3] = 0;
        }
        #pragma unroll
        for (int e = 0; e < 8; ++e) {
            lo[e] = from_bf16(get_bf16(X_v, e));
        }
    }
    // 21: let hi[i: BS, j: D / 2] = f32(X[sb*BS + i, h, D / 2 + j])
    alignas(16) float hi[8];  // f32[4, 64]
    {
        alignas(16) unsigned X_v_2[4];
        if (sb * 4 + t_i < S) {
            copy_bytes<16>(X_v_2, X + ((long long)(sb * 4 + t_i) * H + h) * 128 + t_j + 64);
        } else {
            X_v_2[0] = 0;
            X_v_2[1] = 0;
            X_v_2[2] = 0;
            X_v_2[3] = 0;
        }
        #pragma unroll
        for (int e = 0; e < 8; ++e) {
            hi[e] = from_bf16(get_bf16(X_v_2, e));
        }
    }
    // 22: Y[sb*BS + i, h, j] = lo[i, j] * c[i, j] - hi[i, j] * s[i, j]
    if (sb * 4 + t_i < S) {
        alignas(16) unsigned out[4];
        float y[8];
        #pragma unroll
        for (int e = 0; e < 8; ++e) {
            y[e] = lo[e] * c[e] - hi[e] * s_2[e];
        }
        out[0] = round_pack_bf16(y[0], y[1]);
        out[1] = round_pack_bf16(y[2], y[3]);
        out[2] = round_pack_bf16(y[4], y[5]);
        out[3] = round_pack_bf16(y[6], y[7]);
        store_global(Y + ((long long)(sb * 4 + t_i) * H + h) * 128 + t_j, out);
    }
    // 23: Y[sb*BS + i, h, D / 2 + j] = hi[i, j] * c[i, j] + lo[i, j] * s[i, j]
    if (sb * 4 + t_i < S) {
        alignas(16) unsigned out_2[4];
        float y_2[8];
        #pragma unroll
        for (int e = 0; e < 8; ++e) {
            y_2[e] = hi[e] * c[e] + lo[e] * s_2[e];
        }
        out_2[0] = round_pack_bf16(y_2[0], y_2[1]);
        out_2[1] = round_pack_bf16(y_2[2], y_2[3]);
        out_2[2] = round_pack_bf16(y_2[4], y_2[5]);
        out_2[3] = round_pack_bf16(y_2[6], y_2[7]);
        store_global(Y + ((long long)(sb * 4 + t_i) * H + h) * 128 + t_j + 64, out_2);
    }
}

/// Rotary position embedding, halves rotated against each other, positions read from a table of ids.
extern "C" __global__ void __launch_bounds__(32, 1)
rope_any(const bf16* __restrict__ X, const int* __restrict__ ids, const float* __restrict__ cosines, const float* __restrict__ sines, bf16* __restrict__ Y, long long S, long long H, long long P) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_j = lane;
    int rest = (int)blockIdx.x;
    const long long sb = rest % ((S + 3) / 4);
    rest /= (S + 3) / 4;
    const long long h = rest;
    // 18: let c[i: BS, j: D / 2] = cosines[ids[sb*BS + i], j]
    alignas(16) float c[8];  // f32[4, 64]
    alignas(16) int ids_once[4];  // i32[4]
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        ids_once[r] = (r < S - sb * 4) ? ids[sb * 4 + r] : 0;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        c[r] = ((r >> 1) < S - sb * 4 && ids_once[r >> 1] >= 0 && ids_once[r >> 1] < P) ? cosines[(long long)ids_once[r >> 1] * 64 + t_j + (r & 1) * 32] : 0.0f;
    }
    // 19: let s[i: BS, j: D / 2] = sines[ids[sb*BS + i], j]
    alignas(16) float s_2[8];  // f32[4, 64]
    alignas(16) int ids_once_2[4];  // i32[4]
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        ids_once_2[r] = (r < S - sb * 4) ? ids[sb * 4 + r] : 0;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        s_2[r] = ((r >> 1) < S - sb * 4 && ids_once_2[r >> 1] >= 0 && ids_once_2[r >> 1] < P) ? sines[(long long)ids_once_2[r >> 1] * 64 + t_j + (r & 1) * 32] : 0.0f;
    }
    // 20: let lo[i: BS, j: D / 2] = f32(X[sb*BS + i, h, j])
    alignas(16) float lo[8];  // f32[4, 64]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        lo[r] = from_bf16(((r >> 1) < S - sb * 4) ? X[((long long)(sb * 4 + (r >> 1)) * H + h) * 128 + t_j + (r & 1) * 32] : bf16{0x0});
    }
    // 21: let hi[i: BS, j: D / 2] = f32(X[sb*BS + i, h, D / 2 + j])
    alignas(16) float hi[8];  // f32[4, 64]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        hi[r] = from_bf16(((r >> 1) < S - sb * 4) ? X[((long long)(sb * 4 + (r >> 1)) * H + h) * 128 + t_j + (r & 1) * 32 + 64] : bf16{0x0});
    }
    // 22: Y[sb*BS + i, h, j] = lo[i, j] * c[i, j] - hi[i, j] * s[i, j]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if ((r >> 1) < S - sb * 4) Y[((long long)(sb * 4 + (r >> 1)) * H + h) * 128 + t_j + (r & 1) * 32] = to_bf16(lo[r] * c[r] - hi[r] * s_2[r]);
    }
    // 23: Y[sb*BS + i, h, D / 2 + j] = hi[i, j] * c[i, j] + lo[i, j] * s[i, j]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if ((r >> 1) < S - sb * 4) Y[((long long)(sb * 4 + (r >> 1)) * H + h) * 128 + t_j + (r & 1) * 32 + 64] = to_bf16(hi[r] * c[r] + lo[r] * s_2[r]);
    }
}
