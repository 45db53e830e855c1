// Kernel `matmul` of matmul.tile for sm_86, made by tilec. Do not edit.
// Generics: T = f16.
// Tuned: BM = 128, BN = 128, BK = 32, stages = 2.
//
// Launch: a one-dimensional grid of (N + 127) / 128 x (M + 127) / 128 blocks; nothing if that is 0.
//   matmul: 128 threads, 32768 bytes of dynamic shared memory; needs K % 8 == 0, N % 8 == 0, A, B, C aligned to 16 bytes, every extent at most 2^30
//   matmul_any: 128 threads, 32768 bytes of dynamic shared memory

struct f16 { unsigned short bits; };

// Two f32 values to a word of f16, the first in the lower half.
static __device__ __forceinline__ unsigned round_pack_f16(float lo, float hi) { unsigned y; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(hi), "f"(lo)); return y; }

static __device__ __forceinline__ unsigned pack_f16(f16 lo, f16 hi) { return lo.bits | (unsigned)hi.bits << 16; }

// Element i of packed words.
static __device__ __forceinline__ f16 get_f16(const unsigned* w, int i) { return f16{(unsigned short)(w[i >> 1] >> (i & 1) * 16)}; }

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

// Stores 16 bytes to global memory in one instruction; the kernel touches them nowhere else.
static __device__ __forceinline__ void store_once(void* to, const void* from) {
    const unsigned* w = reinterpret_cast<const unsigned*>(from);
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]));
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

// Loads 4 8x8 matrices of 16-bit elements; each lane gives the address of a row.
static __device__ __forceinline__ void ldmatrix_x4(unsigned* d, unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(address) : "memory");
}

// Loads 4 8x8 matrices of 16-bit elements, transposed; each lane gives the address of a row.
static __device__ __forceinline__ void ldmatrix_x4_trans(unsigned* d, unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(address) : "memory");
}

