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
void pipeBarrier(Pipe, Site);
void crossSet(int mode, Pipe, int flag, Site);
void crossWait(int flag, Site);
void syncAll(bool vectorOnly, Site);
void blockSignal(Global, int block, int event, Site);
void blockWait(Global, int block, int event, Site);

// Faults and diagnostics that a header finds.
void fault(const char *kind, Site, const char *format, ...) __attribute__((format(printf, 3, 4)));
[[noreturn]] void stop(const char *kind, Site, const char *format, ...) __attribute__((format(printf, 3, 4)));
void print(const char *format, ...);
[[noreturn]] void trap(Site, const char *why);
uint32_t capacity(Space);
const char *spaceName(Space);

// Scalar accesses.
void loadLocal(const Local &, void *to, uint32_t bytes, Site);
void storeLocal(const Local &, const void *from, uint32_t bytes, Site);
void loadGlobal(const Global &, void *to, uint32_t bytes, Site);
void storeGlobal(const Global &, const void *from, uint32_t bytes, Site);
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
void setMaskMode(bool count);
void setMask(uint64_t high, uint64_t low);
void setMaskLength(uint64_t length, uint32_t elem);

} // namespace machine
