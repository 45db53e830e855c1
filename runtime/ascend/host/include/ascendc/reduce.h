// Reductions of vectors.
#pragma once
#include "ascendc/elementwise.h"

namespace AscendC {

enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class ReduceType : uint8_t { SUM, MAX, MIN };

template <class T> constexpr bool reducible = SupportType<T, half, float>();
template <class Mask> machine::Lanes reduceLanes(bool set, Mask mask, int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep) {
    machine::Lanes l;
    setMaskOf(l, set, mask);
    l.repeat = uint32_t(repeat);
    l.dstRep = uint16_t(dstRep), l.src0Blk = uint16_t(srcBlk), l.src0Rep = uint16_t(srcRep);
    return l;
}
constexpr uint64_t maskOf(int32_t mask) { return uint64_t(mask); }
inline const uint64_t *maskOf(const uint64_t *mask) { return mask; }

// The mask of these is a number of lanes or two words of bits.
template <class T, bool isSetMask = true, class Mask>
void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask, const int32_t repeat, const int32_t dstRep,
                    const int32_t srcBlk, const int32_t srcRep, machine::Site at = machine::Site::here()) {
    static_assert(reducible<T>, "WholeReduceSum takes half and float");
    machine::reduceRepeat("WholeReduceSum", machine::Reduce::Sum, machine::ReduceWhat::Value, dst.Place(), src.Place(), machine::dtype<T>,
                          reduceLanes(isSetMask, maskOf(mask), repeat, dstRep, srcBlk, srcRep), at);
}
#define MACHINE_WHOLE(NAME, KIND)                                                                                       \
    template <class T, bool isSetMask = true, class Mask>                                                               \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask, const int32_t repeat, const int32_t dstRep, \
              const int32_t srcBlk, const int32_t srcRep, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,           \
              machine::Site at = machine::Site::here()) {                                                               \
        static_assert(reducible<T>, #NAME " takes half and float");                                                     \
        machine::reduceRepeat(#NAME, machine::Reduce::KIND, machine::ReduceWhat(order), dst.Place(), src.Place(),       \
                              machine::dtype<T>, reduceLanes(isSetMask, maskOf(mask), repeat, dstRep, srcBlk, srcRep), at); \
    }
MACHINE_WHOLE(WholeReduceMax, Max)
MACHINE_WHOLE(WholeReduceMin, Min)
#undef MACHINE_WHOLE

template <class T, bool isSetMask = true>
void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat, const int32_t mask, const int32_t,
                     const int32_t srcBlk, const int32_t dstRep, const int32_t srcRep, machine::Site at = machine::Site::here()) {
    static_assert(reducible<T>, "RepeatReduceSum takes half and float");
    machine::reduceRepeat("RepeatReduceSum", machine::Reduce::Sum, machine::ReduceWhat::Value, dst.Place(), src.Place(), machine::dtype<T>,
                          reduceLanes(isSetMask, maskOf(mask), repeat, dstRep, srcBlk, srcRep), at);
}
template <ReduceType type, class T, class U, bool isSetMask = true, class Mask>
void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask mask, const int32_t repeat, const int32_t dstRep,
                  const int32_t srcBlk, const int32_t srcRep, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                  machine::Site at = machine::Site::here()) {
    static_assert(reducible<T> && std::is_same<T, U>::value, "ReduceRepeat takes half and float");
    machine::reduceRepeat("ReduceRepeat", machine::Reduce(type), type == ReduceType::SUM ? machine::ReduceWhat::Value : machine::ReduceWhat(order),
                          dst.Place(), src.Place(), machine::dtype<T>, reduceLanes(isSetMask, maskOf(mask), repeat, dstRep, srcBlk, srcRep), at);
}

