// Kernel `attention` of attention.tile for 910b, made by tilec. Do not edit.
// Generics: T = f16, D = 128, causal = false.
// Tuned: BM = 128, BN = 128, stages = 2.
//
// Launch: min((S + 127) / 128 * H * B, 24) blocks, groups of a cube core and two vector cores; nothing if that is 0. Workspace: 655360 bytes for each block.

#include "kernel_operator.h"

using namespace AscendC;

// floor_div and floor_mod round toward negative infinity; by zero they give 0.
template <class T> __aicore__ inline T floor_div(T x, T y) {
    if (y == 0) return 0;
    T q = x / y;
    return (x % y != 0 && (x < 0) != (y < 0)) ? q - 1 : q;
}

template <class T> __aicore__ inline T floor_mod(T x, T y) {
    if (y == 0) return 0;
    T r = x % y;
    return (r != 0 && (r < 0) != (y < 0)) ? r + y : r;
}

template <class T> __aicore__ inline T minimum(T x, T y) { return x < y ? x : y; }

template <class T> __aicore__ inline T maximum(T x, T y) { return x > y ? x : y; }

// bits_float is the float of a pattern of bits.
__aicore__ inline float bits_float(uint32_t bits) {
    union {
        uint32_t u;
        float f;
    } v;
    v.u = bits;
    return v.f;
}

