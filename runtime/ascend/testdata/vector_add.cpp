#include "kernel_operator.h"

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t TILE = 256;

// z = x + y, each block its share of the elements, in tiles that are double buffered by queues.
class VectorAdd {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total) {
        share = total / AscendC::GetBlockNum();
        uint64_t start = AscendC::GetBlockIdx() * share;
        xGm.SetGlobalBuffer((__gm__ half *)x + start, share);
        yGm.SetGlobalBuffer((__gm__ half *)y + start, share);
        zGm.SetGlobalBuffer((__gm__ half *)z + start, share);
        pipe.InitBuffer(inX, BUFFER_NUM, TILE * sizeof(half));
        pipe.InitBuffer(inY, BUFFER_NUM, TILE * sizeof(half));
        pipe.InitBuffer(outZ, BUFFER_NUM, TILE * sizeof(half));
    }
    __aicore__ inline void Process() {
        for (uint32_t i = 0; i < share / TILE; i++) {
            CopyIn(i);
            Compute();
            CopyOut(i);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t i) {
        AscendC::LocalTensor<half> x = inX.AllocTensor<half>();
        AscendC::LocalTensor<half> y = inY.AllocTensor<half>();
        AscendC::DataCopy(x, xGm[i * TILE], TILE);
        AscendC::DataCopy(y, yGm[i * TILE], TILE);
        inX.EnQue(x);
        inY.EnQue(y);
    }
    __aicore__ inline void Compute() {
        AscendC::LocalTensor<half> x = inX.DeQue<half>();
        AscendC::LocalTensor<half> y = inY.DeQue<half>();
        AscendC::LocalTensor<half> z = outZ.AllocTensor<half>();
        AscendC::Add(z, x, y, TILE);
        outZ.EnQue(z);
        inX.FreeTensor(x);
        inY.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t i) {
        AscendC::LocalTensor<half> z = outZ.DeQue<half>();
        AscendC::DataCopy(zGm[i * TILE], z, TILE);
        outZ.FreeTensor(z);
    }

    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inX, inY;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outZ;
    AscendC::GlobalTensor<half> xGm, yGm, zGm;
    uint32_t share;
};

extern "C" __global__ __aicore__ void vector_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total) {
    VectorAdd op;
    op.Init(x, y, z, total);
    op.Process();
}
