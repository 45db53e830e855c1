// Kernel `softmax` of softmax.tile for sm_90a, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BM = 1, BN = 128, stages = 1.
//
// Launch: a one-dimensional grid of M blocks; nothing if that is 0.
//   softmax: 32 threads, 0 bytes of dynamic shared memory; needs N % 4 == 0, X, Y aligned to 16 bytes, every extent at most 2^30
//   softmax_any: 32 threads, 0 bytes of dynamic shared memory


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

// x / y, given inv = 1 / y: correctly rounded unless the quotient or inv is near the ends of the range.
static __device__ __forceinline__ float divide(float x, float y, float inv) {
    const float q = x * inv, rest = fmaf(-q, y, x);
    return rest == rest ? fmaf(rest, inv, q) : q;
}

/// Row-wise softmax; rows longer than a tile are read in blocks with a running maximum and sum.
extern "C" __global__ void __launch_bounds__(32, 1)
softmax(const float* __restrict__ X, float* __restrict__ Y, int M, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_j = lane * 4;
    const int b = blockIdx.x;
    // 5: tile m: f32[BM] = -inf
    float m_2;  // f32[1]
    m_2 = -__int_as_float(0x7f800000);
    // 6: tile l: f32[BM] = 0
    float l;  // f32[1]
    l = 0.0f;
    // 7: tile x: T[BM, BN]
    alignas(16) float x_2[4];  // f32[1, 128]
    // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
    #pragma unroll 1
    for (int k = 0; k < (N + 127) / 128; ++k) {
        // 9: copy X[b*BM, k*BN] -> x else -inf
        {
            alignas(16) float X_v[4];
            if (k * 128 + t_j < N) {
                copy_bytes<16>(X_v, X + (long long)b * N + k * 128 + t_j);
            } else {
                #pragma unroll
                for (int e = 0; e < 4; ++e) X_v[e] = -__int_as_float(0x7f800000);
            }
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                x_2[e] = X_v[e];
            }
        }
        // 10: let new[i] = max(m[i], max[j](f32(x[i, j])))
        float new_2;  // f32[1]
        float x_max;  // f32[1]
        {
            float x_max_part[1];
            x_max_part[0] = x_2[0];
            #pragma unroll
            for (int s = 1; s < 4; ++s) x_max_part[0] = fmaxf(x_max_part[0], x_2[s]);
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                x_max_part[0] = fmaxf(x_max_part[0], __shfl_xor_sync(0xffffffff, x_max_part[0], mask));
            }
            x_max = x_max_part[0];
        }
        new_2 = fmaxf(m_2, x_max);
        // 11: l[i] = l[i] * exp(m[i] - new[i]) + sum[j](exp(f32(x[i, j]) - new[i]))
        float x_sum;  // f32[1]
        {
            float x_sum_part[1];
            x_sum_part[0] = exp_f32(x_2[0] - new_2);
            #pragma unroll
            for (int s = 1; s < 4; ++s) x_sum_part[0] = x_sum_part[0] + exp_f32(x_2[s] - new_2);
            x_sum = x_sum_part[0];
        }
        l = l * exp_f32(m_2 - new_2) + x_sum;
        // 12: m[i] = new[i]
        m_2 = new_2;
    }
    // 11: l[i] = l[i] * exp(m[i] - new[i]) + sum[j](exp(f32(x[i, j]) - new[i]))
    l = l + __shfl_xor_sync(0xffffffff, l, 1);
    l = l + __shfl_xor_sync(0xffffffff, l, 2);
    l = l + __shfl_xor_sync(0xffffffff, l, 4);
    l = l + __shfl_xor_sync(0xffffffff, l, 8);
    l = l + __shfl_xor_sync(0xffffffff, l, 16);
    // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
    #pragma unroll 1
    for (int k_2 = 0; k_2 < (N + 127) / 128; ++k_2) {
        // 15: copy X[b*BM, k*BN] -> x else -inf
        {
            alignas(16) float X_v_2[4];
            if (k_2 * 128 + t_j < N) {
                copy_bytes<16>(X_v_2, X + (long long)b * N + k_2 * 128 + t_j);
            } else {
                #pragma unroll
                for (int e = 0; e < 4; ++e) X_v_2[e] = -__int_as_float(0x7f800000);
            }
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                x_2[e] = X_v_2[e];
            }
        }
        // 16: Y[b*BM + i, k*BN + j] = exp(f32(x[i, j]) - m[i]) / l[i]
        float l_inv[1];
        l_inv[0] = 1.0f / l;
        if (k_2 * 128 + t_j < N) {
            alignas(16) float out[4];
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                out[e] = divide(exp_f32(x_2[e] - m_2), l, l_inv[0]);
            }
            store_once(Y + (long long)b * N + k_2 * 128 + t_j, out);
        }
    }
}

