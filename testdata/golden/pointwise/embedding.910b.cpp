// Kernel `embedding` of pointwise.tile for 910b, made by tilec. Do not edit.
// Generics: T = f16.
// Tuned: BN = 16, BD = 512.
//
// Launch: min((D + 511) / 512 * ((N + 15) / 16), 48) blocks, vector cores; nothing if that is 0. No workspace.

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

/// Rows of a table picked by id.
extern "C" __global__ __aicore__ void embedding(GM_ADDR ids, GM_ADDR table, GM_ADDR Y, int64_t N, int64_t V, int64_t D) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    GlobalTensor<int32_t> idsGm;
    idsGm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(ids), N);
    GlobalTensor<half> tableGm;
    tableGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(table), D * V);
    GlobalTensor<half> YGm;
    YGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(Y), D * N);
    SetFlag<HardEvent::S_MTE2>(0);
    SetFlag<HardEvent::S_V>(0);
    SetFlag<HardEvent::MTE3_V>(0);
    SetFlag<HardEvent::MTE3_V>(1);
    // 36: Y[nb*BN + i, db*BD + j] = table[ids[nb*BN + i], db*BD + j] over i: BN, j: BD
    int64_t Y_t_slot = 0;
    LocalTensor<half> Y_t(TPosition::VECCALC, 0, 16384); // f16[2, 16, 512]
    // 33: kernel embedding[T: dtype in [f16, bf16, f32] = f16](ids: i32[N], table: T[V, D], Y: out T[N, D]) {
    for (int64_t instance = GetBlockIdx(); instance < (D + 511) / 512 * ((N + 15) / 16); instance += GetBlockNum()) {
        const int64_t db = floor_mod<int64_t>(instance, (D + 511) / 512);
        const int64_t nb = floor_div<int64_t>(instance, (D + 511) / 512);
        LocalTensor<int32_t> ids_once(TPosition::VECCALC, 32768, 64); // i32[16]
        WaitFlag<HardEvent::S_MTE2>(0);
        WaitFlag<HardEvent::S_V>(0);
        SetFlag<HardEvent::V_S>(0);
        // 36: Y[nb*BN + i, db*BD + j] = table[ids[nb*BN + i], db*BD + j] over i: BN, j: BD
        if (nb * 16 + 15 < N) {
            DataCopyPad(ids_once, idsGm[nb * 16], DataCopyExtParams(1, 64, 0, 0, 0), DataCopyPadExtParams<int32_t>(false, 0, 0, 0));
        } else {
            Duplicate<int32_t>(ids_once, 0, 16);
            SetFlag<HardEvent::V_MTE2>(0);
            WaitFlag<HardEvent::V_MTE2>(0);
            {
                const int64_t i_count = minimum<int64_t>(N - nb * 16, 16);
                if (i_count > 0) {
                    DataCopyPad(ids_once, idsGm[nb * 16], DataCopyExtParams(1, static_cast<uint32_t>(i_count * 4), 0, 0, 0), DataCopyPadExtParams<int32_t>(true, 0, static_cast<uint8_t>((8 - i_count % 8) % 8), 0));
                }
            }
        }
        SetFlag<HardEvent::MTE2_S>(0);
        WaitFlag<HardEvent::MTE3_V>(Y_t_slot);
        Duplicate<half>(Y_t[Y_t_slot * 8192], static_cast<half>(0.0f), 8192);
        SetFlag<HardEvent::V_MTE2>(Y_t_slot + 1);
        WaitFlag<HardEvent::MTE2_S>(0);
        WaitFlag<HardEvent::V_MTE2>(Y_t_slot + 1);
        for (int64_t i = 0; i < 16; ++i) {
            PipeBarrier<PIPE_MTE2>();
            if (nb * 16 + i < N) {
                if (static_cast<int64_t>(ids_once.GetValue(i)) >= 0 && static_cast<int64_t>(ids_once.GetValue(i)) < V) {
                    const int64_t Y_at = static_cast<int64_t>(ids_once.GetValue(i));
                    {
                        const int64_t j_count = minimum<int64_t>(D - db * 512, 512);
                        if (nb * 16 + i < N && j_count > 0) {
                            DataCopyPad(Y_t[Y_t_slot * 8192 + i * 512], tableGm[Y_at * D + db * 512], DataCopyExtParams(1, static_cast<uint32_t>(j_count * 2), 0, 0, 0), DataCopyPadExtParams<half>(false, 0, 0, 0));
                        }
                    }
                }
            }
        }
        SetFlag<HardEvent::MTE2_MTE3>(Y_t_slot);
        SetFlag<HardEvent::S_MTE2>(0);
        WaitFlag<HardEvent::V_S>(0);
        SetFlag<HardEvent::S_V>(0);
        WaitFlag<HardEvent::MTE2_MTE3>(Y_t_slot);
        {
            const int64_t i_count_2 = minimum<int64_t>(N - nb * 16, 16);
            const int64_t j_count_2 = minimum<int64_t>(D - db * 512, 512);
            if (i_count_2 > 0 && j_count_2 > 0) {
                DataCopyPad(YGm[nb * 16 * D + db * 512], Y_t[Y_t_slot * 8192], DataCopyExtParams(static_cast<uint16_t>(i_count_2), static_cast<uint32_t>(j_count_2 * 2), static_cast<uint32_t>(32 - (j_count_2 * 2 + 31) / 32), static_cast<uint32_t>(D * 2 - j_count_2 * 2), 0));
            }
        }
        SetFlag<HardEvent::MTE3_V>(Y_t_slot);
        Y_t_slot = Y_t_slot + 1 == 2 ? 0 : Y_t_slot + 1;
    }
    WaitFlag<HardEvent::S_MTE2>(0);
    WaitFlag<HardEvent::S_V>(0);
    WaitFlag<HardEvent::MTE3_V>(0);
    WaitFlag<HardEvent::MTE3_V>(1);
    PipeBarrier<PIPE_ALL>();
}
