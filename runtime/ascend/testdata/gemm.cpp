#include "kernel_operator.h"

using namespace AscendC;

// C = A·B as a compiler lays it out: tiles of 128 × 256 spread over the cores, K in steps of 64 through rings of three in L1 and of two in
// L0A and L0B. Every address is given, and every size may be ragged.
constexpr uint32_t BM = 128, BN = 256, BK = 64, STAGES = 3;

extern "C" __global__ __aicore__ void gemm(GM_ADDR A, GM_ADDR B, GM_ADDR C, int64_t M, int64_t N, int64_t K) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    InitSocState();
    GlobalTensor<half> aGm, bGm, cGm;
    aGm.SetGlobalBuffer((__gm__ half *)A, M * K);
    bGm.SetGlobalBuffer((__gm__ half *)B, K * N);
    cGm.SetGlobalBuffer((__gm__ half *)C, M * N);

    LocalTensor<half> a(TPosition::A1, 0, STAGES * BM * BK);
    LocalTensor<half> b(TPosition::B1, STAGES * BM * BK * 2, STAGES * BK * BN);
    LocalTensor<half> a0(TPosition::A2, 0, 2 * BM * BK);
    LocalTensor<half> b0(TPosition::B2, 0, 2 * BK * BN);
    LocalTensor<float> acc(TPosition::CO1, 0, BM * BN);

    for (uint32_t i = 0; i < STAGES; i++) SetFlag<HardEvent::MTE1_MTE2>(i);
    for (uint32_t i = 0; i < 2; i++) SetFlag<HardEvent::M_MTE1>(i);
    SetFlag<HardEvent::FIX_M>(0);
    uint32_t stage = 0, side = 0;
    const int64_t columns = (N + BN - 1) / BN, total = columns * ((M + BM - 1) / BM), steps = (K + BK - 1) / BK;
    for (int64_t instance = GetBlockIdx(); instance < total; instance += GetBlockNum()) {
        const int64_t bx = instance % columns, by = instance / columns;
        const uint32_t m = M - by * BM < BM ? M - by * BM : BM, n = N - bx * BN < BN ? N - bx * BN : BN;
        const uint32_t mf = (m + 15) / 16, nf = (n + 15) / 16; // fractals
        WaitFlag<HardEvent::FIX_M>(0);
        for (int64_t k = 0; k < steps; k++) {
            const uint32_t kn = K - k * BK < BK ? K - k * BK : BK, kf = (kn + 15) / 16;
            WaitFlag<HardEvent::MTE1_MTE2>(stage);
            DataCopy(a[stage * BM * BK], aGm[by * BM * K + k * BK], Nd2NzParams(1, m, kn, 0, K, BM, 1, 0)); // a to L1
            DataCopy(b[stage * BK * BN], bGm[k * BK * N + bx * BN], Nd2NzParams(1, kn, n, 0, N, BK, 1, 0)); // b to L1
            SetFlag<HardEvent::MTE2_MTE1>(stage);
            WaitFlag<HardEvent::MTE2_MTE1>(stage);
            WaitFlag<HardEvent::M_MTE1>(side);
            for (uint32_t j = 0; j < kf; j++)
                LoadData(a0[side * BM * BK + j * 256], a[stage * BM * BK + j * BM * 16], LoadData2DParams(0, mf, 1, 0, kf - 1, false, 0)); // a to L0A
            for (uint32_t j = 0; j < kf; j++)
                LoadData(b0[side * BK * BN + j * nf * 256], b[stage * BK * BN + j * 256], LoadData2DParams(0, nf, BK / 16, 0, 0, true, 0)); // b to L0B
            SetFlag<HardEvent::MTE1_MTE2>(stage);
            SetFlag<HardEvent::MTE1_M>(side);
            WaitFlag<HardEvent::MTE1_M>(side);
            if ((m / 16) * (n / 16) < 10) PipeBarrier<PIPE_M>();
            Mmad(acc, a0[side * BM * BK], b0[side * BK * BN], MmadParams(m == 1 ? 2 : m, n, kn, 0, false, k == 0));
            SetFlag<HardEvent::M_MTE1>(side);
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            side = 1 - side;
        }
        SetFlag<HardEvent::M_FIX>(0);
        WaitFlag<HardEvent::M_FIX>(0);
        Fixpipe(cGm[by * BM * N + bx * BN], acc, FixpipeParamsV220(n, m, mf * 16, N, false, QuantMode_t::F322F16, 0, 1, 0, 0, 0));
        SetFlag<HardEvent::FIX_M>(0);
    }
    for (uint32_t i = 0; i < STAGES; i++) WaitFlag<HardEvent::MTE1_MTE2>(i);
    for (uint32_t i = 0; i < 2; i++) WaitFlag<HardEvent::M_MTE1>(i);
    WaitFlag<HardEvent::FIX_M>(0);
    AscendC::PipeBarrier<PIPE_ALL>();
}
