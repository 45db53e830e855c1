// Kernel `softmax` of softmax.tile for sm_80, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BM = 1, BN = 1024, stages = 3.
//
// Launch: a one-dimensional grid of M blocks; nothing if that is 0.
//   softmax: 256 threads, 12448 bytes of dynamic shared memory; needs N % 4 == 0, X, Y aligned to 16 bytes, every extent at most 2^30
//   softmax_any: 256 threads, 12448 bytes of dynamic shared memory


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

// The address of a pointer within the shared window.
static __device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// Stores N bytes to shared memory in one instruction.
template <int N>
static __device__ __forceinline__ void store_shared(unsigned to, const unsigned* w) {
    if (N == 16) asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(w[0]), "r"(w[1]), "r"(w[2 % (N / 4)]), "r"(w[3 % (N / 4)]) : "memory");
    else asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(w[0]), "r"(w[1]) : "memory");
}

// x itself, computed once: without this, ptxas computes addresses anew in each iteration of a loop.
static __device__ __forceinline__ unsigned pin(unsigned x) { return __shfl_sync(0xffffffff, x, threadIdx.x & 31); }

// Starts a copy of N bytes to shared memory, of which those beyond the count are zeroed instead.
template <int N>
static __device__ __forceinline__ void cp_async(unsigned to, const void* from, int bytes = N) {
    if (N == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(from), "r"(bytes), "n"(N) : "memory");
}

