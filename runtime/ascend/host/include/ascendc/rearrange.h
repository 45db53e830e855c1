// Gathers, broadcasts, transpositions, index vectors and sorts.
#pragma once
#include "ascendc/elementwise.h"

namespace AscendC {

template <class T> constexpr bool twoOrFour = sizeof(T) == 2 || sizeof(T) == 4;

template <class T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets, const uint32_t base,
            const uint32_t count, machine::Site at = machine::Site::here()) {
    static_assert(twoOrFour<T>, "Gather takes types of 2 and 4 bytes");
    machine::vectorGather(dst.Place(), src.Place(), offsets.Place(), base, machine::dtype<T>, lanesOf(count), at);
}
template <class T, class Mask>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets, const uint32_t base, Mask mask,
            const uint8_t repeat, const uint16_t dstRep, machine::Site at = machine::Site::here()) {
    static_assert(twoOrFour<T>, "Gather takes types of 2 and 4 bytes");
    machine::Lanes l;
    if constexpr (std::is_integral<Mask>::value) setMaskOf(l, true, uint64_t(mask));
    else setMaskOf(l, true, mask);
    l.repeat = repeat;
    l.dstRep = dstRep;
    machine::vectorGather(dst.Place(), src.Place(), offsets.Place(), base, machine::dtype<T>, l, at);
}
template <class T>
void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets, const uint8_t repeat,
             const GatherRepeatParams &p, machine::Site at = machine::Site::here()) {
    static_assert(SupportType<T, uint16_t, uint32_t>(), "Gatherb takes uint16_t and uint32_t");
    machine::vectorGatherBlocks(dst.Place(), src.Place(), offsets.Place(), repeat, p.dstBlkStride, p.dstRepStride, at);
}
template <class T, class U, GatherMaskMode mode = GatherMaskMode::VERSION_V1>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<U> &bits, const bool counter, const uint32_t mask,
                const GatherMaskParams &p, uint64_t &kept, machine::Site at = machine::Site::here()) {
    static_assert(twoOrFour<T> && sizeof(T) == sizeof(U), "GatherMask takes types of 2 and 4 bytes, and bits in words of the same size");
    kept = machine::vectorGatherMask(dst.Place(), src.Place(), bits.Place(),
                                     {0, counter, mask, p.src0BlockStride, p.repeatTimes, p.src0RepeatStride, p.src1RepeatStride}, machine::dtype<T>, at);
}
template <class T, GatherMaskMode mode = GatherMaskMode::VERSION_V1>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t pattern, const bool counter, const uint32_t mask,
                const GatherMaskParams &p, uint64_t &kept, machine::Site at = machine::Site::here()) {
    static_assert(twoOrFour<T>, "GatherMask takes types of 2 and 4 bytes");
    if (pattern < 1 || pattern > 7) machine::stop("limit", at, "GatherMask pattern %u: there are 1 to 7", pattern);
    kept = machine::vectorGatherMask(dst.Place(), src.Place(), {},
                                     {pattern, counter, mask, p.src0BlockStride, p.repeatTimes, p.src0RepeatStride, p.src1RepeatStride}, machine::dtype<T>, at);
}
template <class T>
void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeat, const BrcbRepeatParams &p,
          machine::Site at = machine::Site::here()) {
    static_assert(twoOrFour<T>, "Brcb takes types of 2 and 4 bytes");
    machine::vectorBlockBroadcast(dst.Place(), src.Place(), repeat, p.dstBlkStride, p.dstRepStride, machine::dtype<T>, at);
}
template <class T>
void CreateVecIndex(LocalTensor<T> dst, const T &first, uint32_t count, machine::Site at = machine::Site::here()) {
    static_assert(SupportType<T, half, float, int16_t, int32_t>(), "CreateVecIndex takes half, float, int16_t and int32_t");
    machine::vectorIndex(dst.Place(), machine::Scalar::of(first), machine::dtype<T>, lanesOf(count), at);
}
template <class T, class Mask>
void CreateVecIndex(LocalTensor<T> &dst, const T &first, Mask mask, uint8_t repeat, uint16_t blk, uint8_t rep,
                    machine::Site at = machine::Site::here()) {
    static_assert(SupportType<T, half, float, int16_t, int32_t>(), "CreateVecIndex takes half, float, int16_t and int32_t");
    machine::Lanes l;
    if constexpr (std::is_integral<Mask>::value) setMaskOf(l, true, uint64_t(mask));
    else setMaskOf(l, true, mask);
    l.repeat = repeat, l.dstBlk = blk, l.dstRep = rep;
    machine::vectorIndex(dst.Place(), machine::Scalar::of(first), machine::dtype<T>, l, at);
}
template <class T> void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, machine::Site at = machine::Site::here()) {
    static_assert(sizeof(T) == 2, "Transpose takes types of 2 bytes");
    machine::vectorTranspose16(dst.Place(), src.Place(), machine::dtype<T>, at);
}
template <class T>
void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &, const TransposeParamsExt &p,
               machine::Site at = machine::Site::here()) {
    switch (p.transposeType) {
    case TransposeType::TRANSPOSE_ND2ND_B16:
        if constexpr (sizeof(T) == 2) return Transpose(dst, src, at);
        machine::stop("type", at, "TRANSPOSE_ND2ND_B16 takes types of 2 bytes");
    case TransposeType::TRANSPOSE_NCHW2NHWC:
        return machine::vectorPermute(dst.Place(), src.Place(), p.nSize, p.cSize, uint32_t(p.hSize) * p.wSize, machine::dtype<T>, at);
    case TransposeType::TRANSPOSE_NHWC2NCHW:
        return machine::vectorPermute(dst.Place(), src.Place(), p.nSize, uint32_t(p.hSize) * p.wSize, p.cSize, machine::dtype<T>, at);
    default: machine::stop("type", at, "Transpose does not model this transposition");
    }
}
template <class T>
void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16], const TransDataTo5HDParams &p,
                    machine::Site at = machine::Site::here()) {
    machine::Local d[16], s[16];
    for (int i = 0; i < 16; i++) d[i] = dst[i].Place(), s[i] = src[i].Place();
    machine::vectorTransposeRows(d, s, p.dstHighHalf, p.srcHighHalf, p.repeatTimes, p.dstRepStride, p.srcRepStride, machine::dtype<T>, at);
}
// Addresses are those that LocalTensor::GetPhyAddr gives.
template <class T>
void TransDataTo5HD(uint64_t dst[16], uint64_t src[16], const TransDataTo5HDParams &p, machine::Site at = machine::Site::here()) {
    machine::Local d[16], s[16];
    auto place = [](uint64_t a) {
        machine::Local l;
        l.space = machine::Space(a >> 56);
        l.end = uint32_t(a >> 28 & 0xfffffff);
        l.addr = uint32_t(a & 0xfffffff);
        return l;
    };
    for (int i = 0; i < 16; i++) d[i] = place(dst[i]), s[i] = place(src[i]);
    machine::vectorTransposeRows(d, s, p.dstHighHalf, p.srcHighHalf, p.repeatTimes, p.dstRepStride, p.srcRepStride, machine::dtype<T>, at);
}
template <class T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim], const uint32_t srcShape[dim],
               machine::Site at = machine::Site::here()) {
    static_assert(dim == 1 || dim == 2, "Broadcast takes one or two dimensions");
    machine::vectorBroadcast(dst.Place(), src.Place(), dstShape, srcShape, dim, machine::dtype<T>, at);
}
template <class T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim], const uint32_t srcShape[dim],
               LocalTensor<uint8_t> &, machine::Site at = machine::Site::here()) {
    static_assert(dim == 1 || dim == 2, "Broadcast takes one or two dimensions");
    machine::vectorBroadcast(dst.Place(), src.Place(), dstShape, srcShape, dim, machine::dtype<T>, at);
}

