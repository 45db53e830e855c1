#include "kernel_operator.h"

// z = x + y with static tensors: two buffers in turn, every hand-over by a flag of its own.
constexpr uint32_t TILE = 512;
constexpr uint32_t BYTES = TILE * sizeof(float);

extern "C" __global__ __aicore__ void static_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t tiles) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    using namespace AscendC;
    InitSocState();
    uint64_t start = GetBlockIdx() * tiles * TILE;
    GlobalTensor<float> xGm, yGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x + start, tiles * TILE);
    yGm.SetGlobalBuffer((__gm__ float *)y + start, tiles * TILE);
    zGm.SetGlobalBuffer((__gm__ float *)z + start, tiles * TILE);

    LocalTensor<float> xs[2] = {{TPosition::VECIN, 0, TILE}, {TPosition::VECIN, BYTES, TILE}};
    LocalTensor<float> ys[2] = {{TPosition::VECIN, 2 * BYTES, TILE}, {TPosition::VECIN, 3 * BYTES, TILE}};
    LocalTensor<float> zs[2] = {{TPosition::VECOUT, 4 * BYTES, TILE}, {TPosition::VECOUT, 5 * BYTES, TILE}};
    for (int i = 0; i < 2; i++) {
        SetFlag<HardEvent::V_MTE2>(i); // the inputs are free
        SetFlag<HardEvent::MTE3_V>(i); // the output is free
    }
    for (uint32_t t = 0; t < tiles; t++) {
        int i = t % 2;
        WaitFlag<HardEvent::V_MTE2>(i);
        DataCopy(xs[i], xGm[t * TILE], TILE); // load x
        DataCopy(ys[i], yGm[t * TILE], TILE); // load y
        SetFlag<HardEvent::MTE2_V>(i);
        WaitFlag<HardEvent::MTE2_V>(i);
        WaitFlag<HardEvent::MTE3_V>(i);
        Muls(xs[i], xs[i], 2.0f, TILE); // double
        PipeBarrier<PIPE_V>();
        Add(zs[i], xs[i], ys[i], TILE); // add
        SetFlag<HardEvent::V_MTE2>(i);
        SetFlag<HardEvent::V_MTE3>(i);
        WaitFlag<HardEvent::V_MTE3>(i);
        DataCopy(zGm[t * TILE], zs[i], TILE); // store
        SetFlag<HardEvent::MTE3_V>(i);
    }
    for (int i = 0; i < 2; i++) {
        WaitFlag<HardEvent::V_MTE2>(i); // drain
        WaitFlag<HardEvent::MTE3_V>(i);
    }
    PipeBarrier<PIPE_ALL>(); // everything is done
}
