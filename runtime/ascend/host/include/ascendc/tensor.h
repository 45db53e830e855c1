// LocalTensor, GlobalTensor and LocalMemAllocator.
#pragma once
#include "ascendc/base.h"

namespace AscendC {

struct TBufType; // a buffer of a TPipe
using TBufHandle = TBufType *;

struct ShapeInfo {
    ShapeInfo() {}
    ShapeInfo(uint8_t dim, const uint32_t in[]) : shapeDim(dim), originalShapeDim(dim) {
        for (int i = 0; i < dim && i < 8; i++) shape[i] = originalShape[i] = in[i];
    }
    uint8_t shapeDim = 0, originalShapeDim = 0;
    uint32_t shape[8] = {}, originalShape[8] = {};
};

template <class T> class LocalTensor {
public:
    using PrimType = T;
    LocalTensor() = default;

    // A tensor at an address of its own, without a TPipe.
    LocalTensor(TPosition pos, uint32_t addr, uint32_t elements, machine::Site at = machine::Site::here())
        : position_(pos), elements_(elements) {
        place_.space = spaceOf(pos);
        place_.addr = place_.begin = addr;
        place_.end = addr + bytesOf<T>(elements);
        if (place_.end > machine::capacity(place_.space))
            machine::fault("capacity", at, "a tensor of bytes %u to %u lies outside the %u bytes of %s", addr, place_.end,
                           machine::capacity(place_.space), machine::spaceName(place_.space));
    }

    LocalTensor operator[](uint32_t offset) const {
        LocalTensor t = *this;
        t.place_.addr += bytesOf<T>(offset);
        t.elements_ = offset < elements_ ? elements_ - offset : 0;
        return t;
    }
    T GetValue(uint32_t index, machine::Site at = machine::Site::here()) const {
        T v;
        machine::loadLocal(Element(index), &v, sizeof(T), at);
        return v;
    }
    template <class U> void SetValue(uint32_t index, U value, machine::Site at = machine::Site::here()) const {
        T v = static_cast<T>(value);
        machine::storeLocal(Element(index), &v, sizeof(T), at);
    }

    // Reference stands for an element in scalar code.
    struct Reference {
        const LocalTensor &tensor;
        uint32_t index;
        machine::Site at;
        operator T() const { return tensor.GetValue(index, at); }
        Reference &operator=(T v) {
            tensor.SetValue(index, v, at);
            return *this;
        }
        Reference &operator=(const Reference &r) { return *this = T(r); }
    };
    Reference operator()(uint32_t index) const { return {*this, index, machine::Site::here()}; }

    template <class U> LocalTensor<U> ReinterpretCast() const {
        LocalTensor<U> t;
        t.place_ = place_;
        t.position_ = position_;
        t.elements_ = elementsOf<U>(bytesOf<T>(elements_));
        t.buffer_ = buffer_;
        return t;
    }
    uint32_t GetSize() const { return elements_; }
    uint32_t GetLength() const { return bytesOf<T>(elements_); }
    void SetSize(uint32_t elements) { elements_ = elements; }
    void SetBufferLen(uint32_t elements) { elements_ = elements; }
    int32_t GetPosition() const { return int32_t(position_); }
    void SetUserTag(TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }
    void SetShapeInfo(const ShapeInfo &s) { shape_ = s; }
    ShapeInfo GetShapeInfo() const { return shape_; }
    TBufHandle GetBufferHandle() const { return buffer_; }

    // GetPhyAddr gives a number that TransDataTo5HD takes; it is no address of the host.
    uint64_t GetPhyAddr(uint32_t offset = 0) const {
        return uint64_t(place_.space) << 56 | uint64_t(place_.end) << 28 | (place_.addr + bytesOf<T>(offset));
    }

    const machine::Local &Place() const { return place_; }
    void SetPlace(const machine::Local &p, TPosition pos, uint32_t elements, TBufHandle buffer) {
        place_ = p;
        position_ = pos;
        elements_ = elements;
        buffer_ = buffer;
    }

private:
    template <class U> friend class LocalTensor;
    machine::Local Element(uint32_t index) const {
        machine::Local p = place_;
        p.addr += bytesOf<T>(index);
        return p;
    }
    machine::Local place_;
    TPosition position_ = TPosition::VECCALC;
    uint32_t elements_ = 0;
    TBufHandle buffer_ = nullptr;
    TTagType tag_ = -1;
    ShapeInfo shape_;
};

template <class T> class GlobalTensor {
public:
    using PrimType = T;
    void SetGlobalBuffer(T *buffer, uint64_t elements) {
        address_ = buffer;
        elements_ = elements;
        begin_ = reinterpret_cast<uint8_t *>(buffer);
        end_ = begin_ + bytesOf64(elements);
    }
    void SetGlobalBuffer(T *buffer) {
        address_ = buffer;
        elements_ = 0;
        begin_ = end_ = nullptr;
    }
    GlobalTensor operator[](uint64_t offset) const {
        GlobalTensor t = *this;
        t.address_ = GetPhyAddr(offset);
        t.elements_ = offset < elements_ ? elements_ - offset : 0;
        return t;
    }
    const T *GetPhyAddr() const { return address_; }
    T *GetPhyAddr(uint64_t offset) const {
        return reinterpret_cast<T *>(reinterpret_cast<uint8_t *>(address_) + bytesOf64(offset));
    }
    T GetValue(uint64_t offset, machine::Site at = machine::Site::here()) const {
        T v;
        machine::loadGlobal((*this)[offset].Place(), &v, sizeof(T), at);
        return v;
    }
    void SetValue(uint64_t offset, T value, machine::Site at = machine::Site::here()) {
        machine::storeGlobal((*this)[offset].Place(), &value, sizeof(T), at);
    }
    uint64_t GetSize() const { return elements_; }
    void SetShapeInfo(const ShapeInfo &s) { shape_ = s; }
    ShapeInfo GetShapeInfo() const { return shape_; }
    template <CacheRwMode = CacheRwMode::RW> void SetL2CacheHint(CacheMode) {}

    machine::Global Place() const { return {reinterpret_cast<uint8_t *>(address_), begin_, end_}; }

private:
    static uint64_t bytesOf64(uint64_t elements) {
        return std::is_same<T, int4b_t>::value ? elements / 2 : elements * sizeof(T);
    }
    T *address_ = nullptr;
    uint8_t *begin_ = nullptr, *end_ = nullptr;
    uint64_t elements_ = 0;
    ShapeInfo shape_;
};

// LocalMemAllocator hands out a memory from its start, in blocks of 32 bytes.
template <Hardware hard = Hardware::UB> class LocalMemAllocator {
public:
    uint32_t GetCurAddr() const { return head_; }
    template <TPosition pos, class T, uint32_t n> LocalTensor<T> Alloc(machine::Site at = machine::Site::here()) {
        return take<T>(pos, n, at);
    }
    template <TPosition pos, class T> LocalTensor<T> Alloc(uint32_t n, machine::Site at = machine::Site::here()) {
        return take<T>(pos, n, at);
    }
    template <class T, uint32_t n> LocalTensor<T> Alloc(machine::Site at = machine::Site::here()) {
        return take<T>(defaultPosition(), n, at);
    }
    template <class T> LocalTensor<T> Alloc(uint32_t n, machine::Site at = machine::Site::here()) {
        return take<T>(defaultPosition(), n, at);
    }

private:
    static constexpr TPosition defaultPosition() {
        switch (hard) {
        case Hardware::L1: return TPosition::A1;
        case Hardware::L0A: return TPosition::A2;
        case Hardware::L0B: return TPosition::B2;
        case Hardware::L0C: return TPosition::CO1;
        case Hardware::BIAS: return TPosition::C2;
        case Hardware::FIXBUF: return TPosition::C2PIPE2GM;
        default: return TPosition::VECCALC;
        }
    }
    template <class T> LocalTensor<T> take(TPosition pos, uint32_t n, machine::Site at) {
        LocalTensor<T> t(pos, head_, n, at);
        head_ = AlignUp(head_ + bytesOf<T>(n), ONE_BLK_SIZE);
        return t;
    }
    uint32_t head_ = 0;
};

} // namespace AscendC
