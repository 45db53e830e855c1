// Kernel `matmul_w4a16` of quantized.tile for sm_90a, made by tilec. Do not edit.
// Generics: GROUP = 128.
// Tuned: BM = 128, BN = 128, BK = 32, stages = 2.
//
// Launch: a one-dimensional grid of (N + 127) / 128 x (M + 127) / 128 blocks; nothing if that is 0.
//   matmul_w4a16: 128 threads, 32768 bytes of dynamic shared memory; needs K % 32 == 0, N % 8 == 0, A, W, scales, zeros, C aligned to 16 bytes, every extent at most 2^30
//   matmul_w4a16_any: 128 threads, 32768 bytes of dynamic shared memory

struct f16 { unsigned short bits; };
struct u4 { unsigned char bits; };

static __device__ __forceinline__ int from_u4(u4 x) { return x.bits & 15; }

// Two f32 values to a word of f16, the first in the lower half.
static __device__ __forceinline__ unsigned round_pack_f16(float lo, float hi) { unsigned y; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(hi), "f"(lo)); return y; }

// Two products at a time, each rounded once.
static __device__ __forceinline__ unsigned mul_f16x2(unsigned x, unsigned y) { unsigned z; asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y)); return z; }

// x * y + z, two at a time.
static __device__ __forceinline__ unsigned fma_f16x2(unsigned x, unsigned y, unsigned z) { unsigned d; asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(z)); return d; }

static __device__ __forceinline__ unsigned sub_f16x2(unsigned x, unsigned y) { return fma_f16x2(y, 0xbc00bc00, x); }

// Elements 2i and 2i + 1 of a word: 4 bits in the low bits of 1024 are 1024 more than themselves, the next 4 a 16th of that.
template <int i>
static __device__ __forceinline__ unsigned widen_u4_f16(unsigned w) { return fma_f16x2(__byte_perm(w, 0x64646464, 0x4040 | i * 0x101) & 0xfff0ff0f, 0x2c003c00, 0xd400e400); }

static __device__ __forceinline__ unsigned pack_f16(f16 lo, f16 hi) { return lo.bits | (unsigned)hi.bits << 16; }

// Element i of packed words.
static __device__ __forceinline__ f16 get_f16(const unsigned* w, int i) { return f16{(unsigned short)(w[i >> 1] >> (i & 1) * 16)}; }

static __device__ __forceinline__ void set_f16(unsigned* w, int i, f16 x) { w[i >> 1] = (w[i >> 1] & ~(0xffffu << (i & 1) * 16)) | (unsigned)x.bits << (i & 1) * 16; }

static __device__ __forceinline__ unsigned pack_u4(u4 x0, u4 x1, u4 x2, u4 x3, u4 x4, u4 x5, u4 x6, u4 x7) { return (unsigned)(x0.bits & 15) << 0 | (unsigned)(x1.bits & 15) << 4 | (unsigned)(x2.bits & 15) << 8 | (unsigned)(x3.bits & 15) << 12 | (unsigned)(x4.bits & 15) << 16 | (unsigned)(x5.bits & 15) << 20 | (unsigned)(x6.bits & 15) << 24 | (unsigned)(x7.bits & 15) << 28; }

static __device__ __forceinline__ u4 get_u4(const unsigned* w, int i) { return u4{(unsigned char)(w[i >> 3] >> (i & 7) * 4 & 15)}; }

static __device__ __forceinline__ void set_u4(unsigned* w, int i, u4 x) { w[i >> 3] = (w[i >> 3] & ~(15u << (i & 7) * 4)) | (unsigned)(x.bits & 15) << (i & 7) * 4; }

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

