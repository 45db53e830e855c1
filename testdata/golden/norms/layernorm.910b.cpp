// Kernel `layernorm` of norms.tile for 910b, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BN = 2048.
//
// Launch: min(M, 48) blocks, vector cores; nothing if that is 0. No workspace.

#include "kernel_operator.h"

using namespace AscendC;

template <class T> __aicore__ inline T minimum(T x, T y) { return x < y ? x : y; }

template <class T> __aicore__ inline T maximum(T x, T y) { return x > y ? x : y; }

/// Y = (X - mean) / sqrt(var + eps) * G + B, row by row, in two passes (no cancellation).
extern "C" __global__ __aicore__ void layernorm(GM_ADDR X, GM_ADDR G, GM_ADDR B, GM_ADDR Y, float eps, int64_t M, int64_t N) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    GlobalTensor<float> XGm;
    XGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(X), N * M);
    GlobalTensor<float> GGm;
    GGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(G), N);
    GlobalTensor<float> BGm;
    BGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(B), N);
    GlobalTensor<float> YGm;
    YGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(Y), N * M);
    SetFlag<HardEvent::S_V>(0);
    SetFlag<HardEvent::S_V>(1);
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE2>(1);
    SetFlag<HardEvent::MTE3_V>(0);
    SetFlag<HardEvent::MTE3_V>(1);
    SetFlag<HardEvent::S_V>(2);
    // 29: total += sum[j](x[j])
    int64_t x_sum_t_slot = 0;
    LocalTensor<float> x_sum_t(TPosition::VECCALC, 0, 4096); // f32[2, 2048]
    LocalTensor<float> x_sum_t_2(TPosition::VECCALC, 16384, 4096); // f32[2, 2048]
    // 34: let d[j: BN] = if k*BN + j < N then f32(X[row, k*BN + j]) - mean else 0
    int64_t d_t_slot = 0;
    LocalTensor<float> d_t(TPosition::VECCALC, 32768, 4096); // f32[2, 2048]
    LocalTensor<float> d_t_2(TPosition::VECCALC, 49152, 4096); // f32[2, 2048]
    // 40: Y[row, k*BN + j] = (x[j] - mean) * r * f32(G[k*BN + j]) + f32(B[k*BN + j])
    int64_t Y_t_slot = 0;
    LocalTensor<float> Y_t(TPosition::VECCALC, 65536, 4096); // f32[2, 2048]
    LocalTensor<float> Y_t_2(TPosition::VECCALC, 81920, 4096); // f32[2, 2048]
    LocalTensor<float> Y_t_3(TPosition::VECCALC, 98304, 4096); // f32[2, 2048]
    LocalTensor<float> Y_t_4(TPosition::VECCALC, 114688, 4096); // f32[2, 2048]
    // 23: kernel layernorm[T: dtype in [f16, bf16, f32] = f32](X: T[M, N], G: T[N], B: T[N], Y: out T[M, N], eps: f32) {
    for (int64_t instance = GetBlockIdx(); instance < M; instance += GetBlockNum()) {
        const int64_t row = instance;
        // 26: var total: f32 = 0
        float total = 0.0f;
        WaitFlag<HardEvent::S_V>(2);
        // 27: for k in 0 .. ceildiv(N, BN) {
        for (int64_t k = 0; k < (N + 2047) / 2048; ++k) {
            LocalTensor<float> x_sum(TPosition::VECCALC, 131072, 64); // f32[]
            WaitFlag<HardEvent::S_V>(0);
            // 29: total += sum[j](x[j])
            if (k * 2048 + 2047 < N) {
                DataCopyPad(x_sum_t[x_sum_t_slot * 2048], XGm[row * N + k * 2048], DataCopyExtParams(1, 8192, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
                SetFlag<HardEvent::MTE2_V>(0);
                WaitFlag<HardEvent::MTE2_V>(0);
                LocalTensor<float> folded(TPosition::VECCALC, 131328, 64); // f32[1, 64]
                Add(folded, x_sum_t[x_sum_t_slot * 2048], x_sum_t[x_sum_t_slot * 2048 + 64], 64, 1, BinaryRepeatParams(1, 1, 1, 8, 1, 1));
                for (int32_t col = 128; col < 2048; col += 64) {
                    PipeBarrier<PIPE_V>();
                    Add(folded, folded, x_sum_t[x_sum_t_slot * 2048 + col], 64, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 1));
                }
                PipeBarrier<PIPE_V>();
                WholeReduceSum(x_sum, folded, 64, 1, 1, 1, 8);
            } else {
                Duplicate<float>(x_sum_t_2[x_sum_t_slot * 2048], 0.0f, 2048);
                SetFlag<HardEvent::V_MTE2>(x_sum_t_slot + 2);
                WaitFlag<HardEvent::V_MTE2>(x_sum_t_slot + 2);
                {
                    const int64_t j_count = minimum<int64_t>(N - k * 2048, 2048);
                    if (j_count > 0) {
                        DataCopyPad(x_sum_t_2[x_sum_t_slot * 2048], XGm[row * N + k * 2048], DataCopyExtParams(1, static_cast<uint32_t>(j_count * 4), 0, 0, 0), DataCopyPadExtParams<float>(true, 0, static_cast<uint8_t>((8 - j_count % 8) % 8), 0.0f));
                    }
                }
                SetFlag<HardEvent::MTE2_V>(0);
                WaitFlag<HardEvent::MTE2_V>(0);
                LocalTensor<float> folded_2(TPosition::VECCALC, 131328, 64); // f32[1, 64]
                Add(folded_2, x_sum_t_2[x_sum_t_slot * 2048], x_sum_t_2[x_sum_t_slot * 2048 + 64], 64, 1, BinaryRepeatParams(1, 1, 1, 8, 1, 1));
                for (int32_t col_2 = 128; col_2 < 2048; col_2 += 64) {
                    PipeBarrier<PIPE_V>();
                    Add(folded_2, folded_2, x_sum_t_2[x_sum_t_slot * 2048 + col_2], 64, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 1));
                }
                PipeBarrier<PIPE_V>();
                WholeReduceSum(x_sum, folded_2, 64, 1, 1, 1, 8);
            }
            SetFlag<HardEvent::V_S>(0);
            WaitFlag<HardEvent::V_S>(0);
            total = total + x_sum.GetValue(0);
            SetFlag<HardEvent::S_V>(0);
            x_sum_t_slot = x_sum_t_slot + 1 == 2 ? 0 : x_sum_t_slot + 1;
        }
        SetFlag<HardEvent::S_V>(3);
        // 31: let mean = total / f32(N)
        const float mean = total / static_cast<float>(N);
        // 32: var squares: f32 = 0
        float squares = 0.0f;
        WaitFlag<HardEvent::S_V>(3);
        // 33: for k in 0 .. ceildiv(N, BN) {
        for (int64_t k_2 = 0; k_2 < (N + 2047) / 2048; ++k_2) {
            LocalTensor<float> d(TPosition::VECCALC, 131072, 2048); // f32[2048]
            WaitFlag<HardEvent::S_V>(1);
            // 34: let d[j: BN] = if k*BN + j < N then f32(X[row, k*BN + j]) - mean else 0
            if (k_2 * 2048 + 2047 < N) {
                DataCopyPad(d_t[d_t_slot * 2048], XGm[row * N + k_2 * 2048], DataCopyExtParams(1, 8192, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
                SetFlag<HardEvent::MTE2_V>(1);
                WaitFlag<HardEvent::MTE2_V>(1);
                Adds(d, d_t[d_t_slot * 2048], -mean, 2048);
            } else {
                LocalTensor<float> j_index(TPosition::VECCALC, 139264, 2048); // f32[2048]
                for (int64_t o = 0; o < 8; ++o) {
                    j_index.SetValue(o, static_cast<float>(o));
                }
                SetFlag<HardEvent::S_V>(4);
                WaitFlag<HardEvent::S_V>(4);
                Adds(j_index[8], j_index, 8.0f, 8);
                PipeBarrier<PIPE_V>();
                Adds(j_index[16], j_index, 16.0f, 16);
                PipeBarrier<PIPE_V>();
                Adds(j_index[32], j_index, 32.0f, 32);
                PipeBarrier<PIPE_V>();
                Adds(j_index[64], j_index, 64.0f, 64);
                PipeBarrier<PIPE_V>();
                Adds(j_index[128], j_index, 128.0f, 128);
                PipeBarrier<PIPE_V>();
                Adds(j_index[256], j_index, 256.0f, 256);
                PipeBarrier<PIPE_V>();
                Adds(j_index[512], j_index, 512.0f, 512);
                PipeBarrier<PIPE_V>();
                Adds(j_index[1024], j_index, 1024.0f, 1024);
                {
                    const int64_t j_count_2 = minimum<int64_t>(N - k_2 * 2048, 2048);
                    if (j_count_2 > 0) {
                        DataCopyPad(d_t_2[d_t_slot * 2048], XGm[row * N + k_2 * 2048], DataCopyExtParams(1, static_cast<uint32_t>(j_count_2 * 4), 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
                    }
                }
                SetFlag<HardEvent::MTE2_V>(1);
                WaitFlag<HardEvent::MTE2_V>(1);
                Adds(d, d_t_2[d_t_slot * 2048], -mean, 2048);
                PipeBarrier<PIPE_V>();
                LocalTensor<uint8_t> chosen(TPosition::VECCALC, 147456, 256); // u8[256]
                CompareScalar(chosen, j_index, static_cast<float>(minimum<int64_t>(maximum<int64_t>(N - k_2 * 2048, -16777216), 16777216)), CMPMODE::LT, 2048);
                PipeBarrier<PIPE_V>();
                Select<float, uint8_t>(d, chosen, d, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 2048);
            }
            LocalTensor<float> d_sum(TPosition::VECCALC, 131072, 64); // f32[]
            LocalTensor<float> d_sum_t(TPosition::VECCALC, 139264, 2048); // f32[2048]
            PipeBarrier<PIPE_V>();
            // 35: squares += sum[j](d[j] * d[j])
            Mul(d_sum_t, d, d, 2048);
            PipeBarrier<PIPE_V>();
            LocalTensor<float> folded_3(TPosition::VECCALC, 131328, 64); // f32[1, 64]
            Add(folded_3, d_sum_t, d_sum_t[64], 64, 1, BinaryRepeatParams(1, 1, 1, 8, 1, 1));
            for (int32_t col_3 = 128; col_3 < 2048; col_3 += 64) {
                PipeBarrier<PIPE_V>();
                Add(folded_3, folded_3, d_sum_t[col_3], 64, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 1));
            }
            PipeBarrier<PIPE_V>();
            WholeReduceSum(d_sum, folded_3, 64, 1, 1, 1, 8);
            SetFlag<HardEvent::V_S>(1);
            WaitFlag<HardEvent::V_S>(1);
            squares = squares + d_sum.GetValue(0);
            SetFlag<HardEvent::S_V>(1);
            d_t_slot = d_t_slot + 1 == 2 ? 0 : d_t_slot + 1;
        }
        LocalTensor<float> value_t(TPosition::VECCALC, 131072, 64); // f32[1]
        // 37: let r = rsqrt(squares / f32(N) + eps)
        value_t.SetValue(0, squares / static_cast<float>(N) + eps);
        SetFlag<HardEvent::S_V>(5);
        WaitFlag<HardEvent::S_V>(5);
        Sqrt(value_t, value_t, 1);
        SetFlag<HardEvent::V_S>(2);
        WaitFlag<HardEvent::V_S>(2);
        const float r_2 = 1.0f / value_t.GetValue(0);
        SetFlag<HardEvent::S_V>(2);
        // 38: for k in 0 .. ceildiv(N, BN) {
        for (int64_t k_3 = 0; k_3 < (N + 2047) / 2048; ++k_3) {
            WaitFlag<HardEvent::V_MTE2>(Y_t_slot);
            // 40: Y[row, k*BN + j] = (x[j] - mean) * r * f32(G[k*BN + j]) + f32(B[k*BN + j])
            {
                const int64_t j_count_3 = minimum<int64_t>(N - k_3 * 2048, 2048);
                if (j_count_3 > 0) {
                    DataCopyPad(Y_t[Y_t_slot * 2048], XGm[row * N + k_3 * 2048], DataCopyExtParams(1, static_cast<uint32_t>(j_count_3 * 4), 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
                }
            }
            SetFlag<HardEvent::MTE2_V>(Y_t_slot + 2);
            WaitFlag<HardEvent::MTE2_V>(Y_t_slot + 2);
            WaitFlag<HardEvent::MTE3_V>(Y_t_slot);
            Adds(Y_t_4[Y_t_slot * 2048], Y_t[Y_t_slot * 2048], -mean, 2048);
            PipeBarrier<PIPE_V>();
            Muls(Y_t_4[Y_t_slot * 2048], Y_t_4[Y_t_slot * 2048], r_2, 2048);
            {
                const int64_t j_count_4 = minimum<int64_t>(N - k_3 * 2048, 2048);
                if (j_count_4 > 0) {
                    DataCopyPad(Y_t_2[Y_t_slot * 2048], GGm[k_3 * 2048], DataCopyExtParams(1, static_cast<uint32_t>(j_count_4 * 4), 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
                }
            }
            {
                const int64_t j_count_5 = minimum<int64_t>(N - k_3 * 2048, 2048);
                if (j_count_5 > 0) {
                    DataCopyPad(Y_t_3[Y_t_slot * 2048], BGm[k_3 * 2048], DataCopyExtParams(1, static_cast<uint32_t>(j_count_5 * 4), 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
                }
            }
            SetFlag<HardEvent::MTE2_V>(Y_t_slot + 4);
            WaitFlag<HardEvent::MTE2_V>(Y_t_slot + 4);
            PipeBarrier<PIPE_V>();
            FusedMulAdd(Y_t_4[Y_t_slot * 2048], Y_t_2[Y_t_slot * 2048], Y_t_3[Y_t_slot * 2048], 2048);
            SetFlag<HardEvent::V_MTE3>(Y_t_slot);
            SetFlag<HardEvent::V_MTE2>(Y_t_slot);
            WaitFlag<HardEvent::V_MTE3>(Y_t_slot);
            {
                const int64_t j_count_6 = minimum<int64_t>(N - k_3 * 2048, 2048);
                if (j_count_6 > 0) {
                    DataCopyPad(YGm[row * N + k_3 * 2048], Y_t_4[Y_t_slot * 2048], DataCopyExtParams(1, static_cast<uint32_t>(j_count_6 * 4), 0, 0, 0));
                }
            }
            SetFlag<HardEvent::MTE3_V>(Y_t_slot);
            Y_t_slot = Y_t_slot + 1 == 2 ? 0 : Y_t_slot + 1;
        }
    }
    WaitFlag<HardEvent::S_V>(0);
    WaitFlag<HardEvent::S_V>(1);
    WaitFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::V_MTE2>(1);
    WaitFlag<HardEvent::MTE3_V>(0);
    WaitFlag<HardEvent::MTE3_V>(1);
    WaitFlag<HardEvent::S_V>(2);
    PipeBarrier<PIPE_ALL>();
}