// c += a * b on the matrix unit.
static __device__ __forceinline__ void mma_m16n8k16_f16(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Division toward negative infinity; by zero gives 0.
template <typename T>
static __device__ __forceinline__ T floor_div(T x, T y) { if (y == 0) return 0; if (y == (T)-1 && (T)-1 < 0) return (T)(0 - x); const T q = x / y; return q - (T)(x % y != 0 && ((x < 0) != (y < 0))); }

/// C = A · B, accumulated in f32.
extern "C" __global__ void __launch_bounds__(128, 1)
matmul(const f16* __restrict__ A, const f16* __restrict__ B, f16* __restrict__ C, int M, int K, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_i = (lane >> 2) + (warp >> 1) * 64;
    const int t_j = (lane & 3) * 2 + (warp & 1) * 64;
    f16* const a = reinterpret_cast<f16*>(smem);  // f16[2, 128, 32]
    f16* const b = reinterpret_cast<f16*>(smem + 16384);  // f16[2, 32, 128]
    const int t_i_2 = (lane >> 2) + warp * 32;
    const int t_j_2 = (lane & 3) * 8;
    const unsigned a_base = shared_address(a);
    const unsigned t_dst = pin((t_i_2 * 32 + (t_j_2 ^ ((t_i_2 >> 1) & 3) * 8)) * 2);
    const int t_i_3 = (lane >> 4) + warp * 2;
    const int t_j_3 = (lane & 15) * 8;
    const unsigned b_base = shared_address(b);
    const unsigned t_dst_2 = pin((t_i_3 * 128 + (t_j_3 ^ (t_i_3 & 7) * 8)) * 2);
    const int row = (warp >> 1) * 64 + (lane & 15);
    const unsigned frag = pin(row * 64 + ((((lane >> 4) * 8) * 2) ^ ((row >> 1) & 3) * 16));
    const unsigned steps[2] = {pin(frag ^ 0), pin(frag ^ 32)};
    const int row_2 = lane & 15;
    const unsigned frag_2 = pin(row_2 * 256 + ((((warp & 1) * 64 + (lane >> 4) * 8) * 2) ^ (row_2 & 7) * 16));
    const unsigned steps_2[4] = {pin(frag_2 ^ 0), pin(frag_2 ^ 32), pin(frag_2 ^ 64), pin(frag_2 ^ 96)};
    f16* const C_tile = reinterpret_cast<f16*>(smem);  // f16[128, 128]
    int rest = (int)blockIdx.x;
    const int bx = rest % ((N + 127) / 128);
    rest /= (N + 127) / 128;
    const int by = rest;
    // 7: tile acc: f32[BM, BN] = 0
    alignas(16) float acc[128];  // f32[128, 128]
    #pragma unroll
    for (int r = 0; r < 128; ++r) {
        acc[r] = 0.0f;
    }
    // 8: pipeline k in 0 .. ceildiv(K, BK), stages {
    if (0 < (K + 31) / 32) {
        // 9: copy A[by*BM, k*BK] -> a
        const f16* const A_src = A + (long long)(by * 128 + t_i_2) * K + t_j_2;
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(a_base + t_dst + (r >> 3) * 512, A_src + (long long)((r >> 3) * 8) * K + (r & 7), ((r >> 3) * 8 < M - (by * 128 + t_i_2) && (r & 7) < K - t_j_2) ? 16 : 0);
        }
        // 10: copy B[k*BK, bx*BN] -> b
        const f16* const B_src = B + (long long)t_i_3 * N + bx * 128 + t_j_3;
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(b_base + t_dst_2 + (r >> 3) * 2048, B_src + (long long)((r >> 3) * 8) * N + (r & 7), ((r >> 3) * 8 < K - t_i_3 && (r & 7) < N - (bx * 128 + t_j_3)) ? 16 : 0);
        }
    }
    cp_async_commit();
    int stage = 0;
    int stage_ahead = 1;
    const int k_inner = max(min(min((K + 31) / 32, (K + 31) / 32 - 1), floor_div<int>((K - 63 + 31), 32)), 0);
    // 8: pipeline k in 0 .. ceildiv(K, BK), stages {
    const f16* A_src_2 = A + (long long)(by * 128 + t_i_2) * K + 32 + t_j_2;
    const f16* B_src_2 = B + (long long)(32 + t_i_3) * N + bx * 128 + t_j_3;
    #pragma unroll 1
    for (int k = 0; k < k_inner; ++k) {
        cp_async_wait<0>();
        __syncthreads();
        // 9: copy A[by*BM, k*BK] -> a
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(a_base + t_dst + stage_ahead * 8192 + (r >> 3) * 512, A_src_2 + (long long)((r >> 3) * 8) * K + (r & 7), ((r >> 3) * 8 < M - (by * 128 + t_i_2)) ? 16 : 0);
        }
        // 10: copy B[k*BK, bx*BN] -> b
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(b_base + t_dst_2 + stage_ahead * 8192 + (r >> 3) * 2048, B_src_2 + (long long)((r >> 3) * 8) * N + (r & 7), ((r & 7) < N - (bx * 128 + t_j_3)) ? 16 : 0);
        }
        cp_async_commit();
        // 11: gemm a, b -> acc
        #pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            unsigned fa[4][4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix_x4(fa[i], steps[kk & 1] + a_base + stage * 8192 + (kk >> 1) * 64 + i * 1024);
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4_trans(fb[0], steps_2[(j & 7) >> 1] + b_base + stage * 8192 + (j >> 3) * 128 + kk * 4096);
                #pragma unroll
                for (int i = 0; i < 4; ++i) {
                    mma_m16n8k16_f16(acc + (i * 8 + j) * 4, fa[i], fb[0]);
                    mma_m16n8k16_f16(acc + (i * 8 + (j + 1)) * 4, fa[i], fb[1]);
                }
            }
        }
        stage_ahead = stage;
        stage ^= 1;
        A_src_2 += 32;
        B_src_2 += (long long)32 * N;
    }
    // 8: pipeline k in 0 .. ceildiv(K, BK), stages {
    const f16* A_src_3 = A + (long long)(by * 128 + t_i_2) * K + (k_inner + 1) * 32 + t_j_2;
    const f16* B_src_3 = B + (long long)((k_inner + 1) * 32 + t_i_3) * N + bx * 128 + t_j_3;
    #pragma unroll 1
    for (int k_2 = k_inner; k_2 < (K + 31) / 32; ++k_2) {
        cp_async_wait<0>();
        __syncthreads();
        if (k_2 + 1 < (K + 31) / 32) {
            // 9: copy A[by*BM, k*BK] -> a
            #pragma unroll
            for (int r = 0; r < 32; r += 8) {
                cp_async<16>(a_base + t_dst + stage_ahead * 8192 + (r >> 3) * 512, A_src_3 + (long long)((r >> 3) * 8) * K + (r & 7), ((r >> 3) * 8 < M - (by * 128 + t_i_2) && (r & 7) < K - ((k_2 + 1) * 32 + t_j_2)) ? 16 : 0);
            }
            // 10: copy B[k*BK, bx*BN] -> b
            #pragma unroll
            for (int r = 0; r < 32; r += 8) {
                cp_async<16>(b_base + t_dst_2 + stage_ahead * 8192 + (r >> 3) * 2048, B_src_3 + (long long)((r >> 3) * 8) * N + (r & 7), ((r >> 3) * 8 < K - ((k_2 + 1) * 32 + t_i_3) && (r & 7) < N - (bx * 128 + t_j_3)) ? 16 : 0);
            }
        }
        cp_async_commit();
        // 11: gemm a, b -> acc
        #pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            unsigned fa[4][4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix_x4(fa[i], steps[kk & 1] + a_base + stage * 8192 + (kk >> 1) * 64 + i * 1024);
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4_trans(fb[0], steps_2[(j & 7) >> 1] + b_base + stage * 8192 + (j >> 3) * 128 + kk * 4096);
                #pragma unroll
                for (int i = 0; i < 4; ++i) {
                    mma_m16n8k16_f16(acc + (i * 8 + j) * 4, fa[i], fb[0]);
                    mma_m16n8k16_f16(acc + (i * 8 + (j + 1)) * 4, fa[i], fb[1]);
                }
            }
        }
        stage_ahead = stage;
        stage ^= 1;
        A_src_3 += 32;
        B_src_3 += (long long)32 * N;
    }
    // 13: copy acc -> C[by*BM, bx*BN]
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < 128; r += 2) {
        *reinterpret_cast<unsigned*>(C_tile + (t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) * 128 + ((t_j + (r & 1) + ((r >> 2) & 7) * 8) ^ ((t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) & 7) * 8)) = round_pack_f16(acc[r], acc[r + 1]);
    }
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < 128; r += 8) {
        if ((r >> 3) * 8 < M - (by * 128 + t_i_3) && (r & 7) < N - (bx * 128 + t_j_3)) {
            alignas(16) unsigned C_tile_v[4];
            copy_bytes<16>(C_tile_v, C_tile + (t_i_3 + (r >> 3) * 8) * 128 + ((t_j_3 + (r & 7)) ^ ((t_i_3 + (r >> 3) * 8) & 7) * 8));
            store_once(C + (long long)(by * 128 + (t_i_3 + (r >> 3) * 8)) * N + bx * 128 + (t_j_3 + (r & 7)), C_tile_v);
        }
    }
}