template <class T>
void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &index, const int32_t repeat,
            machine::Site at = machine::Site::here()) {
    static_assert(SupportType<T, half, float>(), "Sort32 takes half and float");
    machine::vectorSort32(dst.Place(), src.Place(), index.Place(), uint32_t(repeat), machine::dtype<T>, at);
}
template <class T> struct MrgSortSrcList {
    MrgSortSrcList() {}
    MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b, const LocalTensor<T> &c, const LocalTensor<T> &d)
        : src1(a), src2(b), src3(c), src4(d) {}
    LocalTensor<T> src1, src2, src3, src4;
};
struct MrgSort4Info {
    MrgSort4Info() {}
    MrgSort4Info(const uint16_t lengths[4], bool suspend, uint16_t valid, uint16_t repeat)
        : ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(uint8_t(repeat)) {
        for (int i = 0; i < 4; i++) elementLengths[i] = lengths[i];
    }
    uint16_t elementLengths[4] = {};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};
template <class T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &list, const MrgSort4Info &info, machine::Site at = machine::Site::here()) {
    static_assert(SupportType<T, half, float>(), "MrgSort takes half and float");
    machine::Local src[4] = {list.src1.Place(), list.src2.Place(), list.src3.Place(), list.src4.Place()};
    machine::Merge m{};
    for (int i = 0; i < 4; i++) m.lengths[i] = info.elementLengths[i];
    m.lists = info.validBit == 15 ? 4 : info.validBit == 7 ? 3 : 2;
    m.repeat = info.repeatTimes;
    m.suspend = info.ifExhaustedSuspension;
    machine::vectorMergeSort(dst.Place(), src, m, machine::dtype<T>, at);
}
inline void GetMrgSortResult(uint16_t &a, uint16_t &b, uint16_t &c, uint16_t &d) {
    uint16_t taken[4];
    machine::mergeResult(taken);
    a = taken[0], b = taken[1], c = taken[2], d = taken[3];
}

} // namespace AscendC
