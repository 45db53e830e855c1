// Kernel `embedding` of pointwise.tile for sm_120, made by tilec. Do not edit.
// Generics: T = f16.
// Tuned: BN = 1, BD = 512.
//
// Launch: a one-dimensional grid of (D + 511) / 512 x N blocks; nothing if that is 0.
//   embedding: 64 threads, 0 bytes of dynamic shared memory; needs D % 8 == 0, ids, table, Y aligned to 16 bytes, every extent at most 2^30
//   embedding_any: 64 threads, 0 bytes of dynamic shared memory

struct f16 { unsigned short bits; };

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

/// Rows of a table picked by id.
extern "C" __global__ void __launch_bounds__(64, 1)
embedding(const int* __restrict__ ids, const f16* __restrict__ table, f16* __restrict__ Y, int N, int V, int D) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_j = lane * 8 + warp * 256;
    int rest = (int)blockIdx.x;
    const int db = rest % ((D + 511) / 512);
    rest /= (D + 511) / 512;
    const int nb = rest;
    // 36: Y[nb*BN + i, db*BD + j] = table[ids[nb*BN + i], db*BD + j] over i: BN, j: BD
    if (db * 512 + t_j < D) {
        alignas(16) unsigned table_v[4];
        if (ids[nb] >= 0 && ids[nb] < V) {
            copy_bytes<16>(table_v, table + (long long)ids[nb] * D + db * 512 + t_j);
        } else {
            table_v[0] = 0;
            table_v[1] = 0;
            table_v[2] = 0;
            table_v[3] = 0;
        }
        store_once(Y + (long long)nb * D + db * 512 + t_j, table_v);
    }
}

/// Rows of a table picked by id.
extern "C" __global__ void __launch_bounds__(64, 1)
embedding_any(const int* __restrict__ ids, const f16* __restrict__ table, f16* __restrict__ Y, long long N, long long V, long long D) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_j = lane + warp * 32;
    int rest = (int)blockIdx.x;
    const long long db = rest % ((D + 511) / 512);
    rest /= (D + 511) / 512;
    const long long nb = rest;
    // 36: Y[nb*BN + i, db*BD + j] = table[ids[nb*BN + i], db*BD + j] over i: BN, j: BD
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (r * 64 < D - (db * 512 + t_j)) Y[(long long)nb * D + db * 512 + (t_j + r * 64)] = (ids[nb] >= 0 && ids[nb] < V) ? table[(long long)ids[nb] * D + db * 512 + (t_j + r * 64)] : f16{0x0};
    }
}
