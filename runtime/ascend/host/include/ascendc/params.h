// Parameter structures of instructions, with the member names, orders and defaults of the public headers.
#pragma once
#include "ascendc/base.h"

namespace AscendC {

struct BinaryRepeatParams {
    BinaryRepeatParams() {}
    BinaryRepeatParams(uint8_t dstBlk, uint8_t src0Blk, uint8_t src1Blk, uint8_t dstRep, uint8_t src0Rep, uint8_t src1Rep)
        : dstBlkStride(dstBlk), src0BlkStride(src0Blk), src1BlkStride(src1Blk), dstRepStride(dstRep), src0RepStride(src0Rep),
          src1RepStride(src1Rep) {}
    uint32_t blockNumber = 8;
    uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1;
    uint8_t dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
    bool repeatStrideMode = false, strideSizeMode = false;
};

struct UnaryRepeatParams {
    UnaryRepeatParams() {}
    UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep, uint8_t srcRep)
        : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep) {}
    UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep, uint8_t srcRep, bool half)
        : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep), halfBlock(half) {}
    uint32_t blockNumber = 8;
    uint16_t dstBlkStride = 1, srcBlkStride = 1;
    uint8_t dstRepStride = 8, srcRepStride = 8;
    bool repeatStrideMode = false, strideSizeMode = false, halfBlock = false;
};

struct BrcbRepeatParams {
    BrcbRepeatParams() {}
    BrcbRepeatParams(uint16_t dstBlk, uint16_t dstRep) : dstRepStride(dstRep), dstBlkStride(dstBlk) {}
    uint32_t blockNumber = 8;
    uint16_t dstRepStride = 8, dstBlkStride = 1;
};

struct GatherRepeatParams {
    GatherRepeatParams() {}
    GatherRepeatParams(uint8_t dstBlk, uint8_t dstRep) : dstRepStride(dstRep), dstBlkStride(dstBlk) {}
    uint32_t blockNumber = 8;
    uint16_t dstRepStride = 8;
    uint8_t dstBlkStride = 1;
};

enum class GatherMaskMode : uint8_t { VERSION_V1, VERSION_V2 };
struct GatherMaskParams {
    GatherMaskParams() {}
    GatherMaskParams(uint8_t blk, uint16_t repeat, uint16_t rep0, uint8_t rep1)
        : src0BlockStride(blk), repeatTimes(repeat), src0RepeatStride(rep0), src1RepeatStride(rep1) {}
    uint8_t src0BlockStride = 1;
    uint16_t repeatTimes = 0, src0RepeatStride = 8;
    uint8_t src1RepeatStride = 8;
};

struct CopyRepeatParams {
    CopyRepeatParams() {}
    CopyRepeatParams(uint16_t dst, uint16_t src, uint16_t dstRep, uint16_t srcRep)
        : dstStride(dst), srcStride(src), dstRepeatSize(dstRep), srcRepeatSize(srcRep) {}
    uint16_t dstStride = 1, srcStride = 1, dstRepeatSize = 8, srcRepeatSize = 8;
};

