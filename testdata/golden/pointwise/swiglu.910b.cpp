// Kernel `swiglu` of pointwise.tile for 910b, made by tilec. Do not edit.
// Generics: T = bf16.
// Tuned: BM = 8, BN = 512.
//
// Launch: min((N + 511) / 512 * ((M + 7) / 8), 48) blocks, vector cores; nothing if that is 0. No workspace.

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

/// Y = silu(gate) * up, the two halves of X's rows.
extern "C" __global__ __aicore__ void swiglu(GM_ADDR X, GM_ADDR Y, int64_t M, int64_t N) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    GlobalTensor<bfloat16_t> XGm;
    XGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(X), 2 * N * M);
    GlobalTensor<bfloat16_t> YGm;
    YGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(Y), N * M);
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE2>(1);
    SetFlag<HardEvent::MTE3_V>(0);
    SetFlag<HardEvent::MTE3_V>(1);
    // 5: let gate[i: BM, j: BN] = f32(X[by*BM + i, bx*BN + j])
    int64_t gate_t_slot = 0;
    LocalTensor<bfloat16_t> gate_t(TPosition::VECCALC, 0, 8192); // bf16[2, 8, 512]
    LocalTensor<bfloat16_t> gate_t_2(TPosition::VECCALC, 16384, 8192); // bf16[2, 8, 512]
    LocalTensor<bfloat16_t> Y_t(TPosition::VECCALC, 32768, 8192); // bf16[2, 8, 512]
    LocalTensor<bfloat16_t> Y_t_2(TPosition::VECCALC, 49152, 8192); // bf16[2, 8, 512]
    // 2: kernel swiglu[T: dtype in [f16, bf16] = bf16](X: T[M, 2*N], Y: out T[M, N]) {
    for (int64_t instance = GetBlockIdx(); instance < (N + 511) / 512 * ((M + 7) / 8); instance += GetBlockNum()) {
        const int64_t bx = floor_mod<int64_t>(instance, (N + 511) / 512);
        const int64_t by = floor_div<int64_t>(instance, (N + 511) / 512);
        LocalTensor<float> gate(TPosition::VECCALC, 65536, 4096); // f32[8, 512]
        WaitFlag<HardEvent::V_MTE2>(gate_t_slot);
        // 5: let gate[i: BM, j: BN] = f32(X[by*BM + i, bx*BN + j])
        if (by * 8 + 7 < M && bx * 512 + 511 < N * 2) {
            DataCopyPad(gate_t[gate_t_slot * 4096], XGm[by * 8 * (2 * N) + bx * 512], DataCopyExtParams(8, 1024, static_cast<uint32_t>(2 * N * 2 - 1024), 0, 0), DataCopyPadExtParams<bfloat16_t>(false, 0, 0, bfloat16_t()));
            SetFlag<HardEvent::MTE2_V>(gate_t_slot);
            WaitFlag<HardEvent::MTE2_V>(gate_t_slot);
            Cast(gate, gate_t[gate_t_slot * 4096], RoundMode::CAST_NONE, 4096);
        } else {
            Duplicate<bfloat16_t>(gate_t_2[gate_t_slot * 4096], ToBfloat16(0.0f), 4096);
            SetFlag<HardEvent::V_MTE2>(gate_t_slot + 2);
            WaitFlag<HardEvent::V_MTE2>(gate_t_slot + 2);
            {
                const int64_t i_count = minimum<int64_t>(M - by * 8, 8);
                const int64_t j_count = minimum<int64_t>(N * 2 - bx * 512, 512);
                if (i_count > 0 && j_count > 0) {
                    DataCopyPad(gate_t_2[gate_t_slot * 4096], XGm[by * 8 * (2 * N) + bx * 512], DataCopyExtParams(static_cast<uint16_t>(i_count), static_cast<uint32_t>(j_count * 2), static_cast<uint32_t>(2 * N * 2 - j_count * 2), static_cast<uint32_t>(32 - (j_count * 2 + 31) / 32), 0), DataCopyPadExtParams<bfloat16_t>(true, 0, static_cast<uint8_t>((16 - j_count % 16) % 16), ToBfloat16(0.0f)));
                }
            }
            SetFlag<HardEvent::MTE2_V>(gate_t_slot + 2);
            WaitFlag<HardEvent::MTE2_V>(gate_t_slot + 2);
            Cast(gate, gate_t_2[gate_t_slot * 4096], RoundMode::CAST_NONE, 4096);
        }
        LocalTensor<float> Y_t_3(TPosition::VECCALC, 81920, 4096); // f32[8, 512]
        PipeBarrier<PIPE_V>();
        // 7: Y[by*BM + i, bx*BN + j] = gate[i, j] * sigmoid(gate[i, j]) * up[i, j]
        Muls(Y_t_3, gate, -1.0f, 4096);
        PipeBarrier<PIPE_V>();
        Exp(Y_t_3, Y_t_3, 4096);
        PipeBarrier<PIPE_V>();
        Adds(Y_t_3, Y_t_3, 1.0f, 4096);
        LocalTensor<float> Y_t_4(TPosition::VECCALC, 98304, 4096); // f32[8, 512]
        Duplicate<float>(Y_t_4, 1.0f, 4096);
        PipeBarrier<PIPE_V>();
        Div(Y_t_4, Y_t_4, Y_t_3, 4096);
        PipeBarrier<PIPE_V>();
        Mul(Y_t_4, gate, Y_t_4, 4096);
        {
            const int64_t i_count_2 = minimum<int64_t>(M - by * 8, 8);
            const int64_t j_count_2 = minimum<int64_t>(N - bx * 512, 512);
            if (i_count_2 > 0 && j_count_2 > 0) {
                DataCopyPad(Y_t[gate_t_slot * 4096], XGm[by * 8 * (2 * N) + (N + bx * 512)], DataCopyExtParams(static_cast<uint16_t>(i_count_2), static_cast<uint32_t>(j_count_2 * 2), static_cast<uint32_t>(2 * N * 2 - j_count_2 * 2), static_cast<uint32_t>(32 - (j_count_2 * 2 + 31) / 32), 0), DataCopyPadExtParams<bfloat16_t>(false, 0, 0, bfloat16_t()));
            }
        }
        SetFlag<HardEvent::MTE2_V>(gate_t_slot + 4);
        LocalTensor<float> Y_t_5(TPosition::VECCALC, 65536, 4096); // f32[8, 512]
        WaitFlag<HardEvent::MTE2_V>(gate_t_slot + 4);
        Cast(Y_t_5, Y_t[gate_t_slot * 4096], RoundMode::CAST_NONE, 4096);
        SetFlag<HardEvent::V_MTE2>(gate_t_slot);
        PipeBarrier<PIPE_V>();
        Mul(Y_t_4, Y_t_4, Y_t_5, 4096);
        WaitFlag<HardEvent::MTE3_V>(gate_t_slot);
        PipeBarrier<PIPE_V>();
        Cast(Y_t_2[gate_t_slot * 4096], Y_t_4, RoundMode::CAST_RINT, 4096);
        SetFlag<HardEvent::V_MTE3>(gate_t_slot);
        WaitFlag<HardEvent::V_MTE3>(gate_t_slot);
        {
            const int64_t i_count_3 = minimum<int64_t>(M - by * 8, 8);
            const int64_t j_count_3 = minimum<int64_t>(N - bx * 512, 512);
            if (i_count_3 > 0 && j_count_3 > 0) {
                DataCopyPad(YGm[by * 8 * N + bx * 512], Y_t_2[gate_t_slot * 4096], DataCopyExtParams(static_cast<uint16_t>(i_count_3), static_cast<uint32_t>(j_count_3 * 2), static_cast<uint32_t>(32 - (j_count_3 * 2 + 31) / 32), static_cast<uint32_t>(N * 2 - j_count_3 * 2), 0));
            }
        }
        SetFlag<HardEvent::MTE3_V>(gate_t_slot);
        gate_t_slot = gate_t_slot + 1 == 2 ? 0 : gate_t_slot + 1;
    }
    WaitFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::V_MTE2>(1);
    WaitFlag<HardEvent::MTE3_V>(0);
    WaitFlag<HardEvent::MTE3_V>(1);
    PipeBarrier<PIPE_ALL>();
}
