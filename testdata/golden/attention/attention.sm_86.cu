// Kernel `attention` of attention.tile for sm_86, made by tilec. Do not edit.
// Generics: T = f16, D = 128, causal = false.
// Tuned: BM = 64, BN = 32, stages = 1.
//
// Launch: a one-dimensional grid of (S + 63) / 64 x H x B blocks; nothing if that is 0.
//   attention: 128 threads, 32768 bytes of dynamic shared memory; needs Q, K, V, O aligned to 16 bytes, every extent at most 2^30
//   attention_any: 128 threads, 32768 bytes of dynamic shared memory

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

// 2^x within 2 units in the last place; results below 2^-126 are flushed to 0.
static __device__ __forceinline__ float exp2_f32(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }

// x / y, given inv = 1 / y: correctly rounded unless the quotient or inv is near the ends of the range.
static __device__ __forceinline__ float divide(float x, float y, float inv) {
    const float q = x * inv, rest = fmaf(-q, y, x);
    return rest == rest ? fmaf(rest, inv, q) : q;
}

// Division toward negative infinity; by zero gives 0.
template <typename T>
static __device__ __forceinline__ T floor_div(T x, T y) { if (y == 0) return 0; if (y == (T)-1 && (T)-1 < 0) return (T)(0 - x); const T q = x / y; return q - (T)(x % y != 0 && ((x < 0) != (y < 0))); }