static __device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most N groups of copies are in flight.
template <int N>
static __device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

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
extern "C" __global__ void __launch_bounds__(256, 1)
softmax(const float* __restrict__ X, float* __restrict__ Y, int M, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    float* const x_2 = reinterpret_cast<float*>(smem + 0);  // f32[3, 1, 1024]
    const int t_j = lane * 4 + warp * 128;
    const unsigned x_base = shared_address(x_2);
    const unsigned t_dst = pin(t_j * 4);
    float* const x_max_warps = reinterpret_cast<float*>(smem + 12288);  // f32[8, 1]
    float* const x_sum_warps = reinterpret_cast<float*>(smem + 12416);  // f32[8, 1]
    float* const x_3 = reinterpret_cast<float*>(smem + 0);  // f32[3, 1, 1024]
    const unsigned x_base_2 = shared_address(x_3);
    const int b = blockIdx.x;
    // 5: tile m: f32[BM] = -inf
    float m_2;  // f32[1]
    {
        m_2 = -__int_as_float(0x7f800000);
    }
    // 6: tile l: f32[BM] = 0
    float l;  // f32[1]
    {
        l = 0.0f;
    }
    // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
    if (0 < (N + 1023) / 1024) {
        // 9: copy X[b*BM, k*BN] -> x else -inf
        const float* const X_src = X + (long long)b * N + t_j;
        {
            if (t_j < N) {
                cp_async<16>(x_base + t_dst, X_src);
            } else {
                alignas(16) float outside[4];
                #pragma unroll
                for (int e = 0; e < 4; ++e) outside[e] = -__int_as_float(0x7f800000);
                store_shared<16>(shared_address(x_2 + t_j), reinterpret_cast<const unsigned*>(outside));
            }
        }
    }
    // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
    cp_async_commit();
    if (1 < (N + 1023) / 1024) {
        // 9: copy X[b*BM, k*BN] -> x else -inf
        const float* const X_src_2 = X + (long long)b * N + 1024 + t_j;
        {
            if (1024 + t_j < N) {
                cp_async<16>(x_base + t_dst + 1 * 4096, X_src_2);
            } else {
                alignas(16) float outside_2[4];
                #pragma unroll
                for (int e = 0; e < 4; ++e) outside_2[e] = -__int_as_float(0x7f800000);
                store_shared<16>(shared_address(x_2 + 1 * 1024 + t_j), reinterpret_cast<const unsigned*>(outside_2));
            }
        }
    }
    // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
    cp_async_commit();
    int stage = 0;
    int stage_ahead = 2;
    const float* X_src_3 = X + (long long)b * N + (0 + 2) * 1024 + t_j;
    #pragma unroll 1
    for (int k = 0; k < (N + 1023) / 1024; ++k) {
        cp_async_wait<1>();
        if (k + 2 < (N + 1023) / 1024) {
            // 9: copy X[b*BM, k*BN] -> x else -inf
            {
                if ((k + 2) * 1024 + t_j < N) {
                    cp_async<16>(x_base + t_dst + stage_ahead * 4096, X_src_3);
                } else {
                    alignas(16) float outside_3[4];
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) outside_3[e] = -__int_as_float(0x7f800000);
                    store_shared<16>(shared_address(x_2 + stage_ahead * 1024 + t_j), reinterpret_cast<const unsigned*>(outside_3));
                }
            }
        }
        // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
        cp_async_commit();
        // 10: let new[i] = max(m[i], max[j](f32(x[i, j])))
        float new_2;  // f32[1]
        float x_max;  // f32[1]
        {
            float x_max_part[1];
            #pragma unroll
            for (int r = 0; r < 1; ++r) x_max_part[r] = -__int_as_float(0x7f800000);
            {
                alignas(16) float x_v[4];
                copy_bytes<16>(x_v, x_2 + stage * 1024 + t_j);
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    x_max_part[0] = fmaxf(x_max_part[0], x_v[e]);
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
            for (int w = 1; w < 8; ++w) x_max_part[0] = fmaxf(x_max_part[0], x_max_warps[w]);
            {
                x_max = x_max_part[0];
            }
        }
        {
            new_2 = fmaxf(m_2, x_max);
        }
        // 11: l[i] = l[i] * exp(m[i] - new[i]) + sum[j](exp(f32(x[i, j]) - new[i]))
        float x_sum;  // f32[1]
        {
            float x_sum_part[1];
            #pragma unroll
            for (int r = 0; r < 1; ++r) x_sum_part[r] = 0.0f;
            {
                alignas(16) float x_v_2[4];
                copy_bytes<16>(x_v_2, x_2 + stage * 1024 + t_j);
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    x_sum_part[0] = x_sum_part[0] + exp_f32(x_v_2[e] - new_2);
                }
            }
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                x_sum_part[0] = x_sum_part[0] + __shfl_xor_sync(0xffffffff, x_sum_part[0], mask);
            }
            if (lane == 0) x_sum_warps[warp] = x_sum_part[0];
            __syncthreads();
            x_sum_part[0] = x_sum_warps[0];
            #pragma unroll
            for (int w = 1; w < 8; ++w) x_sum_part[0] = x_sum_part[0] + x_sum_warps[w];
            {
                x_sum = x_sum_part[0];
            }
        }
        {
            l = l * exp_f32(m_2 - new_2) + x_sum;
        }
        // 12: m[i] = new[i]
        {
            m_2 = new_2;
        }
        // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
        stage_ahead = stage;
        stage = stage + 1 == 3 ? 0 : stage + 1;
        X_src_3 += 1024;
    }
    // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
    __syncthreads();
    if (0 < (N + 1023) / 1024) {
        // 15: copy X[b*BM, k*BN] -> x else -inf
        const float* const X_src_4 = X + (long long)b * N + t_j;
        {
            if (t_j < N) {
                cp_async<16>(x_base_2 + t_dst, X_src_4);
            } else {
                alignas(16) float outside_4[4];
                #pragma unroll
                for (int e = 0; e < 4; ++e) outside_4[e] = -__int_as_float(0x7f800000);
                store_shared<16>(shared_address(x_3 + t_j), reinterpret_cast<const unsigned*>(outside_4));
            }
        }
    }
    // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
    cp_async_commit();
    if (1 < (N + 1023) / 1024) {
        // 15: copy X[b*BM, k*BN] -> x else -inf
        const float* const X_src_5 = X + (long long)b * N + 1024 + t_j;
        {
            if (1024 + t_j < N) {
                cp_async<16>(x_base_2 + t_dst + 1 * 4096, X_src_5);
            } else {
                alignas(16) float outside_5[4];
                #pragma unroll
                for (int e = 0; e < 4; ++e) outside_5[e] = -__int_as_float(0x7f800000);
                store_shared<16>(shared_address(x_3 + 1 * 1024 + t_j), reinterpret_cast<const unsigned*>(outside_5));
            }
        }
    }
    // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
    cp_async_commit();
    int stage_2 = 0;
    int stage_ahead_2 = 2;
    const float* X_src_6 = X + (long long)b * N + (0 + 2) * 1024 + t_j;
    #pragma unroll 1
    for (int k_2 = 0; k_2 < (N + 1023) / 1024; ++k_2) {
        cp_async_wait<1>();
        __syncthreads();
        if (k_2 + 2 < (N + 1023) / 1024) {
            // 15: copy X[b*BM, k*BN] -> x else -inf
            {
                if ((k_2 + 2) * 1024 + t_j < N) {
                    cp_async<16>(x_base_2 + t_dst + stage_ahead_2 * 4096, X_src_6);
                } else {
                    alignas(16) float outside_6[4];
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) outside_6[e] = -__int_as_float(0x7f800000);
                    store_shared<16>(shared_address(x_3 + stage_ahead_2 * 1024 + t_j), reinterpret_cast<const unsigned*>(outside_6));
                }
            }
        }
        // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
        cp_async_commit();
        // 16: Y[b*BM + i, k*BN + j] = exp(f32(x[i, j]) - m[i]) / l[i]
        float l_inv[1];
        l_inv[0] = 1.0f / l;
        {
            if (k_2 * 1024 + t_j < N) {
                alignas(16) float x_v_3[4];
                copy_bytes<16>(x_v_3, x_3 + stage_2 * 1024 + t_j);
                alignas(16) float out[4];
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    out[e] = divide(exp_f32(x_v_3[e] - m_2), l, l_inv[0]);
                }
                copy_bytes<16>(Y + (long long)b * N + k_2 * 1024 + t_j, out);
            }
        }
        // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
        stage_ahead_2 = stage_2;
        stage_2 = stage_2 + 1 == 3 ? 0 : stage_2 + 1;
        X_src_6 += 1024;
    }
}

