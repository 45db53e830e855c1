// Elementwise vector instructions, each in its three forms: a count, a mask length and a mask of bits.
#pragma once
#include "ascendc/params.h"
#include "ascendc/tensor.h"

namespace AscendC {

inline machine::Lanes lanesOf(int64_t count) {
    machine::Lanes l;
    l.low = count < 0 ? 0 : uint64_t(count);
    return l;
}
inline void setMaskOf(machine::Lanes &l, bool set, const uint64_t mask[]) {
    l.mode = set ? machine::Lanes::Bits : machine::Lanes::State;
    if (set) l.low = mask[0], l.high = mask[1];
}
inline void setMaskOf(machine::Lanes &l, bool set, uint64_t mask) {
    l.mode = set ? machine::Lanes::Prefix : machine::Lanes::State;
    l.low = mask;
}
template <class Mask> machine::Lanes lanesOf(bool set, Mask mask, uint8_t repeat, const BinaryRepeatParams &p) {
    machine::Lanes l;
    setMaskOf(l, set, mask);
    l.repeat = repeat;
    l.dstBlk = p.dstBlkStride, l.src0Blk = p.src0BlkStride, l.src1Blk = p.src1BlkStride;
    l.dstRep = p.dstRepStride, l.src0Rep = p.src0RepStride, l.src1Rep = p.src1RepStride;
    return l;
}
template <class Mask> machine::Lanes lanesOf(bool set, Mask mask, uint8_t repeat, const UnaryRepeatParams &p) {
    machine::Lanes l;
    setMaskOf(l, set, mask);
    l.repeat = repeat;
    l.dstBlk = p.dstBlkStride, l.src0Blk = p.srcBlkStride;
    l.dstRep = p.dstRepStride, l.src0Rep = p.srcRepStride;
    return l;
}

#define MACHINE_BINARY(NAME, ...)                                                                                       \
    template <class T>                                                                                                  \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const int32_t &count,  \
              machine::Site at = machine::Site::here()) {                                                               \
        static_assert(SupportType<T, __VA_ARGS__>(), #NAME " takes " #__VA_ARGS__);                                     \
        machine::vectorBinary(machine::Op::NAME, #NAME, dst.Place(), src0.Place(), src1.Place(), machine::dtype<T>,     \
                              machine::dtype<T>, lanesOf(count), at);                                                   \
    }                                                                                                                   \
    template <class T, bool isSetMask = true>                                                                           \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint64_t mask,         \
              const uint8_t repeat, const BinaryRepeatParams &p, machine::Site at = machine::Site::here()) {            \
        static_assert(SupportType<T, __VA_ARGS__>(), #NAME " takes " #__VA_ARGS__);                                     \
        machine::vectorBinary(machine::Op::NAME, #NAME, dst.Place(), src0.Place(), src1.Place(), machine::dtype<T>,     \
                              machine::dtype<T>, lanesOf(isSetMask, mask, repeat, p), at);                              \
    }                                                                                                                   \
    template <class T, bool isSetMask = true>                                                                           \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint64_t mask[],       \
              const uint8_t repeat, const BinaryRepeatParams &p, machine::Site at = machine::Site::here()) {            \
        static_assert(SupportType<T, __VA_ARGS__>(), #NAME " takes " #__VA_ARGS__);                                     \
        machine::vectorBinary(machine::Op::NAME, #NAME, dst.Place(), src0.Place(), src1.Place(), machine::dtype<T>,     \
                              machine::dtype<T>, lanesOf(isSetMask, mask, repeat, p), at);                              \
    }

MACHINE_BINARY(Add, half, float, int16_t, int32_t)
MACHINE_BINARY(Sub, half, float, int16_t, int32_t)
MACHINE_BINARY(Mul, half, float, int16_t, int32_t)
MACHINE_BINARY(Div, half, float)
MACHINE_BINARY(Max, half, float, int16_t, int32_t)
MACHINE_BINARY(Min, half, float, int16_t, int32_t)
MACHINE_BINARY(And, int16_t, uint16_t)
MACHINE_BINARY(Or, int16_t, uint16_t)
MACHINE_BINARY(AddRelu, half, float, int16_t)
MACHINE_BINARY(SubRelu, half, float, int16_t)
MACHINE_BINARY(FusedMulAdd, half, float)
MACHINE_BINARY(FusedMulAddRelu, half, float)
#undef MACHINE_BINARY

#define MACHINE_UNARY(NAME, ...)                                                                                        \
    template <class T>                                                                                                  \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count,                               \
              machine::Site at = machine::Site::here()) {                                                               \
        static_assert(SupportType<T, __VA_ARGS__>(), #NAME " takes " #__VA_ARGS__);                                     \
        machine::vectorUnary(machine::Op::NAME, #NAME, dst.Place(), src.Place(), {}, false, machine::dtype<T>,          \
                             machine::dtype<T>, lanesOf(count), at);                                                    \
    }                                                                                                                   \
    template <class T, bool isSetMask = true>                                                                           \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, const uint8_t repeat,                \
              const UnaryRepeatParams &p, machine::Site at = machine::Site::here()) {                                   \
        static_assert(SupportType<T, __VA_ARGS__>(), #NAME " takes " #__VA_ARGS__);                                     \
        machine::vectorUnary(machine::Op::NAME, #NAME, dst.Place(), src.Place(), {}, false, machine::dtype<T>,          \
                             machine::dtype<T>, lanesOf(isSetMask, mask, repeat, p), at);                               \
    }                                                                                                                   \
    template <class T, bool isSetMask = true>                                                                           \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[], const uint8_t repeat,              \
              const UnaryRepeatParams &p, machine::Site at = machine::Site::here()) {                                   \
        static_assert(SupportType<T, __VA_ARGS__>(), #NAME " takes " #__VA_ARGS__);                                     \
        machine::vectorUnary(machine::Op::NAME, #NAME, dst.Place(), src.Place(), {}, false, machine::dtype<T>,          \
                             machine::dtype<T>, lanesOf(isSetMask, mask, repeat, p), at);                               \
    }

MACHINE_UNARY(Abs, half, float)
MACHINE_UNARY(Exp, half, float)
MACHINE_UNARY(Ln, half, float)
MACHINE_UNARY(Sqrt, half, float)
MACHINE_UNARY(Rsqrt, half, float)
MACHINE_UNARY(Reciprocal, half, float)
MACHINE_UNARY(Relu, half, float, int32_t)
MACHINE_UNARY(Not, int16_t, uint16_t)
#undef MACHINE_UNARY

#define MACHINE_SCALAR(NAME, ...)                                                                                       \
    template <class T, bool isSetMask = true>                                                                           \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, const int32_t &count,              \
              machine::Site at = machine::Site::here()) {                                                               \
        static_assert(SupportType<T, __VA_ARGS__>(), #NAME " takes " #__VA_ARGS__);                                     \
        machine::vectorUnary(machine::Op::NAME, #NAME, dst.Place(), src.Place(), machine::Scalar::of(scalar), false,    \
                             machine::dtype<T>, machine::dtype<T>, lanesOf(count), at);                                 \
    }                                                                                                                   \
    template <class T, bool isSetMask = true>                                                                           \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask,                     \
              const uint8_t repeat, const UnaryRepeatParams &p, machine::Site at = machine::Site::here()) {             \
        static_assert(SupportType<T, __VA_ARGS__>(), #NAME " takes " #__VA_ARGS__);                                     \
        machine::vectorUnary(machine::Op::NAME, #NAME, dst.Place(), src.Place(), machine::Scalar::of(scalar), false,    \
                             machine::dtype<T>, machine::dtype<T>, lanesOf(isSetMask, mask, repeat, p), at);            \
    }                                                                                                                   \
    template <class T, bool isSetMask = true>                                                                           \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask[],                   \
              const uint8_t repeat, const UnaryRepeatParams &p, machine::Site at = machine::Site::here()) {             \
        static_assert(SupportType<T, __VA_ARGS__>(), #NAME " takes " #__VA_ARGS__);                                     \
        machine::vectorUnary(machine::Op::NAME, #NAME, dst.Place(), src.Place(), machine::Scalar::of(scalar), false,    \
                             machine::dtype<T>, machine::dtype<T>, lanesOf(isSetMask, mask, repeat, p), at);            \
    }

MACHINE_SCALAR(Adds, half, float, int16_t, int32_t)
MACHINE_SCALAR(Muls, half, float, int16_t, int32_t)
MACHINE_SCALAR(Maxs, half, float, int16_t, int32_t)
MACHINE_SCALAR(Mins, half, float, int16_t, int32_t)
MACHINE_SCALAR(LeakyRelu, half, float)
MACHINE_SCALAR(ShiftLeft, int16_t, uint16_t, int32_t, uint32_t)
MACHINE_SCALAR(ShiftRight, int16_t, uint16_t, int32_t, uint32_t)
#undef MACHINE_SCALAR

} // namespace AscendC