/// Row-wise softmax; rows longer than a tile are read in blocks with a running maximum and sum.
extern "C" __global__ void __launch_bounds__(32, 1)
softmax_any(const float* __restrict__ X, float* __restrict__ Y, long long M, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_j = lane;
    const long long b = blockIdx.x;
    // 5: tile m: f32[BM] = -inf
    float m_2;  // f32[1]
    m_2 = -__int_as_float(0x7f800000);
    // 6: tile l: f32[BM] = 0
    float l;  // f32[1]
    l = 0.0f;
    // 7: tile x: T[BM, BN]
    alignas(16) float x_2[4];  // f32[1, 128]
    // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
    #pragma unroll 1
    for (long long k = 0; k < (N + 127) / 128; ++k) {
        // 9: copy X[b*BM, k*BN] -> x else -inf
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
            x_2[r] = (r * 32 < N - (k * 128 + t_j)) ? X[(long long)b * N + k * 128 + (t_j + r * 32)] : -__int_as_float(0x7f800000);
        }
        // 10: let new[i] = max(m[i], max[j](f32(x[i, j])))
        float new_2;  // f32[1]
        float x_max;  // f32[1]
        {
            float x_max_part[1];
            x_max_part[0] = x_2[0];
            #pragma unroll
            for (int s = 1; s < 4; ++s) x_max_part[0] = fmaxf(x_max_part[0], x_2[s]);
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                x_max_part[0] = fmaxf(x_max_part[0], __shfl_xor_sync(0xffffffff, x_max_part[0], mask));
            }
            x_max = x_max_part[0];
        }
        new_2 = fmaxf(m_2, x_max);
        // 11: l[i] = l[i] * exp(m[i] - new[i]) + sum[j](exp(f32(x[i, j]) - new[i]))
        float x_sum;  // f32[1]
        {
            float x_sum_part[1];
            x_sum_part[0] = exp_f32(x_2[0] - new_2);
            #pragma unroll
            for (int s = 1; s < 4; ++s) x_sum_part[0] = x_sum_part[0] + exp_f32(x_2[s] - new_2);
            x_sum = x_sum_part[0];
        }
        l = l * exp_f32(m_2 - new_2) + x_sum;
        // 12: m[i] = new[i]
        m_2 = new_2;
    }
    // 11: l[i] = l[i] * exp(m[i] - new[i]) + sum[j](exp(f32(x[i, j]) - new[i]))
    l = l + __shfl_xor_sync(0xffffffff, l, 1);
    l = l + __shfl_xor_sync(0xffffffff, l, 2);
    l = l + __shfl_xor_sync(0xffffffff, l, 4);
    l = l + __shfl_xor_sync(0xffffffff, l, 8);
    l = l + __shfl_xor_sync(0xffffffff, l, 16);
    // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
    #pragma unroll 1
    for (long long k_2 = 0; k_2 < (N + 127) / 128; ++k_2) {
        // 15: copy X[b*BM, k*BN] -> x else -inf
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
            x_2[r] = (r * 32 < N - (k_2 * 128 + t_j)) ? X[(long long)b * N + k_2 * 128 + (t_j + r * 32)] : -__int_as_float(0x7f800000);
        }
        // 16: Y[b*BM + i, k*BN + j] = exp(f32(x[i, j]) - m[i]) / l[i]
        float l_inv[1];
        l_inv[0] = 1.0f / l;
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
            if (r * 32 < N - (k_2 * 128 + t_j)) Y[(long long)b * N + k_2 * 128 + (t_j + r * 32)] = divide(exp_f32(x_2[r] - m_2), l, l_inv[0]);
        }
    }
}
