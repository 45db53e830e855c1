#include "kernel_operator.h"

using namespace AscendC;

// Small kernels of one vector idea each, all on one core and one tile.
template <class In, class Out> struct Tile {
    __aicore__ inline Tile(GM_ADDR x, GM_ADDR y, uint32_t n) : in(TPosition::VECIN, 0, n), out(TPosition::VECOUT, 65536, n) {
        xGm.SetGlobalBuffer((__gm__ In *)x, n);
        yGm.SetGlobalBuffer((__gm__ Out *)y, n);
        DataCopy(in, xGm, n);
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
    }
    __aicore__ inline void Store(uint32_t n) {
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(yGm, out, n);
    }
    GlobalTensor<In> xGm;
    GlobalTensor<Out> yGm;
    LocalTensor<In> in;
    LocalTensor<Out> out;
};

// int8 → half → float, halved, → bfloat16
extern "C" __global__ __aicore__ void casts(GM_ADDR x, GM_ADDR y, uint32_t n) {
    Tile<int8_t, bfloat16_t> t(x, y, n);
    LocalTensor<half> h(TPosition::VECCALC, 16384, n);
    LocalTensor<float> f(TPosition::VECCALC, 32768, n);
    Cast(h, t.in, RoundMode::CAST_NONE, n);
    PipeBarrier<PIPE_V>();
    Cast(f, h, RoundMode::CAST_NONE, n);
    PipeBarrier<PIPE_V>();
    Muls(f, f, 1.0f / 3.0f, n);
    PipeBarrier<PIPE_V>();
    Cast(t.out, f, RoundMode::CAST_RINT, n);
    t.Store(n);
    AscendC::PipeBarrier<PIPE_ALL>();
}

// y[i] = x[i] < 0 ? 0 : x[n-1-i], by a comparison, a gather and a selection
extern "C" __global__ __aicore__ void choose(GM_ADDR x, GM_ADDR y, uint32_t n) {
    Tile<float, float> t(x, y, n);
    LocalTensor<int32_t> index(TPosition::VECCALC, 16384, n);
    LocalTensor<float> reversed(TPosition::VECCALC, 32768, n);
    LocalTensor<uint8_t> mask(TPosition::VECCALC, 49152, n / 8);
    CreateVecIndex(index, 0, n);
    PipeBarrier<PIPE_V>();
    Muls(index, index, -4, n);
    PipeBarrier<PIPE_V>();
    Adds(index, index, int32_t(4 * (n - 1)), n);
    CompareScalar(mask, t.in, 0.0f, CMPMODE::GE, n);
    PipeBarrier<PIPE_V>();
    Gather(reversed, t.in, index.ReinterpretCast<uint32_t>(), 0, n);
    PipeBarrier<PIPE_V>();
    Select(t.out, mask, reversed, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
    t.Store(n);
    AscendC::PipeBarrier<PIPE_ALL>();
}

// Rows of 64: y = x - the mean of its row, by repeats of a whole reduction and a broadcast to blocks.
extern "C" __global__ __aicore__ void center(GM_ADDR x, GM_ADDR y, uint32_t n) {
    Tile<float, float> t(x, y, n);
    uint8_t rows = uint8_t(n / 64);
    LocalTensor<float> mean(TPosition::VECCALC, 16384, 64), wide(TPosition::VECCALC, 32768, 64 * 8);
    WholeReduceSum(mean, t.in, 64, rows, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    Muls(mean, mean, 1.0f / 64, rows);
    PipeBarrier<PIPE_V>();
    Brcb(wide, mean, rows / 8, {1, 8});
    PipeBarrier<PIPE_V>();
    Sub(t.out, t.in, wide, uint64_t(64), rows, {1, 1, 0, 8, 8, 1}); // every block of a row takes the same one
    t.Store(n);
    AscendC::PipeBarrier<PIPE_ALL>();
}

// 16 × 16 halves transposed, odd columns kept, the rest of each row zero
extern "C" __global__ __aicore__ void turn(GM_ADDR x, GM_ADDR y, uint32_t n) {
    Tile<half, half> t(x, y, n);
    LocalTensor<half> turned(TPosition::VECCALC, 16384, n);
    Transpose(turned, t.in);
    Duplicate(t.out, half(0.0f), n);
    PipeBarrier<PIPE_V>();
    uint64_t odd[2] = {0xaaaaaaaaaaaaaaaaull, 0xaaaaaaaaaaaaaaaaull};
    Copy(t.out, turned, odd, 2, {1, 1, 8, 8});
    t.Store(n);
    AscendC::PipeBarrier<PIPE_ALL>();
}
