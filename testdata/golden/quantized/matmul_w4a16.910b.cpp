// Kernel `matmul_w4a16` of quantized.tile for 910b, made by tilec. Do not edit.
// Generics: GROUP = 128.
// Tuned: BM = 128, BN = 128, BK = 128, stages = 2.
//
// Launch: min((N + 127) / 128 * ((M + 127) / 128), 24) blocks, groups of a cube core and two vector cores; nothing if that is 0. Workspace: 131072 bytes for each block.

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

/// C = A · dequant(W)ᵀ: 4-bit weights with one scale and zero point for each group of GROUP columns.
extern "C" __global__ __aicore__ void matmul_w4a16(GM_ADDR A, GM_ADDR W, GM_ADDR scales, GM_ADDR zeros, GM_ADDR C, int64_t M, int64_t K, int64_t N, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    InitSocState();
    GlobalTensor<half> AGm;
    AGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(A), K * M);
    GlobalTensor<uint8_t> WGm;
    WGm.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(W), ((K + 1) / 2 * 2 * N + 1) / 2);
    GlobalTensor<half> scalesGm;
    scalesGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(scales), K / 128 * N);
    GlobalTensor<uint8_t> zerosGm;
    zerosGm.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(zeros), ((K / 128 + 1) / 2 * 2 * N + 1) / 2);
    GlobalTensor<half> CGm;
    CGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(C), N * M);
    const int64_t core = GetBlockIdx() / GetSubBlockNum();
    GlobalTensor<half> wf_ring; // 4 tiles on their way between the cores
    wf_ring.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(workspace + core * 131072 + 0), 65536);
    LocalTensor<float> acc(TPosition::CO1, 0, 32768); // f32[2, 128, 128]
    // 30: tile acc: f32[BM, BN] = 0
    int64_t acc_slot = 0;
    LocalTensor<half> a(TPosition::A1, 0, 32768); // f16[2, 128, 128]
    // 28: tile a: f16[BM, BK]
    int64_t a_slot = 0;
    LocalTensor<half> wf_c(TPosition::A1, 65536, 32768); // f16[2, 128, 128]
    LocalTensor<half> a_l0(TPosition::A2, 0, 32768); // f16[2, 128, 128]
    // 36: acc[i, j] += sum[d](a[i, d] * wf[j, d])
    int64_t a_l0_slot = 0;
    LocalTensor<half> wf_c_l0(TPosition::B2, 0, 32768); // f16[2, 128, 128]
    if ASCEND_IS_AIC {
        SetFlag<HardEvent::MTE1_MTE2>(0);
        SetFlag<HardEvent::MTE1_MTE2>(1);
        SetFlag<HardEvent::MTE1_MTE2>(2);
        SetFlag<HardEvent::MTE1_MTE2>(3);
        SetFlag<HardEvent::M_MTE1>(0);
        SetFlag<HardEvent::M_MTE1>(1);
        SetFlag<HardEvent::M_MTE1>(2);
        SetFlag<HardEvent::FIX_M>(0);
        SetFlag<HardEvent::FIX_M>(1);
        // 24: kernel matmul_w4a16[GROUP: int = 128](A: f16[M, K], W: u4[N, K], scales: f16[N, K / GROUP], zeros: u4[N, K / GROUP], C: out f16[M, N]) {
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        int64_t wf_ring_get = 0;
        for (int64_t instance = core; instance < (N + 127) / 128 * ((M + 127) / 128); instance += GetBlockNum()) {
            const int64_t bx = floor_mod<int64_t>(instance, (N + 127) / 128);
            const int64_t by = floor_div<int64_t>(instance, (N + 127) / 128);
            WaitFlag<HardEvent::M_MTE1>(2);
            WaitFlag<HardEvent::FIX_M>(acc_slot);
            // 31: pipeline k in 0 .. ceildiv(K, BK), stages {
            if (0 >= (K + 127) / 128) {
                // 36: acc[i, j] += sum[d](a[i, d] * wf[j, d])
                Fill(a_l0[a_l0_slot * 16384].ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, 64, 0, 0)); // zeros
                Fill(wf_c_l0[a_l0_slot * 16384].ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, 64, 0, 0)); // zeros
                SetFlag<HardEvent::MTE1_M>(a_l0_slot);
                WaitFlag<HardEvent::MTE1_M>(a_l0_slot);
                {
                    Mmad(acc[acc_slot * 16384], a_l0[a_l0_slot * 16384], wf_c_l0[a_l0_slot * 16384], MmadParams(128, 128, 128, 0, false, true));
                }
            } else {
                // 31: pipeline k in 0 .. ceildiv(K, BK), stages {
                for (int64_t k = 0; k < (K + 127) / 128; ++k) {
                    WaitFlag<HardEvent::MTE1_MTE2>(a_slot);
                    // 32: copy A[by*BM, k*BK] -> a
                    {
                        const int64_t rows_2 = minimum<int64_t>(M - by * 128, 128);
                        const int64_t cols_2 = minimum<int64_t>(K - k * 128, 128);
                        if (rows_2 > 0 && cols_2 > 0) {
                            if (K <= 65535) {
                                DataCopy(a[a_slot * 16384], AGm[by * 128 * K + k * 128], Nd2NzParams(1, static_cast<uint16_t>(rows_2), static_cast<uint16_t>(cols_2), 0, static_cast<uint16_t>(K), 128, 1, 0));
                            } else {
                                for (int64_t row = 0; row < rows_2; ++row) {
                                    DataCopy(a[a_slot * 16384 + row * 16], AGm[by * 128 * K + k * 128 + row * K], Nd2NzParams(1, 1, static_cast<uint16_t>(cols_2), 0, 1, 128, 1, 0));
                                }
                            }
                        }
                    }
                    // 35: let wf[j, d] = f16((f32(w[j, d]) - f32(zeros[bx*BN + j, g])) * f32(scales[bx*BN + j, g]))
                    CrossCoreWaitFlag(0);
                    WaitFlag<HardEvent::MTE1_MTE2>(a_slot + 2);
                    {
                        DataCopy(wf_c[a_slot * 16384], wf_ring[wf_ring_get * 16384], Nd2NzParams(1, 128, 128, 0, 128, 128, 1, 0));
                    }
                    SetFlag<HardEvent::MTE2_MTE1>(a_slot);
                    CrossCoreSetFlag<2, PIPE_MTE2>(1);
                    wf_ring_get = wf_ring_get + 1 == 4 ? 0 : wf_ring_get + 1;
                    WaitFlag<HardEvent::MTE2_MTE1>(a_slot);
                    WaitFlag<HardEvent::M_MTE1>(a_l0_slot);
                    // 36: acc[i, j] += sum[d](a[i, d] * wf[j, d])
                    {
                        const int64_t rows_3 = minimum<int64_t>(M - by * 128, 128);
                        const int64_t depth = minimum<int64_t>(K - k * 128, 128);
                        const int64_t row_fractals = (rows_3 + 15) / 16;
                        const int64_t k_fractals = (depth + 15) / 16;
                        for (int32_t strip = 0; strip < k_fractals; ++strip) {
                            LoadData(a_l0[a_l0_slot * 16384 + strip * 256], a[a_slot * 16384 + strip * 2048], LoadData2DParams(0, static_cast<uint8_t>(row_fractals), 1, 0, static_cast<uint16_t>(k_fractals - 1), false, 0));
                        }
                    }
                    SetFlag<HardEvent::MTE1_MTE2>(a_slot);
                    {
                        const int64_t depth_2 = minimum<int64_t>(K - k * 128, 128);
                        const int64_t k_fractals_2 = (depth_2 + 15) / 16;
                        for (int32_t strip_2 = 0; strip_2 < k_fractals_2; ++strip_2) {
                            LoadData(wf_c_l0[a_l0_slot * 16384 + strip_2 * 2048], wf_c[a_slot * 16384 + strip_2 * 2048], LoadData2DParams(0, 8, 1, 0, 0, false, 0));
                        }
                    }
                    SetFlag<HardEvent::MTE1_M>(a_l0_slot + 2);
                    SetFlag<HardEvent::MTE1_MTE2>(a_slot + 2);
                    WaitFlag<HardEvent::MTE1_M>(a_l0_slot + 2);
                    {
                        const int64_t rows_4 = minimum<int64_t>(M - by * 128, 128);
                        const int64_t depth_3 = minimum<int64_t>(K - k * 128, 128);
                        if ((rows_4 / 16) * (128 / 16) < 10) {
                            PipeBarrier<PIPE_M>();
                        }
                        Mmad(acc[acc_slot * 16384], a_l0[a_l0_slot * 16384], wf_c_l0[a_l0_slot * 16384], MmadParams(static_cast<uint16_t>(maximum<int64_t>(rows_4, 2)), 128, static_cast<uint16_t>(depth_3), 0, false, k == 0));
                    }
                    SetFlag<HardEvent::M_MTE1>(a_l0_slot);
                    a_l0_slot = a_l0_slot + 1 == 2 ? 0 : a_l0_slot + 1;
                    a_slot = a_slot + 1 == 2 ? 0 : a_slot + 1;
                }
            }
            SetFlag<HardEvent::M_FIX>(acc_slot);
            SetFlag<HardEvent::M_MTE1>(2);
            WaitFlag<HardEvent::M_FIX>(acc_slot);
            // 38: copy acc -> C[by*BM, bx*BN]
            {
                const int64_t rows_5 = minimum<int64_t>(M - by * 128, 128);
                const int64_t cols_3 = minimum<int64_t>(N - bx * 128, 128);
                if (rows_5 > 0 && cols_3 > 0) {
                    Fixpipe<half, float, CFG_ROW_MAJOR>(CGm[by * 128 * N + bx * 128], acc[acc_slot * 16384], FixpipeParamsV220(static_cast<uint16_t>(cols_3), static_cast<uint16_t>(rows_5), static_cast<uint16_t>((rows_5 + 15) / 16 * 16), N, false, QuantMode_t::F322F16, 0, 1, 0, 0, 0));
                }
            }
            SetFlag<HardEvent::FIX_M>(acc_slot);
            acc_slot = acc_slot + 1 == 2 ? 0 : acc_slot + 1;
        }
        WaitFlag<HardEvent::MTE1_MTE2>(0);
        WaitFlag<HardEvent::MTE1_MTE2>(1);
        WaitFlag<HardEvent::MTE1_MTE2>(2);
        WaitFlag<HardEvent::MTE1_MTE2>(3);
        WaitFlag<HardEvent::M_MTE1>(0);
        WaitFlag<HardEvent::M_MTE1>(1);
        WaitFlag<HardEvent::M_MTE1>(2);
        WaitFlag<HardEvent::FIX_M>(0);
        WaitFlag<HardEvent::FIX_M>(1);
    }
    if ASCEND_IS_AIV {
        const int64_t half_2 = GetSubBlockIdx();
        SetFlag<HardEvent::MTE3_V>(0);
        SetFlag<HardEvent::MTE3_V>(1);
        // 35: let wf[j, d] = f16((f32(w[j, d]) - f32(zeros[bx*BN + j, g])) * f32(scales[bx*BN + j, g]))
        int64_t wf_slot = 0;
        LocalTensor<half> wf(TPosition::VECCALC, 0, 16384); // f16[2, 64, 128]
        int64_t wf_ring_put = 0;
        // 24: kernel matmul_w4a16[GROUP: int = 128](A: f16[M, K], W: u4[N, K], scales: f16[N, K / GROUP], zeros: u4[N, K / GROUP], C: out f16[M, N]) {
        for (int64_t instance_2 = core; instance_2 < (N + 127) / 128 * ((M + 127) / 128); instance_2 += GetBlockNum()) {
            const int64_t bx_2 = floor_mod<int64_t>(instance_2, (N + 127) / 128);
            const int64_t by_2 = floor_div<int64_t>(instance_2, (N + 127) / 128);
            LocalTensor<int4b_t> w(TPosition::VECCALC, 98304, 8192); // u4[64, 128]
            // 31: pipeline k in 0 .. ceildiv(K, BK), stages {
            for (int64_t k_2 = 0; k_2 < (K + 127) / 128; ++k_2) {
                // 33: copy W[bx*BN, k*BK] -> w
                if (bx_2 * 128 + (half_2 * 64 + 63) < N && k_2 * 128 + 127 < K) {
                    Duplicate<uint16_t>(w.ReinterpretCast<uint16_t>(), 0x0, 2048);
                    SetFlag<HardEvent::V_MTE2>(0);
                    WaitFlag<HardEvent::V_MTE2>(0);
                    DataCopyPad(w.ReinterpretCast<uint8_t>(), WGm[((bx_2 * 128 + half_2 * 64) * ((K + 1) / 2 * 2) + k_2 * 128) * 4 / 8], DataCopyExtParams(64, 64, static_cast<uint32_t>((K + 1) / 2 * 2 * 4 / 8 - 64), 0, 0), DataCopyPadExtParams<uint8_t>(false, 0, 0, 0));
                } else {
                    Duplicate<uint16_t>(w.ReinterpretCast<uint16_t>(), 0x0, 2048);
                    SetFlag<HardEvent::V_MTE2>(1);
                    WaitFlag<HardEvent::V_MTE2>(1);
                    {
                        const int64_t i_count = minimum<int64_t>(N - (bx_2 * 128 + half_2 * 64), 64);
                        const int64_t j_count = minimum<int64_t>(K - k_2 * 128, 128);
                        if (i_count > 0 && j_count > 0) {
                            DataCopyPad(w.ReinterpretCast<uint8_t>(), WGm[((bx_2 * 128 + half_2 * 64) * ((K + 1) / 2 * 2) + k_2 * 128) * 4 / 8], DataCopyExtParams(static_cast<uint16_t>(i_count), static_cast<uint32_t>((j_count * 4 + 7) / 8), static_cast<uint32_t>((K + 1) / 2 * 2 * 4 / 8 - (j_count * 4 + 7) / 8), static_cast<uint32_t>(2 - ((j_count * 4 + 7) / 8 + 31) / 32), 0), DataCopyPadExtParams<uint8_t>(true, 0, 0, 0));
                        }
                    }
                }
                SetFlag<HardEvent::MTE2_V>(0);
                LocalTensor<int4b_t> zeros_once(TPosition::VECCALC, 103424, 512); // u4[64]
                // 35: let wf[j, d] = f16((f32(w[j, d]) - f32(zeros[bx*BN + j, g])) * f32(scales[bx*BN + j, g]))
                if (bx_2 * 128 + (half_2 * 64 + 63) < N) {
                    Duplicate<uint16_t>(zeros_once.ReinterpretCast<uint16_t>(), 0x0, 16);
                    SetFlag<HardEvent::V_S>(0);
                    WaitFlag<HardEvent::V_S>(0);
                    for (int64_t j = 0; j < 64; ++j) {
                        zeros_once.ReinterpretCast<uint8_t>().SetValue(j / 2, (zeros_once.ReinterpretCast<uint8_t>().GetValue(j / 2) & (240 >> j % 2 * 4)) | ((((zerosGm.GetValue(((bx_2 * 128 + (half_2 * 64 + j)) * ((K / 128 + 1) / 2 * 2) + k_2) / 2) >> ((bx_2 * 128 + (half_2 * 64 + j)) * ((K / 128 + 1) / 2 * 2) + k_2) % 2 * 4) & 15) & 15) << j % 2 * 4));
                    }
                } else {
                    Duplicate<uint16_t>(zeros_once.ReinterpretCast<uint16_t>(), 0x0, 16);
                    SetFlag<HardEvent::V_S>(1);
                    WaitFlag<HardEvent::V_S>(1);
                    for (int64_t j_2 = 0; j_2 < 64; ++j_2) {
                        zeros_once.ReinterpretCast<uint8_t>().SetValue(j_2 / 2, (zeros_once.ReinterpretCast<uint8_t>().GetValue(j_2 / 2) & (240 >> j_2 % 2 * 4)) | (((bx_2 * 128 + (half_2 * 64 + j_2) < N ? ((zerosGm.GetValue(((bx_2 * 128 + (half_2 * 64 + j_2)) * ((K / 128 + 1) / 2 * 2) + k_2) / 2) >> ((bx_2 * 128 + (half_2 * 64 + j_2)) * ((K / 128 + 1) / 2 * 2) + k_2) % 2 * 4) & 15) : 0) & 15) << j_2 % 2 * 4));
                    }
                }
                LocalTensor<half> scales_once(TPosition::VECCALC, 103680, 128); // f16[64]
                if (bx_2 * 128 + (half_2 * 64 + 63) < N) {
                    for (int64_t j_3 = 0; j_3 < 64; ++j_3) {
                        scales_once.SetValue(j_3, scalesGm.GetValue((bx_2 * 128 + (half_2 * 64 + j_3)) * (K / 128) + k_2));
                    }
                } else {
                    Duplicate<half>(scales_once, static_cast<half>(0.0f), 64);
                    SetFlag<HardEvent::V_S>(2);
                    WaitFlag<HardEvent::V_S>(2);
                    for (int64_t j_4 = 0; j_4 < 64; ++j_4) {
                        scales_once.SetValue(j_4, bx_2 * 128 + (half_2 * 64 + j_4) < N ? scalesGm.GetValue((bx_2 * 128 + (half_2 * 64 + j_4)) * (K / 128) + k_2) : static_cast<half>(0.0f));
                    }
                }
                SetFlag<HardEvent::S_V>(0);
                LocalTensor<half> wf_t(TPosition::VECCALC, 65536, 8192); // f16[64, 128]
                WaitFlag<HardEvent::MTE2_V>(0);
                Cast(wf_t, w, RoundMode::CAST_NONE, 8192);
                LocalTensor<float> wf_t_2(TPosition::VECCALC, 32768, 8192); // f32[64, 128]
                PipeBarrier<PIPE_V>();
                Cast(wf_t_2, wf_t, RoundMode::CAST_NONE, 8192);
                LocalTensor<float> wf_t_3(TPosition::VECCALC, 65536, 8192); // f32[64, 128]
                PipeBarrier<PIPE_V>();
                Adds(wf_t_3, wf_t_2, 16.0f, 8192);
                PipeBarrier<PIPE_V>();
                LocalTensor<uint8_t> chosen(TPosition::VECCALC, 102400, 1024); // u8[1024]
                CompareScalar(chosen, wf_t_2, 0.0f, CMPMODE::LT, 8192);
                PipeBarrier<PIPE_V>();
                Select(wf_t_3, chosen, wf_t_3, wf_t_2, SELMODE::VSEL_TENSOR_TENSOR_MODE, 8192);
                LocalTensor<half> wf_t_4(TPosition::VECCALC, 32768, 128); // f16[64]
                WaitFlag<HardEvent::S_V>(0);
                Cast(wf_t_4, zeros_once, RoundMode::CAST_NONE, 64);
                LocalTensor<float> wf_t_5(TPosition::VECCALC, 33024, 64); // f32[64]
                PipeBarrier<PIPE_V>();
                Cast(wf_t_5, wf_t_4, RoundMode::CAST_NONE, 64);
                LocalTensor<float> wf_t_6(TPosition::VECCALC, 34816, 64); // f32[64]
                PipeBarrier<PIPE_V>();
                Adds(wf_t_6, wf_t_5, 16.0f, 64);
                PipeBarrier<PIPE_V>();
                LocalTensor<uint8_t> chosen_2(TPosition::VECCALC, 32768, 256); // u8[8]
                CompareScalar(chosen_2, wf_t_5, 0.0f, CMPMODE::LT, 64);
                PipeBarrier<PIPE_V>();
                Select(wf_t_6, chosen_2, wf_t_6, wf_t_5, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
                PipeBarrier<PIPE_V>();
                LocalTensor<float> column(TPosition::VECCALC, 32768, 512); // f32[512]
                Brcb(column, wf_t_6, 8, BrcbRepeatParams(1, 8));
                PipeBarrier<PIPE_V>();
                for (int32_t col = 0; col < 128; col += 64) {
                    Sub(wf_t_3[col], wf_t_3[col], column, 64, 64, BinaryRepeatParams(1, 1, 0, 16, 16, 1));
                }
                LocalTensor<float> wf_t_7(TPosition::VECCALC, 34816, 64); // f32[64]
                Cast(wf_t_7, scales_once, RoundMode::CAST_NONE, 64);
                PipeBarrier<PIPE_V>();
                LocalTensor<float> column_2(TPosition::VECCALC, 32768, 512); // f32[512]
                Brcb(column_2, wf_t_7, 8, BrcbRepeatParams(1, 8));
                PipeBarrier<PIPE_V>();
                for (int32_t col_2 = 0; col_2 < 128; col_2 += 64) {
                    Mul(wf_t_3[col_2], wf_t_3[col_2], column_2, 64, 64, BinaryRepeatParams(1, 1, 0, 16, 16, 1));
                }
                WaitFlag<HardEvent::MTE3_V>(wf_slot);
                PipeBarrier<PIPE_V>();
                Cast(wf[wf_slot * 8192], wf_t_3, RoundMode::CAST_RINT, 8192);
                SetFlag<HardEvent::V_MTE3>(wf_slot);
                CrossCoreWaitFlag(1);
                WaitFlag<HardEvent::V_MTE3>(wf_slot);
                DataCopyPad(wf_ring[wf_ring_put * 16384 + half_2 * 64 * 128], wf[wf_slot * 8192], DataCopyExtParams(64, 256, 0, 0, 0));
                SetFlag<HardEvent::MTE3_V>(wf_slot);
                CrossCoreSetFlag<2, PIPE_MTE3>(0);
                wf_ring_put = wf_ring_put + 1 == 4 ? 0 : wf_ring_put + 1;
                wf_slot = wf_slot + 1 == 2 ? 0 : wf_slot + 1;
            }
        }
        // 24: kernel matmul_w4a16[GROUP: int = 128](A: f16[M, K], W: u4[N, K], scales: f16[N, K / GROUP], zeros: u4[N, K / GROUP], C: out f16[M, N]) {
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(1);
        WaitFlag<HardEvent::MTE3_V>(0);
        WaitFlag<HardEvent::MTE3_V>(1);
    }
    PipeBarrier<PIPE_ALL>();
}
