// Kernel `softmax` of softmax.tile for 910b, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BM = 16, BN = 512, stages = 1.
//
// Launch: min((M + 15) / 16, 48) blocks, vector cores; nothing if that is 0. No workspace.

#include "kernel_operator.h"

using namespace AscendC;

template <class T> __aicore__ inline T minimum(T x, T y) { return x < y ? x : y; }

// bits_float is the float of a pattern of bits.
__aicore__ inline float bits_float(uint32_t bits) {
    union {
        uint32_t u;
        float f;
    } v;
    v.u = bits;
    return v.f;
}

/// Row-wise softmax; rows longer than a tile are read in blocks with a running maximum and sum.
extern "C" __global__ __aicore__ void softmax(GM_ADDR X, GM_ADDR Y, int64_t M, int64_t N) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    GlobalTensor<float> XGm;
    XGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(X), N * M);
    GlobalTensor<float> YGm;
    YGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(Y), N * M);
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE2>(1);
    SetFlag<HardEvent::MTE3_V>(0);
    SetFlag<HardEvent::MTE3_V>(1);
    SetFlag<HardEvent::V_MTE2>(2);
    // 7: tile x: T[BM, BN]
    int64_t x_slot = 0;
    LocalTensor<float> x(TPosition::VECCALC, 0, 16384); // f32[2, 16, 512]
    // 16: Y[b*BM + i, k*BN + j] = exp(f32(x[i, j]) - m[i]) / l[i]
    int64_t Y_t_slot = 0;
    LocalTensor<float> Y_t(TPosition::VECCALC, 65536, 16384); // f32[2, 16, 512]
    // 2: kernel softmax[T: dtype in [f16, bf16, f32] = f32](X: T[M, N], Y: out T[M, N]) {
    for (int64_t instance = GetBlockIdx(); instance < (M + 15) / 16; instance += GetBlockNum()) {
        const int64_t b = instance;
        LocalTensor<float> m(TPosition::VECCALC, 167936, 64); // f32[16]
        // 5: tile m: f32[BM] = -inf
        Duplicate<float>(m, bits_float(0xff800000u), 16);
        LocalTensor<float> l(TPosition::VECCALC, 168192, 64); // f32[16]
        // 6: tile l: f32[BM] = 0
        Duplicate<float>(l, 0.0f, 16);
        WaitFlag<HardEvent::V_MTE2>(2);
        SetFlag<HardEvent::MTE2_V>(0);
        // 8: pipeline k in 0 .. ceildiv(N, BN), stages {
        for (int64_t k = 0; k < (N + 511) / 512; ++k) {
            WaitFlag<HardEvent::V_MTE2>(x_slot);
            // 9: copy X[b*BM, k*BN] -> x else -inf
            if (b * 16 + 15 < M && k * 512 + 511 < N) {
                DataCopyPad(x[x_slot * 8192], XGm[b * 16 * N + k * 512], DataCopyExtParams(16, 2048, static_cast<uint32_t>(N * 4 - 2048), 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
            } else {
                Duplicate<float>(x[x_slot * 8192], bits_float(0xff800000u), 8192);
                SetFlag<HardEvent::V_MTE2>(x_slot + 3);
                WaitFlag<HardEvent::V_MTE2>(x_slot + 3);
                {
                    const int64_t i_count = minimum<int64_t>(M - b * 16, 16);
                    const int64_t j_count = minimum<int64_t>(N - k * 512, 512);
                    if (i_count > 0 && j_count > 0) {
                        DataCopyPad(x[x_slot * 8192], XGm[b * 16 * N + k * 512], DataCopyExtParams(static_cast<uint16_t>(i_count), static_cast<uint32_t>(j_count * 4), static_cast<uint32_t>(N * 4 - j_count * 4), static_cast<uint32_t>(64 - (j_count * 4 + 31) / 32), 0), DataCopyPadExtParams<float>(true, 0, static_cast<uint8_t>((8 - j_count % 8) % 8), bits_float(0xff800000u)));
                    }
                }
            }
            SetFlag<HardEvent::MTE2_V>(x_slot + 1);
            LocalTensor<float> new_2(TPosition::VECCALC, 168448, 64); // f32[16]
            LocalTensor<float> x_max(TPosition::VECCALC, 135168, 64); // f32[16]
            WaitFlag<HardEvent::MTE2_V>(x_slot + 1);
            // 10: let new[i] = max(m[i], max[j](f32(x[i, j])))
            LocalTensor<float> folded(TPosition::VECCALC, 131072, 1024); // f32[16, 64]
            Max(folded, x[x_slot * 8192], x[x_slot * 8192 + 64], 64, 16, BinaryRepeatParams(1, 1, 1, 8, 64, 64));
            for (int32_t col = 128; col < 512; col += 64) {
                PipeBarrier<PIPE_V>();
                Max(folded, folded, x[x_slot * 8192 + col], 64, 16, BinaryRepeatParams(1, 1, 1, 8, 8, 64));
            }
            PipeBarrier<PIPE_V>();
            WholeReduceMax(x_max, folded, 64, 16, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
            PipeBarrier<PIPE_V>();
            Max(new_2, m, x_max, 16);
            LocalTensor<float> x_sum(TPosition::VECCALC, 168704, 64); // f32[16]
            LocalTensor<float> x_sum_t(TPosition::VECCALC, 131072, 8192); // f32[16, 512]
            PipeBarrier<PIPE_V>();
            // 11: l[i] = l[i] * exp(m[i] - new[i]) + sum[j](exp(f32(x[i, j]) - new[i]))
            LocalTensor<float> column(TPosition::VECCALC, 163840, 128); // f32[128]
            Brcb(column, new_2, 2, BrcbRepeatParams(1, 8));
            PipeBarrier<PIPE_V>();
            for (int32_t col_2 = 0; col_2 < 512; col_2 += 64) {
                Sub(x_sum_t[col_2], x[x_slot * 8192 + col_2], column, 64, 16, BinaryRepeatParams(1, 1, 0, 64, 64, 1));
            }
            SetFlag<HardEvent::V_MTE2>(x_slot);
            PipeBarrier<PIPE_V>();
            Exp(x_sum_t, x_sum_t, 8192);
            PipeBarrier<PIPE_V>();
            LocalTensor<float> folded_2(TPosition::VECCALC, 163840, 1024); // f32[16, 64]
            Add(folded_2, x_sum_t, x_sum_t[64], 64, 16, BinaryRepeatParams(1, 1, 1, 8, 64, 64));
            for (int32_t col_3 = 128; col_3 < 512; col_3 += 64) {
                PipeBarrier<PIPE_V>();
                Add(folded_2, folded_2, x_sum_t[col_3], 64, 16, BinaryRepeatParams(1, 1, 1, 8, 8, 64));
            }
            PipeBarrier<PIPE_V>();
            WholeReduceSum(x_sum, folded_2, 64, 16, 1, 1, 8);
            LocalTensor<float> l_t(TPosition::VECCALC, 131072, 64); // f32[16]
            Sub(l_t, m, new_2, 16);
            PipeBarrier<PIPE_V>();
            Exp(l_t, l_t, 16);
            PipeBarrier<PIPE_V>();
            Mul(l_t, l, l_t, 16);
            PipeBarrier<PIPE_V>();
            Add(l, l_t, x_sum, 16);
            // 12: m[i] = new[i]
            Adds(m.ReinterpretCast<int32_t>(), new_2.ReinterpretCast<int32_t>(), 0, 16);
            x_slot = x_slot + 1 == 2 ? 0 : x_slot + 1;
        }
        PipeBarrier<PIPE_V>();
        // 14: pipeline k in 0 .. ceildiv(N, BN), stages {
        for (int64_t k_2 = 0; k_2 < (N + 511) / 512; ++k_2) {
            WaitFlag<HardEvent::V_MTE2>(x_slot);
            // 15: copy X[b*BM, k*BN] -> x else -inf
            if (b * 16 + 15 < M && k_2 * 512 + 511 < N) {
                DataCopyPad(x[x_slot * 8192], XGm[b * 16 * N + k_2 * 512], DataCopyExtParams(16, 2048, static_cast<uint32_t>(N * 4 - 2048), 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
            } else {
                Duplicate<float>(x[x_slot * 8192], bits_float(0xff800000u), 8192);
                SetFlag<HardEvent::V_MTE2>(x_slot + 3);
                WaitFlag<HardEvent::V_MTE2>(x_slot + 3);
                {
                    const int64_t i_count_2 = minimum<int64_t>(M - b * 16, 16);
                    const int64_t j_count_2 = minimum<int64_t>(N - k_2 * 512, 512);
                    if (i_count_2 > 0 && j_count_2 > 0) {
                        DataCopyPad(x[x_slot * 8192], XGm[b * 16 * N + k_2 * 512], DataCopyExtParams(static_cast<uint16_t>(i_count_2), static_cast<uint32_t>(j_count_2 * 4), static_cast<uint32_t>(N * 4 - j_count_2 * 4), static_cast<uint32_t>(64 - (j_count_2 * 4 + 31) / 32), 0), DataCopyPadExtParams<float>(true, 0, static_cast<uint8_t>((8 - j_count_2 % 8) % 8), bits_float(0xff800000u)));
                    }
                }
            }
            SetFlag<HardEvent::MTE2_V>(x_slot + 3);
            WaitFlag<HardEvent::MTE2_V>(x_slot + 3);
            WaitFlag<HardEvent::MTE3_V>(Y_t_slot);
            PipeBarrier<PIPE_V>();
            // 16: Y[b*BM + i, k*BN + j] = exp(f32(x[i, j]) - m[i]) / l[i]
            LocalTensor<float> column_2(TPosition::VECCALC, 131072, 128); // f32[128]
            Brcb(column_2, m, 2, BrcbRepeatParams(1, 8));
            PipeBarrier<PIPE_V>();
            for (int32_t col_4 = 0; col_4 < 512; col_4 += 64) {
                Sub(Y_t[Y_t_slot * 8192 + col_4], x[x_slot * 8192 + col_4], column_2, 64, 16, BinaryRepeatParams(1, 1, 0, 64, 64, 1));
            }
            SetFlag<HardEvent::V_MTE2>(x_slot);
            PipeBarrier<PIPE_V>();
            Exp(Y_t[Y_t_slot * 8192], Y_t[Y_t_slot * 8192], 8192);
            PipeBarrier<PIPE_V>();
            LocalTensor<float> column_3(TPosition::VECCALC, 131072, 128); // f32[128]
            Brcb(column_3, l, 2, BrcbRepeatParams(1, 8));
            PipeBarrier<PIPE_V>();
            for (int32_t col_5 = 0; col_5 < 512; col_5 += 64) {
                Div(Y_t[Y_t_slot * 8192 + col_5], Y_t[Y_t_slot * 8192 + col_5], column_3, 64, 16, BinaryRepeatParams(1, 1, 0, 64, 64, 1));
            }
            SetFlag<HardEvent::V_MTE3>(Y_t_slot);
            WaitFlag<HardEvent::V_MTE3>(Y_t_slot);
            {
                const int64_t i_count_3 = minimum<int64_t>(M - b * 16, 16);
                const int64_t j_count_3 = minimum<int64_t>(N - k_2 * 512, 512);
                if (i_count_3 > 0 && j_count_3 > 0) {
                    DataCopyPad(YGm[b * 16 * N + k_2 * 512], Y_t[Y_t_slot * 8192], DataCopyExtParams(static_cast<uint16_t>(i_count_3), static_cast<uint32_t>(j_count_3 * 4), static_cast<uint32_t>(64 - (j_count_3 * 4 + 31) / 32), static_cast<uint32_t>(N * 4 - j_count_3 * 4), 0));
                }
            }
            SetFlag<HardEvent::MTE3_V>(Y_t_slot);
            x_slot = x_slot + 1 == 2 ? 0 : x_slot + 1;
            Y_t_slot = Y_t_slot + 1 == 2 ? 0 : Y_t_slot + 1;
        }
        WaitFlag<HardEvent::MTE2_V>(0);
        SetFlag<HardEvent::V_MTE2>(2);
    }
    WaitFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::V_MTE2>(1);
    WaitFlag<HardEvent::MTE3_V>(0);
    WaitFlag<HardEvent::MTE3_V>(1);
    WaitFlag<HardEvent::V_MTE2>(2);
    PipeBarrier<PIPE_ALL>();
}
