#include "kernel_operator.h"

using namespace AscendC;

// Y = exp(A·B): the cube core puts tiles of 32 × 32 into a ring of two in the workspace, both vector cores take half of each.
constexpr uint32_t T = 32, HALF = T * T / 2, SLOTS = 2;
constexpr uint16_t READY = 0, FREE = 2; // and one more of each for the second slot

__aicore__ inline void Cube(GM_ADDR a, GM_ADDR b, GlobalTensor<float> ring, uint32_t tiles) {
    GlobalTensor<half> aGm, bGm;
    aGm.SetGlobalBuffer((__gm__ half *)a + GetBlockIdx() * tiles * T * T, tiles * T * T);
    bGm.SetGlobalBuffer((__gm__ half *)b, T * T);
    LocalTensor<half> a1(TPosition::A1, 0, T * T), b1(TPosition::B1, 2 * T * T, T * T);
    LocalTensor<half> a2(TPosition::A2, 0, T * T), b2(TPosition::B2, 0, T * T);
    LocalTensor<float> co1(TPosition::CO1, 0, T * T);
    DataCopy(b1, bGm, Nd2NzParams(1, T, T, 0, T, T, 1, 0));
    for (uint32_t t = 0; t < tiles; t++) {
        DataCopy(a1, aGm[t * T * T], Nd2NzParams(1, T, T, 0, T, T, 1, 0));
        SetFlag<HardEvent::MTE2_MTE1>(0);
        WaitFlag<HardEvent::MTE2_MTE1>(0);
        for (uint32_t s = 0; s < T / 16; s++) {
            LoadData(a2[s * T * 16], a1[s * 256], LoadData2DParams(0, T / 16, T / 16, 0, 0, false, 0));
            LoadData(b2[s * T * 16], b1[s * 256], LoadData2DParams(0, T / 16, T / 16, 0, 0, true, 0));
        }
        SetFlag<HardEvent::MTE1_M>(0);
        WaitFlag<HardEvent::MTE1_M>(0);
        Mmad(co1, a2, b2, MmadParams(T, T, T, 0, false, true));
        SetFlag<HardEvent::M_FIX>(0);
        WaitFlag<HardEvent::M_FIX>(0);
        if (t >= SLOTS) CrossCoreWaitFlag(FREE + t % SLOTS); // slot is free
        Fixpipe(ring[t % SLOTS * T * T], co1, FixpipeParamsV220(T, T, T, T, false)); // to the ring
        CrossCoreSetFlag<2, PIPE_FIX>(READY + t % SLOTS); // slot is ready
        PipeBarrier<PIPE_ALL>();
    }
    for (uint32_t t = tiles; t < tiles + SLOTS; t++) CrossCoreWaitFlag(FREE + t % SLOTS);
}

__aicore__ inline void Vector(GlobalTensor<float> ring, GM_ADDR y, uint32_t tiles) {
    GlobalTensor<float> yGm;
    uint64_t group = GetBlockIdx() / GetSubBlockNum(), mine = GetSubBlockIdx() * HALF;
    yGm.SetGlobalBuffer((__gm__ float *)y + group * tiles * T * T, tiles * T * T);
    LocalTensor<float> v(TPosition::VECCALC, 0, HALF);
    for (uint32_t t = 0; t < tiles; t++) {
        CrossCoreWaitFlag(READY + t % SLOTS); // wait for the slot
        DataCopy(v, ring[t % SLOTS * T * T + mine], HALF); // from the ring
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        CrossCoreSetFlag<2, PIPE_MTE2>(FREE + t % SLOTS); // give the slot back
        Exp(v, v, HALF);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(yGm[t * T * T + mine], v, HALF);
        SetFlag<HardEvent::MTE3_MTE2>(0);
        WaitFlag<HardEvent::MTE3_MTE2>(0);
    }
}

extern "C" __global__ __aicore__ void mix(GM_ADDR a, GM_ADDR b, GM_ADDR y, GM_ADDR workspace, uint32_t tiles) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    InitSocState();
    GlobalTensor<float> ring;
    ring.SetGlobalBuffer((__gm__ float *)workspace + GetBlockIdx() / GetSubBlockNum() * SLOTS * T * T, SLOTS * T * T);
    if ASCEND_IS_AIC {
        Cube(a, b, ring, tiles);
    }
    if ASCEND_IS_AIV {
        Vector(ring, y, tiles);
    }
    PipeBarrier<PIPE_ALL>();
}
