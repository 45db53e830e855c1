#include "kernel_operator.h"

// y = max(x, 0) of four elements: comparison and selection take whole repeats, of which the last lanes are nobody's.
extern "C" __global__ __aicore__ void select_tail(GM_ADDR x, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    using namespace AscendC;
    InitSocState();
    constexpr uint32_t n = 4, lanes = 64;
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, n);
    yGm.SetGlobalBuffer((__gm__ float *)y, n);
    LocalTensor<float> xs(TPosition::VECIN, 0, lanes), ys(TPosition::VECOUT, 256, lanes);
    LocalTensor<uint8_t> bits(TPosition::VECCALC, 512, 32);
    DataCopyPad(xs, xGm, DataCopyExtParams(1, 4 * sizeof(float), 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    CompareScalar(bits, xs, 0.0f, CMPMODE::GT, lanes);
    PipeBarrier<PIPE_V>();
    Select(ys, bits, xs, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, lanes);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopyPad(yGm, ys, DataCopyExtParams(1, n * sizeof(float), 0, 0, 0)); // store
    AscendC::PipeBarrier<PIPE_ALL>();
}
