// Kernel `vector_add` of vector_add.tile for 910b, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BN = 4096.
//
// Launch: min((N + 4095) / 4096, 48) blocks, vector cores; nothing if that is 0. No workspace.

#include "kernel_operator.h"

using namespace AscendC;

template <class T> __aicore__ inline T minimum(T x, T y) { return x < y ? x : y; }

/// C = A + B for vectors of any length.
extern "C" __global__ __aicore__ void vector_add(GM_ADDR A, GM_ADDR B, GM_ADDR C, int64_t N) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    InitSocState();
    GlobalTensor<float> AGm;
    AGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(A), N);
    GlobalTensor<float> BGm;
    BGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(B), N);
    GlobalTensor<float> CGm;
    CGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(C), N);
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE2>(1);
    SetFlag<HardEvent::MTE3_V>(0);
    SetFlag<HardEvent::MTE3_V>(1);
    // 6: copy c -> C[b*BN]
    int64_t C_t_slot = 0;
    LocalTensor<float> C_t(TPosition::VECCALC, 0, 8192); // f32[2, 4096]
    LocalTensor<float> C_t_2(TPosition::VECCALC, 32768, 8192); // f32[2, 4096]
    LocalTensor<float> C_t_3(TPosition::VECCALC, 65536, 8192); // f32[2, 4096]
    // 2: kernel vector_add[T: dtype in [f16, bf16, f32, i32] = f32](A: T[N], B: T[N], C: out T[N]) {
    for (int64_t instance = GetBlockIdx(); instance < (N + 4095) / 4096; instance += GetBlockNum()) {
        const int64_t b = instance;
        WaitFlag<HardEvent::V_MTE2>(C_t_slot);
        // 6: copy c -> C[b*BN]
        {
            const int64_t i_count = minimum<int64_t>(N - b * 4096, 4096);
            if (i_count > 0) {
                DataCopyPad(C_t[C_t_slot * 4096], AGm[b * 4096], DataCopyExtParams(1, static_cast<uint32_t>(i_count * 4), 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
            }
        }
        {
            const int64_t i_count_2 = minimum<int64_t>(N - b * 4096, 4096);
            if (i_count_2 > 0) {
                DataCopyPad(C_t_2[C_t_slot * 4096], BGm[b * 4096], DataCopyExtParams(1, static_cast<uint32_t>(i_count_2 * 4), 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
            }
        }
        SetFlag<HardEvent::MTE2_V>(C_t_slot);
        WaitFlag<HardEvent::MTE2_V>(C_t_slot);
        WaitFlag<HardEvent::MTE3_V>(C_t_slot);
        Add(C_t_3[C_t_slot * 4096], C_t[C_t_slot * 4096], C_t_2[C_t_slot * 4096], 4096);
        SetFlag<HardEvent::V_MTE3>(C_t_slot);
        SetFlag<HardEvent::V_MTE2>(C_t_slot);
        WaitFlag<HardEvent::V_MTE3>(C_t_slot);
        {
            const int64_t i_count_3 = minimum<int64_t>(N - b * 4096, 4096);
            if (i_count_3 > 0) {
                DataCopyPad(CGm[b * 4096], C_t_3[C_t_slot * 4096], DataCopyExtParams(1, static_cast<uint32_t>(i_count_3 * 4), 0, 0, 0));
            }
        }
        SetFlag<HardEvent::MTE3_V>(C_t_slot);
        C_t_slot = C_t_slot + 1 == 2 ? 0 : C_t_slot + 1;
    }
    WaitFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::V_MTE2>(1);
    WaitFlag<HardEvent::MTE3_V>(0);
    WaitFlag<HardEvent::MTE3_V>(1);
    PipeBarrier<PIPE_ALL>();
}
