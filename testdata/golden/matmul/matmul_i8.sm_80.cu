// Kernel `matmul_i8` of matmul.tile for sm_80, made by tilec. Do not edit.
// Tuned: BM = 128, BN = 128, BK = 128, stages = 2.
//
// Launch: a one-dimensional grid of (N + 127) / 128 x (M + 127) / 128 blocks; nothing if that is 0.
//   matmul_i8: 128 threads, 65536 bytes of dynamic shared memory; needs K % 16 == 0, N % 4 == 0, A, B, C aligned to 16 bytes, every extent at most 2^30
//   matmul_i8_any: 128 threads, 65536 bytes of dynamic shared memory


static __device__ __forceinline__ unsigned pack_i8(signed char a, signed char b, signed char c, signed char d) { return (unsigned)(unsigned char)a | (unsigned)(unsigned char)b << 8 | (unsigned)(unsigned char)c << 16 | (unsigned)(unsigned char)d << 24; }

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

// Loads 4 8x8 matrices of 16-bit elements; each lane gives the address of a row.
static __device__ __forceinline__ void ldmatrix_x4(unsigned* d, unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(address) : "memory");
}

// c += a * b on the matrix unit.
static __device__ __forceinline__ void mma_m16n8k32_i8(int* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Division toward negative infinity; by zero gives 0.
template <typename T>
static __device__ __forceinline__ T floor_div(T x, T y) { if (y == 0) return 0; if (y == (T)-1 && (T)-1 < 0) return (T)(0 - x); const T q = x / y; return q - (T)(x % y != 0 && ((x < 0) != (y < 0))); }

/// C = A · Bᵀ on 8-bit integers, exact in i32; B output-major, as quantized weights are stored.
extern "C" __global__ void __launch_bounds__(128, 1)
matmul_i8(const signed char* __restrict__ A, const signed char* __restrict__ B, int* __restrict__ C, int M, int K, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_i = (lane >> 2) + (warp >> 1) * 64;
    const int t_j = (lane & 3) * 2 + (warp & 1) * 64;
    signed char* const a = reinterpret_cast<signed char*>(smem);  // i8[2, 128, 128]
    signed char* const b = reinterpret_cast<signed char*>(smem + 32768);  // i8[2, 128, 128]
    const int t_i_2 = (lane >> 3) + (warp & 1) * 4 + (warp >> 1) * 64;
    const int t_j_2 = (lane & 7) * 16;
    const unsigned a_base = shared_address(a);
    const unsigned t_dst = pin(t_i_2 * 128 + (t_j_2 ^ (t_i_2 & 7) * 16));
    const unsigned b_base = shared_address(b);
    const int row = (warp >> 1) * 64 + (lane & 15);
    const unsigned frag = pin(row * 128 + (((lane >> 4) * 16) ^ (row & 7) * 16));
    const unsigned steps[4] = {pin(frag ^ 0), pin(frag ^ 32), pin(frag ^ 64), pin(frag ^ 96)};
    const int row_2 = (warp & 1) * 64 + (lane & 7) + (lane >> 4) * 8;
    const unsigned frag_2 = pin(row_2 * 128 + (((lane >> 3 & 1) * 16) ^ (row_2 & 7) * 16));
    const unsigned steps_2[4] = {pin(frag_2 ^ 0), pin(frag_2 ^ 32), pin(frag_2 ^ 64), pin(frag_2 ^ 96)};
    int rest = (int)blockIdx.x;
    const int bx = rest % ((N + 127) / 128);
    rest /= (N + 127) / 128;
    const int by = rest;
    // 45: tile acc: i32[BM, BN] = 0
    alignas(16) int acc[128];  // i32[128, 128]
    #pragma unroll
    for (int r = 0; r < 128; ++r) {
        acc[r] = 0;
    }
    // 46: pipeline k in 0 .. ceildiv(K, BK), stages {
    if (0 < (K + 127) / 128) {
        // 47: copy A[by*BM, k*BK] -> a
        const signed char* const A_src = A + (long long)(by * 128 + t_i_2) * K + t_j_2;
        #pragma unroll
        for (int r = 0; r < 128; r += 16) {
            cp_async<16>(a_base + t_dst + (r >> 4) * 1024, A_src + (long long)((r >> 4) * 8) * K + (r & 15), ((r >> 4) * 8 < M - (by * 128 + t_i_2) && (r & 15) < K - t_j_2) ? 16 : 0);
        }
        // 48: copy B[bx*BN, k*BK] -> b
        const signed char* const B_src = B + (long long)(bx * 128 + t_i_2) * K + t_j_2;
        #pragma unroll
        for (int r = 0; r < 128; r += 16) {
            cp_async<16>(b_base + t_dst + (r >> 4) * 1024, B_src + (long long)((r >> 4) * 8) * K + (r & 15), ((r >> 4) * 8 < N - (bx * 128 + t_i_2) && (r & 15) < K - t_j_2) ? 16 : 0);
        }
    }
    cp_async_commit();
    int stage = 0;
    int stage_ahead = 1;
    const int k_inner = max(min(min((K + 127) / 128, (K + 127) / 128 - 1), floor_div<int>((K - 255 + 127), 128)), 0);
    // 46: pipeline k in 0 .. ceildiv(K, BK), stages {
    const signed char* A_src_2 = A + (long long)(by * 128 + t_i_2) * K + 128 + t_j_2;
    const signed char* B_src_2 = B + (long long)(bx * 128 + t_i_2) * K + 128 + t_j_2;
    #pragma unroll 1
    for (int k = 0; k < k_inner; ++k) {
        cp_async_wait<0>();
        __syncthreads();
        // 47: copy A[by*BM, k*BK] -> a
        #pragma unroll
        for (int r = 0; r < 128; r += 16) {
            cp_async<16>(a_base + t_dst + stage_ahead * 16384 + (r >> 4) * 1024, A_src_2 + (long long)((r >> 4) * 8) * K + (r & 15), ((r >> 4) * 8 < M - (by * 128 + t_i_2)) ? 16 : 0);
        }
        // 48: copy B[bx*BN, k*BK] -> b
        #pragma unroll
        for (int r = 0; r < 128; r += 16) {
            cp_async<16>(b_base + t_dst + stage_ahead * 16384 + (r >> 4) * 1024, B_src_2 + (long long)((r >> 4) * 8) * K + (r & 15), ((r >> 4) * 8 < N - (bx * 128 + t_i_2)) ? 16 : 0);
        }
        cp_async_commit();
        // 49: acc[i, j] += sum[d](i32(a[i, d]) * i32(b[j, d]))
        #pragma unroll
        for (int kk = 0; kk < 4; ++kk) {
            unsigned fa[4][4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix_x4(fa[i], steps[kk & 3] + a_base + stage * 16384 + (kk >> 2) * 128 + i * 2048);
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4(fb[0], steps_2[kk & 3] + b_base + stage * 16384 + (kk >> 2) * 128 + j * 1024);
                #pragma unroll
                for (int i = 0; i < 4; ++i) {
                    mma_m16n8k32_i8(acc + (i * 8 + j) * 4, fa[i], fb[0]);
                    mma_m16n8k32_i8(acc + (i * 8 + (j + 1)) * 4, fa[i], fb[1]);
                }
            }
        }
        stage_ahead = stage;
        stage ^= 1;
        A_src_2 += 128;
        B_src_2 += 128;
    }
    // 46: pipeline k in 0 .. ceildiv(K, BK), stages {
    const signed char* A_src_3 = A + (long long)(by * 128 + t_i_2) * K + (k_inner + 1) * 128 + t_j_2;
    const signed char* B_src_3 = B + (long long)(bx * 128 + t_i_2) * K + (k_inner + 1) * 128 + t_j_2;
    #pragma unroll 1
    for (int k_2 = k_inner; k_2 < (K + 127) / 128; ++k_2) {
        cp_async_wait<0>();
        __syncthreads();
        if (k_2 + 1 < (K + 127) / 128) {
            // 47: copy A[by*BM, k*BK] -> a
            #pragma unroll
            for (int r = 0; r < 128; r += 16) {
                cp_async<16>(a_base + t_dst + stage_ahead * 16384 + (r >> 4) * 1024, A_src_3 + (long long)((r >> 4) * 8) * K + (r & 15), ((r >> 4) * 8 < M - (by * 128 + t_i_2) && (r & 15) < K - ((k_2 + 1) * 128 + t_j_2)) ? 16 : 0);
            }
            // 48: copy B[bx*BN, k*BK] -> b
            #pragma unroll
            for (int r = 0; r < 128; r += 16) {
                cp_async<16>(b_base + t_dst + stage_ahead * 16384 + (r >> 4) * 1024, B_src_3 + (long long)((r >> 4) * 8) * K + (r & 15), ((r >> 4) * 8 < N - (bx * 128 + t_i_2) && (r & 15) < K - ((k_2 + 1) * 128 + t_j_2)) ? 16 : 0);
            }
        }
        cp_async_commit();
        // 49: acc[i, j] += sum[d](i32(a[i, d]) * i32(b[j, d]))
        #pragma unroll
        for (int kk = 0; kk < 4; ++kk) {
            unsigned fa[4][4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix_x4(fa[i], steps[kk & 3] + a_base + stage * 16384 + (kk >> 2) * 128 + i * 2048);
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4(fb[0], steps_2[kk & 3] + b_base + stage * 16384 + (kk >> 2) * 128 + j * 1024);
                #pragma unroll
                for (int i = 0; i < 4; ++i) {
                    mma_m16n8k32_i8(acc + (i * 8 + j) * 4, fa[i], fb[0]);
                    mma_m16n8k32_i8(acc + (i * 8 + (j + 1)) * 4, fa[i], fb[1]);
                }
            }
        }
        stage_ahead = stage;
        stage ^= 1;
        A_src_3 += 128;
        B_src_3 += 128;
    }
    // 51: copy acc -> C[by*BM, bx*BN]
    #pragma unroll
    for (int r = 0; r < 128; r += 2) {
        if (((r >> 1) & 1) * 8 + (r >> 5) * 16 < M - (by * 128 + t_i) && (r & 1) + ((r >> 2) & 7) * 8 < N - (bx * 128 + t_j)) copy_bytes<8>(C + (long long)(by * 128 + (t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16)) * N + bx * 128 + (t_j + (r & 1) + ((r >> 2) & 7) * 8), acc + r);
    }
}

/// C = A · Bᵀ on 8-bit integers, exact in i32; B output-major, as quantized weights are stored.
extern "C" __global__ void __launch_bounds__(128, 1)
matmul_i8_any(const signed char* __restrict__ A, const signed char* __restrict__ B, int* __restrict__ C, long long M, long long K, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_i = (lane >> 2) + (warp >> 1) * 64;
    const int t_j = (lane & 3) * 2 + (warp & 1) * 64;
    signed char* const a = reinterpret_cast<signed char*>(smem);  // i8[2, 128, 128]
    signed char* const b = reinterpret_cast<signed char*>(smem + 32768);  // i8[2, 128, 128]
    const int t_i_2 = (lane >> 3) + (warp & 1) * 4 + (warp >> 1) * 64;
    const int t_j_2 = (lane & 7) * 16;
    const int row = (warp >> 1) * 64 + (lane & 15);
    const unsigned frag = row * 128 + (((lane >> 4) * 16) ^ (row & 7) * 16);
    const unsigned a_base = shared_address(a);
    const int row_2 = (warp & 1) * 64 + (lane & 7) + (lane >> 4) * 8;
    const unsigned frag_2 = row_2 * 128 + (((lane >> 3 & 1) * 16) ^ (row_2 & 7) * 16);
    const unsigned b_base = shared_address(b);
    int* const C_tile = reinterpret_cast<int*>(smem);  // i32[128, 128]
    const int t_i_3 = warp;
    const int t_j_3 = lane * 4;
    int rest = (int)blockIdx.x;
    const long long bx = rest % ((N + 127) / 128);
    rest /= (N + 127) / 128;
    const long long by = rest;
    // 45: tile acc: i32[BM, BN] = 0
    alignas(16) int acc[128];  // i32[128, 128]
    #pragma unroll
    for (int r = 0; r < 128; ++r) {
        acc[r] = 0;
    }
    // 46: pipeline k in 0 .. ceildiv(K, BK), stages {
    if (0 < (K + 127) / 128) {
        // 47: copy A[by*BM, k*BK] -> a
        #pragma unroll 1
        for (int r = 0; r < 128; r += 16) {
            alignas(16) unsigned out[4];
            out[0] = pack_i8(((r >> 4) * 8 < M - (by * 128 + t_i_2) && (r & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + (r >> 4) * 8)) * K + t_j_2 + (r & 15)] : (signed char)0, (((r + 1) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 1) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 1) >> 4) * 8)) * K + t_j_2 + ((r + 1) & 15)] : (signed char)0, (((r + 2) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 2) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 2) >> 4) * 8)) * K + t_j_2 + ((r + 2) & 15)] : (signed char)0, (((r + 3) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 3) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 3) >> 4) * 8)) * K + t_j_2 + ((r + 3) & 15)] : (signed char)0);
            out[1] = pack_i8((((r + 4) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 4) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 4) >> 4) * 8)) * K + t_j_2 + ((r + 4) & 15)] : (signed char)0, (((r + 5) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 5) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 5) >> 4) * 8)) * K + t_j_2 + ((r + 5) & 15)] : (signed char)0, (((r + 6) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 6) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 6) >> 4) * 8)) * K + t_j_2 + ((r + 6) & 15)] : (signed char)0, (((r + 7) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 7) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 7) >> 4) * 8)) * K + t_j_2 + ((r + 7) & 15)] : (signed char)0);
            out[2] = pack_i8((((r + 8) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 8) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 8) >> 4) * 8)) * K + t_j_2 + ((r + 8) & 15)] : (signed char)0, (((r + 9) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 9) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 9) >> 4) * 8)) * K + t_j_2 + ((r + 9) & 15)] : (signed char)0, (((r + 10) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 10) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 10) >> 4) * 8)) * K + t_j_2 + ((r + 10) & 15)] : (signed char)0, (((r + 11) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 11) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 11) >> 4) * 8)) * K + t_j_2 + ((r + 11) & 15)] : (signed char)0);
            out[3] = pack_i8((((r + 12) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 12) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 12) >> 4) * 8)) * K + t_j_2 + ((r + 12) & 15)] : (signed char)0, (((r + 13) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 13) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 13) >> 4) * 8)) * K + t_j_2 + ((r + 13) & 15)] : (signed char)0, (((r + 14) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 14) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 14) >> 4) * 8)) * K + t_j_2 + ((r + 14) & 15)] : (signed char)0, (((r + 15) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 15) & 15) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 15) >> 4) * 8)) * K + t_j_2 + ((r + 15) & 15)] : (signed char)0);
            store_shared<16>(shared_address(a + (t_i_2 + (r >> 4) * 8) * 128 + ((t_j_2 + (r & 15)) ^ ((t_i_2 + (r >> 4) * 8) & 7) * 16)), out);
        }
        // 48: copy B[bx*BN, k*BK] -> b
        #pragma unroll 1
        for (int r = 0; r < 128; r += 16) {
            alignas(16) unsigned out_2[4];
            out_2[0] = pack_i8(((r >> 4) * 8 < N - (bx * 128 + t_i_2) && (r & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + (r >> 4) * 8)) * K + t_j_2 + (r & 15)] : (signed char)0, (((r + 1) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 1) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 1) >> 4) * 8)) * K + t_j_2 + ((r + 1) & 15)] : (signed char)0, (((r + 2) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 2) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 2) >> 4) * 8)) * K + t_j_2 + ((r + 2) & 15)] : (signed char)0, (((r + 3) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 3) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 3) >> 4) * 8)) * K + t_j_2 + ((r + 3) & 15)] : (signed char)0);
            out_2[1] = pack_i8((((r + 4) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 4) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 4) >> 4) * 8)) * K + t_j_2 + ((r + 4) & 15)] : (signed char)0, (((r + 5) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 5) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 5) >> 4) * 8)) * K + t_j_2 + ((r + 5) & 15)] : (signed char)0, (((r + 6) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 6) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 6) >> 4) * 8)) * K + t_j_2 + ((r + 6) & 15)] : (signed char)0, (((r + 7) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 7) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 7) >> 4) * 8)) * K + t_j_2 + ((r + 7) & 15)] : (signed char)0);
            out_2[2] = pack_i8((((r + 8) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 8) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 8) >> 4) * 8)) * K + t_j_2 + ((r + 8) & 15)] : (signed char)0, (((r + 9) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 9) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 9) >> 4) * 8)) * K + t_j_2 + ((r + 9) & 15)] : (signed char)0, (((r + 10) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 10) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 10) >> 4) * 8)) * K + t_j_2 + ((r + 10) & 15)] : (signed char)0, (((r + 11) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 11) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 11) >> 4) * 8)) * K + t_j_2 + ((r + 11) & 15)] : (signed char)0);
            out_2[3] = pack_i8((((r + 12) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 12) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 12) >> 4) * 8)) * K + t_j_2 + ((r + 12) & 15)] : (signed char)0, (((r + 13) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 13) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 13) >> 4) * 8)) * K + t_j_2 + ((r + 13) & 15)] : (signed char)0, (((r + 14) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 14) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 14) >> 4) * 8)) * K + t_j_2 + ((r + 14) & 15)] : (signed char)0, (((r + 15) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 15) & 15) < K - t_j_2) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 15) >> 4) * 8)) * K + t_j_2 + ((r + 15) & 15)] : (signed char)0);
            store_shared<16>(shared_address(b + (t_i_2 + (r >> 4) * 8) * 128 + ((t_j_2 + (r & 15)) ^ ((t_i_2 + (r >> 4) * 8) & 7) * 16)), out_2);
        }
    }
    int stage = 0;
    int stage_ahead = 1;
    // 46: pipeline k in 0 .. ceildiv(K, BK), stages {
    #pragma unroll 1
    for (long long k = 0; k < (K + 127) / 128; ++k) {
        __syncthreads();
        if (k + 1 < (K + 127) / 128) {
            // 47: copy A[by*BM, k*BK] -> a
            #pragma unroll 1
            for (int r = 0; r < 128; r += 16) {
                alignas(16) unsigned out_3[4];
                out_3[0] = pack_i8(((r >> 4) * 8 < M - (by * 128 + t_i_2) && (r & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + (r >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + (r & 15))] : (signed char)0, (((r + 1) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 1) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 1) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 1) & 15))] : (signed char)0, (((r + 2) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 2) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 2) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 2) & 15))] : (signed char)0, (((r + 3) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 3) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 3) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 3) & 15))] : (signed char)0);
                out_3[1] = pack_i8((((r + 4) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 4) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 4) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 4) & 15))] : (signed char)0, (((r + 5) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 5) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 5) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 5) & 15))] : (signed char)0, (((r + 6) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 6) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 6) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 6) & 15))] : (signed char)0, (((r + 7) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 7) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 7) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 7) & 15))] : (signed char)0);
                out_3[2] = pack_i8((((r + 8) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 8) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 8) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 8) & 15))] : (signed char)0, (((r + 9) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 9) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 9) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 9) & 15))] : (signed char)0, (((r + 10) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 10) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 10) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 10) & 15))] : (signed char)0, (((r + 11) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 11) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 11) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 11) & 15))] : (signed char)0);
                out_3[3] = pack_i8((((r + 12) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 12) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 12) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 12) & 15))] : (signed char)0, (((r + 13) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 13) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 13) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 13) & 15))] : (signed char)0, (((r + 14) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 14) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 14) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 14) & 15))] : (signed char)0, (((r + 15) >> 4) * 8 < M - (by * 128 + t_i_2) && ((r + 15) & 15) < K - ((k + 1) * 128 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 15) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 15) & 15))] : (signed char)0);
                store_shared<16>(shared_address(a + stage_ahead * 16384 + (t_i_2 + (r >> 4) * 8) * 128 + ((t_j_2 + (r & 15)) ^ ((t_i_2 + (r >> 4) * 8) & 7) * 16)), out_3);
            }
            // 48: copy B[bx*BN, k*BK] -> b
            #pragma unroll 1
            for (int r = 0; r < 128; r += 16) {
                alignas(16) unsigned out_4[4];
                out_4[0] = pack_i8(((r >> 4) * 8 < N - (bx * 128 + t_i_2) && (r & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + (r >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + (r & 15))] : (signed char)0, (((r + 1) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 1) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 1) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 1) & 15))] : (signed char)0, (((r + 2) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 2) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 2) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 2) & 15))] : (signed char)0, (((r + 3) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 3) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 3) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 3) & 15))] : (signed char)0);
                out_4[1] = pack_i8((((r + 4) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 4) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 4) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 4) & 15))] : (signed char)0, (((r + 5) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 5) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 5) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 5) & 15))] : (signed char)0, (((r + 6) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 6) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 6) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 6) & 15))] : (signed char)0, (((r + 7) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 7) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 7) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 7) & 15))] : (signed char)0);
                out_4[2] = pack_i8((((r + 8) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 8) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 8) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 8) & 15))] : (signed char)0, (((r + 9) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 9) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 9) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 9) & 15))] : (signed char)0, (((r + 10) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 10) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 10) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 10) & 15))] : (signed char)0, (((r + 11) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 11) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 11) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 11) & 15))] : (signed char)0);
                out_4[3] = pack_i8((((r + 12) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 12) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 12) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 12) & 15))] : (signed char)0, (((r + 13) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 13) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 13) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 13) & 15))] : (signed char)0, (((r + 14) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 14) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 14) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 14) & 15))] : (signed char)0, (((r + 15) >> 4) * 8 < N - (bx * 128 + t_i_2) && ((r + 15) & 15) < K - ((k + 1) * 128 + t_j_2)) ? B[(long long)(bx * 128 + (t_i_2 + ((r + 15) >> 4) * 8)) * K + (k + 1) * 128 + (t_j_2 + ((r + 15) & 15))] : (signed char)0);
                store_shared<16>(shared_address(b + stage_ahead * 16384 + (t_i_2 + (r >> 4) * 8) * 128 + ((t_j_2 + (r & 15)) ^ ((t_i_2 + (r >> 4) * 8) & 7) * 16)), out_4);
            }
        }
        // 49: acc[i, j] += sum[d](i32(a[i, d]) * i32(b[j, d]))
        #pragma unroll
        for (int kk = 0; kk < 4; ++kk) {
            unsigned fa[4][4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix_x4(fa[i], (frag ^ ((kk & 3) * 32)) + a_base + stage * 16384 + (kk >> 2) * 128 + i * 2048);
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4(fb[0], (frag_2 ^ ((kk & 3) * 32)) + b_base + stage * 16384 + (kk >> 2) * 128 + j * 1024);
                #pragma unroll
                for (int i = 0; i < 4; ++i) {
                    mma_m16n8k32_i8(acc + (i * 8 + j) * 4, fa[i], fb[0]);
                    mma_m16n8k32_i8(acc + (i * 8 + (j + 1)) * 4, fa[i], fb[1]);
                }
            }
        }
        stage_ahead = stage;
        stage ^= 1;
    }
    // 51: copy acc -> C[by*BM, bx*BN]
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < 128; r += 2) {
        store_shared<8>(shared_address(C_tile + (t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) * 128 + ((t_j + (r & 1) + ((r >> 2) & 7) * 8) ^ ((t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) & 7) * 4)), reinterpret_cast<const unsigned*>(acc + r));
    }
    __syncthreads();
    #pragma unroll 2
    for (int r = 0; r < 128; r += 4) {
        if (((r >> 2) * 4 < M - (by * 128 + t_i_3)) && (((r + 3) & 3) < N - (bx * 128 + t_j_3))) {
            alignas(16) int C_tile_v[4];
            copy_bytes<16>(C_tile_v, C_tile + (t_i_3 + (r >> 2) * 4) * 128 + ((t_j_3 + (r & 3)) ^ ((t_i_3 + (r >> 2) * 4) & 7) * 4));
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                C[(long long)(by * 128 + (t_i_3 + ((r + e) >> 2) * 4)) * N + bx * 128 + (t_j_3 + ((r + e) & 3))] = C_tile_v[e];
            }
        } else {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                if (((r + e) >> 2) * 4 < M - (by * 128 + t_i_3) && ((r + e) & 3) < N - (bx * 128 + t_j_3)) C[(long long)(by * 128 + (t_i_3 + ((r + e) >> 2) * 4)) * N + bx * 128 + (t_j_3 + ((r + e) & 3))] = C_tile[(t_i_3 + ((r + e) >> 2) * 4) * 128 + ((t_j_3 + ((r + e) & 3)) ^ ((t_i_3 + ((r + e) >> 2) * 4) & 7) * 4)];
            }
        }
    }
}
