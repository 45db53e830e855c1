// Kernel `layernorm` of norms.tile for sm_120, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BN = 2048.
//
// Launch: a one-dimensional grid of M blocks; nothing if that is 0.
//   layernorm: 256 threads, 160 bytes of dynamic shared memory; needs N % 4 == 0, X, G, B, Y aligned to 16 bytes, every extent at most 2^30
//   layernorm_any: 256 threads, 160 bytes of dynamic shared memory


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

/// Y = (X - mean) / sqrt(var + eps) * G + B, row by row, in two passes (no cancellation).
extern "C" __global__ void __launch_bounds__(256, 1)
layernorm(const float* __restrict__ X, const float* __restrict__ G, const float* __restrict__ B, float* __restrict__ Y, float eps, int M, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_j = lane * 4 + warp * 128;
    float* const x_sum_warps = reinterpret_cast<float*>(smem);  // f32[8]
    float* const d_sum_warps = reinterpret_cast<float*>(smem + 128);  // f32[8]
    const int row = blockIdx.x;
    // 26: var total: f32 = 0
    float total = 0.0f;
    // 27: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (int k = 0; k < (N + 2047) / 2048; ++k) {
        // 29: total += sum[j](x[j])
        float x_sum;
        __syncthreads();
        {
            float x_sum_part[1];
            #pragma unroll
            for (int r = 0; r < 1; ++r) x_sum_part[r] = 0.0f;
            #pragma unroll
            for (int r = 0; r < 8; r += 4) {
                alignas(16) float X_v[4];
                if ((r & 3) + (r >> 2) * 1024 < N - (k * 2048 + t_j)) {
                    copy_bytes<16>(X_v, X + (long long)row * N + k * 2048 + (t_j + (r & 3) + (r >> 2) * 1024));
                } else {
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) X_v[e] = 0.0f;
                }
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    x_sum_part[0] = x_sum_part[0] + X_v[e];
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
            x_sum = x_sum_part[0];
        }
        total = total + x_sum;
    }
    // 31: let mean = total / f32(N)
    const float mean = total / (float)N;
    // 32: var squares: f32 = 0
    float squares = 0.0f;
    // 33: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (int k_2 = 0; k_2 < (N + 2047) / 2048; ++k_2) {
        // 34: let d[j: BN] = if k*BN + j < N then f32(X[row, k*BN + j]) - mean else 0
        alignas(16) float d[8];  // f32[2048]
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
            alignas(16) float X_v_2[4];
            if ((r & 3) + (r >> 2) * 1024 < N - (k_2 * 2048 + t_j)) {
                copy_bytes<16>(X_v_2, X + (long long)row * N + k_2 * 2048 + (t_j + (r & 3) + (r >> 2) * 1024));
            } else {
                #pragma unroll
                for (int e = 0; e < 4; ++e) X_v_2[e] = 0.0f;
            }
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                d[r + e] = ((r + e) & 3) + ((r + e) >> 2) * 1024 < N - (k_2 * 2048 + t_j) ? X_v_2[e] - mean : 0.0f;
            }
        }
        // 35: squares += sum[j](d[j] * d[j])
        float d_sum;
        __syncthreads();
        {
            float d_sum_part[1];
            d_sum_part[0] = (d[0] * d[0]);
            #pragma unroll
            for (int s = 1; s < 8; ++s) d_sum_part[0] = d_sum_part[0] + (d[s] * d[s]);
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                d_sum_part[0] = d_sum_part[0] + __shfl_xor_sync(0xffffffff, d_sum_part[0], mask);
            }
            if (lane == 0) d_sum_warps[warp] = d_sum_part[0];
            __syncthreads();
            d_sum_part[0] = d_sum_warps[0];
            #pragma unroll
            for (int w = 1; w < 8; ++w) d_sum_part[0] = d_sum_part[0] + d_sum_warps[w];
            d_sum = d_sum_part[0];
        }
        squares = squares + d_sum;
    }
    // 37: let r = rsqrt(squares / f32(N) + eps)
    const float r_2 = rsqrt_f32(squares / (float)N + eps);
    // 38: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (int k_3 = 0; k_3 < (N + 2047) / 2048; ++k_3) {
        // 40: Y[row, k*BN + j] = (x[j] - mean) * r * f32(G[k*BN + j]) + f32(B[k*BN + j])
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
            if ((r & 3) + (r >> 2) * 1024 < N - (k_3 * 2048 + t_j)) {
                alignas(16) float X_v_3[4];
                copy_bytes<16>(X_v_3, X + (long long)row * N + k_3 * 2048 + (t_j + (r & 3) + (r >> 2) * 1024));
                alignas(16) float G_v[4];
                copy_bytes<16>(G_v, G + k_3 * 2048 + (t_j + (r & 3) + (r >> 2) * 1024));
                alignas(16) float B_v[4];
                copy_bytes<16>(B_v, B + k_3 * 2048 + (t_j + (r & 3) + (r >> 2) * 1024));
                alignas(16) float out[4];
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    out[e] = (X_v_3[e] - mean) * r_2 * G_v[e] + B_v[e];
                }
                store_once(Y + (long long)row * N + k_3 * 2048 + (t_j + (r & 3) + (r >> 2) * 1024), out);
            }
        }
    }
}

