// Conversions, fills, fused multiplications and masked copies.
#pragma once
#include "ascendc/elementwise.h"

namespace AscendC {

// castable tells the pairs of types that the vector unit converts between.
template <class T, class U> constexpr bool castable() {
    using std::is_same;
    auto from = [](bool is, bool to) { return is && to; };
    return from(is_same<U, half>::value, SupportType<T, float, int32_t, int16_t, int8_t, uint8_t, int4b_t>()) ||
           from(is_same<U, float>::value, SupportType<T, half, bfloat16_t, int32_t, int16_t, int64_t, float>()) ||
           from(is_same<U, bfloat16_t>::value, SupportType<T, float, int32_t>()) ||
           from(SupportType<U, int8_t, uint8_t, int4b_t>(), is_same<T, half>::value) ||
           from(is_same<U, int16_t>::value, SupportType<T, half, float>()) ||
           from(is_same<U, int32_t>::value, SupportType<T, float, half, int16_t, int64_t>()) ||
           from(is_same<U, int64_t>::value, SupportType<T, int32_t, float>());
}

template <class T, class U>
void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode, const uint32_t count,
          machine::Site at = machine::Site::here()) {
    static_assert(castable<T, U>(), "Cast: no instruction converts between these types");
    machine::vectorCast(dst.Place(), src.Place(), int(mode), machine::dtype<T>, machine::dtype<U>, lanesOf(count), at);
}
template <class T, class U, bool isSetMask = true>
void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode, const uint64_t mask, const uint8_t repeat,
          const UnaryRepeatParams &p, machine::Site at = machine::Site::here()) {
    static_assert(castable<T, U>(), "Cast: no instruction converts between these types");
    machine::vectorCast(dst.Place(), src.Place(), int(mode), machine::dtype<T>, machine::dtype<U>, lanesOf(isSetMask, mask, repeat, p), at);
}
template <class T, class U, bool isSetMask = true>
void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode, const uint64_t mask[], const uint8_t repeat,
          const UnaryRepeatParams &p, machine::Site at = machine::Site::here()) {
    static_assert(castable<T, U>(), "Cast: no instruction converts between these types");
    machine::vectorCast(dst.Place(), src.Place(), int(mode), machine::dtype<T>, machine::dtype<U>, lanesOf(isSetMask, mask, repeat, p), at);
}
inline void SetDeqScale(half scale) { machine::setDeqScale(float(scale)); }

template <class T> constexpr bool fillable = SupportType<T, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float>();
template <class T>
void Duplicate(const LocalTensor<T> &dst, const T &value, const int32_t &count, machine::Site at = machine::Site::here()) {
    static_assert(fillable<T>, "Duplicate takes types of 2 and 4 bytes");
    machine::vectorDuplicate(dst.Place(), machine::Scalar::of(value), machine::dtype<T>, lanesOf(count), at);
}
template <class T, bool isSetMask = true>
void Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask, const uint8_t repeat, const uint16_t blk, const uint8_t rep,
               machine::Site at = machine::Site::here()) {
    static_assert(fillable<T>, "Duplicate takes types of 2 and 4 bytes");
    machine::vectorDuplicate(dst.Place(), machine::Scalar::of(value), machine::dtype<T>,
                             lanesOf(isSetMask, mask, repeat, UnaryRepeatParams(blk, 1, rep, 8)), at);
}
template <class T, bool isSetMask = true>
void Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask[], const uint8_t repeat, const uint16_t blk, const uint8_t rep,
               machine::Site at = machine::Site::here()) {
    static_assert(fillable<T>, "Duplicate takes types of 2 and 4 bytes");
    machine::vectorDuplicate(dst.Place(), machine::Scalar::of(value), machine::dtype<T>,
                             lanesOf(isSetMask, mask, repeat, UnaryRepeatParams(blk, 1, rep, 8)), at);
}

template <class T, class U> constexpr bool fusable =
    (std::is_same<T, U>::value && SupportType<T, half, float>()) || (std::is_same<T, float>::value && std::is_same<U, half>::value);
