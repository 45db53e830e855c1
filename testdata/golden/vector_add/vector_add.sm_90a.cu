// Kernel `vector_add` of vector_add.tile for sm_90a, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BN = 512.
//
// Launch: a one-dimensional grid of (N + 511) / 512 blocks; nothing if that is 0.
//   vector_add: 128 threads, 0 bytes of dynamic shared memory; needs A, B, C aligned to 16 bytes, every extent at most 2^30
//   vector_add_any: 128 threads, 0 bytes of dynamic shared memory


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

/// C = A + B for vectors of any length.
extern "C" __global__ void __launch_bounds__(128, 1)
vector_add(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_i = lane * 4 + warp * 128;
    const int b = blockIdx.x;
    // 6: copy c -> C[b*BN]
    if ((3 < N - (b * 512 + t_i))) {
        alignas(16) float A_v[4];
        copy_bytes<16>(A_v, A + b * 512 + t_i);
        alignas(16) float B_v[4];
        copy_bytes<16>(B_v, B + b * 512 + t_i);
        alignas(16) float out[4];
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            out[e] = A_v[e] + B_v[e];
        }
        store_once(C + b * 512 + t_i, out);
    } else {
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            if (e < N - (b * 512 + t_i)) C[b * 512 + (t_i + e)] = A[b * 512 + (t_i + e)] + B[b * 512 + (t_i + e)];
        }
    }
}

/// C = A + B for vectors of any length.
extern "C" __global__ void __launch_bounds__(128, 1)
vector_add_any(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_i = lane + warp * 32;
    const long long b = blockIdx.x;
    // 6: copy c -> C[b*BN]
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        if (r * 128 < N - (b * 512 + t_i)) C[b * 512 + (t_i + r * 128)] = A[b * 512 + (t_i + r * 128)] + B[b * 512 + (t_i + r * 128)];
    }
}
