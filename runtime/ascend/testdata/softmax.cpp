#include "kernel_operator.h"

using namespace AscendC;

// y = softmax(x) over rows of any length: tails by DataCopyPad, reductions with a work buffer.
class Softmax {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns) {
        this->rows = rows;
        this->columns = columns;
        padded = (columns + 7) / 8 * 8;
        xGm.SetGlobalBuffer((__gm__ float *)x, rows * columns);
        yGm.SetGlobalBuffer((__gm__ float *)y, rows * columns);
        pipe.InitBuffer(in, 2, padded * sizeof(float));
        pipe.InitBuffer(out, 2, padded * sizeof(float));
        pipe.InitBuffer(work, 1024);
        pipe.InitBuffer(stat, 32);
    }
    __aicore__ inline void Process() {
        for (uint32_t r = GetBlockIdx(); r < rows; r += GetBlockNum()) {
            LocalTensor<float> x = in.AllocTensor<float>();
            DataCopyExtParams copy{1, uint32_t(columns * sizeof(float)), 0, 0, 0};
            DataCopyPadExtParams<float> pad{true, 0, uint8_t(padded - columns), 0.0f};
            DataCopyPad(x, xGm[r * columns], copy, pad); // load
            in.EnQue(x);
            Row();
            LocalTensor<float> y = out.DeQue<float>();
            DataCopyPad(yGm[r * columns], y, copy); // store
            out.FreeTensor(y);
        }
    }

private:
    __aicore__ inline float Scalar(LocalTensor<float> &s) {
        TEventID done = GetTPipePtr()->FetchEventID(HardEvent::V_S);
        SetFlag<HardEvent::V_S>(done);
        WaitFlag<HardEvent::V_S>(done); // the statistic is there
        return s.GetValue(0);
    }
    __aicore__ inline void Row() {
        LocalTensor<float> x = in.DeQue<float>();
        LocalTensor<float> y = out.AllocTensor<float>();
        LocalTensor<float> w = work.Get<float>(), s = stat.Get<float>();
        ReduceMax(s, x, w, columns); // max
        float most = Scalar(s);
        Adds(y, x, -most, columns);
        PipeBarrier<PIPE_V>();
        Exp(y, y, columns); // exp
        PipeBarrier<PIPE_V>();
        ReduceSum(s, y, w, columns); // sum
        float sum = Scalar(s);
        Muls(y, y, 1.0f / sum, columns); // scale
        out.EnQue(y);
        in.FreeTensor(x);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> work, stat;
    GlobalTensor<float> xGm, yGm;
    uint32_t rows, columns, padded;
};

extern "C" __global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns) {
    Softmax op;
    op.Init(x, y, rows, columns);
    op.Process();
}