/// Forward attention with an online softmax; G key/value heads serve H query heads.
extern "C" __global__ void __launch_bounds__(128, 1)
attention(const f16* __restrict__ Q, const f16* __restrict__ K, const f16* __restrict__ V, f16* __restrict__ O, int B, int H, int S, int G, int L) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    f16* const q = reinterpret_cast<f16*>(smem);  // f16[64, 128]
    f16* const k = reinterpret_cast<f16*>(smem + 16384);  // f16[32, 128]
    f16* const v = reinterpret_cast<f16*>(smem + 24576);  // f16[32, 128]
    const int t_i = (lane >> 2) + warp * 16;
    const int t_j = (lane & 3) * 2;
    const int t_i_2 = (lane >> 4) + warp * 2;
    const int t_j_2 = (lane & 15) * 8;
    const unsigned q_base = shared_address(q);
    const unsigned t_dst = pin((t_i_2 * 128 + (t_j_2 ^ (t_i_2 & 7) * 8)) * 2);
    const unsigned k_base = shared_address(k);
    const unsigned v_base = shared_address(v);
    const int row = warp * 16 + (lane & 15);
    const unsigned frag = pin(row * 256 + ((((lane >> 4) * 8) * 2) ^ (row & 7) * 16));
    const unsigned steps[4] = {pin(frag ^ 0), pin(frag ^ 32), pin(frag ^ 64), pin(frag ^ 96)};
    const int row_2 = (lane & 7) + (lane >> 4) * 8;
    const unsigned frag_2 = pin(row_2 * 256 + ((((lane >> 3 & 1) * 8) * 2) ^ (row_2 & 7) * 16));
    const unsigned steps_2[4] = {pin(frag_2 ^ 0), pin(frag_2 ^ 32), pin(frag_2 ^ 64), pin(frag_2 ^ 96)};
    const int row_3 = lane & 15;
    const unsigned frag_3 = pin(row_3 * 256 + ((((lane >> 4) * 8) * 2) ^ (row_3 & 7) * 16));
    const unsigned steps_3[4] = {pin(frag_3 ^ 0), pin(frag_3 ^ 32), pin(frag_3 ^ 64), pin(frag_3 ^ 96)};
    f16* const O_tile = reinterpret_cast<f16*>(smem);  // f16[64, 128]
    int rest = (int)blockIdx.x;
    const int qb = rest % ((S + 63) / 64);
    rest /= (S + 63) / 64;
    const int h = rest % H;
    rest /= H;
    const int b = rest;
    // 9: let g = h / (H / G)
    const int g = floor_div<int>(h, floor_div<int>(H, G));
    // 14: tile o: f32[BM, D] = 0
    alignas(16) float o[64];  // f32[64, 128]
    #pragma unroll
    for (int r = 0; r < 64; ++r) {
        o[r] = 0.0f;
    }
    // 15: tile m: f32[BM] = -inf
    alignas(16) float m_2[2];  // f32[64]
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        m_2[r] = -__int_as_float(0x7f800000);
    }
    // 16: tile l: f32[BM] = 0
    alignas(16) float l[2];  // f32[64]
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        l[r] = 0.0f;
    }
    // 17: copy Q[b, h, qb*BM, 0] -> q
    const f16* const Q_src = Q + (((long long)b * H + h) * S + qb * 64 + t_i_2) * 128 + t_j_2;
    #pragma unroll
    for (int r = 0; r < 64; r += 8) {
        cp_async<16>(q_base + t_dst + (r >> 3) * 2048, Q_src + (r >> 3) * 8 * 128 + (r & 7), ((r >> 3) * 8 < S - (qb * 64 + t_i_2)) ? 16 : 0);
    }
    cp_async_commit();
    // 20: pipeline n in 0 .. ceildiv(end, BN), stages {
    cp_async_wait<0>();
    const int n_inner = max(min((L + 31) / 32, (L - 31 + 31) / 32), 0);
    const f16* K_src = K + (((long long)b * G + g) * L + t_i_2) * 128 + t_j_2 + 1024;
    const f16* V_src = V + (((long long)b * G + g) * L + t_i_2) * 128 + t_j_2 + 1024;
    #pragma unroll 1
    for (int n_2 = 0; n_2 < n_inner; ++n_2) {
        // 21: copy K[b, g, n*BN, 0] -> k
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(k_base + t_dst + (r >> 3) * 2048, K_src + (r >> 3) * 8 * 128 + (r & 7) - 1024);
        }
        cp_async_commit();
        // 22: copy V[b, g, n*BN, 0] -> v
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(v_base + t_dst + (r >> 3) * 2048, V_src + (r >> 3) * 8 * 128 + (r & 7) - 1024);
        }
        cp_async_commit();
        // 23: let qk[i, j] = sum[d](q[i, d] * k[j, d])
        alignas(16) float qk[16];  // f32[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
            qk[r] = 0.0f;
        }
        cp_async_wait<0>();
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < 8; ++kk) {
            unsigned fa[1][4];
            #pragma unroll
            for (int i = 0; i < 1; ++i) ldmatrix_x4(fa[i], steps[kk & 3] + q_base + (kk >> 2) * 128 + i * 4096);
            #pragma unroll
            for (int j = 0; j < 4; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4(fb[0], steps_2[kk & 3] + k_base + (kk >> 2) * 128 + j * 2048);
                #pragma unroll
                for (int i = 0; i < 1; ++i) {
                    mma_m16n8k16_f16(qk + (i * 4 + j) * 4, fa[i], fb[0]);
                    mma_m16n8k16_f16(qk + (i * 4 + (j + 1)) * 4, fa[i], fb[1]);
                }
            }
        }
        // 24: let s[i, j] = if n*BN + j < L and (not causal or n*BN + j <= qb*BM + i + L - S)
        alignas(16) float s_2[16];  // f32[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
            s_2[r] = qk[r];
        }
        // 26: let new[i] = max(m[i], max[j](s[i, j]))
        alignas(16) float new_2[2];  // f32[64]
        alignas(16) float s_max_raw[2];  // f32[64]
        {
            float s_max_raw_part[2];
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                s_max_raw_part[r] = s_2[r * 2];
                #pragma unroll
                for (int s = 1; s < 8; ++s) s_max_raw_part[r] = fmaxf(s_max_raw_part[r], s_2[r * 2 + (s & 1) + (s >> 1) * 4]);
            }
            #pragma unroll
            for (int mask = 1; mask <= 2; mask *= 2) {
                #pragma unroll
                for (int r = 0; r < 2; ++r) {
                    s_max_raw_part[r] = fmaxf(s_max_raw_part[r], __shfl_xor_sync(0xffffffff, s_max_raw_part[r], mask));
                }
            }
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                s_max_raw[r] = s_max_raw_part[r];
            }
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            new_2[r] = fmaxf(m_2[r], s_max_raw[r] * 0.12751743f);
        }
        // 28: let base[i] = if new[i] == -inf then 0 else new[i]
        alignas(16) float base[2];  // f32[64]
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            base[r] = new_2[r] == -__int_as_float(0x7f800000) ? 0.0f : new_2[r];
        }
        // 29: let p[i, j] = exp2(s[i, j] - base[i])
        alignas(16) float p[16];  // f32[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
            p[r] = exp2_f32(s_2[r] * 0.12751743f - base[(r >> 1) & 1]);
        }
        // 30: let fade[i] = exp2(m[i] - base[i])
        alignas(16) float fade[2];  // f32[64]
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            fade[r] = exp2_f32(m_2[r] - base[r]);
        }
        // 31: l[i] = l[i] * fade[i] + sum[j](p[i, j])
        alignas(16) float p_sum[2];  // f32[64]
        {
            float p_sum_part[2];
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                p_sum_part[r] = p[r * 2];
                #pragma unroll
                for (int s = 1; s < 8; ++s) p_sum_part[r] = p_sum_part[r] + p[r * 2 + (s & 1) + (s >> 1) * 4];
            }
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                p_sum[r] = p_sum_part[r];
            }
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            l[r] = l[r] * fade[r] + p_sum[r];
        }
        // 32: let pt[i, j] = T(p[i, j])
        alignas(16) unsigned pt[8] = {};  // f16[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
            pt[r / 2] = round_pack_f16(p[r], p[r + 1]);
        }
        // 33: o[i, d] = o[i, d] * fade[i]
        #pragma unroll
        for (int r = 0; r < 64; ++r) {
            o[r] = o[r] * fade[(r >> 1) & 1];
        }
        // 34: o[i, d] += sum[j](pt[i, j] * v[j, d])
        #pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            #pragma unroll
            for (int j = 0; j < 16; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4_trans(fb[0], steps_3[(j & 7) >> 1] + v_base + (j >> 3) * 128 + kk * 4096);
                #pragma unroll
                for (int i = 0; i < 1; ++i) {
                    mma_m16n8k16_f16(o + (i * 16 + j) * 4, pt + (i * 2 + kk) * 4, fb[0]);
                    mma_m16n8k16_f16(o + (i * 16 + (j + 1)) * 4, pt + (i * 2 + kk) * 4, fb[1]);
                }
            }
        }
        // 35: m[i] = new[i]
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            m_2[r] = new_2[r];
        }
        K_src += 32 * 128;
        V_src += 32 * 128;
    }
    // 20: pipeline n in 0 .. ceildiv(end, BN), stages {
    const f16* K_src_2 = K + (((long long)b * G + g) * L + n_inner * 32 + t_i_2) * 128 + t_j_2 + 1024;
    const f16* V_src_2 = V + (((long long)b * G + g) * L + n_inner * 32 + t_i_2) * 128 + t_j_2 + 1024;
    #pragma unroll 1
    for (int n_3 = n_inner; n_3 < (L + 31) / 32; ++n_3) {
        __syncthreads();
        // 21: copy K[b, g, n*BN, 0] -> k
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(k_base + t_dst + (r >> 3) * 2048, K_src_2 + (r >> 3) * 8 * 128 + (r & 7) - 1024, ((r >> 3) * 8 < L - (n_3 * 32 + t_i_2)) ? 16 : 0);
        }
        cp_async_commit();
        // 22: copy V[b, g, n*BN, 0] -> v
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
            cp_async<16>(v_base + t_dst + (r >> 3) * 2048, V_src_2 + (r >> 3) * 8 * 128 + (r & 7) - 1024, ((r >> 3) * 8 < L - (n_3 * 32 + t_i_2)) ? 16 : 0);
        }
        cp_async_commit();
        // 23: let qk[i, j] = sum[d](q[i, d] * k[j, d])
        alignas(16) float qk_2[16];  // f32[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
            qk_2[r] = 0.0f;
        }
        cp_async_wait<0>();
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < 8; ++kk) {
            unsigned fa[1][4];
            #pragma unroll
            for (int i = 0; i < 1; ++i) ldmatrix_x4(fa[i], steps[kk & 3] + q_base + (kk >> 2) * 128 + i * 4096);
            #pragma unroll
            for (int j = 0; j < 4; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4(fb[0], steps_2[kk & 3] + k_base + (kk >> 2) * 128 + j * 2048);
                #pragma unroll
                for (int i = 0; i < 1; ++i) {
                    mma_m16n8k16_f16(qk_2 + (i * 4 + j) * 4, fa[i], fb[0]);
                    mma_m16n8k16_f16(qk_2 + (i * 4 + (j + 1)) * 4, fa[i], fb[1]);
                }
            }
        }
        // 24: let s[i, j] = if n*BN + j < L and (not causal or n*BN + j <= qb*BM + i + L - S)
        alignas(16) float s_3[16];  // f32[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
            s_3[r] = (r & 1) + (r >> 2) * 8 < L - (n_3 * 32 + t_j) ? qk_2[r] : -__int_as_float(0x7f800000);
        }
        // 26: let new[i] = max(m[i], max[j](s[i, j]))
        alignas(16) float new_3[2];  // f32[64]
        alignas(16) float s_max_raw_2[2];  // f32[64]
        {
            float s_max_raw_part_2[2];
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                s_max_raw_part_2[r] = s_3[r * 2];
                #pragma unroll
                for (int s = 1; s < 8; ++s) s_max_raw_part_2[r] = fmaxf(s_max_raw_part_2[r], s_3[r * 2 + (s & 1) + (s >> 1) * 4]);
            }
            #pragma unroll
            for (int mask = 1; mask <= 2; mask *= 2) {
                #pragma unroll
                for (int r = 0; r < 2; ++r) {
                    s_max_raw_part_2[r] = fmaxf(s_max_raw_part_2[r], __shfl_xor_sync(0xffffffff, s_max_raw_part_2[r], mask));
                }
            }
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                s_max_raw_2[r] = s_max_raw_part_2[r];
            }
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            new_3[r] = fmaxf(m_2[r], s_max_raw_2[r] * 0.12751743f);
        }
        // 28: let base[i] = if new[i] == -inf then 0 else new[i]
        alignas(16) float base_2[2];  // f32[64]
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            base_2[r] = new_3[r] == -__int_as_float(0x7f800000) ? 0.0f : new_3[r];
        }
        // 29: let p[i, j] = exp2(s[i, j] - base[i])
        alignas(16) float p_2[16];  // f32[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
            p_2[r] = exp2_f32(s_3[r] * 0.12751743f - base_2[(r >> 1) & 1]);
        }
        // 30: let fade[i] = exp2(m[i] - base[i])
        alignas(16) float fade_2[2];  // f32[64]
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            fade_2[r] = exp2_f32(m_2[r] - base_2[r]);
        }
        // 31: l[i] = l[i] * fade[i] + sum[j](p[i, j])
        alignas(16) float p_sum_2[2];  // f32[64]
        {
            float p_sum_part_2[2];
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                p_sum_part_2[r] = p_2[r * 2];
                #pragma unroll
                for (int s = 1; s < 8; ++s) p_sum_part_2[r] = p_sum_part_2[r] + p_2[r * 2 + (s & 1) + (s >> 1) * 4];
            }
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                p_sum_2[r] = p_sum_part_2[r];
            }
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            l[r] = l[r] * fade_2[r] + p_sum_2[r];
        }
        // 32: let pt[i, j] = T(p[i, j])
        alignas(16) unsigned pt_2[8] = {};  // f16[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
            pt_2[r / 2] = round_pack_f16(p_2[r], p_2[r + 1]);
        }
        // 33: o[i, d] = o[i, d] * fade[i]
        #pragma unroll
        for (int r = 0; r < 64; ++r) {
            o[r] = o[r] * fade_2[(r >> 1) & 1];
        }
        // 34: o[i, d] += sum[j](pt[i, j] * v[j, d])
        #pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            #pragma unroll
            for (int j = 0; j < 16; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4_trans(fb[0], steps_3[(j & 7) >> 1] + v_base + (j >> 3) * 128 + kk * 4096);
                #pragma unroll
                for (int i = 0; i < 1; ++i) {
                    mma_m16n8k16_f16(o + (i * 16 + j) * 4, pt_2 + (i * 2 + kk) * 4, fb[0]);
                    mma_m16n8k16_f16(o + (i * 16 + (j + 1)) * 4, pt_2 + (i * 2 + kk) * 4, fb[1]);
                }
            }
        }
        // 35: m[i] = new[i]
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            m_2[r] = new_3[r];
        }
        K_src_2 += 32 * 128;
        V_src_2 += 32 * 128;
    }
    // 31: l[i] = l[i] * fade[i] + sum[j](p[i, j])
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        l[r] = l[r] + __shfl_xor_sync(0xffffffff, l[r], 1);
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        l[r] = l[r] + __shfl_xor_sync(0xffffffff, l[r], 2);
    }
    // 37: O[b, h, qb*BM + i, d] = if l[i] > 0 then o[i, d] / l[i] else 0
    __syncthreads();
    float l_inv[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        l_inv[r] = 1.0f / l[r];
    }
    #pragma unroll
    for (int r = 0; r < 64; r += 2) {
        *reinterpret_cast<unsigned*>(O_tile + (t_i + ((r >> 1) & 1) * 8) * 128 + ((t_j + (r & 1) + (r >> 2) * 8) ^ ((t_i + ((r >> 1) & 1) * 8) & 7) * 8)) = round_pack_f16(l[(r >> 1) & 1] > 0.0f ? divide(o[r], l[(r >> 1) & 1], l_inv[((r >> 1) & 1)]) : 0.0f, l[((r + 1) >> 1) & 1] > 0.0f ? divide(o[r + 1], l[((r + 1) >> 1) & 1], l_inv[(((r + 1) >> 1) & 1)]) : 0.0f);
    }
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < 64; r += 8) {
        if ((r >> 3) * 8 < S - (qb * 64 + t_i_2)) {
            alignas(16) unsigned O_tile_v[4];
            copy_bytes<16>(O_tile_v, O_tile + (t_i_2 + (r >> 3) * 8) * 128 + ((t_j_2 + (r & 7)) ^ ((t_i_2 + (r >> 3) * 8) & 7) * 8));
            store_once(O + (((long long)b * H + h) * S + qb * 64 + (t_i_2 + (r >> 3) * 8)) * 128 + t_j_2 + (r & 7), O_tile_v);
        }
    }
}

