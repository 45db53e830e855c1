// Loads of fractals, the matrix unit, and the fixpipe.
#pragma once
#include "ascendc/params.h"
#include "ascendc/tensor.h"

namespace AscendC {

template <class T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &p, machine::Site at = machine::Site::here()) {
    if (p.ifTranspose && sizeof(T) != 2) machine::stop("limit", at, "LoadData transposes types of 2 bytes alone");
    machine::loadFractals(dst.Place(), src.Place(), {}, false, {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.ifTranspose}, machine::dtype<T>, at);
}
template <class T>
void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParams &p, machine::Site at = machine::Site::here()) {
    if (p.ifTranspose) machine::stop("limit", at, "LoadData from GM does not transpose");
    machine::loadFractals(dst.Place(), {}, src.Place(), true, {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, false}, machine::dtype<T>, at);
}
template <class T>
void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2dTransposeParams &p,
                           machine::Site at = machine::Site::here()) {
    machine::loadTransposed(dst.Place(), src.Place(), p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.dstFracGap, machine::dtype<T>, at);
}
template <class T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<T> &p, machine::Site at = machine::Site::here()) {
    machine::Load3D l{{p.padList[0], p.padList[1], p.padList[2], p.padList[3]},
                      p.l1H, p.l1W, p.channelSize, p.kExtension, p.mExtension, p.kStartPt, p.mStartPt, p.strideW, p.strideH,
                      uint32_t(p.filterW) + (p.filterSizeW ? 256 : 0), uint32_t(p.filterH) + (p.filterSizeH ? 256 : 0),
                      p.dilationFilterW, p.dilationFilterH, p.enTranspose, machine::Scalar::of(p.padValue).bits};
    machine::loadImage(dst.Place(), src.Place(), l, machine::dtype<T>, at);
}
template <class T>
void Fill(const LocalTensor<T> &dst, const InitConstValueParams<T> &p, machine::Site at = machine::Site::here()) {
    machine::fillLocal(dst.Place(), p.repeatTimes, p.blockNum, p.dstGap, machine::Scalar::of(p.initValue).bits, machine::dtype<T>, at);
}
template <class T>
void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<T> &p, machine::Site at = machine::Site::here()) {
    Fill(dst, p, at);
}

template <class T, class U, class S> constexpr bool multipliable =
    (std::is_same<T, float>::value && std::is_same<U, S>::value && SupportType<U, half, bfloat16_t, float>()) ||
    (std::is_same<T, int32_t>::value && std::is_same<U, S>::value && SupportType<U, int8_t, int4b_t>());
inline machine::Multiply multiplyOf(const MmadParams &p) {
    return {p.m, p.n, p.k, p.unitFlag, p.kDirectionAlign, p.cmatrixSource && !p.cmatrixInitVal, p.cmatrixInitVal && !p.isBias};
}
template <class T, class U, class S>
void Mmad(const LocalTensor<T> &c, const LocalTensor<U> &a, const LocalTensor<S> &b, const MmadParams &p, machine::Site at = machine::Site::here()) {
    static_assert(multipliable<T, U, S>, "Mmad multiplies half, bfloat16_t and float to float, and int8_t to int32_t");
    machine::multiply(c.Place(), a.Place(), b.Place(), nullptr, multiplyOf(p), machine::dtype<T>, machine::dtype<U>, machine::dtype<S>, at);
}
template <class T, class U, class S, class V>
void Mmad(const LocalTensor<T> &c, const LocalTensor<U> &a, const LocalTensor<S> &b, const LocalTensor<V> &bias, const MmadParams &p,
          machine::Site at = machine::Site::here()) {
    static_assert(multipliable<T, U, S> && std::is_same<T, V>::value, "Mmad: the bias has the type of the result");
    machine::multiply(c.Place(), a.Place(), b.Place(), &bias.Place(), multiplyOf(p), machine::dtype<T>, machine::dtype<U>, machine::dtype<S>, at);
}

inline machine::Drain drainOf(const FixpipeParamsV220 &p, const FixpipeConfig &cfg) {
    machine::Drain d{p.nSize, p.mSize, p.srcStride, p.dstStride};
    if (cfg.format == CO2Layout::ROW_MAJOR) d.matrices = p.ndNum, d.srcMatrix = p.srcNdStride, d.dstMatrix = p.dstNdStride;
    d.quant = p.quantPre, d.scale = p.deqScalar, d.relu = p.reluEn, d.rowMajor = cfg.format == CO2Layout::ROW_MAJOR;
    d.split = p.isChannelSplit, d.unit = p.unitFlag;
    return d;
}
template <class T, class U, const FixpipeConfig &cfg = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &p, machine::Site at = machine::Site::here()) {
    machine::drainGlobal("Fixpipe", dst.Place(), src.Place(), nullptr, drainOf(p, cfg), machine::dtype<T>, machine::dtype<U>, at);
}
template <class T, class U, const FixpipeConfig &cfg = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint64_t> &scales, const FixpipeParamsV220 &p,
             machine::Site at = machine::Site::here()) {
    machine::drainGlobal("Fixpipe", dst.Place(), src.Place(), &scales.Place(), drainOf(p, cfg), machine::dtype<T>, machine::dtype<U>, at);
}
template <class T, class U, const FixpipeConfig &cfg = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &p, machine::Site at = machine::Site::here()) {
    machine::drainLocal("Fixpipe", dst.Place(), src.Place(), nullptr, drainOf(p, cfg), machine::dtype<T>, machine::dtype<U>, at);
}
template <class T, class U, const FixpipeConfig &cfg = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint64_t> &scales, const FixpipeParamsV220 &p,
             machine::Site at = machine::Site::here()) {
    machine::drainLocal("Fixpipe", dst.Place(), src.Place(), &scales.Place(), drainOf(p, cfg), machine::dtype<T>, machine::dtype<U>, at);
}

// The older form of the same, its settings in registers.
inline machine::Drain drainOf(const DataCopyCO12DstParams &p) {
    machine::Drain d{p.nSize, p.mSize, p.srcStride, p.dstStride};
    d.matrices = 0; // those of SetFixpipeNz2ndFlag
    d.quant = p.quantPre, d.relu = p.reluPre != 0, d.rowMajor = p.nz2ndEn, d.split = p.channelSplit, d.unit = p.unitFlag;
    return d;
}
template <class T, class U>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &p, machine::Site at = machine::Site::here()) {
    machine::drainGlobal("DataCopy", dst.Place(), src.Place(), nullptr, drainOf(p), machine::dtype<T>, machine::dtype<U>, at);
}
template <class T, class U>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &p, machine::Site at = machine::Site::here()) {
    machine::drainLocal("DataCopy", dst.Place(), src.Place(), nullptr, drainOf(p), machine::dtype<T>, machine::dtype<U>, at);
}
inline void SetFixpipeNz2ndFlag(uint16_t count, uint16_t src, uint16_t dst) { machine::setDrainMatrices(count, src, dst); }
template <class T> void SetFixPipeConfig(const LocalTensor<T> &scales, bool = false) { machine::setDrainTable(scales.Place()); }
inline void SetFixpipePreQuantFlag(uint64_t scale) { machine::setDrainScale(scale); }

// HF32 rounds float operands; the order of the traversal changes no result.
inline void SetHF32Mode(bool on) { machine::setHF32(on); }
inline void SetMMRowMajor() {}
inline void SetMMColumnMajor() {}
inline void SetMMLayoutTransform(bool) {}

} // namespace AscendC