#define MACHINE_BLOCK(NAME, KIND)                                                                                       \
    template <class T, bool isSetMask = true, class Mask>                                                               \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat, Mask mask, const int32_t dstRep, \
              const int32_t srcBlk, const int32_t srcRep, machine::Site at = machine::Site::here()) {                   \
        static_assert(reducible<T>, #NAME " takes half and float");                                                     \
        machine::reduceBlock(#NAME, machine::Reduce::KIND, dst.Place(), src.Place(), machine::dtype<T>,                 \
                             reduceLanes(isSetMask, maskOf(mask), repeat, dstRep, srcBlk, srcRep), at);                 \
    }
MACHINE_BLOCK(BlockReduceSum, Sum)
MACHINE_BLOCK(BlockReduceMax, Max)
MACHINE_BLOCK(BlockReduceMin, Min)
#undef MACHINE_BLOCK
template <ReduceType type, class T, class U, bool isSetMask = true, class Mask>
void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask mask, const int32_t repeat, const int32_t dstRep,
                     const int32_t srcBlk, const int32_t srcRep, machine::Site at = machine::Site::here()) {
    static_assert(reducible<T> && std::is_same<T, U>::value, "ReduceDataBlock takes half and float");
    machine::reduceBlock("ReduceDataBlock", machine::Reduce(type), dst.Place(), src.Place(), machine::dtype<T>,
                         reduceLanes(isSetMask, maskOf(mask), repeat, dstRep, srcBlk, srcRep), at);
}
template <class T, bool isSetMask = true, class Mask>
void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat, Mask mask, const int32_t dstRep,
                   const int32_t srcBlk, const int32_t srcRep, machine::Site at = machine::Site::here()) {
    static_assert(reducible<T>, "PairReduceSum takes half and float");
    machine::reducePair("PairReduceSum", dst.Place(), src.Place(), machine::dtype<T>,
                        reduceLanes(isSetMask, maskOf(mask), repeat, dstRep, srcBlk, srcRep), at);
}
template <ReduceType type, class T, class U, bool isSetMask = true, class Mask>
void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask mask, const int32_t repeat, const int32_t dstRep,
                    const int32_t srcBlk, const int32_t srcRep, machine::Site at = machine::Site::here()) {
    static_assert(reducible<T> && std::is_same<T, U>::value && type == ReduceType::SUM, "ReducePairElem sums half and float");
    machine::reducePair("ReducePairElem", dst.Place(), src.Place(), machine::dtype<T>,
                        reduceLanes(isSetMask, maskOf(mask), repeat, dstRep, srcBlk, srcRep), at);
}

// Reductions to one result take their events from a TPipe.
inline void needPipe(const char *name, machine::Site at) {
    if (!machine::isCube() && !machine::hasPipe())
        machine::stop("queue", at, "%s takes an event from the kernel's TPipe, and there is none", name);
}
#define MACHINE_REDUCE(NAME, KIND)                                                                                      \
    template <class T>                                                                                                  \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, const int32_t count,    \
              bool index = false, machine::Site at = machine::Site::here()) {                                           \
        static_assert(reducible<T>, #NAME " takes half and float");                                                     \
        needPipe(#NAME, at);                                                                                            \
        machine::reduceAll(#NAME, machine::Reduce::KIND, index, dst.Place(), src.Place(), work.Place(), machine::dtype<T>, \
                           lanesOf(count), at);                                                                         \
    }                                                                                                                   \
    template <class T, class Mask>                                                                                      \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, Mask mask,              \
              const int32_t repeat, const int32_t srcRep, bool index = false, machine::Site at = machine::Site::here()) { \
        static_assert(reducible<T>, #NAME " takes half and float");                                                     \
        needPipe(#NAME, at);                                                                                            \
        machine::reduceAll(#NAME, machine::Reduce::KIND, index, dst.Place(), src.Place(), work.Place(), machine::dtype<T>, \
                           reduceLanes(true, maskOf(mask), repeat, 1, 1, srcRep), at);                                  \
    }
MACHINE_REDUCE(ReduceMax, Max)
MACHINE_REDUCE(ReduceMin, Min)
#undef MACHINE_REDUCE
template <class T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, const int32_t count,
               machine::Site at = machine::Site::here()) {
    static_assert(reducible<T>, "ReduceSum takes half and float");
    needPipe("ReduceSum", at);
    machine::reduceAll("ReduceSum", machine::Reduce::Sum, false, dst.Place(), src.Place(), work.Place(), machine::dtype<T>, lanesOf(count), at);
}
template <class T, class Mask>
void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, Mask mask, const int32_t repeat,
               const int32_t srcRep, machine::Site at = machine::Site::here()) {
    static_assert(reducible<T>, "ReduceSum takes half and float");
    needPipe("ReduceSum", at);
    machine::reduceAll("ReduceSum", machine::Reduce::Sum, false, dst.Place(), src.Place(), work.Place(), machine::dtype<T>,
                       reduceLanes(true, maskOf(mask), repeat, 1, 1, srcRep), at);
}

template <class T> T GetReduceRepeatSumSpr() { return machine::lastReduction(false).as<T>(); }
template <class T> T GetAccVal() { return machine::lastReduction(false).as<T>(); }
template <class T> void GetReduceRepeatMaxMinSpr(T &value, T &index) {
    value = machine::lastReduction(false).as<T>();
    index = machine::lastReduction(true).as<T>();
}
template <class T> void GetReduceRepeatMaxMinSpr(T &value) { value = machine::lastReduction(false).as<T>(); }

} // namespace AscendC
