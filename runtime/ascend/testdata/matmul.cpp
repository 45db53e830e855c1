#include "kernel_operator.h"

using namespace AscendC;

// C = A·B, A of M × K and B of K × N halves, C of floats. Two L1 and two L0 buffers in turn over K.
constexpr uint32_t TM = 64, TN = 64, TK = 64;

extern "C" __global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    InitSocState();
    GlobalTensor<half> aGm, bGm;
    GlobalTensor<float> cGm;
    aGm.SetGlobalBuffer((__gm__ half *)a, m * k);
    bGm.SetGlobalBuffer((__gm__ half *)b, k * n);
    cGm.SetGlobalBuffer((__gm__ float *)c, m * n);

    constexpr uint32_t aBytes = TM * TK * 2, bBytes = TK * TN * 2;
    LocalTensor<half> a1[2] = {{TPosition::A1, 0, TM * TK}, {TPosition::A1, aBytes, TM * TK}};
    LocalTensor<half> b1[2] = {{TPosition::B1, 2 * aBytes, TK * TN}, {TPosition::B1, 2 * aBytes + bBytes, TK * TN}};
    LocalTensor<half> a2[2] = {{TPosition::A2, 0, TM * TK}, {TPosition::A2, aBytes, TM * TK}};
    LocalTensor<half> b2[2] = {{TPosition::B2, 0, TK * TN}, {TPosition::B2, bBytes, TK * TN}};
    LocalTensor<float> co1(TPosition::CO1, 0, TM * TN);

    uint32_t tilesN = n / TN, tiles = m / TM * tilesN, step = 0;
    for (int i = 0; i < 2; i++) {
        SetFlag<HardEvent::MTE1_MTE2>(i);
        SetFlag<HardEvent::M_MTE1>(i);
    }
    SetFlag<HardEvent::FIX_M>(0);
    for (uint32_t t = GetBlockIdx(); t < tiles; t += GetBlockNum()) {
        uint32_t row = t / tilesN * TM, col = t % tilesN * TN;
        WaitFlag<HardEvent::FIX_M>(0); // the accumulator is drained
        for (uint32_t p = 0; p < k; p += TK, step++) {
            int i = step % 2;
            WaitFlag<HardEvent::MTE1_MTE2>(i);
            DataCopy(a1[i], aGm[row * k + p], Nd2NzParams(1, TM, TK, 0, uint16_t(k), TM, 1, 0)); // a to L1
            DataCopy(b1[i], bGm[p * n + col], Nd2NzParams(1, TK, TN, 0, uint16_t(n), TK, 1, 0));
            SetFlag<HardEvent::MTE2_MTE1>(i);
            WaitFlag<HardEvent::MTE2_MTE1>(i);
            WaitFlag<HardEvent::M_MTE1>(i);
            for (uint32_t s = 0; s < TM / 16; s++)
                LoadData(a2[i][s * TK * 16], a1[i][s * 256], LoadData2DParams(0, TK / 16, TM / 16, 0, 0, false, 0)); // a to L0A
            for (uint32_t s = 0; s < TK / 16; s++)
                LoadData(b2[i][s * TN * 16], b1[i][s * 256], LoadData2DParams(0, TN / 16, TK / 16, 0, 0, true, 0)); // b to L0B
            SetFlag<HardEvent::MTE1_MTE2>(i);
            SetFlag<HardEvent::MTE1_M>(i);
            WaitFlag<HardEvent::MTE1_M>(i);
            Mmad(co1, a2[i], b2[i], MmadParams(TM, TN, TK, 0, false, p == 0)); // multiply
            SetFlag<HardEvent::M_MTE1>(i);
        }
        SetFlag<HardEvent::M_FIX>(0);
        WaitFlag<HardEvent::M_FIX>(0);
        Fixpipe(cGm[row * n + col], co1, FixpipeParamsV220(TN, TM, TM, n, false)); // drain
        SetFlag<HardEvent::FIX_M>(0);
    }
    for (int i = 0; i < 2; i++) {
        WaitFlag<HardEvent::MTE1_MTE2>(i);
        WaitFlag<HardEvent::M_MTE1>(i);
    }
    WaitFlag<HardEvent::FIX_M>(0);
    AscendC::PipeBarrier<PIPE_ALL>();
}
