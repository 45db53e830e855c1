// Comparisons and selections.
#pragma once
#include "ascendc/elementwise.h"

namespace AscendC {

template <class T> constexpr bool comparable = SupportType<T, half, float, int32_t>();

// whole reports a count that is no whole number of repeats, which comparisons by count need.
template <class T> void whole(const char *name, uint32_t count, machine::Site at) {
    if (count * sizeof(T) % ONE_REPEAT_BYTE_SIZE)
        machine::fault("alignment", at, "%s of %u elements: their bytes must be a multiple of 256", name, count);
}

template <class T, class U>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, uint32_t count,
             machine::Site at = machine::Site::here()) {
    static_assert(comparable<T> && sizeof(U) == 1, "Compare takes half, float and int32_t, and gives bytes");
    whole<T>("Compare", count, at);
    machine::vectorCompare("Compare", dst.Place(), src0.Place(), src1.Place(), false, {}, int(mode), machine::CompareTo::Memory,
                           machine::dtype<T>, lanesOf(count), at);
}
template <class T, class U, bool isSetMask = true, class Mask>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, Mask, uint8_t repeat,
             const BinaryRepeatParams &p, machine::Site at = machine::Site::here()) {
    static_assert(comparable<T> && sizeof(U) == 1, "Compare takes half, float and int32_t, and gives bytes");
    machine::vectorCompare("Compare", dst.Place(), src0.Place(), src1.Place(), false, {}, int(mode), machine::CompareTo::Memory,
                           machine::dtype<T>, lanesOf(true, uint64_t(ONE_REPEAT_BYTE_SIZE / sizeof(T)), repeat, p), at);
}
// Without a destination the bits of one repeat go to the comparison register.
template <class T, bool isSetMask = true, class Mask>
void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, Mask mask, const BinaryRepeatParams &p,
             machine::Site at = machine::Site::here()) {
    static_assert(comparable<T>, "Compare takes half, float and int32_t");
    machine::vectorCompare("Compare", {}, src0.Place(), src1.Place(), false, {}, int(mode), machine::CompareTo::Register, machine::dtype<T>,
                           lanesOf(isSetMask, mask, 1, p), at);
}

#define MACHINE_COMPARE_SCALAR(NAME)                                                                                    \
    template <class T, class U>                                                                                         \
    void NAME(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T scalar, CMPMODE mode, uint32_t count,      \
              machine::Site at = machine::Site::here()) {                                                               \
        static_assert(comparable<T> && sizeof(U) == 1, #NAME " takes half, float and int32_t, and gives bytes");        \
        whole<T>(#NAME, count, at);                                                                                     \
        machine::vectorCompare(#NAME, dst.Place(), src0.Place(), {}, true, machine::Scalar::of(scalar), int(mode),      \
                               machine::CompareTo::Memory, machine::dtype<T>, lanesOf(count), at);                      \
    }                                                                                                                   \
    template <class T, class U, bool isSetMask = true, class Mask>                                                      \
    void NAME(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T scalar, CMPMODE mode, Mask, uint8_t repeat, \
              const UnaryRepeatParams &p, machine::Site at = machine::Site::here()) {                                   \
        static_assert(comparable<T> && sizeof(U) == 1, #NAME " takes half, float and int32_t, and gives bytes");        \
        machine::vectorCompare(#NAME, dst.Place(), src0.Place(), {}, true, machine::Scalar::of(scalar), int(mode),      \
                               machine::CompareTo::Memory, machine::dtype<T>,                                           \
                               lanesOf(true, uint64_t(ONE_REPEAT_BYTE_SIZE / sizeof(T)), repeat, p), at);               \
    }
MACHINE_COMPARE_SCALAR(CompareScalar)
MACHINE_COMPARE_SCALAR(Compares)
#undef MACHINE_COMPARE_SCALAR

template <class T> void GetCmpMask(const LocalTensor<T> &dst, machine::Site at = machine::Site::here()) { machine::compareMask(false, dst.Place(), at); }
template <class T> void SetCmpMask(const LocalTensor<T> &src, machine::Site at = machine::Site::here()) { machine::compareMask(true, src.Place(), at); }

template <class T> constexpr bool selectable = SupportType<T, half, float>();
template <class T, class U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE mode,
            uint32_t count, machine::Site at = machine::Site::here()) {
    static_assert(selectable<T>, "Select takes half and float");
    machine::vectorSelect(dst.Place(), mask.Place(), src0.Place(), src1.Place(), {}, int(mode), true, machine::dtype<T>, lanesOf(count), at);
}
template <class T, class U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0, T src1, SELMODE mode, uint32_t count,
            machine::Site at = machine::Site::here()) {
    static_assert(selectable<T>, "Select takes half and float");
    machine::vectorSelect(dst.Place(), mask.Place(), src0.Place(), {}, machine::Scalar::of(src1), 1, true, machine::dtype<T>, lanesOf(count), at);
}
template <class T, class U, bool isSetMask = true, class Mask>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE mode,
            Mask mask, uint8_t repeat, const BinaryRepeatParams &p, machine::Site at = machine::Site::here()) {
    static_assert(selectable<T>, "Select takes half and float");
    machine::vectorSelect(dst.Place(), bits.Place(), src0.Place(), src1.Place(), {}, int(mode), true, machine::dtype<T>,
                          lanesOf(isSetMask, mask, repeat, p), at);
}
template <class T, class U, bool isSetMask = true, class Mask>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src0, T src1, SELMODE, Mask mask, uint8_t repeat,
            const BinaryRepeatParams &p, machine::Site at = machine::Site::here()) {
    static_assert(selectable<T>, "Select takes half and float");
    machine::vectorSelect(dst.Place(), bits.Place(), src0.Place(), {}, machine::Scalar::of(src1), 1, true, machine::dtype<T>,
                          lanesOf(isSetMask, mask, repeat, p), at);
}
template <class T, SELMODE mode>
void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint8_t repeat, const BinaryRepeatParams &p,
            machine::Site at = machine::Site::here()) {
    static_assert(selectable<T> && mode == SELMODE::VSEL_CMPMASK_SPR, "this form of Select takes the bits of the comparison register");
    machine::vectorSelect(dst.Place(), {}, src0.Place(), src1.Place(), {}, 0, false, machine::dtype<T>, lanesOf(false, uint64_t(0), repeat, p), at);
}

} // namespace AscendC
