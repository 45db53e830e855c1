// Element types that a host compiler lacks: half, bfloat16_t and int4b_t.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace machine {

inline float bitsToFloat(uint32_t b) {
    float f;
    std::memcpy(&f, &b, 4);
    return f;
}
inline uint32_t floatToBits(float f) {
    uint32_t b;
    std::memcpy(&b, &f, 4);
    return b;
}

// halfToFloat is exact.
inline float halfToFloat(uint16_t h) {
    uint32_t sign = uint32_t(h & 0x8000) << 16, exp = (h >> 10) & 31, man = h & 1023;
    if (exp == 31) return bitsToFloat(sign | 0x7f800000 | man << 13);
    if (exp != 0) return bitsToFloat(sign | (exp + 112) << 23 | man << 13);
    float f = float(man) * (1.0f / 16777216.0f);
    return sign ? -f : f;
}

// floatToHalf rounds to nearest, ties to even; beyond the largest half is infinity.
inline uint16_t floatToHalf(float f) {
    uint32_t b = floatToBits(f), sign = (b >> 16) & 0x8000, a = b & 0x7fffffff;
    if (a > 0x7f800000) return uint16_t(sign | 0x7e00);
    if (a >= 0x477ff000) return uint16_t(sign | 0x7c00);
    if (a >= 0x38800000) return uint16_t(sign | ((a + 0xfff + ((a >> 13) & 1) - 0x38000000) >> 13));
    // Below the smallest normal half: adding 0.5 leaves the mantissa of the subnormal in the low bits, rounded.
    return uint16_t(sign | (floatToBits(bitsToFloat(a) + 0.5f) - 0x3f000000));
}

inline uint16_t floatToBf16(float f) {
    uint32_t b = floatToBits(f);
    if ((b & 0x7fffffff) > 0x7f800000) return uint16_t((b >> 16) | 0x40);
    return uint16_t((b + 0x7fff + ((b >> 16) & 1)) >> 16);
}
inline float bf16ToFloat(uint16_t b) { return bitsToFloat(uint32_t(b) << 16); }

} // namespace machine

// half computes as the scalar unit does: in float, rounded once. Integers of 64 bits are ambiguous, as among the public constructors.
struct half {
    uint16_t bits;
    half() = default;
    template <class T, class = std::enable_if_t<std::is_floating_point<T>::value || (std::is_integral<T>::value && sizeof(T) <= 4)>>
    half(T v) : bits(machine::floatToHalf(float(v))) {}
    operator float() const { return machine::halfToFloat(bits); }
    half &operator+=(float v) { return *this = half(float(*this) + v); }
    half &operator-=(float v) { return *this = half(float(*this) - v); }
    half &operator*=(float v) { return *this = half(float(*this) * v); }
    half &operator/=(float v) { return *this = half(float(*this) / v); }
    half operator-() const {
        half h;
        h.bits = uint16_t(bits ^ 0x8000);
        return h;
    }
};

// bfloat16_t has no arithmetic on this architecture.
struct bfloat16_t {
    uint16_t bits;
    bfloat16_t() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
    bfloat16_t(T v) : bits(machine::floatToBf16(float(v))) {}
    explicit operator float() const { return machine::bf16ToFloat(bits); }
};

namespace AscendC {
// int4b_t is a pair of nibbles in memory; tensors of it count nibbles.
struct int4b_t {
    uint8_t bits;
    int4b_t() = default;
    int4b_t(int v) : bits(uint8_t(v & 15)) {}
};

inline float ToFloat(const bfloat16_t &v) { return machine::bf16ToFloat(v.bits); }
inline bfloat16_t ToBfloat16(const float &v) { return bfloat16_t(v); }
inline float Cast(const bfloat16_t &v) { return ToFloat(v); }
} // namespace AscendC
using AscendC::int4b_t;