struct TransDataTo5HDParams {
    constexpr TransDataTo5HDParams() = default;
    constexpr TransDataTo5HDParams(bool dstHigh, bool srcHigh, uint8_t repeat, uint16_t dstRep, uint16_t srcRep)
        : dstHighHalf(dstHigh), srcHighHalf(srcHigh), repeatTimes(repeat), dstRepStride(dstRep), srcRepStride(srcRep) {}
    bool dstHighHalf = false, srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0, srcRepStride = 0;
};

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE, TRANSPOSE_NZ2ND_0213, TRANSPOSE_NZ2NZ_0213, TRANSPOSE_NZ2NZ_012_WITH_N, TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N, TRANSPOSE_NZ2NZ_012_WITHOUT_N, TRANSPOSE_ND2ND_ONLY, TRANSPOSE_ND_UB_GM, TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW
};
struct TransposeParamsExt {
    constexpr TransposeParamsExt() = default;
    constexpr TransposeParamsExt(uint16_t n, uint16_t c, uint16_t h, uint16_t w, TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
    uint16_t nSize = 0, cSize = 0, hSize = 0, wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

struct DataCopyParams {
    DataCopyParams() {}
    DataCopyParams(uint16_t count, uint16_t len, uint16_t src, uint16_t dst)
        : blockCount(count), blockLen(len), srcStride(src), dstStride(dst) {}
    uint16_t blockCount = 1, blockLen = 0;
    union {
        uint16_t srcGap = 0;
        uint16_t srcStride;
    };
    union {
        uint16_t dstGap = 0;
        uint16_t dstStride;
    };
};

struct DataCopyExtParams {
    DataCopyExtParams() {}
    DataCopyExtParams(uint16_t count, uint32_t len, uint32_t src, uint32_t dst, uint32_t r)
        : blockCount(count), blockLen(len), srcStride(src), dstStride(dst), rsv(r) {}
    uint16_t blockCount = 1;
    uint32_t blockLen = 0, srcStride = 1, dstStride = 1, rsv = 0;
};

struct DataCopyPadParams {
    DataCopyPadParams() {}
    DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    uint64_t paddingValue = 0;
};

template <class T> struct DataCopyPadExtParams {
    DataCopyPadExtParams() {}
    DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    T paddingValue = 0;
};

struct Nd2NzParams {
    Nd2NzParams() {}
    Nd2NzParams(uint16_t num, uint16_t n, uint16_t d, uint16_t srcMatrix, uint16_t srcD, uint16_t c0, uint16_t nStride, uint16_t matrix)
        : ndNum(num), nValue(n), dValue(d), srcNdMatrixStride(srcMatrix), srcDValue(srcD), dstNzC0Stride(c0),
          dstNzNStride(nStride), dstNzMatrixStride(matrix) {}
    uint16_t ndNum = 0, nValue = 0, dValue = 0, srcNdMatrixStride = 0, srcDValue = 0;
    uint16_t dstNzC0Stride = 0, dstNzNStride = 0, dstNzMatrixStride = 0;
};

struct Nz2NdParamsFull {
    Nz2NdParamsFull() {}
    Nz2NdParamsFull(uint16_t num, uint16_t n, uint16_t d, uint16_t srcMatrix, uint16_t srcN, uint16_t dstD, uint16_t dstMatrix)
        : ndNum(num), nValue(n), dValue(d), srcNdMatrixStride(srcMatrix), srcNStride(srcN), dstDStride(dstD),
          dstNdMatrixStride(dstMatrix) {}
    uint16_t ndNum = 1, nValue = 0, dValue = 0, srcNdMatrixStride = 1, srcNStride = 0, dstDStride = 0, dstNdMatrixStride = 1;
};

struct DataCopyCO12DstParams {
    DataCopyCO12DstParams() {}
    DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t dst, uint16_t src, QuantMode_t quant, uint8_t relu, bool split, bool nz2nd)
        : nSize(n), mSize(m), dstStride(dst), srcStride(src), quantPre(quant), reluPre(relu), channelSplit(split), nz2ndEn(nz2nd) {}
    uint8_t sid = 0;
    uint16_t nSize = 0, mSize = 0;
    uint32_t dstStride = 1;
    uint16_t srcStride = 1;
    uint8_t unitFlag = 0, clipReluPre = 0, eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false, nz2ndEn = false;
};

struct LoadData2DParams {
    LoadData2DParams() {}
    LoadData2DParams(uint16_t start, uint8_t repeat, uint16_t src, uint8_t s, uint16_t gap, bool transpose, uint8_t mode)
        : startIndex(start), dstGap(gap), srcStride(src), ifTranspose(transpose), repeatTimes(repeat), sid(s), addrMode(mode) {}
    uint16_t startIndex = 0, dstGap = 0, srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0, sid = 0, addrMode = 0;
};
using LoadData2dParams = LoadData2DParams;

struct LoadData2dTransposeParams {
    LoadData2dTransposeParams() {}
    LoadData2dTransposeParams(uint16_t start, uint8_t repeat, uint16_t src, uint16_t gap, uint16_t fracGap, uint8_t mode = 0)
        : startIndex(start), repeatTimes(repeat), srcStride(src), dstGap(gap), dstFracGap(fracGap), addrMode(mode) {}
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
    uint8_t addrMode = 0;
};

template <class T> struct LoadData3DParamsV2 {
    LoadData3DParamsV2() {}
    LoadData3DParamsV2(const uint8_t pad[4], uint16_t h, uint16_t w, uint16_t channels, uint16_t kExt, uint16_t mExt, uint16_t k0,
                       uint16_t m0, uint8_t sw, uint8_t sh, uint8_t fw, uint8_t fh, uint8_t dw, uint8_t dh, bool transpose,
                       bool smallK, T value, bool sizeW = false, bool sizeH = false, bool ctrl = false)
        : l1H(h), l1W(w), channelSize(channels), kExtension(kExt), mExtension(mExt), kStartPt(k0), mStartPt(m0), strideW(sw),
          strideH(sh), filterW(fw), filterH(fh), dilationFilterW(dw), dilationFilterH(dh), enTranspose(transpose), enSmallK(smallK),
          padValue(value), filterSizeW(sizeW), filterSizeH(sizeH), fMatrixCtrl(ctrl) {
        for (int i = 0; i < 4; i++) padList[i] = pad[i];
    }
    uint8_t padList[4] = {};
    uint16_t l1H = 0, l1W = 0, channelSize = 0, kExtension = 0, mExtension = 0, kStartPt = 0, mStartPt = 0;
    uint8_t strideW = 1, strideH = 1, filterW = 1, filterH = 1, dilationFilterW = 1, dilationFilterH = 1;
    bool enTranspose = false, enSmallK = false;
    T padValue = 0;
    bool filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
};

struct MmadParams {
    MmadParams() {}
    MmadParams(uint16_t m_, uint16_t n_, uint16_t k_, bool bias, int32_t offset, bool sparse, bool winogradA, bool winogradB)
        : m(m_), n(n_), k(k_), isBias(bias), fmOffset(offset), enSsparse(sparse), enWinogradA(winogradA), enWinogradB(winogradB) {}
    MmadParams(uint16_t m_, uint16_t n_, uint16_t k_, uint8_t unit, bool source, bool init)
        : m(m_), n(n_), k(k_), unitFlag(unit), cmatrixSource(source), cmatrixInitVal(init) {}
    uint16_t m = 0, n = 0, k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false, enWinogradA = false, enWinogradB = false;
    uint8_t unitFlag = 0;
    bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true;
};

template <class T> struct InitConstValueParams {
    InitConstValueParams() {}
    InitConstValueParams(uint16_t repeat, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value) {}
    InitConstValueParams(uint16_t repeat, T value) : repeatTimes(repeat), initValue(value) {}
    uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
    T initValue = 0;
};

enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
    CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
    FixpipeParamsV220() {}
    FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu)
        : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu) {}
    FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu, QuantMode_t quant, int64_t scalar, uint16_t num,
                      uint16_t srcNd, uint16_t dstNd, uint8_t unit, bool split = false)
        : nSize(n), mSize(m), srcStride(src), dstStride(dst), quantPre(quant), deqScalar(scalar), ndNum(num), srcNdStride(srcNd),
          dstNdStride(dstNd), reluEn(relu), unitFlag(unit), isChannelSplit(split) {}
    uint16_t nSize = 0, mSize = 0, srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
};

} // namespace AscendC
