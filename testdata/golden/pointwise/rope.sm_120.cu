// Kernel `rope` of pointwise.tile for sm_120, made by tilec. Do not edit.
// Generics: T = bf16, D = 128.
// Tuned: BS = 16.
//
// Launch: a one-dimensional grid of (S + 15) / 16 x H blocks; nothing if that is 0.
//   rope: 128 threads, 0 bytes of dynamic shared memory; needs X, ids, cosines, sines, Y aligned to 16 bytes, every extent at most 2^30
//   rope_any: 128 threads, 0 bytes of dynamic shared memory

struct bf16 { unsigned short bits; };

// bf16 to f32, exact.
static __device__ __forceinline__ float from_bf16(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }

// f32 to bf16, to nearest even.
static __device__ __forceinline__ bf16 to_bf16(float x) { bf16 y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }

/// Rotary position embedding, halves rotated against each other, positions read from a table of ids.
extern "C" __global__ void __launch_bounds__(128, 1)
rope(const bf16* __restrict__ X, const int* __restrict__ ids, const float* __restrict__ cosines, const float* __restrict__ sines, bf16* __restrict__ Y, int S, int H, int P) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_i = (lane & 3) * 4;
    const int t_j = (lane >> 2) + warp * 8;
    int rest = (int)blockIdx.x;
    const int sb = rest % ((S + 15) / 16);
    rest /= ((S + 15) / 16);
    const int h = rest;
    // 18: let c[i: BS, j: D / 2] = cosines[ids[sb*BS + i], j]
    alignas(16) float c[8];  // f32[16, 64]
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
        alignas(16) float cosines_v[4];
        {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                cosines_v[e] = ((sb * 16 + (t_i + ((r + e) & 3)) < S && ids[sb * 16 + (t_i + ((r + e) & 3))] >= 0 && ids[sb * 16 + (t_i + ((r + e) & 3))] < P) ? cosines[(long long)ids[sb * 16 + (t_i + ((r + e) & 3))] * 64 + t_j + ((r + e) >> 2) * 32] : 0.0f);
            }
        }
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            c[r + e] = cosines_v[e];
        }
    }
    // 19: let s[i: BS, j: D / 2] = sines[ids[sb*BS + i], j]
    alignas(16) float s_2[8];  // f32[16, 64]
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
        alignas(16) float sines_v[4];
        {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                sines_v[e] = ((sb * 16 + (t_i + ((r + e) & 3)) < S && ids[sb * 16 + (t_i + ((r + e) & 3))] >= 0 && ids[sb * 16 + (t_i + ((r + e) & 3))] < P) ? sines[(long long)ids[sb * 16 + (t_i + ((r + e) & 3))] * 64 + t_j + ((r + e) >> 2) * 32] : 0.0f);
            }
        }
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            s_2[r + e] = sines_v[e];
        }
    }
    // 20: let lo[i: BS, j: D / 2] = f32(X[sb*BS + i, h, j])
    alignas(16) float lo[8];  // f32[16, 64]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        lo[r] = from_bf16((sb * 16 + (t_i + (r & 3)) < S) ? X[(((long long)(sb * 16 + (t_i + (r & 3)))) * H + h) * 128 + t_j + (r >> 2) * 32] : bf16{0x0});
    }
    // 21: let hi[i: BS, j: D / 2] = f32(X[sb*BS + i, h, D / 2 + j])
    alignas(16) float hi[8];  // f32[16, 64]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        hi[r] = from_bf16((sb * 16 + (t_i + (r & 3)) < S) ? X[(((long long)(sb * 16 + (t_i + (r & 3)))) * H + h) * 128 + t_j + (r >> 2) * 32 + 64] : bf16{0x0});
    }
    // 22: Y[sb*BS + i, h, j] = lo[i, j] * c[i, j] - hi[i, j] * s[i, j]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (sb * 16 + (t_i + (r & 3)) < S) Y[(((long long)(sb * 16 + (t_i + (r & 3)))) * H + h) * 128 + t_j + (r >> 2) * 32] = to_bf16(lo[r] * c[r] - hi[r] * s_2[r]);
    }
    // 23: Y[sb*BS + i, h, D / 2 + j] = hi[i, j] * c[i, j] + lo[i, j] * s[i, j]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (sb * 16 + (t_i + (r & 3)) < S) Y[(((long long)(sb * 16 + (t_i + (r & 3)))) * H + h) * 128 + t_j + (r >> 2) * 32 + 64] = to_bf16(hi[r] * c[r] + lo[r] * s_2[r]);
    }
}

