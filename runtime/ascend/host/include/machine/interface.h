// The interface between the Ascend C headers and the machine. Nothing in it is part of Ascend C.
#pragma once
#include <cstddef>
#include <cstdint>
#include "ascendc/half.h"

namespace machine {

// Site is a place in a kernel's source. As a default argument it is the place of the call.
struct Site {
    const char *file;
    int line;
    static Site here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

enum Space : uint8_t { GM, UB, L1, L0A, L0B, L0C, BT, FB, kSpaces };

// Pipes of a core. Loads stands for reads by the scalar unit, which end before anything later is issued.
enum Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, Loads, kPipes, All = kPipes, NoPipe };

enum class DType : uint8_t { None, I4, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64 };

template <class T> struct TypeOf { static constexpr DType value = DType::None; };
template <> struct TypeOf<AscendC::int4b_t> { static constexpr DType value = DType::I4; };
template <> struct TypeOf<bool> { static constexpr DType value = DType::U8; };
template <> struct TypeOf<char> { static constexpr DType value = DType::I8; };
template <> struct TypeOf<int8_t> { static constexpr DType value = DType::I8; };
template <> struct TypeOf<uint8_t> { static constexpr DType value = DType::U8; };
template <> struct TypeOf<int16_t> { static constexpr DType value = DType::I16; };
template <> struct TypeOf<uint16_t> { static constexpr DType value = DType::U16; };
template <> struct TypeOf<int32_t> { static constexpr DType value = DType::I32; };
template <> struct TypeOf<uint32_t> { static constexpr DType value = DType::U32; };
template <> struct TypeOf<int64_t> { static constexpr DType value = DType::I64; };
template <> struct TypeOf<uint64_t> { static constexpr DType value = DType::U64; };
template <> struct TypeOf<half> { static constexpr DType value = DType::F16; };
template <> struct TypeOf<bfloat16_t> { static constexpr DType value = DType::BF16; };
template <> struct TypeOf<float> { static constexpr DType value = DType::F32; };
template <> struct TypeOf<double> { static constexpr DType value = DType::F64; };
template <class T> constexpr DType dtype = TypeOf<T>::value;

// Local is a place in a core's own memory: a byte address, and the buffer that it lies in.
struct Local {
    uint32_t addr = 0, begin = 0, end = 0;
    Space space = UB;
};

// Global is a place in global memory, with the bytes that its tensor was declared to have.
struct Global {
    uint8_t *ptr = nullptr;
    uint8_t *begin = nullptr, *end = nullptr; // null: undeclared
};

// Lanes says which elements a vector instruction works on.
struct Lanes {
    enum Mode : uint8_t { Count, Prefix, Bits, State } mode = Count;
    uint64_t low = 0, high = 0; // Count, Prefix: elements in low; Bits: the mask
    uint32_t repeat = 1;
    uint16_t dstBlk = 1, src0Blk = 1, src1Blk = 1; // strides in blocks of 32 bytes
    uint16_t dstRep = 8, src0Rep = 8, src1Rep = 8;
};

// Scalar is a value of any element type, in its own bits.
struct Scalar {
    uint64_t bits = 0;
    template <class T> static Scalar of(const T &v) {
        static_assert(sizeof(T) <= 8, "a scalar operand");
        Scalar s;
        std::memcpy(&s.bits, &v, sizeof(T));
        return s;
    }
    template <class T> T as() const {
        T v;
        std::memcpy(&v, &bits, sizeof(T));
        return v;
    }
};

// Cores and launch.
bool isCube();
int64_t blockIndex();
int64_t blockCount();
int64_t subBlockIndex();
int64_t subBlockCount();
uint64_t tilingKey();
int64_t cycles();

// Synchronisation.
void setFlag(Pipe from, Pipe to, int event, int id, Site);
void waitFlag(Pipe from, Pipe to, int event, int id, Site);
void pipeBarrier(Pipe, Site, bool byHand = false); // byHand: the program calls it, not a queue or pipe
void crossSet(int mode, Pipe, int flag, Site);
void crossWait(int flag, Site);
void syncAll(bool vectorOnly, Site);
void blockSignal(Global, int block, int event, Site);
void blockWait(Global, int block, int event, Site);

// Faults and diagnostics that a header finds.
void fault(const char *kind, Site, const char *format, ...) __attribute__((format(printf, 3, 4)));
[[noreturn]] void stop(const char *kind, Site, const char *format, ...) __attribute__((format(printf, 3, 4)));
void print(const char *format, ...);
bool hasPipe();
[[noreturn]] void trap(Site, const char *why);
uint32_t capacity(Space);
const char *spaceName(Space);

// Scalar accesses.
void loadLocal(const Local &, void *to, uint32_t bytes, Site);
void storeLocal(const Local &, const void *from, uint32_t bytes, Site);
void loadGlobal(const Global &, void *to, uint32_t bytes, Site);
void storeGlobal(const Global &, const void *from, uint32_t bytes, Site);
void loadThrough(uint8_t *, void *to, uint32_t bytes, Site);
void storeThrough(uint8_t *, const void *from, uint32_t bytes, Site);
void dumpLocal(const Local &, DType, uint32_t description, uint32_t count, Site);
void dumpGlobal(const Global &, DType, uint32_t description, uint32_t count, Site);
void cleanCache(const Global &, bool all, Site);

// Copies.
struct Rows { // lengths and gaps in bytes
    uint32_t count = 1;
    uint64_t bytes = 0, srcGap = 0, dstGap = 0;
};
struct Pad {
    bool enabled = false, value = false; // enabled: rows are padded to blocks; value: with the fill
    uint32_t left = 0, right = 0;        // bytes
    uint32_t elem = 1;
    uint64_t fill = 0;
    DType type = DType::None;
};
void copyIn(const char *name, Local, Global, const Rows &, const Pad &, DType, Site);
void copyOut(const char *name, Global, Local, const Rows &, bool padded, DType, Site);
void copyLocal(const char *name, Local dst, Local src, const Rows &, DType dstType, DType srcType, Site);
struct NdNz {
    uint32_t count, rows, columns, srcMatrix, srcRow, dstStrip, dstRow, dstMatrix;
};
void copyNdToNz(Local, Global, const NdNz &, DType, Site);
void setPadValue(uint64_t bits);
void setAtomic(int op, DType, Site); // 0 none, 1 add, 2 max, 3 min

// Vector instructions.
enum class Op : uint8_t {
    Add, Sub, Mul, Div, Max, Min, And, Or, AddRelu, SubRelu, MulAddDst, FusedMulAdd, FusedMulAddRelu, ShiftLeftV, ShiftRightV,
    Adds, Muls, Maxs, Mins, LeakyRelu, ShiftLeft, ShiftRight, Axpy,
    Abs, Exp, Ln, Sqrt, Rsqrt, Reciprocal, Relu, Not, Copy, Duplicate,
};
void vectorBinary(Op, const char *name, Local dst, Local src0, Local src1, DType dstType, DType srcType, const Lanes &, Site);
void vectorUnary(Op, const char *name, Local dst, Local src, Scalar, bool round, DType dstType, DType srcType, const Lanes &, Site);
void vectorDuplicate(Local dst, Scalar, DType, const Lanes &, Site);
void vectorCast(Local dst, Local src, int round, DType dstType, DType srcType, const Lanes &, Site);
void setDeqScale(float scale);

enum class CompareTo : uint8_t { Memory, Register };
void vectorCompare(const char *name, Local dst, Local src0, Local src1, bool scalar, Scalar, int mode, CompareTo, DType, const Lanes &, Site);
// vectorSelect: mode 0 takes the bits of the comparison register, 1 has a scalar for the second source, 2 consumes bits of a tensor.
// With fromTensor the register is loaded from bits first.
void vectorSelect(Local dst, Local bits, Local src0, Local src1, Scalar, int mode, bool fromTensor, DType, const Lanes &, Site);
void compareMask(bool set, Local, Site);

enum class Reduce : uint8_t { Sum, Max, Min };
enum class ReduceWhat : uint8_t { ValueIndex, IndexValue, Value, Index };
// reduceRepeat gives one result for each repeat, reduceBlock one for each block, reducePair one for each two lanes.
void reduceRepeat(const char *name, Reduce, ReduceWhat, Local dst, Local src, DType, const Lanes &, Site);
void reduceBlock(const char *name, Reduce, Local dst, Local src, DType, const Lanes &, Site);
void reducePair(const char *name, Local dst, Local src, DType, const Lanes &, Site);
// reduceAll gives one result, with the index of an extreme after it if it is asked for.
void reduceAll(const char *name, Reduce, bool index, Local dst, Local src, Local work, DType, const Lanes &, Site);
Scalar lastReduction(bool index);

void vectorGather(Local dst, Local src, Local offsets, uint32_t base, DType, const Lanes &, Site);
void vectorGatherBlocks(Local dst, Local src, Local offsets, uint32_t repeat, uint32_t dstBlk, uint32_t dstRep, Site);
struct MaskedGather {
    uint8_t pattern = 0; // 1 to 7; 0: bits of a tensor
    bool counted = false;
    uint32_t count = 0;
    uint32_t blk = 1, repeat = 0, rep0 = 8, rep1 = 8;
};
uint64_t vectorGatherMask(Local dst, Local src, Local bits, const MaskedGather &, DType, Site);
void vectorBlockBroadcast(Local dst, Local src, uint32_t repeat, uint32_t dstBlk, uint32_t dstRep, DType, Site);
void vectorIndex(Local dst, Scalar first, DType, const Lanes &, Site);
// vectorPermute exchanges the two inner dimensions of a tensor of [outer][rows][columns].
void vectorPermute(Local dst, Local src, uint32_t outer, uint32_t rows, uint32_t columns, DType, Site);
void vectorTranspose16(Local dst, Local src, DType, Site);
void vectorTransposeRows(const Local dst[16], const Local src[16], bool dstHigh, bool srcHigh, uint32_t repeat, uint32_t dstRep, uint32_t srcRep,
                         DType, Site);
void vectorBroadcast(Local dst, Local src, const uint32_t *dstShape, const uint32_t *srcShape, int dim, DType, Site);
void vectorSort32(Local dst, Local src, Local index, uint32_t repeat, DType, Site);
struct Merge {
    uint16_t lengths[4];
    uint8_t lists; // 2 to 4
    uint8_t repeat;
    bool suspend;
};
void vectorMergeSort(Local dst, const Local src[4], const Merge &, DType, Site);
void mergeResult(uint16_t taken[4]);

// Cube.
struct Load2D {
    uint32_t start, repeat, srcStride, dstGap;
    bool transpose;
};
void loadFractals(Local dst, Local src, Global from, bool global, const Load2D &, DType, Site);
void loadTransposed(Local dst, Local src, uint32_t start, uint32_t repeat, uint32_t srcStride, uint32_t dstGap, uint32_t dstFracGap, DType, Site);
struct Load3D {
    uint32_t pad[4], height, width, channels, kExtent, mExtent, kStart, mStart, strideW, strideH, filterW, filterH, dilationW, dilationH;
    bool transpose;
    uint64_t padBits;
};
void loadImage(Local dst, Local src, const Load3D &, DType, Site);
void fillLocal(Local dst, uint32_t repeat, uint32_t blocks, uint32_t gap, uint64_t bits, DType, Site);
struct Multiply {
    uint32_t m, n, k;
    uint8_t unit;
    bool alignK, fromBias, zero;
};
// multiply takes its first C from bias if there is a place for it.
void multiply(Local c, Local a, Local b, const Local *bias, const Multiply &, DType ct, DType at, DType bt, Site);
struct Drain {
    uint32_t n, m, srcStride, dstStride, matrices = 1, srcMatrix = 0, dstMatrix = 0;
    int quant = 0;
    uint64_t scale = 0;
    bool relu = false, rowMajor = false, split = false;
    uint8_t unit = 0;
};
void drainGlobal(const char *name, Global dst, Local src, const Local *scales, const Drain &, DType dt, DType st, Site);
void drainLocal(const char *name, Local dst, Local src, const Local *scales, const Drain &, DType dt, DType st, Site);
void setDrainMatrices(uint32_t count, uint32_t src, uint32_t dst);
void setDrainScale(uint64_t);
void setDrainTable(const Local &); // of the scales of columns, in the fixpipe's own memory
void setHF32(bool);

void setMaskMode(bool count);
void setMask(uint64_t high, uint64_t low);
void setMaskLength(uint64_t length, uint32_t elem);

} // namespace machine