template <class T, class U>
void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalar, const int32_t &count, machine::Site at = machine::Site::here()) {
    static_assert(fusable<T, U>, "Axpy takes half to half, half to float, float to float");
    machine::vectorUnary(machine::Op::Axpy, "Axpy", dst.Place(), src.Place(), machine::Scalar::of(scalar), false, machine::dtype<T>,
                         machine::dtype<U>, lanesOf(count), at);
}
template <class T, class U, bool isSetMask = true>
void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalar, uint64_t mask, const uint8_t repeat,
          const UnaryRepeatParams &p, machine::Site at = machine::Site::here()) {
    static_assert(fusable<T, U>, "Axpy takes half to half, half to float, float to float");
    machine::vectorUnary(machine::Op::Axpy, "Axpy", dst.Place(), src.Place(), machine::Scalar::of(scalar), false, machine::dtype<T>,
                         machine::dtype<U>, lanesOf(isSetMask, mask, repeat, p), at);
}
template <class T, class U, bool isSetMask = true>
void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalar, uint64_t mask[], const uint8_t repeat,
          const UnaryRepeatParams &p, machine::Site at = machine::Site::here()) {
    static_assert(fusable<T, U>, "Axpy takes half to half, half to float, float to float");
    machine::vectorUnary(machine::Op::Axpy, "Axpy", dst.Place(), src.Place(), machine::Scalar::of(scalar), false, machine::dtype<T>,
                         machine::dtype<U>, lanesOf(isSetMask, mask, repeat, p), at);
}
template <class T, class U>
void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &a, const LocalTensor<U> &b, const int32_t &count,
               machine::Site at = machine::Site::here()) {
    static_assert(fusable<T, U>, "MulAddDst takes half to half, half to float, float to float");
    machine::vectorBinary(machine::Op::MulAddDst, "MulAddDst", dst.Place(), a.Place(), b.Place(), machine::dtype<T>, machine::dtype<U>,
                          lanesOf(count), at);
}
template <class T, class U, bool isSetMask = true>
void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &a, const LocalTensor<U> &b, uint64_t mask, const uint8_t repeat,
               const BinaryRepeatParams &p, machine::Site at = machine::Site::here()) {
    static_assert(fusable<T, U>, "MulAddDst takes half to half, half to float, float to float");
    machine::vectorBinary(machine::Op::MulAddDst, "MulAddDst", dst.Place(), a.Place(), b.Place(), machine::dtype<T>, machine::dtype<U>,
                          lanesOf(isSetMask, mask, repeat, p), at);
}

// Copy moves within UB, a repeat of masked lanes at a time.
template <class Mask> machine::Lanes copyLanes(bool set, Mask mask, uint8_t repeat, const CopyRepeatParams &p) {
    machine::Lanes l = lanesOf(set, mask, repeat, UnaryRepeatParams());
    l.dstBlk = p.dstStride, l.src0Blk = p.srcStride, l.dstRep = p.dstRepeatSize, l.src0Rep = p.srcRepeatSize;
    return l;
}
template <class T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask, const uint8_t repeat, const CopyRepeatParams &p,
          machine::Site at = machine::Site::here()) {
    static_assert(fillable<T>, "Copy takes types of 2 and 4 bytes");
    machine::vectorUnary(machine::Op::Copy, "Copy", dst.Place(), src.Place(), {}, false, machine::dtype<T>, machine::dtype<T>,
                         copyLanes(isSetMask, mask, repeat, p), at);
}
template <class T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[], const uint8_t repeat, const CopyRepeatParams &p,
          machine::Site at = machine::Site::here()) {
    static_assert(fillable<T>, "Copy takes types of 2 and 4 bytes");
    machine::vectorUnary(machine::Op::Copy, "Copy", dst.Place(), src.Place(), {}, false, machine::dtype<T>, machine::dtype<T>,
                         copyLanes(isSetMask, mask, repeat, p), at);
}

} // namespace AscendC
