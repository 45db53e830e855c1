// Kernel `embedding` of pointwise.tile for sm_80, made by tilec. Do not edit.
// Generics: T = f16.
// Tuned: BN = 4, BD = 256.
//
// Launch: a one-dimensional grid of (D + 255) / 256 x (N + 3) / 4 blocks; nothing if that is 0.
//   embedding: 128 threads, 0 bytes of dynamic shared memory; needs D % 8 == 0, ids, table, Y aligned to 16 bytes, every extent at most 2^30
//   embedding_any: 128 threads, 0 bytes of dynamic shared memory

struct f16 { unsigned short bits; };

/// Rows of a table picked by id.
extern "C" __global__ void __launch_bounds__(128, 1)
embedding(const int* __restrict__ ids, const f16* __restrict__ table, f16* __restrict__ Y, int N, int V, int D) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_j = lane + warp * 32;
    int rest = (int)blockIdx.x;
    const int db = rest % ((D + 255) / 256);
    rest /= ((D + 255) / 256);
    const int nb = rest;
    // 36: Y[nb*BN + i, db*BD + j] = table[ids[nb*BN + i], db*BD + j] over i: BN, j: BD
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
        if ((nb * 4 + ((r + 3) & 3) < N) && (db * 256 + (t_j + (r >> 2) * 128) < D)) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                Y[(long long)(nb * 4 + ((r + e) & 3)) * D + db * 256 + (t_j + ((r + e) >> 2) * 128)] = (ids[nb * 4 + ((r + e) & 3)] >= 0 && ids[nb * 4 + ((r + e) & 3)] < V) ? table[(long long)ids[nb * 4 + ((r + e) & 3)] * D + db * 256 + (t_j + ((r + e) >> 2) * 128)] : f16{0x0};
            }
        } else {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                if (nb * 4 + ((r + e) & 3) < N && db * 256 + (t_j + ((r + e) >> 2) * 128) < D) Y[(long long)(nb * 4 + ((r + e) & 3)) * D + db * 256 + (t_j + ((r + e) >> 2) * 128)] = (ids[nb * 4 + ((r + e) & 3)] >= 0 && ids[nb * 4 + ((r + e) & 3)] < V) ? table[(long long)ids[nb * 4 + ((r + e) & 3)] * D + db * 256 + (t_j + ((r + e) >> 2) * 128)] : f16{0x0};
            }
        }
    }
}

/// Rows of a table picked by id.
extern "C" __global__ void __launch_bounds__(128, 1)
embedding_any(const int* __restrict__ ids, const f16* __restrict__ table, f16* __restrict__ Y, long long N, long long V, long long D) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_i = (lane & 3);
    const int t_j = (lane >> 2) + warp * 8;
    int rest = (int)blockIdx.x;
    const long long db = rest % ((D + (long long)255) / (long long)256);
    rest /= ((D + (long long)255) / (long long)256);
    const long long nb = rest;
    // 36: Y[nb*BN + i, db*BD + j] = table[ids[nb*BN + i], db*BD + j] over i: BN, j: BD
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (nb * (long long)4 + (long long)t_i < N && db * (long long)256 + (long long)(t_j + r * 32) < D) Y[(long long)(nb * (long long)4 + (long long)t_i) * D + db * (long long)256 + (long long)(t_j + r * 32)] = (ids[nb * (long long)4 + (long long)t_i] >= 0 && ids[nb * (long long)4 + (long long)t_i] < V) ? table[(long long)ids[nb * (long long)4 + (long long)t_i] * D + db * (long long)256 + (long long)(t_j + r * 32)] : f16{0x0};
    }
}