/// Forward attention with an online softmax; G key/value heads serve H query heads.
extern "C" __global__ __aicore__ void attention(GM_ADDR Q, GM_ADDR K, GM_ADDR V, GM_ADDR O, int64_t B, int64_t H, int64_t S, int64_t G, int64_t L, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    InitSocState();
    GlobalTensor<half> QGm;
    QGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(Q), 128 * S * H * B);
    GlobalTensor<half> KGm;
    KGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(K), 128 * L * G * B);
    GlobalTensor<half> VGm;
    VGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(V), 128 * L * G * B);
    GlobalTensor<half> OGm;
    OGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(O), 128 * S * H * B);
    const int64_t core = GetBlockIdx() / GetSubBlockNum();
    GlobalTensor<float> qk_ring; // 4 tiles on their way between the cores
    qk_ring.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace + core * 655360 + 0), 65536);
    GlobalTensor<half> pt_ring; // 4 tiles on their way between the cores
    pt_ring.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(workspace + core * 655360 + 262144), 65536);
    GlobalTensor<float> o_p_ring; // 4 tiles on their way between the cores
    o_p_ring.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace + core * 655360 + 393216), 65536);
    LocalTensor<half> q(TPosition::A1, 0, 32768); // f16[2, 128, 128]
    // 11: tile q: T[BM, D]
    int64_t q_slot = 0;
    LocalTensor<half> k(TPosition::A1, 65536, 32768); // f16[2, 128, 128]
    // 12: tile k: T[BN, D]
    int64_t k_slot = 0;
    LocalTensor<float> qk(TPosition::CO1, 0, 16384); // f32[1, 128, 128]
    LocalTensor<half> q_l0(TPosition::A2, 0, 16384); // f16[1, 128, 128]
    LocalTensor<half> k_l0(TPosition::B2, 0, 16384); // f16[1, 128, 128]
    LocalTensor<half> v(TPosition::A1, 131072, 32768); // f16[2, 128, 128]
    // 13: tile v: T[BN, D]
    int64_t v_slot = 0;
    LocalTensor<half> pt_c(TPosition::A1, 196608, 32768); // f16[2, 128, 128]
    LocalTensor<float> o_p(TPosition::CO1, 65536, 16384); // f32[1, 128, 128]
    LocalTensor<half> pt_c_l0(TPosition::A2, 32768, 16384); // f16[1, 128, 128]
    LocalTensor<half> v_l0(TPosition::B2, 32768, 16384); // f16[1, 128, 128]
    if ASCEND_IS_AIC {
        SetFlag<HardEvent::M_MTE1>(0);
        SetFlag<HardEvent::FIX_M>(0);
        SetFlag<HardEvent::M_MTE1>(1);
        SetFlag<HardEvent::FIX_M>(1);
        SetFlag<HardEvent::MTE1_MTE2>(0);
        SetFlag<HardEvent::MTE1_MTE2>(1);
        SetFlag<HardEvent::MTE1_MTE2>(2);
        SetFlag<HardEvent::MTE1_MTE2>(3);
        SetFlag<HardEvent::MTE1_MTE2>(4);
        SetFlag<HardEvent::MTE1_MTE2>(5);
        // 2: kernel attention[T: dtype in [f16, bf16] = f16, D: int = 128, causal: bool = false](
        CrossCoreSetFlag<2, PIPE_MTE2>(3);
        CrossCoreSetFlag<2, PIPE_MTE2>(3);
        CrossCoreSetFlag<2, PIPE_MTE2>(3);
        CrossCoreSetFlag<2, PIPE_MTE2>(3);
        int64_t qk_ring_put = 0;
        int64_t pt_ring_get = 0;
        int64_t o_p_ring_put = 0;
        for (int64_t instance = core; instance < (S + 127) / 128 * H * B; instance += GetBlockNum()) {
            const int64_t qb = floor_mod<int64_t>(instance, (S + 127) / 128);
            const int64_t rest = floor_div<int64_t>(instance, (S + 127) / 128);
            const int64_t h = floor_mod<int64_t>(rest, H);
            const int64_t b = floor_div<int64_t>(rest, H);
            // 9: let g = h / (H / G)
            const int64_t g = floor_div<int64_t>(h, floor_div<int64_t>(H, G));
            WaitFlag<HardEvent::MTE1_MTE2>(q_slot + 4);
            // 17: copy Q[b, h, qb*BM, 0] -> q
            {
                const int64_t rows_2 = minimum<int64_t>(S - qb * 128, 128);
                if (rows_2 > 0) {
                    DataCopy(q[q_slot * 16384], QGm[b * (128 * S * H) + h * (128 * S) + qb * 128 * 128], Nd2NzParams(1, static_cast<uint16_t>(rows_2), 128, 0, 128, 128, 1, 0));
                }
            }
            SetFlag<HardEvent::MTE2_MTE1>(q_slot);
            WaitFlag<HardEvent::MTE2_MTE1>(q_slot);
            // 20: pipeline n in 0 .. ceildiv(end, BN), stages {
            for (int64_t n = 0; n < (L + 127) / 128 + 3; ++n) {
                if (n < (L + 127) / 128) {
                    WaitFlag<HardEvent::MTE1_MTE2>(k_slot);
                    // 21: copy K[b, g, n*BN, 0] -> k
                    {
                        const int64_t rows_3 = minimum<int64_t>(L - n * 128, 128);
                        if (rows_3 > 0) {
                            DataCopy(k[k_slot * 16384], KGm[b * (128 * L * G) + g * (128 * L) + n * 128 * 128], Nd2NzParams(1, static_cast<uint16_t>(rows_3), 128, 0, 128, 128, 1, 0));
                        }
                    }
                    SetFlag<HardEvent::MTE2_MTE1>(k_slot + 2);
                    WaitFlag<HardEvent::M_MTE1>(0);
                    // 23: let qk[i, j] = sum[d](q[i, d] * k[j, d])
                    {
                        const int64_t rows_4 = minimum<int64_t>(S - qb * 128, 128);
                        const int64_t row_fractals = (rows_4 + 15) / 16;
                        for (int32_t strip = 0; strip < 8; ++strip) {
                            LoadData(q_l0[strip * 256], q[q_slot * 16384 + strip * 2048], LoadData2DParams(0, static_cast<uint8_t>(row_fractals), 1, 0, 7, false, 0));
                        }
                    }
                    WaitFlag<HardEvent::MTE2_MTE1>(k_slot + 2);
                    {
                        const int64_t rows_5 = minimum<int64_t>(L - n * 128, 128);
                        const int64_t row_fractals_2 = (rows_5 + 15) / 16;
                        for (int32_t strip_2 = 0; strip_2 < 8; ++strip_2) {
                            LoadData(k_l0[strip_2 * row_fractals_2 * 256], k[k_slot * 16384 + strip_2 * 2048], LoadData2DParams(0, static_cast<uint8_t>(row_fractals_2), 1, 0, 0, false, 0));
                        }
                    }
                    SetFlag<HardEvent::MTE1_M>(0);
                    SetFlag<HardEvent::MTE1_MTE2>(k_slot);
                    WaitFlag<HardEvent::MTE1_M>(0);
                    WaitFlag<HardEvent::FIX_M>(0);
                    {
                        const int64_t rows_6 = minimum<int64_t>(S - qb * 128, 128);
                        const int64_t cols_2 = minimum<int64_t>(L - n * 128, 128);
                        Mmad(qk, q_l0, k_l0, MmadParams(static_cast<uint16_t>(maximum<int64_t>(rows_6, 2)), static_cast<uint16_t>(cols_2), 128, 0, false, true));
                    }
                    SetFlag<HardEvent::M_FIX>(0);
                    SetFlag<HardEvent::M_MTE1>(0);
                    CrossCoreWaitFlag(1);
                    WaitFlag<HardEvent::M_FIX>(0);
                    {
                        const int64_t rows_7 = minimum<int64_t>(S - qb * 128, 128);
                        const int64_t cols_3 = minimum<int64_t>(L - n * 128, 128);
                        if (rows_7 > 0 && cols_3 > 0) {
                            Fixpipe<float, float, CFG_ROW_MAJOR>(qk_ring[qk_ring_put * 16384], qk, FixpipeParamsV220(static_cast<uint16_t>(cols_3), static_cast<uint16_t>(rows_7), static_cast<uint16_t>((rows_7 + 15) / 16 * 16), 128, false));
                        }
                    }
                    SetFlag<HardEvent::FIX_M>(0);
                    CrossCoreSetFlag<2, PIPE_FIX>(0);
                    qk_ring_put = qk_ring_put + 1 == 4 ? 0 : qk_ring_put + 1;
                }
                // 20: pipeline n in 0 .. ceildiv(end, BN), stages {
                if (n >= 0 + 3) {
                    const int64_t n_late = n - 3;
                    WaitFlag<HardEvent::MTE1_MTE2>(v_slot + 2);
                    // 22: copy V[b, g, n*BN, 0] -> v
                    {
                        const int64_t rows_8 = minimum<int64_t>(L - n_late * 128, 128);
                        if (rows_8 > 0) {
                            DataCopy(v[v_slot * 16384], VGm[b * (128 * L * G) + g * (128 * L) + n_late * 128 * 128], Nd2NzParams(1, static_cast<uint16_t>(rows_8), 128, 0, 128, 128, 1, 0));
                        }
                    }
                    // 32: let pt[i, j] = T(p[i, j])
                    CrossCoreWaitFlag(2);
                    {
                        DataCopy(pt_c[v_slot * 16384], pt_ring[pt_ring_get * 16384], Nd2NzParams(1, 128, 128, 0, 128, 128, 1, 0));
                    }
                    SetFlag<HardEvent::MTE2_MTE1>(v_slot + 4);
                    CrossCoreSetFlag<2, PIPE_MTE2>(3);
                    pt_ring_get = pt_ring_get + 1 == 4 ? 0 : pt_ring_get + 1;
                    WaitFlag<HardEvent::MTE2_MTE1>(v_slot + 4);
                    WaitFlag<HardEvent::M_MTE1>(1);
                    // 34: o[i, d] += sum[j](pt[i, j] * v[j, d])
                    {
                        const int64_t depth = minimum<int64_t>(L - n_late * 128, 128);
                        const int64_t k_fractals = (depth + 15) / 16;
                        for (int32_t strip_3 = 0; strip_3 < k_fractals; ++strip_3) {
                            LoadData(pt_c_l0[strip_3 * 256], pt_c[v_slot * 16384 + strip_3 * 2048], LoadData2DParams(0, 8, 1, 0, static_cast<uint16_t>(k_fractals - 1), false, 0));
                        }
                    }
                    {
                        const int64_t depth_2 = minimum<int64_t>(L - n_late * 128, 128);
                        const int64_t k_fractals_2 = (depth_2 + 15) / 16;
                        for (int32_t strip_4 = 0; strip_4 < k_fractals_2; ++strip_4) {
                            LoadData(v_l0[strip_4 * 2048], v[v_slot * 16384 + strip_4 * 256], LoadData2DParams(0, 8, 8, 0, 0, true, 0));
                        }
                    }
                    SetFlag<HardEvent::MTE1_M>(1);
                    SetFlag<HardEvent::MTE1_MTE2>(v_slot + 2);
                    WaitFlag<HardEvent::MTE1_M>(1);
                    WaitFlag<HardEvent::FIX_M>(1);
                    {
                        const int64_t depth_3 = minimum<int64_t>(L - n_late * 128, 128);
                        Mmad(o_p, pt_c_l0, v_l0, MmadParams(128, 128, static_cast<uint16_t>(depth_3), 0, false, true));
                    }
                    SetFlag<HardEvent::M_FIX>(1);
                    SetFlag<HardEvent::M_MTE1>(1);
                    // 14: tile o: f32[BM, D] = 0
                    CrossCoreWaitFlag(5);
                    WaitFlag<HardEvent::M_FIX>(1);
                    {
                        Fixpipe<float, float, CFG_ROW_MAJOR>(o_p_ring[o_p_ring_put * 16384], o_p, FixpipeParamsV220(128, 128, 128, 128, false));
                    }
                    SetFlag<HardEvent::FIX_M>(1);
                    CrossCoreSetFlag<2, PIPE_FIX>(4);
                    o_p_ring_put = o_p_ring_put + 1 == 4 ? 0 : o_p_ring_put + 1;
                }
                k_slot = k_slot + 1 == 2 ? 0 : k_slot + 1;
                v_slot = v_slot + 1 == 2 ? 0 : v_slot + 1;
            }
            SetFlag<HardEvent::MTE1_MTE2>(q_slot + 4);
            q_slot = q_slot + 1 == 2 ? 0 : q_slot + 1;
        }
        // 2: kernel attention[T: dtype in [f16, bf16] = f16, D: int = 128, causal: bool = false](
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(5);
        CrossCoreWaitFlag(5);
        CrossCoreWaitFlag(5);
        CrossCoreWaitFlag(5);
        WaitFlag<HardEvent::M_MTE1>(0);
        WaitFlag<HardEvent::FIX_M>(0);
        WaitFlag<HardEvent::M_MTE1>(1);
        WaitFlag<HardEvent::FIX_M>(1);
        WaitFlag<HardEvent::MTE1_MTE2>(0);
        WaitFlag<HardEvent::MTE1_MTE2>(1);
        WaitFlag<HardEvent::MTE1_MTE2>(2);
        WaitFlag<HardEvent::MTE1_MTE2>(3);
        WaitFlag<HardEvent::MTE1_MTE2>(4);
        WaitFlag<HardEvent::MTE1_MTE2>(5);
    }
    if ASCEND_IS_AIV {
        const int64_t half_2 = GetSubBlockIdx();
        SetFlag<HardEvent::V_MTE2>(0);
        SetFlag<HardEvent::MTE3_V>(0);
        SetFlag<HardEvent::V_MTE2>(1);
        SetFlag<HardEvent::MTE3_V>(1);
        LocalTensor<float> j_index(TPosition::VECCALC, 181248, 128); // f32[128]
        // 24: let s[i, j] = if n*BN + j < L and (not causal or n*BN + j <= qb*BM + i + L - S)
        for (int64_t o = 0; o < 8; ++o) {
            j_index.SetValue(o, static_cast<float>(o));
        }
        SetFlag<HardEvent::S_V>(0);
        WaitFlag<HardEvent::S_V>(0);
        Adds(j_index[8], j_index, 8.0f, 8);
        PipeBarrier<PIPE_V>();
        Adds(j_index[16], j_index, 16.0f, 16);
        PipeBarrier<PIPE_V>();
        Adds(j_index[32], j_index, 32.0f, 32);
        PipeBarrier<PIPE_V>();
        Adds(j_index[64], j_index, 64.0f, 64);
        // 2: kernel attention[T: dtype in [f16, bf16] = f16, D: int = 128, causal: bool = false](
        CrossCoreSetFlag<2, PIPE_MTE2>(5);
        CrossCoreSetFlag<2, PIPE_MTE2>(5);
        CrossCoreSetFlag<2, PIPE_MTE2>(5);
        CrossCoreSetFlag<2, PIPE_MTE2>(5);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        int64_t qk_ring_get = 0;
        int64_t pt_ring_put = 0;
        int64_t o_p_ring_get = 0;
        for (int64_t instance_2 = core; instance_2 < (S + 127) / 128 * H * B; instance_2 += GetBlockNum()) {
            const int64_t qb_2 = floor_mod<int64_t>(instance_2, (S + 127) / 128);
            const int64_t rest_2 = floor_div<int64_t>(instance_2, (S + 127) / 128);
            const int64_t h_2 = floor_mod<int64_t>(rest_2, H);
            const int64_t b_2 = floor_div<int64_t>(rest_2, H);
            // 9: let g = h / (H / G)
            const int64_t g_2 = floor_div<int64_t>(h_2, floor_div<int64_t>(H, G));
            LocalTensor<float> o_2(TPosition::VECCALC, 0, 8192); // f32[64, 128]
            // 14: tile o: f32[BM, D] = 0
            Duplicate<float>(o_2, 0.0f, 8192);
            LocalTensor<float> m(TPosition::VECCALC, 181760, 64); // f32[64]
            // 15: tile m: f32[BM] = -inf
            Duplicate<float>(m, bits_float(0xff800000u), 64);
            LocalTensor<float> l(TPosition::VECCALC, 182016, 64); // f32[64]
            // 16: tile l: f32[BM] = 0
            Duplicate<float>(l, 0.0f, 64);
            LocalTensor<float> fade(TPosition::VECCALC, 180224, 256); // f32[4, 64]
            int64_t fade_slot = 0;
            PipeBarrier<PIPE_V>();
            // 20: pipeline n in 0 .. ceildiv(end, BN), stages {
            for (int64_t n_2 = 0; n_2 < (L + 127) / 128 + 3; ++n_2) {
                if (n_2 < (L + 127) / 128) {
                    LocalTensor<float> qk_v(TPosition::VECCALC, 32768, 8192); // f32[64, 128]
                    // 23: let qk[i, j] = sum[d](q[i, d] * k[j, d])
                    CrossCoreWaitFlag(0);
                    WaitFlag<HardEvent::V_MTE2>(0);
                    if (half_2 * 64 + 63 < S - qb_2 * 128 && L - n_2 * 128 > 127) {
                        DataCopyPad(qk_v, qk_ring[qk_ring_get * 16384 + half_2 * 64 * 128], DataCopyExtParams(64, 512, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
                    } else {
                        Duplicate<float>(qk_v, 0.0f, 8192);
                        SetFlag<HardEvent::V_MTE2>(2);
                        WaitFlag<HardEvent::V_MTE2>(2);
                        {
                            const int64_t i_count = minimum<int64_t>(S - qb_2 * 128 - half_2 * 64, 64);
                            const int64_t j_count = minimum<int64_t>(L - n_2 * 128, 128);
                            if (i_count > 0 && j_count > 0) {
                                DataCopyPad(qk_v, qk_ring[qk_ring_get * 16384 + half_2 * 64 * 128], DataCopyExtParams(static_cast<uint16_t>(i_count), static_cast<uint32_t>(j_count * 4), static_cast<uint32_t>(512 - j_count * 4), static_cast<uint32_t>(16 - (j_count * 4 + 31) / 32), 0), DataCopyPadExtParams<float>(true, 0, static_cast<uint8_t>((8 - j_count % 8) % 8), 0.0f));
                            }
                        }
                    }
                    SetFlag<HardEvent::MTE2_V>(0);
                    CrossCoreSetFlag<2, PIPE_MTE2>(1);
                    qk_ring_get = qk_ring_get + 1 == 4 ? 0 : qk_ring_get + 1;
                    WaitFlag<HardEvent::MTE2_V>(0);
                    // 24: let s[i, j] = if n*BN + j < L and (not causal or n*BN + j <= qb*BM + i + L - S)
                    if (n_2 * 128 + 127 < L) {
                    } else {
                        for (int64_t i = 0; i < 64; ++i) {
                            PipeBarrier<PIPE_V>();
                            LocalTensor<uint8_t> chosen(TPosition::VECCALC, 65536, 256); // u8[16]
                            CompareScalar(chosen, j_index, static_cast<float>(minimum<int64_t>(maximum<int64_t>(L - n_2 * 128, -16777216), 16777216)), CMPMODE::LT, 128);
                            PipeBarrier<PIPE_V>();
                            Select<float, uint8_t>(qk_v[i * 128], chosen, qk_v[i * 128], bits_float(0xff800000u), SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);
                        }
                    }
                    LocalTensor<float> new_2(TPosition::VECCALC, 182272, 64); // f32[64]
                    LocalTensor<float> s_max_raw(TPosition::VECCALC, 81920, 64); // f32[64]
                    PipeBarrier<PIPE_V>();
                    // 26: let new[i] = max(m[i], max[j](s[i, j]))
                    LocalTensor<float> folded(TPosition::VECCALC, 65536, 4096); // f32[64, 64]
                    Max(folded, qk_v, qk_v[64], 64, 64, BinaryRepeatParams(1, 1, 1, 8, 16, 16));
                    PipeBarrier<PIPE_V>();
                    WholeReduceMax(s_max_raw, folded, 64, 64, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
                    PipeBarrier<PIPE_V>();
                    Muls(new_2, s_max_raw, 0.12751743f, 64);
                    PipeBarrier<PIPE_V>();
                    Max(new_2, m, new_2, 64);
                    LocalTensor<float> base(TPosition::VECCALC, 133120, 64); // f32[64]
                    PipeBarrier<PIPE_V>();
                    // 28: let base[i] = if new[i] == -inf then 0 else new[i]
                    LocalTensor<uint8_t> chosen_2(TPosition::VECCALC, 65536, 256); // u8[8]
                    CompareScalar(chosen_2, new_2, bits_float(0xff800000u), CMPMODE::NE, 64);
                    PipeBarrier<PIPE_V>();
                    Select<float, uint8_t>(base, chosen_2, new_2, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
                    LocalTensor<float> p(TPosition::VECCALC, 65536, 8192); // f32[64, 128]
                    PipeBarrier<PIPE_V>();
                    // 29: let p[i, j] = exp2(s[i, j] - base[i])
                    Muls(p, qk_v, 0.088388346f, 8192);
                    SetFlag<HardEvent::V_MTE2>(0);
                    LocalTensor<float> p_t(TPosition::VECCALC, 133376, 64); // f32[64]
                    Muls(p_t, base, 0.6931472f, 64);
                    PipeBarrier<PIPE_V>();
                    LocalTensor<float> column(TPosition::VECCALC, 131072, 512); // f32[512]
                    Brcb(column, p_t, 8, BrcbRepeatParams(1, 8));
                    PipeBarrier<PIPE_V>();
                    for (int32_t col = 0; col < 128; col += 64) {
                        Sub(p[col], p[col], column, 64, 64, BinaryRepeatParams(1, 1, 0, 16, 16, 1));
                    }
                    PipeBarrier<PIPE_V>();
                    Exp(p, p, 8192);
                    LocalTensor<float> fade_t(TPosition::VECCALC, 131072, 64); // f32[64]
                    // 30: let fade[i] = exp2(m[i] - base[i])
                    Sub(fade_t, m, base, 64);
                    PipeBarrier<PIPE_V>();
                    Muls(fade_t, fade_t, 0.6931472f, 64);
                    PipeBarrier<PIPE_V>();
                    Exp(fade[fade_slot * 64], fade_t, 64);
                    LocalTensor<float> p_sum(TPosition::VECCALC, 182528, 64); // f32[64]
                    // 31: l[i] = l[i] * fade[i] + sum[j](p[i, j])
                    LocalTensor<float> folded_2(TPosition::VECCALC, 131072, 4096); // f32[64, 64]
                    Add(folded_2, p, p[64], 64, 64, BinaryRepeatParams(1, 1, 1, 8, 16, 16));
                    PipeBarrier<PIPE_V>();
                    WholeReduceSum(p_sum, folded_2, 64, 64, 1, 1, 8);
                    LocalTensor<float> l_t(TPosition::VECCALC, 131072, 64); // f32[64]
                    PipeBarrier<PIPE_V>();
                    Mul(l_t, l, fade[fade_slot * 64], 64);
                    PipeBarrier<PIPE_V>();
                    Add(l, l_t, p_sum, 64);
                    LocalTensor<half> pt(TPosition::VECCALC, 147456, 8192); // f16[64, 128]
                    WaitFlag<HardEvent::MTE3_V>(0);
                    // 32: let pt[i, j] = T(p[i, j])
                    Cast(pt, p, RoundMode::CAST_RINT, 8192);
                    SetFlag<HardEvent::V_MTE3>(0);
                    CrossCoreWaitFlag(3);
                    WaitFlag<HardEvent::V_MTE3>(0);
                    DataCopyPad(pt_ring[pt_ring_put * 16384 + half_2 * 64 * 128], pt, DataCopyExtParams(64, 256, 0, 0, 0));
                    SetFlag<HardEvent::MTE3_V>(0);
                    CrossCoreSetFlag<2, PIPE_MTE3>(2);
                    pt_ring_put = pt_ring_put + 1 == 4 ? 0 : pt_ring_put + 1;
                    // 35: m[i] = new[i]
                    Adds(m.ReinterpretCast<int32_t>(), new_2.ReinterpretCast<int32_t>(), 0, 64);
                }
                // 20: pipeline n in 0 .. ceildiv(end, BN), stages {
                if (n_2 >= 0 + 3) {
                    const int64_t fade_slot_late = fade_slot + 1 == 4 ? 0 : fade_slot + 1;
                    LocalTensor<float> o_v(TPosition::VECCALC, 98304, 8192); // f32[64, 128]
                    // 14: tile o: f32[BM, D] = 0
                    CrossCoreWaitFlag(4);
                    WaitFlag<HardEvent::V_MTE2>(1);
                    DataCopyPad(o_v, o_p_ring[o_p_ring_get * 16384 + half_2 * 64 * 128], DataCopyExtParams(64, 512, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
                    SetFlag<HardEvent::MTE2_V>(1);
                    CrossCoreSetFlag<2, PIPE_MTE2>(5);
                    o_p_ring_get = o_p_ring_get + 1 == 4 ? 0 : o_p_ring_get + 1;
                    WaitFlag<HardEvent::MTE2_V>(1);
                    // 34: o[i, d] += sum[j](pt[i, j] * v[j, d])
                    LocalTensor<float> column_2(TPosition::VECCALC, 65536, 512); // f32[512]
                    Brcb(column_2, fade[fade_slot_late * 64], 8, BrcbRepeatParams(1, 8));
                    PipeBarrier<PIPE_V>();
                    for (int32_t col_2 = 0; col_2 < 128; col_2 += 64) {
                        FusedMulAdd(o_2[col_2], column_2, o_v[col_2], 64, 64, BinaryRepeatParams(1, 0, 1, 16, 1, 16));
                    }
                    SetFlag<HardEvent::V_MTE2>(1);
                }
                fade_slot = fade_slot + 1 == 4 ? 0 : fade_slot + 1;
            }
            LocalTensor<float> O_t(TPosition::VECCALC, 65536, 8192); // f32[64, 128]
            PipeBarrier<PIPE_V>();
            // 37: O[b, h, qb*BM + i, d] = if l[i] > 0 then o[i, d] / l[i] else 0
            LocalTensor<float> column_3(TPosition::VECCALC, 131072, 512); // f32[512]
            Brcb(column_3, l, 8, BrcbRepeatParams(1, 8));
            PipeBarrier<PIPE_V>();
            for (int32_t col_3 = 0; col_3 < 128; col_3 += 64) {
                Div(O_t[col_3], o_2[col_3], column_3, 64, 64, BinaryRepeatParams(1, 1, 0, 16, 16, 1));
            }
            LocalTensor<float> O_t_2(TPosition::VECCALC, 0, 8192); // f32[64, 128]
            PipeBarrier<PIPE_V>();
            LocalTensor<float> column_4(TPosition::VECCALC, 131072, 512); // f32[512]
            Brcb(column_4, l, 8, BrcbRepeatParams(1, 8));
            PipeBarrier<PIPE_V>();
            for (int32_t col_4 = 0; col_4 < 128; col_4 += 64) {
                Copy(O_t_2[col_4], column_4, 64, 64, CopyRepeatParams(1, 0, 16, 1));
            }
            PipeBarrier<PIPE_V>();
            LocalTensor<uint8_t> chosen_3(TPosition::VECCALC, 131072, 1024); // u8[1024]
            CompareScalar(chosen_3, O_t_2, 0.0f, CMPMODE::GT, 8192);
            PipeBarrier<PIPE_V>();
            Select<float, uint8_t>(O_t, chosen_3, O_t, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 8192);
            LocalTensor<half> O_t_3(TPosition::VECCALC, 163840, 8192); // f16[64, 128]
            WaitFlag<HardEvent::MTE3_V>(1);
            PipeBarrier<PIPE_V>();
            Cast(O_t_3, O_t, RoundMode::CAST_RINT, 8192);
            SetFlag<HardEvent::V_MTE3>(1);
            WaitFlag<HardEvent::V_MTE3>(1);
            {
                const int64_t i_count_2 = minimum<int64_t>(S - (qb_2 * 128 + half_2 * 64), 64);
                if (i_count_2 > 0) {
                    DataCopyPad(OGm[b_2 * (128 * S * H) + h_2 * (128 * S) + (qb_2 * 128 + half_2 * 64) * 128], O_t_3, DataCopyExtParams(static_cast<uint16_t>(i_count_2), 256, 0, 0, 0));
                }
            }
            SetFlag<HardEvent::MTE3_V>(1);
        }
        // 2: kernel attention[T: dtype in [f16, bf16] = f16, D: int = 128, causal: bool = false](
        CrossCoreWaitFlag(3);
        CrossCoreWaitFlag(3);
        CrossCoreWaitFlag(3);
        CrossCoreWaitFlag(3);
        WaitFlag<HardEvent::V_MTE2>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
        WaitFlag<HardEvent::V_MTE2>(1);
        WaitFlag<HardEvent::MTE3_V>(1);
    }
    PipeBarrier<PIPE_ALL>();
}