/// Forward attention with an online softmax; G key/value heads serve H query heads.
extern "C" __global__ void __launch_bounds__(128, 1)
attention_any(const f16* __restrict__ Q, const f16* __restrict__ K, const f16* __restrict__ V, f16* __restrict__ O, long long B, long long H, long long S, long long G, long long L) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    extern __shared__ __align__(128) unsigned char smem[];
    f16* const q = reinterpret_cast<f16*>(smem);  // f16[64, 128]
    f16* const k = reinterpret_cast<f16*>(smem + 16384);  // f16[32, 128]
    f16* const v = reinterpret_cast<f16*>(smem + 24576);  // f16[32, 128]
    const int t_i = (lane >> 2) + warp * 16;
    const int t_j = (lane & 3) * 2;
    const int t_i_2 = (lane >> 4) + warp * 2;
    const int t_j_2 = (lane & 15) * 8;
    const int row = warp * 16 + (lane & 15);
    const unsigned frag = row * 256 + ((((lane >> 4) * 8) * 2) ^ (row & 7) * 16);
    const unsigned q_base = shared_address(q);
    const int row_2 = (lane & 7) + (lane >> 4) * 8;
    const unsigned frag_2 = row_2 * 256 + ((((lane >> 3 & 1) * 8) * 2) ^ (row_2 & 7) * 16);
    const unsigned k_base = shared_address(k);
    const int row_3 = lane & 15;
    const unsigned frag_3 = row_3 * 256 + ((((lane >> 4) * 8) * 2) ^ (row_3 & 7) * 16);
    const unsigned v_base = shared_address(v);
    f16* const O_tile = reinterpret_cast<f16*>(smem);  // f16[64, 128]
    int rest = (int)blockIdx.x;
    const long long qb = rest % ((S + 63) / 64);
    rest /= (S + 63) / 64;
    const long long h = rest % H;
    rest /= H;
    const long long b = rest;
    // 9: let g = h / (H / G)
    const long long g = floor_div<long long>(h, floor_div<long long>(H, G));
    // 14: tile o: f32[BM, D] = 0
    alignas(16) float o[64];  // f32[64, 128]
    #pragma unroll
    for (int r = 0; r < 64; ++r) {
        o[r] = 0.0f;
    }
    // 15: tile m: f32[BM] = -inf
    alignas(16) float m_2[2];  // f32[64]
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        m_2[r] = -__int_as_float(0x7f800000);
    }
    // 16: tile l: f32[BM] = 0
    alignas(16) float l[2];  // f32[64]
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        l[r] = 0.0f;
    }
    // 17: copy Q[b, h, qb*BM, 0] -> q
    #pragma unroll 1
    for (int r = 0; r < 64; r += 8) {
        alignas(16) unsigned out[4];
        out[0] = pack_f16(((r >> 3) * 8 < S - (qb * 64 + t_i_2)) ? Q[(((long long)b * H + h) * S + qb * 64 + (t_i_2 + (r >> 3) * 8)) * 128 + t_j_2 + (r & 7)] : f16{0x0}, (((r + 1) >> 3) * 8 < S - (qb * 64 + t_i_2)) ? Q[(((long long)b * H + h) * S + qb * 64 + (t_i_2 + ((r + 1) >> 3) * 8)) * 128 + t_j_2 + ((r + 1) & 7)] : f16{0x0});
        out[1] = pack_f16((((r + 2) >> 3) * 8 < S - (qb * 64 + t_i_2)) ? Q[(((long long)b * H + h) * S + qb * 64 + (t_i_2 + ((r + 2) >> 3) * 8)) * 128 + t_j_2 + ((r + 2) & 7)] : f16{0x0}, (((r + 3) >> 3) * 8 < S - (qb * 64 + t_i_2)) ? Q[(((long long)b * H + h) * S + qb * 64 + (t_i_2 + ((r + 3) >> 3) * 8)) * 128 + t_j_2 + ((r + 3) & 7)] : f16{0x0});
        out[2] = pack_f16((((r + 4) >> 3) * 8 < S - (qb * 64 + t_i_2)) ? Q[(((long long)b * H + h) * S + qb * 64 + (t_i_2 + ((r + 4) >> 3) * 8)) * 128 + t_j_2 + ((r + 4) & 7)] : f16{0x0}, (((r + 5) >> 3) * 8 < S - (qb * 64 + t_i_2)) ? Q[(((long long)b * H + h) * S + qb * 64 + (t_i_2 + ((r + 5) >> 3) * 8)) * 128 + t_j_2 + ((r + 5) & 7)] : f16{0x0});
        out[3] = pack_f16((((r + 6) >> 3) * 8 < S - (qb * 64 + t_i_2)) ? Q[(((long long)b * H + h) * S + qb * 64 + (t_i_2 + ((r + 6) >> 3) * 8)) * 128 + t_j_2 + ((r + 6) & 7)] : f16{0x0}, (((r + 7) >> 3) * 8 < S - (qb * 64 + t_i_2)) ? Q[(((long long)b * H + h) * S + qb * 64 + (t_i_2 + ((r + 7) >> 3) * 8)) * 128 + t_j_2 + ((r + 7) & 7)] : f16{0x0});
        store_shared<16>(shared_address(q + (t_i_2 + (r >> 3) * 8) * 128 + ((t_j_2 + (r & 7)) ^ ((t_i_2 + (r >> 3) * 8) & 7) * 8)), out);
    }
    // 20: pipeline n in 0 .. ceildiv(end, BN), stages {
    #pragma unroll 1
    for (long long n_2 = 0; n_2 < (L + 31) / 32; ++n_2) {
        // 21: copy K[b, g, n*BN, 0] -> k
        __syncthreads();
        #pragma unroll 1
        for (int r = 0; r < 32; r += 8) {
            alignas(16) unsigned out_2[4];
            out_2[0] = pack_f16(((r >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? K[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + (r >> 3) * 8)) * 128 + t_j_2 + (r & 7)] : f16{0x0}, (((r + 1) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? K[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 1) >> 3) * 8)) * 128 + t_j_2 + ((r + 1) & 7)] : f16{0x0});
            out_2[1] = pack_f16((((r + 2) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? K[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 2) >> 3) * 8)) * 128 + t_j_2 + ((r + 2) & 7)] : f16{0x0}, (((r + 3) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? K[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 3) >> 3) * 8)) * 128 + t_j_2 + ((r + 3) & 7)] : f16{0x0});
            out_2[2] = pack_f16((((r + 4) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? K[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 4) >> 3) * 8)) * 128 + t_j_2 + ((r + 4) & 7)] : f16{0x0}, (((r + 5) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? K[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 5) >> 3) * 8)) * 128 + t_j_2 + ((r + 5) & 7)] : f16{0x0});
            out_2[3] = pack_f16((((r + 6) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? K[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 6) >> 3) * 8)) * 128 + t_j_2 + ((r + 6) & 7)] : f16{0x0}, (((r + 7) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? K[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 7) >> 3) * 8)) * 128 + t_j_2 + ((r + 7) & 7)] : f16{0x0});
            store_shared<16>(shared_address(k + (t_i_2 + (r >> 3) * 8) * 128 + ((t_j_2 + (r & 7)) ^ ((t_i_2 + (r >> 3) * 8) & 7) * 8)), out_2);
        }
        // 22: copy V[b, g, n*BN, 0] -> v
        #pragma unroll 1
        for (int r = 0; r < 32; r += 8) {
            alignas(16) unsigned out_3[4];
            out_3[0] = pack_f16(((r >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? V[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + (r >> 3) * 8)) * 128 + t_j_2 + (r & 7)] : f16{0x0}, (((r + 1) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? V[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 1) >> 3) * 8)) * 128 + t_j_2 + ((r + 1) & 7)] : f16{0x0});
            out_3[1] = pack_f16((((r + 2) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? V[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 2) >> 3) * 8)) * 128 + t_j_2 + ((r + 2) & 7)] : f16{0x0}, (((r + 3) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? V[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 3) >> 3) * 8)) * 128 + t_j_2 + ((r + 3) & 7)] : f16{0x0});
            out_3[2] = pack_f16((((r + 4) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? V[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 4) >> 3) * 8)) * 128 + t_j_2 + ((r + 4) & 7)] : f16{0x0}, (((r + 5) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? V[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 5) >> 3) * 8)) * 128 + t_j_2 + ((r + 5) & 7)] : f16{0x0});
            out_3[3] = pack_f16((((r + 6) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? V[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 6) >> 3) * 8)) * 128 + t_j_2 + ((r + 6) & 7)] : f16{0x0}, (((r + 7) >> 3) * 8 < L - (n_2 * 32 + t_i_2)) ? V[(((long long)b * G + g) * L + n_2 * 32 + (t_i_2 + ((r + 7) >> 3) * 8)) * 128 + t_j_2 + ((r + 7) & 7)] : f16{0x0});
            store_shared<16>(shared_address(v + (t_i_2 + (r >> 3) * 8) * 128 + ((t_j_2 + (r & 7)) ^ ((t_i_2 + (r >> 3) * 8) & 7) * 8)), out_3);
        }
        // 23: let qk[i, j] = sum[d](q[i, d] * k[j, d])
        alignas(16) float qk[16];  // f32[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
            qk[r] = 0.0f;
        }
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < 8; ++kk) {
            unsigned fa[1][4];
            #pragma unroll
            for (int i = 0; i < 1; ++i) ldmatrix_x4(fa[i], (frag ^ ((kk & 3) * 32)) + q_base + (kk >> 2) * 128 + i * 4096);
            #pragma unroll
            for (int j = 0; j < 4; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4(fb[0], (frag_2 ^ ((kk & 3) * 32)) + k_base + (kk >> 2) * 128 + j * 2048);
                #pragma unroll
                for (int i = 0; i < 1; ++i) {
                    mma_m16n8k16_f16(qk + (i * 4 + j) * 4, fa[i], fb[0]);
                    mma_m16n8k16_f16(qk + (i * 4 + (j + 1)) * 4, fa[i], fb[1]);
                }
            }
        }
        // 24: let s[i, j] = if n*BN + j < L and (not causal or n*BN + j <= qb*BM + i + L - S)
        alignas(16) float s_2[16];  // f32[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
            s_2[r] = (r & 1) + (r >> 2) * 8 < L - (n_2 * 32 + t_j) ? qk[r] : -__int_as_float(0x7f800000);
        }
        // 26: let new[i] = max(m[i], max[j](s[i, j]))
        alignas(16) float new_2[2];  // f32[64]
        alignas(16) float s_max_raw[2];  // f32[64]
        {
            float s_max_raw_part[2];
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                s_max_raw_part[r] = s_2[r * 2];
                #pragma unroll
                for (int s = 1; s < 8; ++s) s_max_raw_part[r] = fmaxf(s_max_raw_part[r], s_2[r * 2 + (s & 1) + (s >> 1) * 4]);
            }
            #pragma unroll
            for (int mask = 1; mask <= 2; mask *= 2) {
                #pragma unroll
                for (int r = 0; r < 2; ++r) {
                    s_max_raw_part[r] = fmaxf(s_max_raw_part[r], __shfl_xor_sync(0xffffffff, s_max_raw_part[r], mask));
                }
            }
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                s_max_raw[r] = s_max_raw_part[r];
            }
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            new_2[r] = fmaxf(m_2[r], s_max_raw[r] * 0.12751743f);
        }
        // 28: let base[i] = if new[i] == -inf then 0 else new[i]
        alignas(16) float base[2];  // f32[64]
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            base[r] = new_2[r] == -__int_as_float(0x7f800000) ? 0.0f : new_2[r];
        }
        // 29: let p[i, j] = exp2(s[i, j] - base[i])
        alignas(16) float p[16];  // f32[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
            p[r] = exp2_f32(s_2[r] * 0.12751743f - base[(r >> 1) & 1]);
        }
        // 30: let fade[i] = exp2(m[i] - base[i])
        alignas(16) float fade[2];  // f32[64]
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            fade[r] = exp2_f32(m_2[r] - base[r]);
        }
        // 31: l[i] = l[i] * fade[i] + sum[j](p[i, j])
        alignas(16) float p_sum[2];  // f32[64]
        {
            float p_sum_part[2];
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                p_sum_part[r] = p[r * 2];
                #pragma unroll
                for (int s = 1; s < 8; ++s) p_sum_part[r] = p_sum_part[r] + p[r * 2 + (s & 1) + (s >> 1) * 4];
            }
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
                p_sum[r] = p_sum_part[r];
            }
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            l[r] = l[r] * fade[r] + p_sum[r];
        }
        // 32: let pt[i, j] = T(p[i, j])
        alignas(16) unsigned pt[8] = {};  // f16[64, 32]
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
            pt[r / 2] = round_pack_f16(p[r], p[r + 1]);
        }
        // 33: o[i, d] = o[i, d] * fade[i]
        #pragma unroll
        for (int r = 0; r < 64; ++r) {
            o[r] = o[r] * fade[(r >> 1) & 1];
        }
        // 34: o[i, d] += sum[j](pt[i, j] * v[j, d])
        #pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            #pragma unroll
            for (int j = 0; j < 16; j += 2) {
                unsigned fb[2][2];
                ldmatrix_x4_trans(fb[0], (frag_3 ^ ((j & 7) * 16)) + v_base + (j >> 3) * 128 + kk * 4096);
                #pragma unroll
                for (int i = 0; i < 1; ++i) {
                    mma_m16n8k16_f16(o + (i * 16 + j) * 4, pt + (i * 2 + kk) * 4, fb[0]);
                    mma_m16n8k16_f16(o + (i * 16 + (j + 1)) * 4, pt + (i * 2 + kk) * 4, fb[1]);
                }
            }
        }
        // 35: m[i] = new[i]
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            m_2[r] = new_2[r];
        }
    }
    // 31: l[i] = l[i] * fade[i] + sum[j](p[i, j])
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        l[r] = l[r] + __shfl_xor_sync(0xffffffff, l[r], 1);
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        l[r] = l[r] + __shfl_xor_sync(0xffffffff, l[r], 2);
    }
    // 37: O[b, h, qb*BM + i, d] = if l[i] > 0 then o[i, d] / l[i] else 0
    __syncthreads();
    float l_inv[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        l_inv[r] = 1.0f / l[r];
    }
    #pragma unroll
    for (int r = 0; r < 64; r += 2) {
        if (((r >> 1) & 1) * 8 < S - (qb * 64 + t_i)) {
            *reinterpret_cast<unsigned*>(O_tile + (t_i + ((r >> 1) & 1) * 8) * 128 + ((t_j + (r & 1) + (r >> 2) * 8) ^ ((t_i + ((r >> 1) & 1) * 8) & 7) * 8)) = round_pack_f16(l[(r >> 1) & 1] > 0.0f ? divide(o[r], l[(r >> 1) & 1], l_inv[((r >> 1) & 1)]) : 0.0f, l[((r + 1) >> 1) & 1] > 0.0f ? divide(o[r + 1], l[((r + 1) >> 1) & 1], l_inv[(((r + 1) >> 1) & 1)]) : 0.0f);
        }
    }
    __syncthreads();
    #pragma unroll 1
    for (int r = 0; r < 64; r += 8) {
        if ((r >> 3) * 8 < S - (qb * 64 + t_i_2)) {
            alignas(16) unsigned O_tile_v[4];
            copy_bytes<16>(O_tile_v, O_tile + (t_i_2 + (r >> 3) * 8) * 128 + ((t_j_2 + (r & 7)) ^ ((t_i_2 + (r >> 3) * 8) & 7) * 8));
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                O[(((long long)b * H + h) * S + qb * 64 + (t_i_2 + ((r + e) >> 3) * 8)) * 128 + t_j_2 + ((r + e) & 7)] = get_f16(O_tile_v, e);
            }
        }
    }
}
