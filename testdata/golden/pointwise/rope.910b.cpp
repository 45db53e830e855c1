// Kernel `rope` of pointwise.tile for 910b, made by tilec. Do not edit.
// Generics: T = bf16, D = 128.
// Tuned: BS = 16.
//
// Launch: min((S + 15) / 16 * H, 48) blocks, vector cores; nothing if that is 0. No workspace.

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

/// Rotary position embedding, halves rotated against each other, positions read from a table of ids.
extern "C" __global__ __aicore__ void rope(GM_ADDR X, GM_ADDR ids, GM_ADDR cosines, GM_ADDR sines, GM_ADDR Y, int64_t S, int64_t H, int64_t P) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    GlobalTensor<bfloat16_t> XGm;
    XGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(X), 128 * H * S);
    GlobalTensor<int32_t> idsGm;
    idsGm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(ids), S);
    GlobalTensor<float> cosinesGm;
    cosinesGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(cosines), 64 * P);
    GlobalTensor<float> sinesGm;
    sinesGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(sines), 64 * P);
    GlobalTensor<bfloat16_t> YGm;
    YGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(Y), 128 * H * S);
    SetFlag<HardEvent::S_MTE2>(0);
    SetFlag<HardEvent::S_V>(0);
    SetFlag<HardEvent::S_MTE2>(1);
    SetFlag<HardEvent::S_V>(1);
    SetFlag<HardEvent::MTE3_V>(0);
    SetFlag<HardEvent::MTE3_V>(1);
    // 18: let c[i: BS, j: D / 2] = cosines[ids[sb*BS + i], j]
    int64_t c_slot = 0;
    LocalTensor<float> c_2(TPosition::VECCALC, 0, 2048); // f32[2, 16, 64]
    LocalTensor<float> s(TPosition::VECCALC, 8192, 2048); // f32[2, 16, 64]
    LocalTensor<bfloat16_t> lo_t(TPosition::VECCALC, 16384, 2048); // bf16[2, 16, 64]
    LocalTensor<bfloat16_t> lo_t_2(TPosition::VECCALC, 20480, 2048); // bf16[2, 16, 64]
    LocalTensor<bfloat16_t> hi_t(TPosition::VECCALC, 24576, 2048); // bf16[2, 16, 64]
    LocalTensor<bfloat16_t> hi_t_2(TPosition::VECCALC, 28672, 2048); // bf16[2, 16, 64]
    LocalTensor<bfloat16_t> Y_t(TPosition::VECCALC, 32768, 2048); // bf16[2, 16, 64]
    LocalTensor<bfloat16_t> Y_t_2(TPosition::VECCALC, 36864, 2048); // bf16[2, 16, 64]
    // 13: kernel rope[T: dtype in [f16, bf16] = bf16, D: int = 128](
    for (int64_t instance = GetBlockIdx(); instance < (S + 15) / 16 * H; instance += GetBlockNum()) {
        const int64_t sb = floor_mod<int64_t>(instance, (S + 15) / 16);
        const int64_t h = floor_div<int64_t>(instance, (S + 15) / 16);
        LocalTensor<int32_t> ids_once(TPosition::VECCALC, 57344, 64); // i32[16]
        WaitFlag<HardEvent::S_MTE2>(0);
        WaitFlag<HardEvent::S_V>(0);
        SetFlag<HardEvent::V_S>(0);
        // 18: let c[i: BS, j: D / 2] = cosines[ids[sb*BS + i], j]
        if (sb * 16 + 15 < S) {
            DataCopyPad(ids_once, idsGm[sb * 16], DataCopyExtParams(1, 64, 0, 0, 0), DataCopyPadExtParams<int32_t>(false, 0, 0, 0));
        } else {
            Duplicate<int32_t>(ids_once, 0, 16);
            SetFlag<HardEvent::V_MTE2>(0);
            WaitFlag<HardEvent::V_MTE2>(0);
            {
                const int64_t i_count = minimum<int64_t>(S - sb * 16, 16);
                if (i_count > 0) {
                    DataCopyPad(ids_once, idsGm[sb * 16], DataCopyExtParams(1, static_cast<uint32_t>(i_count * 4), 0, 0, 0), DataCopyPadExtParams<int32_t>(true, 0, static_cast<uint8_t>((8 - i_count % 8) % 8), 0));
                }
            }
        }
        SetFlag<HardEvent::MTE2_S>(0);
        Duplicate<float>(c_2[c_slot * 1024], 0.0f, 1024);
        SetFlag<HardEvent::V_MTE2>(c_slot + 1);
        WaitFlag<HardEvent::MTE2_S>(0);
        WaitFlag<HardEvent::V_MTE2>(c_slot + 1);
        for (int64_t i = 0; i < 16; ++i) {
            PipeBarrier<PIPE_MTE2>();
            if (sb * 16 + i < S) {
                if (static_cast<int64_t>(ids_once.GetValue(i)) >= 0 && static_cast<int64_t>(ids_once.GetValue(i)) < P) {
                    const int64_t c_at = static_cast<int64_t>(ids_once.GetValue(i));
                    {
                        if (sb * 16 + i < S) {
                            DataCopyPad(c_2[c_slot * 1024 + i * 64], cosinesGm[c_at * 64], DataCopyExtParams(1, 256, 0, 0, 0), DataCopyPadExtParams<float>(true, 0, 0, 0.0f));
                        }
                    }
                }
            }
        }
        SetFlag<HardEvent::S_MTE2>(0);
        WaitFlag<HardEvent::V_S>(0);
        SetFlag<HardEvent::S_V>(0);
        LocalTensor<int32_t> ids_once_2(TPosition::VECCALC, 57600, 64); // i32[16]
        WaitFlag<HardEvent::S_MTE2>(1);
        WaitFlag<HardEvent::S_V>(1);
        SetFlag<HardEvent::V_S>(1);
        // 19: let s[i: BS, j: D / 2] = sines[ids[sb*BS + i], j]
        if (sb * 16 + 15 < S) {
            DataCopyPad(ids_once_2, idsGm[sb * 16], DataCopyExtParams(1, 64, 0, 0, 0), DataCopyPadExtParams<int32_t>(false, 0, 0, 0));
        } else {
            Duplicate<int32_t>(ids_once_2, 0, 16);
            SetFlag<HardEvent::V_MTE2>(0);
            WaitFlag<HardEvent::V_MTE2>(0);
            {
                const int64_t i_count_2 = minimum<int64_t>(S - sb * 16, 16);
                if (i_count_2 > 0) {
                    DataCopyPad(ids_once_2, idsGm[sb * 16], DataCopyExtParams(1, static_cast<uint32_t>(i_count_2 * 4), 0, 0, 0), DataCopyPadExtParams<int32_t>(true, 0, static_cast<uint8_t>((8 - i_count_2 % 8) % 8), 0));
                }
            }
        }
        SetFlag<HardEvent::MTE2_S>(1);
        Duplicate<float>(s[c_slot * 1024], 0.0f, 1024);
        SetFlag<HardEvent::V_MTE2>(c_slot + 3);
        WaitFlag<HardEvent::MTE2_S>(1);
        WaitFlag<HardEvent::V_MTE2>(c_slot + 3);
        for (int64_t i_2 = 0; i_2 < 16; ++i_2) {
            PipeBarrier<PIPE_MTE2>();
            if (sb * 16 + i_2 < S) {
                if (static_cast<int64_t>(ids_once_2.GetValue(i_2)) >= 0 && static_cast<int64_t>(ids_once_2.GetValue(i_2)) < P) {
                    const int64_t s_at = static_cast<int64_t>(ids_once_2.GetValue(i_2));
                    {
                        if (sb * 16 + i_2 < S) {
                            DataCopyPad(s[c_slot * 1024 + i_2 * 64], sinesGm[s_at * 64], DataCopyExtParams(1, 256, 0, 0, 0), DataCopyPadExtParams<float>(true, 0, 0, 0.0f));
                        }
                    }
                }
            }
        }
        SetFlag<HardEvent::S_MTE2>(1);
        WaitFlag<HardEvent::V_S>(1);
        SetFlag<HardEvent::S_V>(1);
        LocalTensor<float> lo(TPosition::VECCALC, 40960, 1024); // f32[16, 64]
        // 20: let lo[i: BS, j: D / 2] = f32(X[sb*BS + i, h, j])
        if (sb * 16 + 15 < S) {
            DataCopyPad(lo_t[c_slot * 1024], XGm[sb * 16 * (128 * H) + h * 128], DataCopyExtParams(16, 128, static_cast<uint32_t>(128 * H * 2 - 128), 0, 0), DataCopyPadExtParams<bfloat16_t>(false, 0, 0, bfloat16_t()));
            SetFlag<HardEvent::MTE2_V>(c_slot);
            WaitFlag<HardEvent::MTE2_V>(c_slot);
            Cast(lo, lo_t[c_slot * 1024], RoundMode::CAST_NONE, 1024);
        } else {
            Duplicate<bfloat16_t>(lo_t_2[c_slot * 1024], ToBfloat16(0.0f), 1024);
            SetFlag<HardEvent::V_MTE2>(c_slot + 1);
            WaitFlag<HardEvent::V_MTE2>(c_slot + 1);
            {
                const int64_t i_count_3 = minimum<int64_t>(S - sb * 16, 16);
                if (i_count_3 > 0) {
                    DataCopyPad(lo_t_2[c_slot * 1024], XGm[sb * 16 * (128 * H) + h * 128], DataCopyExtParams(static_cast<uint16_t>(i_count_3), 128, static_cast<uint32_t>(128 * H * 2 - 128), 0, 0), DataCopyPadExtParams<bfloat16_t>(true, 0, 0, ToBfloat16(0.0f)));
                }
            }
            SetFlag<HardEvent::MTE2_V>(c_slot);
            WaitFlag<HardEvent::MTE2_V>(c_slot);
            Cast(lo, lo_t_2[c_slot * 1024], RoundMode::CAST_NONE, 1024);
        }
        LocalTensor<float> hi(TPosition::VECCALC, 45056, 1024); // f32[16, 64]
        // 21: let hi[i: BS, j: D / 2] = f32(X[sb*BS + i, h, D / 2 + j])
        if (sb * 16 + 15 < S) {
            DataCopyPad(hi_t[c_slot * 1024], XGm[sb * 16 * (128 * H) + h * 128 + 64], DataCopyExtParams(16, 128, static_cast<uint32_t>(128 * H * 2 - 128), 0, 0), DataCopyPadExtParams<bfloat16_t>(false, 0, 0, bfloat16_t()));
            SetFlag<HardEvent::MTE2_V>(c_slot + 2);
            WaitFlag<HardEvent::MTE2_V>(c_slot + 2);
            Cast(hi, hi_t[c_slot * 1024], RoundMode::CAST_NONE, 1024);
        } else {
            Duplicate<bfloat16_t>(hi_t_2[c_slot * 1024], ToBfloat16(0.0f), 1024);
            SetFlag<HardEvent::V_MTE2>(c_slot + 1);
            WaitFlag<HardEvent::V_MTE2>(c_slot + 1);
            {
                const int64_t i_count_4 = minimum<int64_t>(S - sb * 16, 16);
                if (i_count_4 > 0) {
                    DataCopyPad(hi_t_2[c_slot * 1024], XGm[sb * 16 * (128 * H) + h * 128 + 64], DataCopyExtParams(static_cast<uint16_t>(i_count_4), 128, static_cast<uint32_t>(128 * H * 2 - 128), 0, 0), DataCopyPadExtParams<bfloat16_t>(true, 0, 0, ToBfloat16(0.0f)));
                }
            }
            SetFlag<HardEvent::MTE2_V>(c_slot + 4);
            WaitFlag<HardEvent::MTE2_V>(c_slot + 4);
            Cast(hi, hi_t_2[c_slot * 1024], RoundMode::CAST_NONE, 1024);
        }
        LocalTensor<float> Y_t_3(TPosition::VECCALC, 49152, 1024); // f32[16, 64]
        PipeBarrier<PIPE_V>();
        // 22: Y[sb*BS + i, h, j] = lo[i, j] * c[i, j] - hi[i, j] * s[i, j]
        Mul(Y_t_3, lo, c_2[c_slot * 1024], 1024);
        LocalTensor<float> Y_t_4(TPosition::VECCALC, 53248, 1024); // f32[16, 64]
        Mul(Y_t_4, hi, s[c_slot * 1024], 1024);
        PipeBarrier<PIPE_V>();
        Sub(Y_t_3, Y_t_3, Y_t_4, 1024);
        WaitFlag<HardEvent::MTE3_V>(c_slot);
        PipeBarrier<PIPE_V>();
        Cast(Y_t[c_slot * 1024], Y_t_3, RoundMode::CAST_RINT, 1024);
        SetFlag<HardEvent::V_MTE3>(c_slot);
        WaitFlag<HardEvent::V_MTE3>(c_slot);
        {
            const int64_t i_count_5 = minimum<int64_t>(S - sb * 16, 16);
            if (i_count_5 > 0) {
                DataCopyPad(YGm[sb * 16 * (128 * H) + h * 128], Y_t[c_slot * 1024], DataCopyExtParams(static_cast<uint16_t>(i_count_5), 128, 0, static_cast<uint32_t>(128 * H * 2 - 128), 0));
            }
        }
        LocalTensor<float> Y_t_5(TPosition::VECCALC, 49152, 1024); // f32[16, 64]
        // 23: Y[sb*BS + i, h, D / 2 + j] = hi[i, j] * c[i, j] + lo[i, j] * s[i, j]
        Mul(Y_t_5, hi, c_2[c_slot * 1024], 1024);
        LocalTensor<float> Y_t_6(TPosition::VECCALC, 45056, 1024); // f32[16, 64]
        Mul(Y_t_6, lo, s[c_slot * 1024], 1024);
        PipeBarrier<PIPE_V>();
        Add(Y_t_5, Y_t_5, Y_t_6, 1024);
        PipeBarrier<PIPE_V>();
        Cast(Y_t_2[c_slot * 1024], Y_t_5, RoundMode::CAST_RINT, 1024);
        SetFlag<HardEvent::V_MTE3>(c_slot + 2);
        WaitFlag<HardEvent::V_MTE3>(c_slot + 2);
        {
            const int64_t i_count_6 = minimum<int64_t>(S - sb * 16, 16);
            if (i_count_6 > 0) {
                DataCopyPad(YGm[sb * 16 * (128 * H) + h * 128 + 64], Y_t_2[c_slot * 1024], DataCopyExtParams(static_cast<uint16_t>(i_count_6), 128, 0, static_cast<uint32_t>(128 * H * 2 - 128), 0));
            }
        }
        SetFlag<HardEvent::MTE3_V>(c_slot);
        c_slot = c_slot + 1 == 2 ? 0 : c_slot + 1;
    }
    WaitFlag<HardEvent::S_MTE2>(0);
    WaitFlag<HardEvent::S_V>(0);
    WaitFlag<HardEvent::S_MTE2>(1);
    WaitFlag<HardEvent::S_V>(1);
    WaitFlag<HardEvent::MTE3_V>(0);
    WaitFlag<HardEvent::MTE3_V>(1);
    PipeBarrier<PIPE_ALL>();
}
