// Conversions between element types.
#include <cmath>
#include "launch.h"
#include "number.h"
#include "vector.h"

namespace machine {

namespace {

enum Round { None, Rint, Floor, Ceil, Away, Trunc, Odd };
const char *roundNames[] = {"CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};

// allowed tells the round modes of a conversion (Ascend C API, Cast).
bool allowed(DType d, DType s, int mode) {
    if (mode < None || mode > Odd) return false;
    bool widens = (s == DType::F16 && d == DType::F32) || (s == DType::BF16 && d == DType::F32) || (s == DType::I16 && d == DType::F32) ||
                  ((s == DType::I8 || s == DType::U8 || s == DType::I4) && d == DType::F16) || (s == DType::I32 && (d == DType::I16 || d == DType::I64)) ||
                  (s == DType::I64 && d == DType::I32);
    if (widens) return mode == None;
    if (s == DType::F32 && d == DType::F16) return true;
    if (s == DType::I32 && d == DType::F16) return true;
    bool orNone = (s == DType::F16 && (d == DType::I8 || d == DType::U8 || d == DType::I4)) || (s == DType::I16 && d == DType::F16) ||
                  (s == DType::I32 && d == DType::F32);
    return mode != Odd && (mode != None || orNone);
}

double integral(double v, int mode) {
    switch (mode) {
    case Floor: return std::floor(v);
    case Ceil: return std::ceil(v);
    case Away: return std::round(v);
    case Trunc: return std::trunc(v);
    default: return std::nearbyint(v);
    }
}

// narrowed rounds to a float type with the given number of mantissa bits, smallest exponent and largest value.
double narrowed(double v, int mode, int mantissa, int minExp, double most) {
    if (!std::isfinite(v) || v == 0) return v;
    int e;
    std::frexp(v, &e);
    int scale = std::max(e - 1, minExp) - mantissa;
    double x = std::ldexp(v, -scale), r = integral(x, mode);
    if (mode == Odd) {
        r = std::trunc(x);
        if (r != x && std::fmod(std::fabs(r), 2) == 0) r += v < 0 ? -1 : 1;
    }
    r = std::ldexp(r, scale);
    if (std::fabs(r) > most) {
        bool toward = mode == Trunc || mode == Odd || (mode == Floor && v > 0) || (mode == Ceil && v < 0);
        return std::copysign(toward ? most : INFINITY, v);
    }
    return r;
}

double load(const uint8_t *p, DType t, uint32_t lane) {
    if (t != DType::I4) return loadNumber(p + lane * sizeOf(t), t);
    int nibble = p[lane / 2] >> (lane % 2 * 4) & 15;
    return nibble > 7 ? nibble - 16 : nibble;
}

void store(uint8_t *p, DType t, uint32_t lane, double v, int mode) {
    switch (t) {
    case DType::F16: return storeNumber(p + lane * 2, t, narrowed(v, mode, 10, -14, 65504));
    case DType::BF16: return storeNumber(p + lane * 2, t, narrowed(v, mode, 7, -126, 3.3895313892515355e38));
    case DType::F32: return storeNumber(p + lane * 4, t, v);
    case DType::I4: {
        double r = std::isnan(v) ? 0 : std::min(7.0, std::max(-8.0, integral(v, mode)));
        uint8_t &b = p[lane / 2];
        b = uint8_t(lane % 2 ? (b & 0x0f) | (int(r) & 15) << 4 : (b & 0xf0) | (int(r) & 15));
        return;
    }
    default: return storeNumber(p + lane * sizeOf(t), t, integral(v, mode));
    }
}

} // namespace

void setDeqScale(float s) { core().deqScale = s; }

void vectorCast(Local dst, Local src, int mode, DType dt, DType st, const Lanes &asked, Site at) {
    Core &c = core();
    if (c.cube) return;
    Lanes lanes = asked;
    bool nibbles = dt == DType::I4 || st == DType::I4;
    // Pairs of nibbles go with pairs of halves: elements of 1 and of 4 bytes.
    auto size = [=](DType t) { return !nibbles ? sizeOf(t) : t == DType::I4 ? 1u : 4u; };
    if (nibbles && lanes.mode != Lanes::Bits) lanes.low = (lanes.low + 1) / 2;
    uint32_t widest = std::max(size(dt), size(st));
    Mask mask = resolve(c, lanes, widest);
    float scale = c.deqScale;
    c.issue(V, "Cast", at, [=](Exec &x) {
        if (!allowed(dt, st, mode))
            return x.core.find("type", x.access.site, "Cast does not take %s between these types", mode < 0 || mode > Odd ? "this mode" : roundNames[mode]);
        if (nibbles && asked.mode != Lanes::Count && asked.mode != Lanes::Prefix)
            return x.core.find("type", x.access.site, "Cast of int4b_t takes a count or a number of lanes here");
        Operand ops[] = {{"destination", dst, size(dt), lanes.dstBlk, lanes.dstRep, true}, {"source", src, size(st), lanes.src0Blk, lanes.src0Rep}};
        std::vector<Run> all;
        if (!runs(x, mask, ops, 2, all)) return;
        access(x, ops, 2, all);
        uint64_t total = 0;
        std::vector<uint8_t> from;
        for (auto &r : all) {
            uint32_t n = r.lanes * (nibbles ? 2 : 1);
            const uint8_t *p = x.core.at(UB, r.addr[1]);
            from.assign(p, p + r.lanes * ops[1].elem); // in place, a wider result would run into what is still to be read
            uint8_t *d = x.core.at(UB, r.addr[0]);
            for (uint32_t i = 0; i < n; i++) {
                if (dt == DType::I64 || st == DType::I64) {
                    int64_t v = st == DType::I64 ? loadAs<int64_t>(&from[i * 8]) : st == DType::I32 ? loadAs<int32_t>(&from[i * 4])
                                : saturated<int64_t>(integral(loadAs<float>(&from[i * 4]), mode));
                    if (dt == DType::I64) std::memcpy(d + i * 8, &v, 8);
                    else if (dt == DType::F32) storeNumber(d + i * 4, dt, narrowed(double(v), mode, 23, -126, 3.4028234663852886e38));
                    else storeNumber(d + i * 4, dt, double(v));
                    continue;
                }
                double v = load(from.data(), st, i);
                if (st == DType::I32 && dt == DType::F16) v *= scale;
                if (st == DType::I32 && dt == DType::F32) v = narrowed(v, mode, 23, -126, 3.4028234663852886e38);
                if (st == DType::F32 && dt == DType::F32) v = integral(v, mode);
                store(d, dt, i, v, mode);
            }
            total += r.lanes;
        }
        x.cycles = double((total * widest + 255) / 256);
    });
}

} // namespace machine
