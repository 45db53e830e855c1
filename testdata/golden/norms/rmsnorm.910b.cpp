// Kernel `rmsnorm` of norms.tile for 910b, made by tilec. Do not edit.
// Generics: T = bf16.
// Tuned: BM = 4, BN = 2048.
//
// Launch: min((M + 3) / 4, 48) blocks, vector cores; nothing if that is 0. No workspace.

#include "kernel_operator.h"

using namespace AscendC;

template <class T> __aicore__ inline T minimum(T x, T y) { return x < y ? x : y; }

/// Y = X / rms(X) * G, row by row.
extern "C" __global__ __aicore__ void rmsnorm(GM_ADDR X, GM_ADDR G, GM_ADDR Y, float eps, int64_t M, int64_t N) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    GlobalTensor<bfloat16_t> XGm;
    XGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(X), N * M);
    GlobalTensor<bfloat16_t> GGm;
    GGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(G), N);
    GlobalTensor<bfloat16_t> YGm;
    YGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(Y), N * M);
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE2>(1);
    SetFlag<HardEvent::MTE3_V>(0);
    SetFlag<HardEvent::V_MTE2>(2);
    SetFlag<HardEvent::V_MTE2>(3);
    // 7: let x[i: BM, j: BN] = f32(X[b*BM + i, k*BN + j])
    int64_t x_t_slot = 0;
    LocalTensor<bfloat16_t> x_t(TPosition::VECCALC, 0, 16384); // bf16[2, 4, 2048]
    LocalTensor<bfloat16_t> x_t_2(TPosition::VECCALC, 32768, 16384); // bf16[2, 4, 2048]
    // 13: Y[b*BM + i, k*BN + j] = x[i, j] * r[i] * f32(G[k*BN + j])
    int64_t G_once_slot = 0;
    LocalTensor<bfloat16_t> G_once(TPosition::VECCALC, 163840, 4096); // bf16[2, 2048]
    // 2: kernel rmsnorm[T: dtype in [f16, bf16, f32] = bf16](X: T[M, N], G: T[N], Y: out T[M, N], eps: f32) {
    for (int64_t instance = GetBlockIdx(); instance < (M + 3) / 4; instance += GetBlockNum()) {
        const int64_t b = instance;
        LocalTensor<float> ss(TPosition::VECCALC, 172032, 64); // f32[4]
        // 5: tile ss: f32[BM] = 0
        Duplicate<float>(ss, 0.0f, 4);
        // 6: for k in 0 .. ceildiv(N, BN) {
        for (int64_t k = 0; k < (N + 2047) / 2048; ++k) {
            LocalTensor<float> x(TPosition::VECCALC, 65536, 8192); // f32[4, 2048]
            WaitFlag<HardEvent::V_MTE2>(0);
            // 7: let x[i: BM, j: BN] = f32(X[b*BM + i, k*BN + j])
            if (b * 4 + 3 < M && k * 2048 + 2047 < N) {
                DataCopyPad(x_t[x_t_slot * 8192], XGm[b * 4 * N + k * 2048], DataCopyExtParams(4, 4096, static_cast<uint32_t>(N * 2 - 4096), 0, 0), DataCopyPadExtParams<bfloat16_t>(false, 0, 0, bfloat16_t()));
                SetFlag<HardEvent::MTE2_V>(x_t_slot);
                WaitFlag<HardEvent::MTE2_V>(x_t_slot);
                Cast(x, x_t[x_t_slot * 8192], RoundMode::CAST_NONE, 8192);
            } else {
                Duplicate<bfloat16_t>(x_t_2[x_t_slot * 8192], ToBfloat16(0.0f), 8192);
                SetFlag<HardEvent::V_MTE2>(4);
                WaitFlag<HardEvent::V_MTE2>(4);
                {
                    const int64_t i_count = minimum<int64_t>(M - b * 4, 4);
                    const int64_t j_count = minimum<int64_t>(N - k * 2048, 2048);
                    if (i_count > 0 && j_count > 0) {
                        DataCopyPad(x_t_2[x_t_slot * 8192], XGm[b * 4 * N + k * 2048], DataCopyExtParams(static_cast<uint16_t>(i_count), static_cast<uint32_t>(j_count * 2), static_cast<uint32_t>(N * 2 - j_count * 2), static_cast<uint32_t>(128 - (j_count * 2 + 31) / 32), 0), DataCopyPadExtParams<bfloat16_t>(true, 0, static_cast<uint8_t>((16 - j_count % 16) % 16), ToBfloat16(0.0f)));
                    }
                }
                SetFlag<HardEvent::MTE2_V>(x_t_slot + 2);
                WaitFlag<HardEvent::MTE2_V>(x_t_slot + 2);
                Cast(x, x_t_2[x_t_slot * 8192], RoundMode::CAST_NONE, 8192);
            }
            SetFlag<HardEvent::V_MTE2>(0);
            LocalTensor<float> ss_t(TPosition::VECCALC, 98304, 8192); // f32[4, 2048]
            PipeBarrier<PIPE_V>();
            // 8: ss[i] += sum[j](x[i, j] * x[i, j])
            Mul(ss_t, x, x, 8192);
            LocalTensor<float> ss_t_2(TPosition::VECCALC, 66560, 64); // f32[4]
            PipeBarrier<PIPE_V>();
            LocalTensor<float> folded(TPosition::VECCALC, 65536, 256); // f32[4, 64]
            for (int32_t row = 0; row < 4; row += 1) {
                Add(folded[row * 64], ss_t[row * 2048], ss_t[row * 2048 + 64], 64, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
                for (int32_t col = 128; col < 2048; col += 64) {
                    PipeBarrier<PIPE_V>();
                    Add(folded[row * 64], folded[row * 64], ss_t[row * 2048 + col], 64, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
                }
            }
            PipeBarrier<PIPE_V>();
            WholeReduceSum(ss_t_2, folded, 64, 4, 1, 1, 8);
            PipeBarrier<PIPE_V>();
            Add(ss, ss, ss_t_2, 4);
            x_t_slot = x_t_slot + 1 == 2 ? 0 : x_t_slot + 1;
        }
        LocalTensor<float> r_2(TPosition::VECCALC, 106496, 64); // f32[4]
        LocalTensor<float> r_t(TPosition::VECCALC, 65536, 64); // f32[4]
        // 10: let r[i] = rsqrt(ss[i] / f32(N) + eps)
        Duplicate<float>(r_t, static_cast<float>(N), 4);
        PipeBarrier<PIPE_V>();
        Div(r_t, ss, r_t, 4);
        PipeBarrier<PIPE_V>();
        Adds(r_t, r_t, eps, 4);
        PipeBarrier<PIPE_V>();
        Sqrt(r_t, r_t, 4);
        Duplicate<float>(r_2, 1.0f, 4);
        PipeBarrier<PIPE_V>();
        Div(r_2, r_2, r_t, 4);
        // 11: for k in 0 .. ceildiv(N, BN) {
        for (int64_t k_2 = 0; k_2 < (N + 2047) / 2048; ++k_2) {
            WaitFlag<HardEvent::V_MTE2>(G_once_slot + 2);
            // 13: Y[b*BM + i, k*BN + j] = x[i, j] * r[i] * f32(G[k*BN + j])
            if (k_2 * 2048 + 2047 < N) {
                DataCopyPad(G_once[G_once_slot * 2048], GGm[k_2 * 2048], DataCopyExtParams(1, 4096, 0, 0, 0), DataCopyPadExtParams<bfloat16_t>(false, 0, 0, bfloat16_t()));
            } else {
                Duplicate<bfloat16_t>(G_once[G_once_slot * 2048], ToBfloat16(0.0f), 2048);
                SetFlag<HardEvent::V_MTE2>(5);
                WaitFlag<HardEvent::V_MTE2>(5);
                {
                    const int64_t j_count_2 = minimum<int64_t>(N - k_2 * 2048, 2048);
                    if (j_count_2 > 0) {
                        DataCopyPad(G_once[G_once_slot * 2048], GGm[k_2 * 2048], DataCopyExtParams(1, static_cast<uint32_t>(j_count_2 * 2), 0, 0, 0), DataCopyPadExtParams<bfloat16_t>(true, 0, static_cast<uint8_t>((16 - j_count_2 % 16) % 16), ToBfloat16(0.0f)));
                    }
                }
            }
            LocalTensor<bfloat16_t> Y_t(TPosition::VECCALC, 131072, 8192); // bf16[4, 2048]
            WaitFlag<HardEvent::V_MTE2>(1);
            {
                const int64_t i_count_2 = minimum<int64_t>(M - b * 4, 4);
                const int64_t j_count_3 = minimum<int64_t>(N - k_2 * 2048, 2048);
                if (i_count_2 > 0 && j_count_3 > 0) {
                    DataCopyPad(Y_t, XGm[b * 4 * N + k_2 * 2048], DataCopyExtParams(static_cast<uint16_t>(i_count_2), static_cast<uint32_t>(j_count_3 * 2), static_cast<uint32_t>(N * 2 - j_count_3 * 2), static_cast<uint32_t>(128 - (j_count_3 * 2 + 31) / 32), 0), DataCopyPadExtParams<bfloat16_t>(false, 0, 0, bfloat16_t()));
                }
            }
            SetFlag<HardEvent::MTE2_V>(4);
            LocalTensor<float> Y_t_2(TPosition::VECCALC, 65536, 8192); // f32[4, 2048]
            WaitFlag<HardEvent::MTE2_V>(4);
            Cast(Y_t_2, Y_t, RoundMode::CAST_NONE, 8192);
            SetFlag<HardEvent::V_MTE2>(1);
            PipeBarrier<PIPE_V>();
            LocalTensor<float> column(TPosition::VECCALC, 98304, 64); // f32[64]
            Brcb(column, r_2, 1, BrcbRepeatParams(1, 8));
            PipeBarrier<PIPE_V>();
            for (int32_t row_2 = 0; row_2 < 4; row_2 += 1) {
                for (int32_t col_2 = 0; col_2 < 2048; col_2 += 64) {
                    Mul(Y_t_2[row_2 * 2048 + col_2], Y_t_2[row_2 * 2048 + col_2], column[row_2 * 8], 64, 1, BinaryRepeatParams(1, 1, 0, 0, 0, 1));
                }
            }
            LocalTensor<float> Y_t_3(TPosition::VECCALC, 98304, 2048); // f32[2048]
            PipeBarrier<PIPE_V>();
            Cast(Y_t_3, G_once[G_once_slot * 2048], RoundMode::CAST_NONE, 2048);
            SetFlag<HardEvent::V_MTE2>(G_once_slot + 2);
            PipeBarrier<PIPE_V>();
            for (int32_t row_3 = 0; row_3 < 4; row_3 += 1) {
                for (int32_t col_3 = 0; col_3 < 2048; col_3 += 64) {
                    Mul(Y_t_2[row_3 * 2048 + col_3], Y_t_2[row_3 * 2048 + col_3], Y_t_3[col_3], 64, 1, BinaryRepeatParams(1, 1, 1, 0, 0, 0));
                }
            }
            LocalTensor<bfloat16_t> Y_t_4(TPosition::VECCALC, 147456, 8192); // bf16[4, 2048]
            WaitFlag<HardEvent::MTE3_V>(0);
            PipeBarrier<PIPE_V>();
            Cast(Y_t_4, Y_t_2, RoundMode::CAST_RINT, 8192);
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            {
                const int64_t i_count_3 = minimum<int64_t>(M - b * 4, 4);
                const int64_t j_count_4 = minimum<int64_t>(N - k_2 * 2048, 2048);
                if (i_count_3 > 0 && j_count_4 > 0) {
                    DataCopyPad(YGm[b * 4 * N + k_2 * 2048], Y_t_4, DataCopyExtParams(static_cast<uint16_t>(i_count_3), static_cast<uint32_t>(j_count_4 * 2), static_cast<uint32_t>(128 - (j_count_4 * 2 + 31) / 32), static_cast<uint32_t>(N * 2 - j_count_4 * 2), 0));
                }
            }
            SetFlag<HardEvent::MTE3_V>(0);
            G_once_slot = G_once_slot + 1 == 2 ? 0 : G_once_slot + 1;
        }
    }
    WaitFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::V_MTE2>(1);
    WaitFlag<HardEvent::MTE3_V>(0);
    WaitFlag<HardEvent::V_MTE2>(2);
    WaitFlag<HardEvent::V_MTE2>(3);
    PipeBarrier<PIPE_ALL>();
}
