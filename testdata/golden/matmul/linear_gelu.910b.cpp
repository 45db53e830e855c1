// Kernel `linear_gelu` of matmul.tile for 910b, made by tilec. Do not edit.
// Generics: T = bf16.
// Tuned: BM = 128, BN = 128, BK = 64, stages = 2.
//
// Launch: min((N + 127) / 128 * ((M + 127) / 128), 24) blocks, groups of a cube core and two vector cores; nothing if that is 0. Workspace: 262144 bytes for each block.

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

/// Y = gelu(X · Wᵀ + bias), the weight stored output-major as frameworks store it.
extern "C" __global__ __aicore__ void linear_gelu(GM_ADDR X, GM_ADDR W, GM_ADDR bias, GM_ADDR Y, int64_t M, int64_t K, int64_t N, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    InitSocState();
    GlobalTensor<bfloat16_t> XGm;
    XGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(X), K * M);
    GlobalTensor<bfloat16_t> WGm;
    WGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(W), K * N);
    GlobalTensor<bfloat16_t> biasGm;
    biasGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(bias), N);
    GlobalTensor<bfloat16_t> YGm;
    YGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(Y), N * M);
    const int64_t core = GetBlockIdx() / GetSubBlockNum();
    GlobalTensor<float> acc_ring; // 4 tiles on their way between the cores
    acc_ring.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace + core * 262144 + 0), 65536);
    LocalTensor<float> acc(TPosition::CO1, 0, 32768); // f32[2, 128, 128]
    // 24: tile acc: f32[BM, BN] = 0
    int64_t acc_slot = 0;
    LocalTensor<bfloat16_t> x(TPosition::A1, 0, 16384); // bf16[2, 128, 64]
    // 22: tile x: T[BM, BK]
    int64_t x_slot = 0;
    LocalTensor<bfloat16_t> w(TPosition::A1, 32768, 16384); // bf16[2, 128, 64]
    LocalTensor<bfloat16_t> x_l0(TPosition::A2, 0, 16384); // bf16[2, 128, 64]
    // 28: acc[i, j] += sum[d](x[i, d] * w[j, d])
    int64_t x_l0_slot = 0;
    LocalTensor<bfloat16_t> w_l0(TPosition::B2, 0, 16384); // bf16[2, 128, 64]
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
        int64_t acc_ring_put = 0;
        // 19: kernel linear_gelu[T: dtype in [f16, bf16] = bf16](X: T[M, K], W: T[N, K], bias: T[N], Y: out T[M, N]) {
        for (int64_t instance = core; instance < (N + 127) / 128 * ((M + 127) / 128); instance += GetBlockNum()) {
            const int64_t bx = floor_mod<int64_t>(instance, (N + 127) / 128);
            const int64_t by = floor_div<int64_t>(instance, (N + 127) / 128);
            WaitFlag<HardEvent::M_MTE1>(2);
            WaitFlag<HardEvent::FIX_M>(acc_slot);
            // 25: pipeline k in 0 .. ceildiv(K, BK), stages {
            if (0 >= (K + 63) / 64) {
                // 28: acc[i, j] += sum[d](x[i, d] * w[j, d])
                Fill(x_l0[x_l0_slot * 8192].ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, 32, 0, 0)); // zeros
                Fill(w_l0[x_l0_slot * 8192].ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, 32, 0, 0)); // zeros
                SetFlag<HardEvent::MTE1_M>(x_l0_slot);
                WaitFlag<HardEvent::MTE1_M>(x_l0_slot);
                {
                    Mmad(acc[acc_slot * 16384], x_l0[x_l0_slot * 8192], w_l0[x_l0_slot * 8192], MmadParams(128, 128, 64, 0, false, true));
                }
            } else {
                // 25: pipeline k in 0 .. ceildiv(K, BK), stages {
                for (int64_t k = 0; k < (K + 63) / 64; ++k) {
                    WaitFlag<HardEvent::MTE1_MTE2>(x_slot);
                    // 26: copy X[by*BM, k*BK] -> x
                    {
                        const int64_t rows_2 = minimum<int64_t>(M - by * 128, 128);
                        const int64_t cols_2 = minimum<int64_t>(K - k * 64, 64);
                        if (rows_2 > 0 && cols_2 > 0) {
                            if (K <= 65535) {
                                DataCopy(x[x_slot * 8192], XGm[by * 128 * K + k * 64], Nd2NzParams(1, static_cast<uint16_t>(rows_2), static_cast<uint16_t>(cols_2), 0, static_cast<uint16_t>(K), 128, 1, 0));
                            } else {
                                for (int64_t row = 0; row < rows_2; ++row) {
                                    DataCopy(x[x_slot * 8192 + row * 16], XGm[by * 128 * K + k * 64 + row * K], Nd2NzParams(1, 1, static_cast<uint16_t>(cols_2), 0, 1, 128, 1, 0));
                                }
                            }
                        }
                    }
                    WaitFlag<HardEvent::MTE1_MTE2>(x_slot + 2);
                    // 27: copy W[bx*BN, k*BK] -> w
                    {
                        const int64_t rows_3 = minimum<int64_t>(N - bx * 128, 128);
                        const int64_t cols_3 = minimum<int64_t>(K - k * 64, 64);
                        if (rows_3 > 0 && cols_3 > 0) {
                            if (K <= 65535) {
                                DataCopy(w[x_slot * 8192], WGm[bx * 128 * K + k * 64], Nd2NzParams(1, static_cast<uint16_t>(rows_3), static_cast<uint16_t>(cols_3), 0, static_cast<uint16_t>(K), 128, 1, 0));
                            } else {
                                for (int64_t row_2 = 0; row_2 < rows_3; ++row_2) {
                                    DataCopy(w[x_slot * 8192 + row_2 * 16], WGm[bx * 128 * K + k * 64 + row_2 * K], Nd2NzParams(1, 1, static_cast<uint16_t>(cols_3), 0, 1, 128, 1, 0));
                                }
                            }
                        }
                    }
                    SetFlag<HardEvent::MTE2_MTE1>(x_slot);
                    WaitFlag<HardEvent::MTE2_MTE1>(x_slot);
                    WaitFlag<HardEvent::M_MTE1>(x_l0_slot);
                    // 28: acc[i, j] += sum[d](x[i, d] * w[j, d])
                    {
                        const int64_t rows_4 = minimum<int64_t>(M - by * 128, 128);
                        const int64_t depth = minimum<int64_t>(K - k * 64, 64);
                        const int64_t row_fractals = (rows_4 + 15) / 16;
                        const int64_t k_fractals = (depth + 15) / 16;
                        for (int32_t strip = 0; strip < k_fractals; ++strip) {
                            LoadData(x_l0[x_l0_slot * 8192 + strip * 256], x[x_slot * 8192 + strip * 2048], LoadData2DParams(0, static_cast<uint8_t>(row_fractals), 1, 0, static_cast<uint16_t>(k_fractals - 1), false, 0));
                        }
                    }
                    SetFlag<HardEvent::MTE1_MTE2>(x_slot);
                    {
                        const int64_t rows_5 = minimum<int64_t>(N - bx * 128, 128);
                        const int64_t depth_2 = minimum<int64_t>(K - k * 64, 64);
                        const int64_t row_fractals_2 = (rows_5 + 15) / 16;
                        const int64_t k_fractals_2 = (depth_2 + 15) / 16;
                        for (int32_t strip_2 = 0; strip_2 < k_fractals_2; ++strip_2) {
                            LoadData(w_l0[x_l0_slot * 8192 + strip_2 * row_fractals_2 * 256], w[x_slot * 8192 + strip_2 * 2048], LoadData2DParams(0, static_cast<uint8_t>(row_fractals_2), 1, 0, 0, false, 0));
                        }
                    }
                    SetFlag<HardEvent::MTE1_M>(x_l0_slot + 2);
                    SetFlag<HardEvent::MTE1_MTE2>(x_slot + 2);
                    WaitFlag<HardEvent::MTE1_M>(x_l0_slot + 2);
                    {
                        const int64_t rows_6 = minimum<int64_t>(M - by * 128, 128);
                        const int64_t cols_4 = minimum<int64_t>(N - bx * 128, 128);
                        const int64_t depth_3 = minimum<int64_t>(K - k * 64, 64);
                        if ((rows_6 / 16) * (cols_4 / 16) < 10) {
                            PipeBarrier<PIPE_M>();
                        }
                        Mmad(acc[acc_slot * 16384], x_l0[x_l0_slot * 8192], w_l0[x_l0_slot * 8192], MmadParams(static_cast<uint16_t>(maximum<int64_t>(rows_6, 2)), static_cast<uint16_t>(cols_4), static_cast<uint16_t>(depth_3), 0, false, k == 0));
                    }
                    SetFlag<HardEvent::M_MTE1>(x_l0_slot);
                    x_l0_slot = x_l0_slot + 1 == 2 ? 0 : x_l0_slot + 1;
                    x_slot = x_slot + 1 == 2 ? 0 : x_slot + 1;
                }
            }
            SetFlag<HardEvent::M_FIX>(acc_slot);
            SetFlag<HardEvent::M_MTE1>(2);
            // 24: tile acc: f32[BM, BN] = 0
            CrossCoreWaitFlag(1);
            WaitFlag<HardEvent::M_FIX>(acc_slot);
            {
                const int64_t rows_7 = minimum<int64_t>(M - by * 128, 128);
                const int64_t cols_5 = minimum<int64_t>(N - bx * 128, 128);
                if (rows_7 > 0 && cols_5 > 0) {
                    Fixpipe<float, float, CFG_ROW_MAJOR>(acc_ring[acc_ring_put * 16384], acc[acc_slot * 16384], FixpipeParamsV220(static_cast<uint16_t>(cols_5), static_cast<uint16_t>(rows_7), static_cast<uint16_t>((rows_7 + 15) / 16 * 16), 128, false));
                }
            }
            SetFlag<HardEvent::FIX_M>(acc_slot);
            CrossCoreSetFlag<2, PIPE_FIX>(0);
            acc_ring_put = acc_ring_put + 1 == 4 ? 0 : acc_ring_put + 1;
            acc_slot = acc_slot + 1 == 2 ? 0 : acc_slot + 1;
        }
        // 19: kernel linear_gelu[T: dtype in [f16, bf16] = bf16](X: T[M, K], W: T[N, K], bias: T[N], Y: out T[M, N]) {
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(1);
        CrossCoreWaitFlag(1);
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
        SetFlag<HardEvent::V_MTE2>(0);
        SetFlag<HardEvent::MTE3_V>(0);
        // 30: let z[i, j] = acc[i, j] + f32(bias[bx*BN + j])
        int64_t bias_once_slot = 0;
        LocalTensor<bfloat16_t> bias_once(TPosition::VECCALC, 180224, 256); // bf16[2, 128]
        // 19: kernel linear_gelu[T: dtype in [f16, bf16] = bf16](X: T[M, K], W: T[N, K], bias: T[N], Y: out T[M, N]) {
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        CrossCoreSetFlag<2, PIPE_MTE2>(1);
        int64_t acc_ring_get = 0;
        for (int64_t instance_2 = core; instance_2 < (N + 127) / 128 * ((M + 127) / 128); instance_2 += GetBlockNum()) {
            const int64_t bx_2 = floor_mod<int64_t>(instance_2, (N + 127) / 128);
            const int64_t by_2 = floor_div<int64_t>(instance_2, (N + 127) / 128);
            LocalTensor<float> acc_v(TPosition::VECCALC, 0, 8192); // f32[64, 128]
            // 24: tile acc: f32[BM, BN] = 0
            CrossCoreWaitFlag(0);
            WaitFlag<HardEvent::V_MTE2>(0);
            if (half_2 * 64 + 63 < M - by_2 * 128 && N - bx_2 * 128 > 127) {
                DataCopyPad(acc_v, acc_ring[acc_ring_get * 16384 + half_2 * 64 * 128], DataCopyExtParams(64, 512, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
            } else {
                Duplicate<float>(acc_v, 0.0f, 8192);
                SetFlag<HardEvent::V_MTE2>(1);
                WaitFlag<HardEvent::V_MTE2>(1);
                {
                    const int64_t i_count = minimum<int64_t>(M - by_2 * 128 - half_2 * 64, 64);
                    const int64_t j_count = minimum<int64_t>(N - bx_2 * 128, 128);
                    if (i_count > 0 && j_count > 0) {
                        DataCopyPad(acc_v, acc_ring[acc_ring_get * 16384 + half_2 * 64 * 128], DataCopyExtParams(static_cast<uint16_t>(i_count), static_cast<uint32_t>(j_count * 4), static_cast<uint32_t>(512 - j_count * 4), static_cast<uint32_t>(16 - (j_count * 4 + 31) / 32), 0), DataCopyPadExtParams<float>(true, 0, static_cast<uint8_t>((8 - j_count % 8) % 8), 0.0f));
                    }
                }
            }
            CrossCoreSetFlag<2, PIPE_MTE2>(1);
            acc_ring_get = acc_ring_get + 1 == 4 ? 0 : acc_ring_get + 1;
            LocalTensor<float> z(TPosition::VECCALC, 32768, 8192); // f32[64, 128]
            // 30: let z[i, j] = acc[i, j] + f32(bias[bx*BN + j])
            if (bx_2 * 128 + 127 < N) {
                DataCopyPad(bias_once[bias_once_slot * 128], biasGm[bx_2 * 128], DataCopyExtParams(1, 256, 0, 0, 0), DataCopyPadExtParams<bfloat16_t>(false, 0, 0, bfloat16_t()));
            } else {
                Duplicate<bfloat16_t>(bias_once[bias_once_slot * 128], ToBfloat16(0.0f), 128);
                SetFlag<HardEvent::V_MTE2>(bias_once_slot + 2);
                WaitFlag<HardEvent::V_MTE2>(bias_once_slot + 2);
                {
                    const int64_t j_count_2 = minimum<int64_t>(N - bx_2 * 128, 128);
                    if (j_count_2 > 0) {
                        DataCopyPad(bias_once[bias_once_slot * 128], biasGm[bx_2 * 128], DataCopyExtParams(1, static_cast<uint32_t>(j_count_2 * 2), 0, 0, 0), DataCopyPadExtParams<bfloat16_t>(true, 0, static_cast<uint8_t>((16 - j_count_2 % 16) % 16), ToBfloat16(0.0f)));
                    }
                }
            }
            SetFlag<HardEvent::MTE2_V>(bias_once_slot);
            LocalTensor<float> z_t(TPosition::VECCALC, 65536, 128); // f32[128]
            WaitFlag<HardEvent::MTE2_V>(bias_once_slot);
            Cast(z_t, bias_once[bias_once_slot * 128], RoundMode::CAST_NONE, 128);
            PipeBarrier<PIPE_V>();
            for (int32_t col = 0; col < 128; col += 64) {
                Add(z[col], acc_v[col], z_t[col], 64, 64, BinaryRepeatParams(1, 1, 1, 16, 16, 0));
            }
            SetFlag<HardEvent::V_MTE2>(0);
            LocalTensor<float> Y_t(TPosition::VECCALC, 65536, 8192); // f32[64, 128]
            PipeBarrier<PIPE_V>();
            // 31: Y[by*BM + i, bx*BN + j] = 0.5 * z[i, j] * (1 + erf(z[i, j] * 0.7071067811865476))
            Muls(Y_t, z, 0.5f, 8192);
            LocalTensor<float> Y_t_2(TPosition::VECCALC, 98304, 8192); // f32[64, 128]
            Muls(Y_t_2, z, 0.70710677f, 8192);
            PipeBarrier<PIPE_V>();
            Maxs(Y_t_2, Y_t_2, -4.0f, 8192);
            PipeBarrier<PIPE_V>();
            Mins(Y_t_2, Y_t_2, 4.0f, 8192);
            LocalTensor<float> Y_t_3(TPosition::VECCALC, 32768, 8192); // f32[64, 128]
            PipeBarrier<PIPE_V>();
            Mul(Y_t_3, Y_t_2, Y_t_2, 8192);
            LocalTensor<float> Y_t_4(TPosition::VECCALC, 131072, 8192); // f32[64, 128]
            PipeBarrier<PIPE_V>();
            Muls(Y_t_4, Y_t_3, -2.7261424e-10f, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_4, Y_t_4, 2.7706815e-08f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t_4, Y_t_4, Y_t_3, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_4, Y_t_4, -2.101024e-06f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t_4, Y_t_4, Y_t_3, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_4, Y_t_4, -5.6925062e-05f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t_4, Y_t_4, Y_t_3, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_4, Y_t_4, -0.00073499064f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t_4, Y_t_4, Y_t_3, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_4, Y_t_4, -0.0029546f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t_4, Y_t_4, Y_t_3, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_4, Y_t_4, -0.016096033f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t_2, Y_t_2, Y_t_4, 8192);
            LocalTensor<float> Y_t_5(TPosition::VECCALC, 131072, 8192); // f32[64, 128]
            Muls(Y_t_5, Y_t_3, -1.45660715e-05f, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_5, Y_t_5, -0.00021337405f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t_5, Y_t_5, Y_t_3, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_5, Y_t_5, -0.001682827f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t_5, Y_t_5, Y_t_3, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_5, Y_t_5, -0.0073733293f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t_5, Y_t_5, Y_t_3, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_5, Y_t_5, -0.014264739f, 8192);
            PipeBarrier<PIPE_V>();
            Div(Y_t_2, Y_t_2, Y_t_5, 8192);
            PipeBarrier<PIPE_V>();
            Adds(Y_t_2, Y_t_2, 1.0f, 8192);
            PipeBarrier<PIPE_V>();
            Mul(Y_t, Y_t, Y_t_2, 8192);
            LocalTensor<bfloat16_t> Y_t_6(TPosition::VECCALC, 163840, 8192); // bf16[64, 128]
            WaitFlag<HardEvent::MTE3_V>(0);
            PipeBarrier<PIPE_V>();
            Cast(Y_t_6, Y_t, RoundMode::CAST_RINT, 8192);
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            {
                const int64_t i_count_2 = minimum<int64_t>(M - (by_2 * 128 + half_2 * 64), 64);
                const int64_t j_count_3 = minimum<int64_t>(N - bx_2 * 128, 128);
                if (i_count_2 > 0 && j_count_3 > 0) {
                    DataCopyPad(YGm[(by_2 * 128 + half_2 * 64) * N + bx_2 * 128], Y_t_6, DataCopyExtParams(static_cast<uint16_t>(i_count_2), static_cast<uint32_t>(j_count_3 * 2), static_cast<uint32_t>(8 - (j_count_3 * 2 + 31) / 32), static_cast<uint32_t>(N * 2 - j_count_3 * 2), 0));
                }
            }
            SetFlag<HardEvent::MTE3_V>(0);
            bias_once_slot = bias_once_slot + 1 == 2 ? 0 : bias_once_slot + 1;
        }
        WaitFlag<HardEvent::V_MTE2>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
    }
    PipeBarrier<PIPE_ALL>();
}