/// Y = (X - mean) / sqrt(var + eps) * G + B, row by row, in two passes (no cancellation).
extern "C" __global__ void __launch_bounds__(256, 1)
layernorm_any(const float* __restrict__ X, const float* __restrict__ G, const float* __restrict__ B, float* __restrict__ Y, float eps, long long M, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_j = lane + warp * 32;
    float* const x_sum_warps = reinterpret_cast<float*>(smem);  // f32[8]
    float* const d_sum_warps = reinterpret_cast<float*>(smem + 128);  // f32[8]
    const long long row = blockIdx.x;
    // 26: var total: f32 = 0
    float total = 0.0f;
    // 27: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (long long k = 0; k < (N + 2047) / 2048; ++k) {
        // 29: total += sum[j](x[j])
        float x_sum;
        __syncthreads();
        {
            float x_sum_part[1];
            x_sum_part[0] = ((k * 2048 + t_j < N) ? X[(long long)row * N + k * 2048 + t_j] : 0.0f);
            #pragma unroll
            for (int s = 1; s < 8; ++s) x_sum_part[0] = x_sum_part[0] + ((s * 256 < N - (k * 2048 + t_j)) ? X[(long long)row * N + k * 2048 + (t_j + s * 256)] : 0.0f);
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                x_sum_part[0] = x_sum_part[0] + __shfl_xor_sync(0xffffffff, x_sum_part[0], mask);
            }
            if (lane == 0) x_sum_warps[warp] = x_sum_part[0];
            __syncthreads();
            x_sum_part[0] = x_sum_warps[0];
            #pragma unroll
            for (int w = 1; w < 8; ++w) x_sum_part[0] = x_sum_part[0] + x_sum_warps[w];
            x_sum = x_sum_part[0];
        }
        total = total + x_sum;
    }
    // 31: let mean = total / f32(N)
    const float mean = total / (float)N;
    // 32: var squares: f32 = 0
    float squares = 0.0f;
    // 33: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (long long k_2 = 0; k_2 < (N + 2047) / 2048; ++k_2) {
        // 34: let d[j: BN] = if k*BN + j < N then f32(X[row, k*BN + j]) - mean else 0
        alignas(16) float d[8];  // f32[2048]
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            d[r] = r * 256 < N - (k_2 * 2048 + t_j) ? X[(long long)row * N + k_2 * 2048 + (t_j + r * 256)] - mean : 0.0f;
        }
        // 35: squares += sum[j](d[j] * d[j])
        float d_sum;
        __syncthreads();
        {
            float d_sum_part[1];
            d_sum_part[0] = (d[0] * d[0]);
            #pragma unroll
            for (int s = 1; s < 8; ++s) d_sum_part[0] = d_sum_part[0] + (d[s] * d[s]);
            #pragma unroll
            for (int mask = 1; mask <= 16; mask *= 2) {
                d_sum_part[0] = d_sum_part[0] + __shfl_xor_sync(0xffffffff, d_sum_part[0], mask);
            }
            if (lane == 0) d_sum_warps[warp] = d_sum_part[0];
            __syncthreads();
            d_sum_part[0] = d_sum_warps[0];
            #pragma unroll
            for (int w = 1; w < 8; ++w) d_sum_part[0] = d_sum_part[0] + d_sum_warps[w];
            d_sum = d_sum_part[0];
        }
        squares = squares + d_sum;
    }
    // 37: let r = rsqrt(squares / f32(N) + eps)
    const float r_2 = rsqrt_f32(squares / (float)N + eps);
    // 38: for k in 0 .. ceildiv(N, BN) {
    #pragma unroll 1
    for (long long k_3 = 0; k_3 < (N + 2047) / 2048; ++k_3) {
        // 40: Y[row, k*BN + j] = (x[j] - mean) * r * f32(G[k*BN + j]) + f32(B[k*BN + j])
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            if (r * 256 < N - (k_3 * 2048 + t_j)) Y[(long long)row * N + k_3 * 2048 + (t_j + r * 256)] = (X[(long long)row * N + k_3 * 2048 + (t_j + r * 256)] - mean) * r_2 * G[k_3 * 2048 + (t_j + r * 256)] + B[k_3 * 2048 + (t_j + r * 256)];
        }
    }
}