/// C = A · B, accumulated in f32.
extern "C" __global__ void __launch_bounds__(128, 1)
matmul_any(const f16* __restrict__ A, const f16* __restrict__ B, f16* __restrict__ C, long long M, long long K, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_i = (lane >> 2) + (warp >> 1) * 64;
    const int t_j = (lane & 3) * 2 + (warp & 1) * 64;
    f16* const a = reinterpret_cast<f16*>(smem);  // f16[2, 128, 32]
    f16* const b = reinterpret_cast<f16*>(smem + 16384);  // f16[2, 32, 128]
    const int t_i_2 = (lane >> 2) + warp * 32;
    const int t_j_2 = (lane & 3) * 8;
    const int t_i_3 = (lane >> 4) + warp * 2;
    const int t_j_3 = (lane & 15) * 8;
    const int row = (warp >> 1) * 64 + (lane & 15);
    const unsigned frag = row * 64 + ((((lane >> 4) * 8) * 2) ^ ((row >> 1) & 3) * 16);
    const unsigned a_base = shared_address(a);
    const int row_2 = lane & 15;
    const unsigned frag_2 = row_2 * 256 + ((((warp & 1) * 64 + (lane >> 4) * 8) * 2) ^ (row_2 & 7) * 16);
    const unsigned b_base = shared_address(b);
    f16* const C_tile = reinterpret_cast<f16*>(smem);  // f16[128, 128]
    int rest = (int)blockIdx.x;
    const long long bx = rest % ((N + 127) / 128);
    rest /= (N + 127) / 128;
    const long long by = rest;
    // 7: tile acc: f32[BM, BN] = 0
    alignas(16) float acc[128];  // f32[128, 128]
    #pragma unroll
    for (int r = 0; r < 128; ++r) {
        acc[r] = 0.0f;
    }
    // 8: pipeline k in 0 .. ceildiv(K, BK), stages {
    if (0 < (K + 31) / 32) {
        // 9: copy A[by*BM, k*BK] -> a
        #pragma unroll 1
        for (int r = 0; r < 32; r += 8) {
            alignas(16) unsigned out[4];
            out[0] = pack_f16(((r >> 3) * 8 < M - (by * 128 + t_i_2) && (r & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + (r >> 3) * 8)) * K + t_j_2 + (r & 7)] : f16{0x0}, (((r + 1) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 1) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 1) >> 3) * 8)) * K + t_j_2 + ((r + 1) & 7)] : f16{0x0});
            out[1] = pack_f16((((r + 2) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 2) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 2) >> 3) * 8)) * K + t_j_2 + ((r + 2) & 7)] : f16{0x0}, (((r + 3) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 3) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 3) >> 3) * 8)) * K + t_j_2 + ((r + 3) & 7)] : f16{0x0});
            out[2] = pack_f16((((r + 4) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 4) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 4) >> 3) * 8)) * K + t_j_2 + ((r + 4) & 7)] : f16{0x0}, (((r + 5) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 5) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 5) >> 3) * 8)) * K + t_j_2 + ((r + 5) & 7)] : f16{0x0});
            out[3] = pack_f16((((r + 6) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 6) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 6) >> 3) * 8)) * K + t_j_2 + ((r + 6) & 7)] : f16{0x0}, (((r + 7) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 7) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 7) >> 3) * 8)) * K + t_j_2 + ((r + 7) & 7)] : f16{0x0});
            store_shared<16>(shared_address(a + (t_i_2 + (r >> 3) * 8) * 32 + ((t_j_2 + (r & 7)) ^ (((t_i_2 + (r >> 3) * 8) >> 1) & 3) * 8)), out);
        }
        // 10: copy B[k*BK, bx*BN] -> b
        #pragma unroll 1
        for (int r = 0; r < 32; r += 8) {
            alignas(16) unsigned out_2[4];
            out_2[0] = pack_f16(((r >> 3) * 8 < K - t_i_3 && (r & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)(t_i_3 + (r >> 3) * 8) * N + bx * 128 + (t_j_3 + (r & 7))] : f16{0x0}, (((r + 1) >> 3) * 8 < K - t_i_3 && ((r + 1) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)(t_i_3 + ((r + 1) >> 3) * 8) * N + bx * 128 + (t_j_3 + ((r + 1) & 7))] : f16{0x0});
            out_2[1] = pack_f16((((r + 2) >> 3) * 8 < K - t_i_3 && ((r + 2) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)(t_i_3 + ((r + 2) >> 3) * 8) * N + bx * 128 + (t_j_3 + ((r + 2) & 7))] : f16{0x0}, (((r + 3) >> 3) * 8 < K - t_i_3 && ((r + 3) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)(t_i_3 + ((r + 3) >> 3) * 8) * N + bx * 128 + (t_j_3 + ((r + 3) & 7))] : f16{0x0});
            out_2[2] = pack_f16((((r + 4) >> 3) * 8 < K - t_i_3 && ((r + 4) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)(t_i_3 + ((r + 4) >> 3) * 8) * N + bx * 128 + (t_j_3 + ((r + 4) & 7))] : f16{0x0}, (((r + 5) >> 3) * 8 < K - t_i_3 && ((r + 5) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)(t_i_3 + ((r + 5) >> 3) * 8) * N + bx * 128 + (t_j_3 + ((r + 5) & 7))] : f16{0x0});
            out_2[3] = pack_f16((((r + 6) >> 3) * 8 < K - t_i_3 && ((r + 6) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)(t_i_3 + ((r + 6) >> 3) * 8) * N + bx * 128 + (t_j_3 + ((r + 6) & 7))] : f16{0x0}, (((r + 7) >> 3) * 8 < K - t_i_3 && ((r + 7) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)(t_i_3 + ((r + 7) >> 3) * 8) * N + bx * 128 + (t_j_3 + ((r + 7) & 7))] : f16{0x0});
            store_shared<16>(shared_address(b + (t_i_3 + (r >> 3) * 8) * 128 + ((t_j_3 + (r & 7)) ^ ((t_i_3 + (r >> 3) * 8) & 7) * 8)), out_2);
        }
    }
    int stage = 0;
    int stage_ahead = 1;
    // 8: pipeline k in 0 .. ceildiv(K, BK), stages {
    #pragma unroll 1
    for (long long k = 0; k < (K + 31) / 32; ++k) {
        __syncthreads();
        if (k + 1 < (K + 31) / 32) {
            // 9: copy A[by*BM, k*BK] -> a
            #pragma unroll 1
            for (int r = 0; r < 32; r += 8) {
                alignas(16) unsigned out_3[4];
                out_3[0] = pack_f16(((r >> 3) * 8 < M - (by * 128 + t_i_2) && (r & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + (r >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + (r & 7))] : f16{0x0}, (((r + 1) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 1) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 1) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 1) & 7))] : f16{0x0});
                out_3[1] = pack_f16((((r + 2) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 2) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 2) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 2) & 7))] : f16{0x0}, (((r + 3) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 3) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 3) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 3) & 7))] : f16{0x0});
                out_3[2] = pack_f16((((r + 4) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 4) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 4) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 4) & 7))] : f16{0x0}, (((r + 5) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 5) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 5) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 5) & 7))] : f16{0x0});
                out_3[3] = pack_f16((((r + 6) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 6) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 6) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 6) & 7))] : f16{0x0}, (((r + 7) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 7) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 7) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 7) & 7))] : f16{0x0});
                store_shared<16>(shared_address(a + stage_ahead * 4096 + (t_i_2 + (r >> 3) * 8) * 32 + ((t_j_2 + (r & 7)) ^ (((t_i_2 + (r >> 3) * 8) >> 1) & 3) * 8)), out_3);
            }
            // 10: copy B[k*BK, bx*BN] -> b
            #pragma unroll 1
            for (int r = 0; r < 32; r += 8) {
                alignas(16) unsigned out_4[4];
                out_4[0] = pack_f16(((r >> 3) * 8 < K - ((k + 1) * 32 + t_i_3) && (r & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)((k + 1) * 32 + (t_i_3 + (r >> 3) * 8)) * N + bx * 128 + (t_j_3 + (r & 7))] : f16{0x0}, (((r + 1) >> 3) * 8 < K - ((k + 1) * 32 + t_i_3) && ((r + 1) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)((k + 1) * 32 + (t_i_3 + ((r + 1) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + 1) & 7))] : f16{0x0});
                out_4[1] = pack_f16((((r + 2) >> 3) * 8 < K - ((k + 1) * 32 + t_i_3) && ((r + 2) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)((k + 1) * 32 + (t_i_3 + ((r + 2) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + 2) & 7))] : f16{0x0}, (((r + 3) >> 3) * 8 < K - ((k + 1) * 32 + t_i_3) && ((r + 3) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)((k + 1) * 32 + (t_i_3 + ((r + 3) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + 3) & 7))] : f16{0x0});
                out_4[2] = pack_f16((((r + 4) >> 3) * 8 < K - ((k + 1) * 32 + t_i_3) && ((r + 4) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)((k + 1) * 32 + (t_i_3 + ((r + 4) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + 4) & 7))] : f16{0x0}, (((r + 5) >> 3) * 8 < K - ((k + 1) * 32 + t_i_3) && ((r + 5) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)((k + 1) * 32 + (t_i_3 + ((r + 5) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + 5) & 7))] : f16{0x0});
                out_4[3] = pack_f16((((r + 6) >> 3) * 8 < K - ((k + 1) * 32 + t_i_3) && ((r + 6) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)((k + 1) * 32 + (t_i_3 + ((r + 6) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + 6) & 7))] : f16{0x0}, (((r + 7) >> 3) * 8 < K - ((k + 1) * 32 + t_i_3) && ((r + 7) & 7) < N - (bx * 128 + t_j_3)) ? B[(long long)((k + 1) * 32 + (t_i_3 + ((r + 7) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + 7) & 7))] : f16{0x0});
                store_shared<16>(shared_address(b + stage_ahead * 4096 + (t_i_3 + (r >> 3) * 8) * 128 + ((t_j_3 + (r & 7)) ^ ((t_i_3 + (r >> 3) * 8) & 7) * 8)), out_4);
            }
        }
        // 11: gemm a, b -> acc
        #pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            unsigned fa[4][4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix_x4(fa[i], (frag ^ ((kk & 1) * 32)) + a_base + stage * 8192 + (kk >> 1) * 64 + i * 1024);
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4_trans(fb[0], (frag_2 ^ ((j & 7) * 16)) + b_base + stage * 8192 + (j >> 3) * 128 + kk * 4096);
                #pragma unroll
                for (int i = 0; i < 4; ++i) {
                    mma_m16n8k16_f16(acc + (i * 8 + j) * 4, fa[i], fb[0]);
                    mma_m16n8k16_f16(acc + (i * 8 + (j + 1)) * 4, fa[i], fb[1]);
                }
            }
        }
        stage_ahead = stage;
        stage ^= 1;
    }
    // 13: copy acc -> C[by*BM, bx*BN]
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < 128; r += 2) {
        *reinterpret_cast<unsigned*>(C_tile + (t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) * 128 + ((t_j + (r & 1) + ((r >> 2) & 7) * 8) ^ ((t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) & 7) * 8)) = round_pack_f16(acc[r], acc[r + 1]);
    }
    __syncthreads();
    #pragma unroll 1
    for (int r = 0; r < 128; r += 8) {
        if (((r >> 3) * 8 < M - (by * 128 + t_i_3)) && (((r + 7) & 7) < N - (bx * 128 + t_j_3))) {
            alignas(16) unsigned C_tile_v[4];
            copy_bytes<16>(C_tile_v, C_tile + (t_i_3 + (r >> 3) * 8) * 128 + ((t_j_3 + (r & 7)) ^ ((t_i_3 + (r >> 3) * 8) & 7) * 8));
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                C[(long long)(by * 128 + (t_i_3 + ((r + e) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + e) & 7))] = get_f16(C_tile_v, e);
            }
        } else {
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                if (((r + e) >> 3) * 8 < M - (by * 128 + t_i_3) && ((r + e) & 7) < N - (bx * 128 + t_j_3)) C[(long long)(by * 128 + (t_i_3 + ((r + e) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + e) & 7))] = C_tile[(t_i_3 + ((r + e) >> 3) * 8) * 128 + ((t_j_3 + ((r + e) & 7)) ^ ((t_i_3 + ((r + e) >> 3) * 8) & 7) * 8)];
            }
        }
    }
}