/// Row-wise softmax; rows longer than a tile are read in blocks with a running maximum and sum.
extern "C" __global__ void __launch_bounds__(256, 1)
softmax_any(const float* __restrict__ X, float* __restrict__ Y, long long M, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    float* const x_2 = reinterpret_cast<float*>(smem + 0);  // f32[3, 1, 1024]
    const int t_j = lane * 4 + warp * 128;
    const unsigned x_base = shared_address(x_2);
    const unsigned t_dst = t_j * 4;
    float* const x_max_warps = reinterpret_cast<float*>(smem + 12288);  // f32[8, 1]
    float* const x_sum_warps = reinterpret_cast<float*>(smem + 12416);  // f32[8, 1]
    float* const x_3 = reinterpret_cast<float*>(smem + 0);  // f32[3, 1, 1024]
    const unsigned x_base_2 = shared_address(x_3);
    const long long b = blockIdx.x;
    // 5: tile m: f32[BM] = -inf
    float m_2;  // f32[1]
    {
        m_2 = -__int_as_float(0x7f800000);
    }
    // 6: tile l: f32[BM] = 0
    float l;  // f32[1]
    {
        l = 0.0f;
    }
    // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
    if (0 < (N + (long long)1023) / (long long)1024) {
        // 9: copy X[b*BM, k*BN] -> x else -inf
        const float* const X_src = X + (long long)b * N + t_j;
        {
            if (t_j < N) {
                cp_async<4>(x_base + t_dst, X_src);
            } else {
                alignas(16) float outside[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_2 + t_j, outside);
            }
            if (t_j + 1 < N) {
                cp_async<4>(x_base + t_dst + 4, X_src + 1);
            } else {
                alignas(16) float outside_2[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_2[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_2 + t_j + 1, outside_2);
            }
            if (t_j + 2 < N) {
                cp_async<4>(x_base + t_dst + 8, X_src + 2);
            } else {
                alignas(16) float outside_3[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_3[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_2 + t_j + 2, outside_3);
            }
            if (t_j + 3 < N) {
                cp_async<4>(x_base + t_dst + 12, X_src + 3);
            } else {
                alignas(16) float outside_4[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_4[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_2 + t_j + 3, outside_4);
            }
        }
    }
    // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
    cp_async_commit();
    if (1 < (N + (long long)1023) / (long long)1024) {
        // 9: copy X[b*BM, k*BN] -> x else -inf
        const float* const X_src_2 = X + (long long)b * N + 1024 + t_j;
        {
            if (1024 + t_j < N) {
                cp_async<4>(x_base + t_dst + 1 * 4096, X_src_2);
            } else {
                alignas(16) float outside_5[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_5[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_2 + 1 * 1024 + t_j, outside_5);
            }
            if (1024 + (t_j + 1) < N) {
                cp_async<4>(x_base + t_dst + 1 * 4096 + 4, X_src_2 + 1);
            } else {
                alignas(16) float outside_6[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_6[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_2 + 1 * 1024 + (t_j + 1), outside_6);
            }
            if (1024 + (t_j + 2) < N) {
                cp_async<4>(x_base + t_dst + 1 * 4096 + 8, X_src_2 + 2);
            } else {
                alignas(16) float outside_7[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_7[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_2 + 1 * 1024 + (t_j + 2), outside_7);
            }
            if (1024 + (t_j + 3) < N) {
                cp_async<4>(x_base + t_dst + 1 * 4096 + 12, X_src_2 + 3);
            } else {
                alignas(16) float outside_8[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_8[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_2 + 1 * 1024 + (t_j + 3), outside_8);
            }
        }
    }
    // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
    cp_async_commit();
    int stage = 0;
    int stage_ahead = 2;
    const float* X_src_3 = X + (long long)b * N + (0 + (long long)2) * (long long)1024 + (long long)t_j;
    #pragma unroll 1
    for (long long k = 0; k < (N + (long long)1023) / (long long)1024; ++k) {
        cp_async_wait<1>();
        if (k + (long long)2 < (N + (long long)1023) / (long long)1024) {
            // 9: copy X[b*BM, k*BN] -> x else -inf
            {
                if ((k + (long long)2) * (long long)1024 + (long long)t_j < N) {
                    cp_async<4>(x_base + t_dst + stage_ahead * 4096, X_src_3);
                } else {
                    alignas(16) float outside_9[1];
                    #pragma unroll
                    for (int e = 0; e < 1; ++e) outside_9[e] = -__int_as_float(0x7f800000);
                    copy_bytes<4>(x_2 + stage_ahead * 1024 + t_j, outside_9);
                }
                if ((k + (long long)2) * (long long)1024 + (long long)(t_j + 1) < N) {
                    cp_async<4>(x_base + t_dst + stage_ahead * 4096 + 4, X_src_3 + 1);
                } else {
                    alignas(16) float outside_10[1];
                    #pragma unroll
                    for (int e = 0; e < 1; ++e) outside_10[e] = -__int_as_float(0x7f800000);
                    copy_bytes<4>(x_2 + stage_ahead * 1024 + (t_j + 1), outside_10);
                }
                if ((k + (long long)2) * (long long)1024 + (long long)(t_j + 2) < N) {
                    cp_async<4>(x_base + t_dst + stage_ahead * 4096 + 8, X_src_3 + 2);
                } else {
                    alignas(16) float outside_11[1];
                    #pragma unroll
                    for (int e = 0; e < 1; ++e) outside_11[e] = -__int_as_float(0x7f800000);
                    copy_bytes<4>(x_2 + stage_ahead * 1024 + (t_j + 2), outside_11);
                }
                if ((k + (long long)2) * (long long)1024 + (long long)(t_j + 3) < N) {
                    cp_async<4>(x_base + t_dst + stage_ahead * 4096 + 12, X_src_3 + 3);
                } else {
                    alignas(16) float outside_12[1];
                    #pragma unroll
                    for (int e = 0; e < 1; ++e) outside_12[e] = -__int_as_float(0x7f800000);
                    copy_bytes<4>(x_2 + stage_ahead * 1024 + (t_j + 3), outside_12);
                }
            }
        }
        // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
        cp_async_commit();
        // 10: let new[i] = max(m[i], max[j](f32(x[i, j])))
        float new_2;  // f32[1]
        float x_max;  // f32[1]
        {
            float x_max_part[1];
            #pragma unroll
            for (int r = 0; r < 1; ++r) x_max_part[r] = -__int_as_float(0x7f800000);
            {
                alignas(16) float x_v[4];
                copy_bytes<16>(x_v, x_2 + stage * 1024 + t_j);
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    x_max_part[0] = fmaxf(x_max_part[0], x_v[e]);
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
            for (int w = 1; w < 8; ++w) x_max_part[0] = fmaxf(x_max_part[0], x_max_warps[w]);
            {
                x_max = x_max_part[0];
            }
        }
        {
            new_2 = fmaxf(m_2, x_max);
        }
        // 11: l[i] = l[i] * exp(m[i] - new[i]) + sum[j](exp(f32(x[i, j]) - new[i]))
        float x_sum;  // f32[1]
        {
            float x_sum_part[1];
            #pragma unroll
            for (int r = 0; r < 1; ++r) x_sum_part[r] = 0.0f;
            {
                alignas(16) float x_v_2[4];
                copy_bytes<16>(x_v_2, x_2 + stage * 1024 + t_j);
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    x_sum_part[0] = x_sum_part[0] + exp_f32(x_v_2[e] - new_2);
                }
            }
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                x_sum_part[0] = x_sum_part[0] + __shfl_xor_sync(0xffffffff, x_sum_part[0], mask);
            }
            if (lane == 0) x_sum_warps[warp] = x_sum_part[0];
            __syncthreads();
            x_sum_part[0] = x_sum_warps[0];
            #pragma unroll
            for (int w = 1; w < 8; ++w) x_sum_part[0] = x_sum_part[0] + x_sum_warps[w];
            {
                x_sum = x_sum_part[0];
            }
        }
        {
            l = l * exp_f32(m_2 - new_2) + x_sum;
        }
        // 12: m[i] = new[i]
        {
            m_2 = new_2;
        }
        // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
        stage_ahead = stage;
        stage = stage + 1 == 3 ? 0 : stage + 1;
        X_src_3 += 1024;
    }
    // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
    __syncthreads();
    if (0 < (N + (long long)1023) / (long long)1024) {
        // 15: copy X[b*BM, k*BN] -> x else -inf
        const float* const X_src_4 = X + (long long)b * N + t_j;
        {
            if (t_j < N) {
                cp_async<4>(x_base_2 + t_dst, X_src_4);
            } else {
                alignas(16) float outside_13[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_13[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_3 + t_j, outside_13);
            }
            if (t_j + 1 < N) {
                cp_async<4>(x_base_2 + t_dst + 4, X_src_4 + 1);
            } else {
                alignas(16) float outside_14[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_14[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_3 + t_j + 1, outside_14);
            }
            if (t_j + 2 < N) {
                cp_async<4>(x_base_2 + t_dst + 8, X_src_4 + 2);
            } else {
                alignas(16) float outside_15[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_15[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_3 + t_j + 2, outside_15);
            }
            if (t_j + 3 < N) {
                cp_async<4>(x_base_2 + t_dst + 12, X_src_4 + 3);
            } else {
                alignas(16) float outside_16[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_16[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_3 + t_j + 3, outside_16);
            }
        }
    }
    // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
    cp_async_commit();
    if (1 < (N + (long long)1023) / (long long)1024) {
        // 15: copy X[b*BM, k*BN] -> x else -inf
        const float* const X_src_5 = X + (long long)b * N + 1024 + t_j;
        {
            if (1024 + t_j < N) {
                cp_async<4>(x_base_2 + t_dst + 1 * 4096, X_src_5);
            } else {
                alignas(16) float outside_17[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_17[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_3 + 1 * 1024 + t_j, outside_17);
            }
            if (1024 + (t_j + 1) < N) {
                cp_async<4>(x_base_2 + t_dst + 1 * 4096 + 4, X_src_5 + 1);
            } else {
                alignas(16) float outside_18[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_18[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_3 + 1 * 1024 + (t_j + 1), outside_18);
            }
            if (1024 + (t_j + 2) < N) {
                cp_async<4>(x_base_2 + t_dst + 1 * 4096 + 8, X_src_5 + 2);
            } else {
                alignas(16) float outside_19[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_19[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_3 + 1 * 1024 + (t_j + 2), outside_19);
            }
            if (1024 + (t_j + 3) < N) {
                cp_async<4>(x_base_2 + t_dst + 1 * 4096 + 12, X_src_5 + 3);
            } else {
                alignas(16) float outside_20[1];
                #pragma unroll
                for (int e = 0; e < 1; ++e) outside_20[e] = -__int_as_float(0x7f800000);
                copy_bytes<4>(x_3 + 1 * 1024 + (t_j + 3), outside_20);
            }
        }
    }
    // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
    cp_async_commit();
    int stage_2 = 0;
    int stage_ahead_2 = 2;
    const float* X_src_6 = X + (long long)b * N + (0 + (long long)2) * (long long)1024 + (long long)t_j;
    #pragma unroll 1
    for (long long k_2 = 0; k_2 < (N + (long long)1023) / (long long)1024; ++k_2) {
        cp_async_wait<1>();
        __syncthreads();
        if (k_2 + (long long)2 < (N + (long long)1023) / (long long)1024) {
            // 15: copy X[b*BM, k*BN] -> x else -inf
            {
                if ((k_2 + (long long)2) * (long long)1024 + (long long)t_j < N) {
                    cp_async<4>(x_base_2 + t_dst + stage_ahead_2 * 4096, X_src_6);
                } else {
                    alignas(16) float outside_21[1];
                    #pragma unroll
                    for (int e = 0; e < 1; ++e) outside_21[e] = -__int_as_float(0x7f800000);
                    copy_bytes<4>(x_3 + stage_ahead_2 * 1024 + t_j, outside_21);
                }
                if ((k_2 + (long long)2) * (long long)1024 + (long long)(t_j + 1) < N) {
                    cp_async<4>(x_base_2 + t_dst + stage_ahead_2 * 4096 + 4, X_src_6 + 1);
                } else {
                    alignas(16) float outside_22[1];
                    #pragma unroll
                    for (int e = 0; e < 1; ++e) outside_22[e] = -__int_as_float(0x7f800000);
                    copy_bytes<4>(x_3 + stage_ahead_2 * 1024 + (t_j + 1), outside_22);
                }
                if ((k_2 + (long long)2) * (long long)1024 + (long long)(t_j + 2) < N) {
                    cp_async<4>(x_base_2 + t_dst + stage_ahead_2 * 4096 + 8, X_src_6 + 2);
                } else {
                    alignas(16) float outside_23[1];
                    #pragma unroll
                    for (int e = 0; e < 1; ++e) outside_23[e] = -__int_as_float(0x7f800000);
                    copy_bytes<4>(x_3 + stage_ahead_2 * 1024 + (t_j + 2), outside_23);
                }
                if ((k_2 + (long long)2) * (long long)1024 + (long long)(t_j + 3) < N) {
                    cp_async<4>(x_base_2 + t_dst + stage_ahead_2 * 4096 + 12, X_src_6 + 3);
                } else {
                    alignas(16) float outside_24[1];
                    #pragma unroll
                    for (int e = 0; e < 1; ++e) outside_24[e] = -__int_as_float(0x7f800000);
                    copy_bytes<4>(x_3 + stage_ahead_2 * 1024 + (t_j + 3), outside_24);
                }
            }
        }
        // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
        cp_async_commit();
        // 16: Y[b*BM + i, k*BN + j] = exp(f32(x[i, j]) - m[i]) / l[i]
        float l_inv[1];
        l_inv[0] = 1.0f / l;
        {
            if ((k_2 * (long long)1024 + (long long)(t_j + 3) < N)) {
                alignas(16) float x_v_3[4];
                copy_bytes<16>(x_v_3, x_3 + stage_2 * 1024 + t_j);
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    Y[(long long)b * N + k_2 * (long long)1024 + (long long)(t_j + e)] = divide(exp_f32(x_v_3[e] - m_2), l, l_inv[0]);
                }
            } else {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    if (k_2 * (long long)1024 + (long long)(t_j + e) < N) Y[(long long)b * N + k_2 * (long long)1024 + (long long)(t_j + e)] = divide(exp_f32(x_3[stage_2 * 1024 + (t_j + e)] - m_2), l, l_inv[0]);
                }
            }
        }
        // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
        stage_ahead_2 = stage_2;
        stage_2 = stage_2 + 1 == 3 ? 0 : stage_2 + 1;
        X_src_6 += 1024;
    }
}