// c += a * b on the matrix unit.
static __device__ __forceinline__ void mma_m16n8k16_f16(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// C = A · dequant(W)ᵀ: 4-bit weights with one scale and zero point for each group of GROUP columns.
extern "C" __global__ void __launch_bounds__(128, 1)
matmul_w4a16(const f16* __restrict__ A, const unsigned char* __restrict__ W, const f16* __restrict__ scales, const unsigned char* __restrict__ zeros, f16* __restrict__ C, int M, int K, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_i = (lane >> 2) + (warp >> 1) * 64;
    const int t_j = (lane & 3) * 2 + (warp & 1) * 64;
    f16* const a = reinterpret_cast<f16*>(smem);  // f16[2, 128, 32]
    unsigned char* const w_2 = reinterpret_cast<unsigned char*>(smem + 24576);  // u4[2, 128, 32]
    const int t_i_2 = (lane >> 2) + warp * 32;
    const int t_j_2 = (lane & 3) * 8;
    const unsigned a_base = shared_address(a);
    const unsigned t_dst = pin((t_i_2 * 32 + (t_j_2 ^ ((t_i_2 >> 1) & 3) * 8)) * 2);
    const int t_i_3 = lane + warp * 32;
    const unsigned w_base = shared_address(w_2);
    const unsigned t_dst_2 = pin((t_i_3 * 32) / 2);
    f16* const wf = reinterpret_cast<f16*>(smem + 16384);  // f16[128, 32]
    const int row = (warp >> 1) * 64 + (lane & 15);
    const unsigned frag = pin(row * 64 + ((((lane >> 4) * 8) * 2) ^ ((row >> 1) & 3) * 16));
    const unsigned steps[2] = {pin(frag ^ 0), pin(frag ^ 32)};
    const int row_2 = (warp & 1) * 64 + (lane & 7) + (lane >> 4) * 8;
    const unsigned frag_2 = pin(row_2 * 64 + ((((lane >> 3 & 1) * 8) * 2) ^ ((row_2 >> 1) & 3) * 16));
    const unsigned steps_2[2] = {pin(frag_2 ^ 0), pin(frag_2 ^ 32)};
    const unsigned wf_base = shared_address(wf);
    f16* const wf_2 = reinterpret_cast<f16*>(smem + 16384);  // f16[128, 32]
    const unsigned wf_base_2 = shared_address(wf_2);
    f16* const C_tile = reinterpret_cast<f16*>(smem);  // f16[128, 128]
    const int t_i_4 = (lane >> 4) + warp * 2;
    const int t_j_3 = (lane & 15) * 8;
    int rest = (int)blockIdx.x;
    const int bx = rest % ((N + 127) / 128);
    rest /= (N + 127) / 128;
    const int by = rest;
    // 30: tile acc: f32[BM, BN] = 0
    alignas(16) float acc[128];  // f32[128, 128]
    #pragma unroll
    for (int r = 0; r < 128; ++r) {
        acc[r] = 0.0f;
    }
    // 31: pipeline k in 0 .. ceildiv(K, BK), stages {
    if (0 < (K + 31) / 32) {
        // 32: copy A[by*BM, k*BK] -> a
        const f16* const A_src = A + (long long)(by * 128 + t_i_2) * K + t_j_2;
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(a_base + t_dst + (r >> 3) * 512, A_src + (long long)((r >> 3) * 8) * K + (r & 7), ((r >> 3) * 8 < M - (by * 128 + t_i_2)) ? 16 : 0);
        }
        // 33: copy W[bx*BN, k*BK] -> w
        const unsigned char* const W_src = &W[(long long)(bx * 128 + t_i_3) * ((K + 1) >> 1) + (0 >> 1)];
        cp_async<16>(w_base + t_dst_2, W_src, (bx * 128 + t_i_3 < N) ? 16 : 0);
    }
    cp_async_commit();
    int stage = 0;
    int stage_ahead = 1;
    const int k_inner = max(min((K + 31) / 32, (K + 31) / 32 - 1), 0);
    // 31: pipeline k in 0 .. ceildiv(K, BK), stages {
    const f16* A_src_2 = A + (long long)(by * 128 + t_i_2) * K + 32 + t_j_2;
    const unsigned char* W_src_2 = &W[(long long)(bx * 128 + t_i_3) * ((K + 1) >> 1) + (32 >> 1)];
    #pragma unroll 1
    for (int k = 0; k < k_inner; ++k) {
        cp_async_wait<0>();
        __syncthreads();
        // 32: copy A[by*BM, k*BK] -> a
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(a_base + t_dst + stage_ahead * 8192 + (r >> 3) * 512, A_src_2 + (long long)((r >> 3) * 8) * K + (r & 7), ((r >> 3) * 8 < M - (by * 128 + t_i_2)) ? 16 : 0);
        }
        // 33: copy W[bx*BN, k*BK] -> w
        cp_async<16>(w_base + t_dst_2 + stage_ahead * 2048, W_src_2, (bx * 128 + t_i_3 < N) ? 16 : 0);
        cp_async_commit();
        // 34: let g = k*BK / GROUP
        const int g = (k * 32) / 128;
        // 35: let wf[j, d] = f16((f32(w[j, d]) - f32(zeros[bx*BN + j, g])) * f32(scales[bx*BN + j, g]))
        alignas(16) unsigned zeros_once[1] = {};  // u4[128]
        set_u4(zeros_once, 0, (bx * 128 + t_i_3 < N) ? u4{(unsigned char)((zeros[(long long)(bx * 128 + t_i_3) * (((K / 128) + 1) >> 1) + (g >> 1)] >> (g & 1) * 4) & 15)} : u4{0});
        alignas(16) unsigned scales_once[1] = {};  // f16[128]
        set_f16(scales_once, 0, (bx * 128 + t_i_3 < N) ? scales[(long long)(bx * 128 + t_i_3) * (K / 128) + g] : f16{0x0});
        {
            alignas(16) unsigned w_v[4];
            copy_bytes<16>(w_v, &w_2[(stage * 4096 + t_i_3 * 32) >> 1]);
            alignas(16) unsigned out[16];
            out[0] = mul_f16x2(sub_f16x2(widen_u4_f16<0>(w_v[0]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[1] = mul_f16x2(sub_f16x2(widen_u4_f16<1>(w_v[0]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[2] = mul_f16x2(sub_f16x2(widen_u4_f16<2>(w_v[0]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[3] = mul_f16x2(sub_f16x2(widen_u4_f16<3>(w_v[0]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[4] = mul_f16x2(sub_f16x2(widen_u4_f16<0>(w_v[1]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[5] = mul_f16x2(sub_f16x2(widen_u4_f16<1>(w_v[1]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[6] = mul_f16x2(sub_f16x2(widen_u4_f16<2>(w_v[1]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[7] = mul_f16x2(sub_f16x2(widen_u4_f16<3>(w_v[1]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[8] = mul_f16x2(sub_f16x2(widen_u4_f16<0>(w_v[2]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[9] = mul_f16x2(sub_f16x2(widen_u4_f16<1>(w_v[2]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[10] = mul_f16x2(sub_f16x2(widen_u4_f16<2>(w_v[2]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[11] = mul_f16x2(sub_f16x2(widen_u4_f16<3>(w_v[2]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[12] = mul_f16x2(sub_f16x2(widen_u4_f16<0>(w_v[3]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[13] = mul_f16x2(sub_f16x2(widen_u4_f16<1>(w_v[3]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[14] = mul_f16x2(sub_f16x2(widen_u4_f16<2>(w_v[3]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            out[15] = mul_f16x2(sub_f16x2(widen_u4_f16<3>(w_v[3]), round_pack_f16((float)from_u4(get_u4(zeros_once, 0)), (float)from_u4(get_u4(zeros_once, 0)))), pack_f16(get_f16(scales_once, 0), get_f16(scales_once, 0)));
            store_shared<16>(shared_address(wf + t_i_3 * 32 + (0 ^ ((t_i_3 >> 1) & 3) * 8)), out);
            store_shared<16>(shared_address(wf + t_i_3 * 32 + (8 ^ ((t_i_3 >> 1) & 3) * 8)), out + 4);
            store_shared<16>(shared_address(wf + t_i_3 * 32 + (16 ^ ((t_i_3 >> 1) & 3) * 8)), out + 8);
            store_shared<16>(shared_address(wf + t_i_3 * 32 + (24 ^ ((t_i_3 >> 1) & 3) * 8)), out + 12);
        }
        // 36: acc[i, j] += sum[d](a[i, d] * wf[j, d])
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            unsigned fa[4][4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix_x4(fa[i], steps[kk & 1] + a_base + stage * 8192 + (kk >> 1) * 64 + i * 1024);
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4(fb[0], steps_2[kk & 1] + wf_base + (kk >> 1) * 64 + j * 512);
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
        W_src_2 += 16;
    }
    // 31: pipeline k in 0 .. ceildiv(K, BK), stages {
    const f16* A_src_3 = A + (long long)(by * 128 + t_i_2) * K + (k_inner + 1) * 32 + t_j_2;
    const unsigned char* W_src_3 = &W[(long long)(bx * 128 + t_i_3) * ((K + 1) >> 1) + (((k_inner + 1) * 32) >> 1)];
    #pragma unroll 1
    for (int k_2 = k_inner; k_2 < (K + 31) / 32; ++k_2) {
        cp_async_wait<0>();
        __syncthreads();
        if (k_2 + 1 < (K + 31) / 32) {
            // 32: copy A[by*BM, k*BK] -> a
            #pragma unroll
            for (int r = 0; r < 32; r += 8) {
                cp_async<16>(a_base + t_dst + stage_ahead * 8192 + (r >> 3) * 512, A_src_3 + (long long)((r >> 3) * 8) * K + (r & 7), ((r >> 3) * 8 < M - (by * 128 + t_i_2)) ? 16 : 0);
            }
            // 33: copy W[bx*BN, k*BK] -> w
            cp_async<16>(w_base + t_dst_2 + stage_ahead * 2048, W_src_3, (bx * 128 + t_i_3 < N) ? 16 : 0);
        }
        cp_async_commit();
        const int g_2 = (k_2 * 32) / 128;
        // 35: let wf[j, d] = f16((f32(w[j, d]) - f32(zeros[bx*BN + j, g])) * f32(scales[bx*BN + j, g]))
        alignas(16) unsigned zeros_once_2[1] = {};  // u4[128]
        set_u4(zeros_once_2, 0, (bx * 128 + t_i_3 < N) ? u4{(unsigned char)((zeros[(long long)(bx * 128 + t_i_3) * (((K / 128) + 1) >> 1) + (g_2 >> 1)] >> (g_2 & 1) * 4) & 15)} : u4{0});
        alignas(16) unsigned scales_once_2[1] = {};  // f16[128]
        set_f16(scales_once_2, 0, (bx * 128 + t_i_3 < N) ? scales[(long long)(bx * 128 + t_i_3) * (K / 128) + g_2] : f16{0x0});
        {
            alignas(16) unsigned w_v_2[4];
            copy_bytes<16>(w_v_2, &w_2[(stage * 4096 + t_i_3 * 32) >> 1]);
            alignas(16) unsigned out_2[16];
            out_2[0] = mul_f16x2(sub_f16x2(widen_u4_f16<0>(w_v_2[0]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[1] = mul_f16x2(sub_f16x2(widen_u4_f16<1>(w_v_2[0]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[2] = mul_f16x2(sub_f16x2(widen_u4_f16<2>(w_v_2[0]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[3] = mul_f16x2(sub_f16x2(widen_u4_f16<3>(w_v_2[0]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[4] = mul_f16x2(sub_f16x2(widen_u4_f16<0>(w_v_2[1]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[5] = mul_f16x2(sub_f16x2(widen_u4_f16<1>(w_v_2[1]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[6] = mul_f16x2(sub_f16x2(widen_u4_f16<2>(w_v_2[1]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[7] = mul_f16x2(sub_f16x2(widen_u4_f16<3>(w_v_2[1]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[8] = mul_f16x2(sub_f16x2(widen_u4_f16<0>(w_v_2[2]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[9] = mul_f16x2(sub_f16x2(widen_u4_f16<1>(w_v_2[2]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[10] = mul_f16x2(sub_f16x2(widen_u4_f16<2>(w_v_2[2]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[11] = mul_f16x2(sub_f16x2(widen_u4_f16<3>(w_v_2[2]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[12] = mul_f16x2(sub_f16x2(widen_u4_f16<0>(w_v_2[3]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[13] = mul_f16x2(sub_f16x2(widen_u4_f16<1>(w_v_2[3]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[14] = mul_f16x2(sub_f16x2(widen_u4_f16<2>(w_v_2[3]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            out_2[15] = mul_f16x2(sub_f16x2(widen_u4_f16<3>(w_v_2[3]), round_pack_f16((float)from_u4(get_u4(zeros_once_2, 0)), (float)from_u4(get_u4(zeros_once_2, 0)))), pack_f16(get_f16(scales_once_2, 0), get_f16(scales_once_2, 0)));
            store_shared<16>(shared_address(wf_2 + t_i_3 * 32 + (0 ^ ((t_i_3 >> 1) & 3) * 8)), out_2);
            store_shared<16>(shared_address(wf_2 + t_i_3 * 32 + (8 ^ ((t_i_3 >> 1) & 3) * 8)), out_2 + 4);
            store_shared<16>(shared_address(wf_2 + t_i_3 * 32 + (16 ^ ((t_i_3 >> 1) & 3) * 8)), out_2 + 8);
            store_shared<16>(shared_address(wf_2 + t_i_3 * 32 + (24 ^ ((t_i_3 >> 1) & 3) * 8)), out_2 + 12);
        }
        __syncthreads();
        // 36: acc[i, j] += sum[d](a[i, d] * wf[j, d])
        #pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            unsigned fa[4][4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix_x4(fa[i], steps[kk & 1] + a_base + stage * 8192 + (kk >> 1) * 64 + i * 1024);
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4(fb[0], steps_2[kk & 1] + wf_base_2 + (kk >> 1) * 64 + j * 512);
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
        W_src_3 += 16;
    }
    // 38: copy acc -> C[by*BM, bx*BN]
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < 128; r += 2) {
        *reinterpret_cast<unsigned*>(C_tile + (t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) * 128 + ((t_j + (r & 1) + ((r >> 2) & 7) * 8) ^ ((t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) & 7) * 8)) = round_pack_f16(acc[r], acc[r + 1]);
    }
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < 128; r += 8) {
        if ((r >> 3) * 8 < M - (by * 128 + t_i_4) && (r & 7) < N - (bx * 128 + t_j_3)) {
            alignas(16) unsigned C_tile_v[4];
            copy_bytes<16>(C_tile_v, C_tile + (t_i_4 + (r >> 3) * 8) * 128 + ((t_j_3 + (r & 7)) ^ ((t_i_4 + (r >> 3) * 8) & 7) * 8));
            store_once(C + (long long)(by * 128 + (t_i_4 + (r >> 3) * 8)) * N + bx * 128 + (t_j_3 + (r & 7)), C_tile_v);
        }
    }
}

/// C = A · dequant(W)ᵀ: 4-bit weights with one scale and zero point for each group of GROUP columns.
extern "C" __global__ void __launch_bounds__(128, 1)
matmul_w4a16_any(const f16* __restrict__ A, const unsigned char* __restrict__ W, const f16* __restrict__ scales, const unsigned char* __restrict__ zeros, f16* __restrict__ C, long long M, long long K, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    const int t_i = (lane >> 2) + (warp >> 1) * 64;
    const int t_j = (lane & 3) * 2 + (warp & 1) * 64;
    f16* const a = reinterpret_cast<f16*>(smem);  // f16[2, 128, 32]
    const int t_i_2 = (lane >> 2) + warp * 32;
    const int t_j_2 = (lane & 3) * 8;
    const int t_i_3 = (lane >> 2) + warp * 8;
    f16* const wf = reinterpret_cast<f16*>(smem + 16384);  // f16[128, 32]
    const int row = (warp >> 1) * 64 + (lane & 15);
    const unsigned frag = row * 64 + ((((lane >> 4) * 8) * 2) ^ ((row >> 1) & 3) * 16);
    const unsigned a_base = shared_address(a);
    const int row_2 = (warp & 1) * 64 + (lane & 7) + (lane >> 4) * 8;
    const unsigned frag_2 = row_2 * 64 + ((((lane >> 3 & 1) * 8) * 2) ^ ((row_2 >> 1) & 3) * 16);
    const unsigned wf_base = shared_address(wf);
    f16* const C_tile = reinterpret_cast<f16*>(smem);  // f16[128, 128]
    const int t_i_4 = (lane >> 4) + warp * 2;
    const int t_j_3 = (lane & 15) * 8;
    int rest = (int)blockIdx.x;
    const long long bx = rest % ((N + 127) / 128);
    rest /= (N + 127) / 128;
    const long long by = rest;
    // 29: tile w: u4[BN, BK]
    alignas(16) unsigned w_2[4] = {};  // u4[128, 32]
    // 30: tile acc: f32[BM, BN] = 0
    alignas(16) float acc[128];  // f32[128, 128]
    #pragma unroll
    for (int r = 0; r < 128; ++r) {
        acc[r] = 0.0f;
    }
    // 31: pipeline k in 0 .. ceildiv(K, BK), stages {
    if (0 < (K + 31) / 32) {
        // 32: copy A[by*BM, k*BK] -> a
        #pragma unroll 1
        for (int r = 0; r < 32; r += 8) {
            alignas(16) unsigned out[4];
            out[0] = pack_f16(((r >> 3) * 8 < M - (by * 128 + t_i_2) && (r & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + (r >> 3) * 8)) * K + t_j_2 + (r & 7)] : f16{0x0}, (((r + 1) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 1) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 1) >> 3) * 8)) * K + t_j_2 + ((r + 1) & 7)] : f16{0x0});
            out[1] = pack_f16((((r + 2) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 2) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 2) >> 3) * 8)) * K + t_j_2 + ((r + 2) & 7)] : f16{0x0}, (((r + 3) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 3) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 3) >> 3) * 8)) * K + t_j_2 + ((r + 3) & 7)] : f16{0x0});
            out[2] = pack_f16((((r + 4) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 4) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 4) >> 3) * 8)) * K + t_j_2 + ((r + 4) & 7)] : f16{0x0}, (((r + 5) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 5) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 5) >> 3) * 8)) * K + t_j_2 + ((r + 5) & 7)] : f16{0x0});
            out[3] = pack_f16((((r + 6) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 6) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 6) >> 3) * 8)) * K + t_j_2 + ((r + 6) & 7)] : f16{0x0}, (((r + 7) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 7) & 7) < K - t_j_2) ? A[(long long)(by * 128 + (t_i_2 + ((r + 7) >> 3) * 8)) * K + t_j_2 + ((r + 7) & 7)] : f16{0x0});
            store_shared<16>(shared_address(a + (t_i_2 + (r >> 3) * 8) * 32 + ((t_j_2 + (r & 7)) ^ (((t_i_2 + (r >> 3) * 8) >> 1) & 3) * 8)), out);
        }
    }
    int stage = 0;
    int stage_ahead = 1;
    // 31: pipeline k in 0 .. ceildiv(K, BK), stages {
    #pragma unroll 1
    for (long long k = 0; k < (K + 31) / 32; ++k) {
        __syncthreads();
        if (k + 1 < (K + 31) / 32) {
            // 32: copy A[by*BM, k*BK] -> a
            #pragma unroll 1
            for (int r = 0; r < 32; r += 8) {
                alignas(16) unsigned out_2[4];
                out_2[0] = pack_f16(((r >> 3) * 8 < M - (by * 128 + t_i_2) && (r & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + (r >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + (r & 7))] : f16{0x0}, (((r + 1) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 1) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 1) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 1) & 7))] : f16{0x0});
                out_2[1] = pack_f16((((r + 2) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 2) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 2) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 2) & 7))] : f16{0x0}, (((r + 3) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 3) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 3) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 3) & 7))] : f16{0x0});
                out_2[2] = pack_f16((((r + 4) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 4) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 4) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 4) & 7))] : f16{0x0}, (((r + 5) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 5) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 5) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 5) & 7))] : f16{0x0});
                out_2[3] = pack_f16((((r + 6) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 6) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 6) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 6) & 7))] : f16{0x0}, (((r + 7) >> 3) * 8 < M - (by * 128 + t_i_2) && ((r + 7) & 7) < K - ((k + 1) * 32 + t_j_2)) ? A[(long long)(by * 128 + (t_i_2 + ((r + 7) >> 3) * 8)) * K + (k + 1) * 32 + (t_j_2 + ((r + 7) & 7))] : f16{0x0});
                store_shared<16>(shared_address(a + stage_ahead * 4096 + (t_i_2 + (r >> 3) * 8) * 32 + ((t_j_2 + (r & 7)) ^ (((t_i_2 + (r >> 3) * 8) >> 1) & 3) * 8)), out_2);
            }
        }
        // 33: copy W[bx*BN, k*BK] -> w
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            w_2[r / 8] = pack_u4(((r >> 3) * 32 < N - (bx * 128 + t_i_3) && (r & 7) < K - (k * 32 + t_j_2)) ? u4{(unsigned char)((W[(long long)(bx * 128 + (t_i_3 + (r >> 3) * 32)) * ((K + 1) >> 1) + ((k * 32 + (t_j_2 + (r & 7))) >> 1)] >> ((k * 32 + (t_j_2 + (r & 7))) & 1) * 4) & 15)} : u4{0}, (((r + 1) >> 3) * 32 < N - (bx * 128 + t_i_3) && ((r + 1) & 7) < K - (k * 32 + t_j_2)) ? u4{(unsigned char)((W[(long long)(bx * 128 + (t_i_3 + ((r + 1) >> 3) * 32)) * ((K + 1) >> 1) + ((k * 32 + (t_j_2 + ((r + 1) & 7))) >> 1)] >> ((k * 32 + (t_j_2 + ((r + 1) & 7))) & 1) * 4) & 15)} : u4{0}, (((r + 2) >> 3) * 32 < N - (bx * 128 + t_i_3) && ((r + 2) & 7) < K - (k * 32 + t_j_2)) ? u4{(unsigned char)((W[(long long)(bx * 128 + (t_i_3 + ((r + 2) >> 3) * 32)) * ((K + 1) >> 1) + ((k * 32 + (t_j_2 + ((r + 2) & 7))) >> 1)] >> ((k * 32 + (t_j_2 + ((r + 2) & 7))) & 1) * 4) & 15)} : u4{0}, (((r + 3) >> 3) * 32 < N - (bx * 128 + t_i_3) && ((r + 3) & 7) < K - (k * 32 + t_j_2)) ? u4{(unsigned char)((W[(long long)(bx * 128 + (t_i_3 + ((r + 3) >> 3) * 32)) * ((K + 1) >> 1) + ((k * 32 + (t_j_2 + ((r + 3) & 7))) >> 1)] >> ((k * 32 + (t_j_2 + ((r + 3) & 7))) & 1) * 4) & 15)} : u4{0}, (((r + 4) >> 3) * 32 < N - (bx * 128 + t_i_3) && ((r + 4) & 7) < K - (k * 32 + t_j_2)) ? u4{(unsigned char)((W[(long long)(bx * 128 + (t_i_3 + ((r + 4) >> 3) * 32)) * ((K + 1) >> 1) + ((k * 32 + (t_j_2 + ((r + 4) & 7))) >> 1)] >> ((k * 32 + (t_j_2 + ((r + 4) & 7))) & 1) * 4) & 15)} : u4{0}, (((r + 5) >> 3) * 32 < N - (bx * 128 + t_i_3) && ((r + 5) & 7) < K - (k * 32 + t_j_2)) ? u4{(unsigned char)((W[(long long)(bx * 128 + (t_i_3 + ((r + 5) >> 3) * 32)) * ((K + 1) >> 1) + ((k * 32 + (t_j_2 + ((r + 5) & 7))) >> 1)] >> ((k * 32 + (t_j_2 + ((r + 5) & 7))) & 1) * 4) & 15)} : u4{0}, (((r + 6) >> 3) * 32 < N - (bx * 128 + t_i_3) && ((r + 6) & 7) < K - (k * 32 + t_j_2)) ? u4{(unsigned char)((W[(long long)(bx * 128 + (t_i_3 + ((r + 6) >> 3) * 32)) * ((K + 1) >> 1) + ((k * 32 + (t_j_2 + ((r + 6) & 7))) >> 1)] >> ((k * 32 + (t_j_2 + ((r + 6) & 7))) & 1) * 4) & 15)} : u4{0}, (((r + 7) >> 3) * 32 < N - (bx * 128 + t_i_3) && ((r + 7) & 7) < K - (k * 32 + t_j_2)) ? u4{(unsigned char)((W[(long long)(bx * 128 + (t_i_3 + ((r + 7) >> 3) * 32)) * ((K + 1) >> 1) + ((k * 32 + (t_j_2 + ((r + 7) & 7))) >> 1)] >> ((k * 32 + (t_j_2 + ((r + 7) & 7))) & 1) * 4) & 15)} : u4{0});
        }
        // 34: let g = k*BK / GROUP
        const long long g = (k * 32) / 128;
        // 35: let wf[j, d] = f16((f32(w[j, d]) - f32(zeros[bx*BN + j, g])) * f32(scales[bx*BN + j, g]))
        alignas(16) unsigned zeros_once[1] = {};  // u4[128]
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
            set_u4(zeros_once, r, (r * 32 < N - (bx * 128 + t_i_3)) ? u4{(unsigned char)((zeros[(long long)(bx * 128 + (t_i_3 + r * 32)) * (((K / 128) + 1) >> 1) + (g >> 1)] >> (g & 1) * 4) & 15)} : u4{0});
        }
        alignas(16) unsigned scales_once[2] = {};  // f16[128]
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
            set_f16(scales_once, r, (r * 32 < N - (bx * 128 + t_i_3)) ? scales[(long long)(bx * 128 + (t_i_3 + r * 32)) * (K / 128) + g] : f16{0x0});
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            alignas(16) unsigned out_3[4];
            out_3[0] = mul_f16x2(sub_f16x2(widen_u4_f16<0>(w_2[r / 8]), round_pack_f16((float)from_u4(get_u4(zeros_once, r >> 3)), (float)from_u4(get_u4(zeros_once, r >> 3)))), pack_f16(get_f16(scales_once, r >> 3), get_f16(scales_once, (r + 1) >> 3)));
            out_3[1] = mul_f16x2(sub_f16x2(widen_u4_f16<1>(w_2[r / 8]), round_pack_f16((float)from_u4(get_u4(zeros_once, (r + 2) >> 3)), (float)from_u4(get_u4(zeros_once, (r + 2) >> 3)))), pack_f16(get_f16(scales_once, (r + 2) >> 3), get_f16(scales_once, (r + 3) >> 3)));
            out_3[2] = mul_f16x2(sub_f16x2(widen_u4_f16<2>(w_2[r / 8]), round_pack_f16((float)from_u4(get_u4(zeros_once, (r + 4) >> 3)), (float)from_u4(get_u4(zeros_once, (r + 4) >> 3)))), pack_f16(get_f16(scales_once, (r + 4) >> 3), get_f16(scales_once, (r + 5) >> 3)));
            out_3[3] = mul_f16x2(sub_f16x2(widen_u4_f16<3>(w_2[r / 8]), round_pack_f16((float)from_u4(get_u4(zeros_once, (r + 6) >> 3)), (float)from_u4(get_u4(zeros_once, (r + 6) >> 3)))), pack_f16(get_f16(scales_once, (r + 6) >> 3), get_f16(scales_once, (r + 7) >> 3)));
            store_shared<16>(shared_address(wf + (t_i_3 + (r >> 3) * 32) * 32 + ((t_j_2 + (r & 7)) ^ (((t_i_3 + (r >> 3) * 32) >> 1) & 3) * 8)), out_3);
        }
        // 36: acc[i, j] += sum[d](a[i, d] * wf[j, d])
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            unsigned fa[4][4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix_x4(fa[i], (frag ^ ((kk & 1) * 32)) + a_base + stage * 8192 + (kk >> 1) * 64 + i * 1024);
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4(fb[0], (frag_2 ^ ((kk & 1) * 32)) + wf_base + (kk >> 1) * 64 + j * 512);
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
    // 38: copy acc -> C[by*BM, bx*BN]
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < 128; r += 2) {
        *reinterpret_cast<unsigned*>(C_tile + (t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) * 128 + ((t_j + (r & 1) + ((r >> 2) & 7) * 8) ^ ((t_i + ((r >> 1) & 1) * 8 + (r >> 5) * 16) & 7) * 8)) = round_pack_f16(acc[r], acc[r + 1]);
    }
    __syncthreads();
    #pragma unroll 1
    for (int r = 0; r < 128; r += 8) {
        if (((r >> 3) * 8 < M - (by * 128 + t_i_4)) && (((r + 7) & 7) < N - (bx * 128 + t_j_3))) {
            alignas(16) unsigned C_tile_v[4];
            copy_bytes<16>(C_tile_v, C_tile + (t_i_4 + (r >> 3) * 8) * 128 + ((t_j_3 + (r & 7)) ^ ((t_i_4 + (r >> 3) * 8) & 7) * 8));
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                C[(long long)(by * 128 + (t_i_4 + ((r + e) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + e) & 7))] = get_f16(C_tile_v, e);
            }
        } else {
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                if (((r + e) >> 3) * 8 < M - (by * 128 + t_i_4) && ((r + e) & 7) < N - (bx * 128 + t_j_3)) C[(long long)(by * 128 + (t_i_4 + ((r + e) >> 3) * 8)) * N + bx * 128 + (t_j_3 + ((r + e) & 7))] = C_tile[(t_i_4 + ((r + e) >> 3) * 8) * 128 + ((t_j_3 + ((r + e) & 7)) ^ ((t_i_4 + ((r + e) >> 3) * 8) & 7) * 8)];
            }
        }
    }
}