/// Rotary position embedding, halves rotated against each other, positions read from a table of ids.
extern "C" __global__ void __launch_bounds__(128, 1)
rope_any(const bf16* __restrict__ X, const int* __restrict__ ids, const float* __restrict__ cosines, const float* __restrict__ sines, bf16* __restrict__ Y, long long S, long long H, long long P) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_i = (lane & 15);
    const int t_j = (lane >> 4) + warp * 2;
    int rest = (int)blockIdx.x;
    const long long sb = rest % ((S + (long long)15) / (long long)16);
    rest /= ((S + (long long)15) / (long long)16);
    const long long h = rest;
    // 18: let c[i: BS, j: D / 2] = cosines[ids[sb*BS + i], j]
    alignas(16) float c[8];  // f32[16, 64]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        c[r] = (sb * (long long)16 + (long long)t_i < S && ids[sb * (long long)16 + (long long)t_i] >= 0 && ids[sb * (long long)16 + (long long)t_i] < P) ? cosines[(long long)ids[sb * (long long)16 + (long long)t_i] * 64 + t_j + r * 8] : 0.0f;
    }
    // 19: let s[i: BS, j: D / 2] = sines[ids[sb*BS + i], j]
    alignas(16) float s_2[8];  // f32[16, 64]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        s_2[r] = (sb * (long long)16 + (long long)t_i < S && ids[sb * (long long)16 + (long long)t_i] >= 0 && ids[sb * (long long)16 + (long long)t_i] < P) ? sines[(long long)ids[sb * (long long)16 + (long long)t_i] * 64 + t_j + r * 8] : 0.0f;
    }
    // 20: let lo[i: BS, j: D / 2] = f32(X[sb*BS + i, h, j])
    alignas(16) float lo[8];  // f32[16, 64]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        lo[r] = from_bf16((sb * (long long)16 + (long long)t_i < S) ? X[(((long long)(sb * (long long)16 + (long long)t_i)) * H + h) * 128 + t_j + r * 8] : bf16{0x0});
    }
    // 21: let hi[i: BS, j: D / 2] = f32(X[sb*BS + i, h, D / 2 + j])
    alignas(16) float hi[8];  // f32[16, 64]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        hi[r] = from_bf16((sb * (long long)16 + (long long)t_i < S) ? X[(((long long)(sb * (long long)16 + (long long)t_i)) * H + h) * 128 + t_j + r * 8 + 64] : bf16{0x0});
    }
    // 22: Y[sb*BS + i, h, j] = lo[i, j] * c[i, j] - hi[i, j] * s[i, j]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (sb * (long long)16 + (long long)t_i < S) Y[(((long long)(sb * (long long)16 + (long long)t_i)) * H + h) * 128 + t_j + r * 8] = to_bf16(lo[r] * c[r] - hi[r] * s_2[r]);
    }
    // 23: Y[sb*BS + i, h, D / 2 + j] = hi[i, j] * c[i, j] + lo[i, j] * s[i, j]
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (sb * (long long)16 + (long long)t_i < S) Y[(((long long)(sb * (long long)16 + (long long)t_i)) * H + h) * 128 + t_j + r * 8 + 64] = to_bf16(hi[r] * c[r] + lo[r] * s_2[r]);
    }
}
