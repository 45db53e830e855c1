// Copies between GM and a core's memories.
#pragma once
#include "ascendc/params.h"
#include "ascendc/tensor.h"

namespace AscendC {

template <class T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count, machine::Site at = machine::Site::here()) {
    machine::Rows rows;
    rows.bytes = bytesOf<T>(count) / ONE_BLK_SIZE * ONE_BLK_SIZE; // whole blocks only
    machine::copyIn("DataCopy", dst.Place(), src.Place(), rows, {}, machine::dtype<T>, at);
    if (rows.bytes != bytesOf<T>(count))
        machine::fault("alignment", at, "DataCopy of %u bytes moves only the whole blocks of 32 bytes", bytesOf<T>(count));
}
template <class T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count, machine::Site at = machine::Site::here()) {
    machine::Rows rows;
    rows.bytes = bytesOf<T>(count) / ONE_BLK_SIZE * ONE_BLK_SIZE;
    machine::copyOut("DataCopy", dst.Place(), src.Place(), rows, false, machine::dtype<T>, at);
    if (rows.bytes != bytesOf<T>(count))
        machine::fault("alignment", at, "DataCopy of %u bytes moves only the whole blocks of 32 bytes", bytesOf<T>(count));
}
template <class T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count, machine::Site at = machine::Site::here()) {
    machine::Rows rows;
    rows.bytes = bytesOf<T>(count) / ONE_BLK_SIZE * ONE_BLK_SIZE;
    machine::copyLocal("DataCopy", dst.Place(), src.Place(), rows, machine::dtype<T>, machine::dtype<T>, at);
    if (rows.bytes != bytesOf<T>(count))
        machine::fault("alignment", at, "DataCopy of %u bytes moves only the whole blocks of 32 bytes", bytesOf<T>(count));
}

inline machine::Rows rowsOf(const DataCopyParams &p) {
    machine::Rows rows;
    rows.count = p.blockCount;
    rows.bytes = uint64_t(p.blockLen) * ONE_BLK_SIZE;
    rows.srcGap = uint64_t(p.srcStride) * ONE_BLK_SIZE;
    rows.dstGap = uint64_t(p.dstStride) * ONE_BLK_SIZE;
    return rows;
}
template <class T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p, machine::Site at = machine::Site::here()) {
    machine::copyIn("DataCopy", dst.Place(), src.Place(), rowsOf(p), {}, machine::dtype<T>, at);
}
template <class T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p, machine::Site at = machine::Site::here()) {
    machine::copyOut("DataCopy", dst.Place(), src.Place(), rowsOf(p), false, machine::dtype<T>, at);
}
template <class T, class U>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &p, machine::Site at = machine::Site::here()) {
    machine::copyLocal("DataCopy", dst.Place(), src.Place(), rowsOf(p), machine::dtype<T>, machine::dtype<U>, at);
}
template <class T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p, machine::Site at = machine::Site::here()) {
    machine::NdNz n{p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcDValue, p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride};
    machine::copyNdToNz(dst.Place(), src.Place(), n, machine::dtype<T>, at);
}

// padOf takes the padding, counted in elements, of a row of bytes.
template <class T, class P> machine::Pad padOf(const P &p, uint64_t fill) {
    machine::Pad pad;
    pad.enabled = true;
    pad.value = p.isPad;
    pad.left = p.leftPadding * sizeof(T);
    pad.right = p.rightPadding * sizeof(T);
    pad.elem = sizeof(T);
    pad.fill = fill;
    pad.type = machine::dtype<T>;
    return pad;
}
template <class T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &p, const DataCopyPadExtParams<T> &pad,
                 machine::Site at = machine::Site::here()) {
    machine::Rows rows{p.blockCount, p.blockLen, p.srcStride, uint64_t(p.dstStride) * ONE_BLK_SIZE};
    machine::copyIn("DataCopyPad", dst.Place(), src.Place(), rows, padOf<T>(pad, machine::Scalar::of(pad.paddingValue).bits),
                    machine::dtype<T>, at);
}
template <class T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p, const DataCopyPadParams &pad,
                 machine::Site at = machine::Site::here()) {
    machine::Rows rows{p.blockCount, p.blockLen, p.srcStride, uint64_t(p.dstStride) * ONE_BLK_SIZE};
    machine::copyIn("DataCopyPad", dst.Place(), src.Place(), rows, padOf<T>(pad, pad.paddingValue), machine::dtype<T>, at);
}
template <class T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &p, machine::Site at = machine::Site::here()) {
    machine::Rows rows{p.blockCount, p.blockLen, uint64_t(p.srcStride) * ONE_BLK_SIZE, p.dstStride};
    machine::copyOut("DataCopyPad", dst.Place(), src.Place(), rows, true, machine::dtype<T>, at);
}
template <class T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p, machine::Site at = machine::Site::here()) {
    machine::Rows rows{p.blockCount, p.blockLen, uint64_t(p.srcStride) * ONE_BLK_SIZE, p.dstStride};
    machine::copyOut("DataCopyPad", dst.Place(), src.Place(), rows, true, machine::dtype<T>, at);
}
template <class T, TPosition pos = TPosition::MAX> void SetPadValue(T value) { machine::setPadValue(machine::Scalar::of(value).bits); }

} // namespace AscendC
