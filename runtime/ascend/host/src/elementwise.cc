// Elementwise vector instructions.
#include <cmath>
#include "launch.h"
#include "number.h"
#include "vector.h"

namespace machine {

namespace {

struct F16 {
    uint16_t bits;
    F16() = default;
    F16(float f) : bits(floatToHalf(f)) {}
    operator float() const { return halfToFloat(bits); }
};

// Wide is what an element computes in: half in float, then rounded once.
template <class T> struct WideOf { using type = T; };
template <> struct WideOf<F16> { using type = float; };
template <> struct WideOf<int16_t> { using type = int32_t; };
template <> struct WideOf<uint16_t> { using type = uint32_t; };

template <class T> T largest(T a, T b) { return a > b || a != a ? a : b; }
template <class T> T smallest(T a, T b) { return a < b || a != a ? a : b; }
template <class T> constexpr bool isReal = std::is_same<T, float>::value || std::is_same<T, F16>::value;

// wrapped adds, subtracts and multiplies integers without overflow of the host's signed types.
template <class W, class F> W wrapped(W a, W b, F f) {
    if constexpr (std::is_integral<W>::value)
        return W(f(std::make_unsigned_t<W>(a), std::make_unsigned_t<W>(b)));
    else
        return f(a, b);
}

template <class T, class F> void each(uint8_t *d, const uint8_t *a, const uint8_t *b, uint32_t n, F f) {
    using W = typename WideOf<T>::type;
    for (uint32_t i = 0; i < n; i++) {
        T r = T(f(W(loadAs<T>(a + i * sizeof(T))), W(loadAs<T>(b + i * sizeof(T)))));
        std::memcpy(d + i * sizeof(T), &r, sizeof(T));
    }
}

template <class T> bool binary(Op op, uint8_t *d, const uint8_t *a, const uint8_t *b, uint32_t n) {
    using W = typename WideOf<T>::type;
    switch (op) {
    case Op::Add: each<T>(d, a, b, n, [](W x, W y) { return wrapped(x, y, [](auto p, auto q) { return p + q; }); }); return true;
    case Op::Sub: each<T>(d, a, b, n, [](W x, W y) { return wrapped(x, y, [](auto p, auto q) { return p - q; }); }); return true;
    case Op::Mul: each<T>(d, a, b, n, [](W x, W y) { return wrapped(x, y, [](auto p, auto q) { return p * q; }); }); return true;
    case Op::Max: each<T>(d, a, b, n, [](W x, W y) { return largest(x, y); }); return true;
    case Op::Min: each<T>(d, a, b, n, [](W x, W y) { return smallest(x, y); }); return true;
    case Op::AddRelu: each<T>(d, a, b, n, [](W x, W y) { return largest(wrapped(x, y, [](auto p, auto q) { return p + q; }), W(0)); }); return true;
    case Op::SubRelu: each<T>(d, a, b, n, [](W x, W y) { return largest(wrapped(x, y, [](auto p, auto q) { return p - q; }), W(0)); }); return true;
    default: break;
    }
    if constexpr (isReal<T>)
        if (op == Op::Div) {
            each<T>(d, a, b, n, [](W x, W y) { return x / y; });
            return true;
        }
    if constexpr (std::is_integral<T>::value) {
        if (op == Op::And) return each<T>(d, a, b, n, [](W x, W y) { return x & y; }), true;
        if (op == Op::Or) return each<T>(d, a, b, n, [](W x, W y) { return x | y; }), true;
    }
    return false;
}

// fused computes from the destination too. A narrow source goes into a wide destination in MulAddDst and Axpy.
template <class D, class T> void fused(Op op, uint8_t *d, const uint8_t *a, const uint8_t *b, Scalar s, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        float v = loadAs<D>(d + i * sizeof(D)), x = loadAs<T>(a + i * sizeof(T)), y = b ? float(loadAs<T>(b + i * sizeof(T))) : float(s.as<T>());
        float r = op == Op::MulAddDst || op == Op::Axpy ? x * y + v : x * v + y;
        if (op == Op::FusedMulAddRelu) r = largest(r, 0.0f);
        D out = D(r);
        std::memcpy(d + i * sizeof(D), &out, sizeof out);
    }
}

bool compute(Op op, DType dt, DType st, uint8_t *d, const uint8_t *a, const uint8_t *b, Scalar s, uint32_t n) {
    if (op == Op::MulAddDst || op == Op::FusedMulAdd || op == Op::FusedMulAddRelu || op == Op::Axpy) {
        if (dt == DType::F32 && st == DType::F32) return fused<float, float>(op, d, a, b, s, n), true;
        if (dt == DType::F16 && st == DType::F16) return fused<F16, F16>(op, d, a, b, s, n), true;
        if (dt == DType::F32 && st == DType::F16) return fused<float, F16>(op, d, a, b, s, n), true;
        return false;
    }
    switch (st) {
    case DType::F32: return binary<float>(op, d, a, b, n);
    case DType::F16: return binary<F16>(op, d, a, b, n);
    case DType::I32: return binary<int32_t>(op, d, a, b, n);
    case DType::I16: return binary<int16_t>(op, d, a, b, n);
    case DType::U16: return binary<uint16_t>(op, d, a, b, n);
    default: return false;
    }
}

template <class T, class F> void map(uint8_t *d, const uint8_t *a, uint32_t n, F f) {
    using W = typename WideOf<T>::type;
    for (uint32_t i = 0; i < n; i++) {
        T r = T(f(W(loadAs<T>(a + i * sizeof(T)))));
        std::memcpy(d + i * sizeof(T), &r, sizeof(T));
    }
}

template <class T> bool unary(Op op, uint8_t *d, const uint8_t *a, Scalar scalar, bool round, uint32_t n) {
    using W = typename WideOf<T>::type;
    W s = W(scalar.as<T>());
    if constexpr (isReal<T>) {
        switch (op) {
        case Op::Abs: return map<T>(d, a, n, [](W x) { return std::fabs(x); }), true;
        case Op::Exp: return map<T>(d, a, n, [](W x) { return std::exp(x); }), true;
        case Op::Ln: return map<T>(d, a, n, [](W x) { return std::log(x); }), true;
        case Op::Sqrt: return map<T>(d, a, n, [](W x) { return std::sqrt(x); }), true;
        case Op::Rsqrt: return map<T>(d, a, n, [](W x) { return 1.0f / std::sqrt(x); }), true;
        case Op::Reciprocal: return map<T>(d, a, n, [](W x) { return 1.0f / x; }), true;
        case Op::LeakyRelu: return map<T>(d, a, n, [=](W x) { return x >= 0 ? x : x * s; }), true;
        default: break;
        }
    } else {
        uint32_t amount = uint32_t(s), width = sizeof(T) * 8;
        using U = std::make_unsigned_t<T>;
        switch (op) {
        case Op::Not: return map<T>(d, a, n, [](W x) { return ~x; }), true;
        case Op::ShiftLeft: return map<T>(d, a, n, [=](W x) { return amount >= width ? W(0) : W(T(U(x) << amount)); }), true;
        case Op::ShiftRight:
            return map<T>(d, a, n, [=](W x) {
                if (amount >= width) return std::is_signed<T>::value && x < 0 ? W(-1) : W(0);
                return W((int64_t(x) + (round && amount ? int64_t(1) << (amount - 1) : 0)) >> amount);
            }), true;
        default: break;
        }
    }
    switch (op) {
    case Op::Relu: return map<T>(d, a, n, [](W x) { return largest(x, W(0)); }), true;
    case Op::Adds: return map<T>(d, a, n, [=](W x) { return wrapped(x, s, [](auto p, auto q) { return p + q; }); }), true;
    case Op::Muls: return map<T>(d, a, n, [=](W x) { return wrapped(x, s, [](auto p, auto q) { return p * q; }); }), true;
    case Op::Maxs: return map<T>(d, a, n, [=](W x) { return largest(x, s); }), true;
    case Op::Mins: return map<T>(d, a, n, [=](W x) { return smallest(x, s); }), true;
    default: return false;
    }
}

bool computeUnary(Op op, DType t, uint8_t *d, const uint8_t *a, Scalar s, bool round, uint32_t n) {
    if (op == Op::Copy) return std::memmove(d, a, n * sizeOf(t)), true;
    switch (t) {
    case DType::F32: return unary<float>(op, d, a, s, round, n);
    case DType::F16: return unary<F16>(op, d, a, s, round, n);
    case DType::I32: return unary<int32_t>(op, d, a, s, round, n);
    case DType::U32: return unary<uint32_t>(op, d, a, s, round, n);
    case DType::I16: return unary<int16_t>(op, d, a, s, round, n);
    case DType::U16: return unary<uint16_t>(op, d, a, s, round, n);
    default: return false;
    }
}

double vectorCycles(const std::vector<Run> &all, uint32_t widest, const Mask &m) {
    if (!m.counted) return m.repeat;
    uint64_t lanes = 0;
    for (auto &r : all) lanes += r.lanes;
    return double((lanes * widest + 255) / 256);
}

} // namespace

void vectorBinary(Op op, const char *name, Local dst, Local src0, Local src1, DType dt, DType st, const Lanes &lanes, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t widest = std::max(sizeOf(dt), sizeOf(st));
    Mask mask = resolve(c, lanes, widest);
    bool reads = op == Op::MulAddDst || op == Op::FusedMulAdd || op == Op::FusedMulAddRelu;
    c.issue(V, name, at, [=](Exec &x) {
        Operand ops[] = {{"destination", dst, sizeOf(dt), lanes.dstBlk, lanes.dstRep, true},
                         {"first source", src0, sizeOf(st), lanes.src0Blk, lanes.src0Rep},
                         {"second source", src1, sizeOf(st), lanes.src1Blk, lanes.src1Rep}};
        std::vector<Run> all;
        if (!runs(x, mask, ops, 3, all)) return;
        if (reads) { // the destination is a source too
            uint32_t origin = 0;
            for (auto &r : all) x.core.read(x, UB, r.addr[0], r.lanes * ops[0].elem, origin);
        }
        x.cycles = vectorCycles(all, widest, mask);
        if (x.core.dry()) return;
        access(x, ops, 3, all);
        for (auto &r : all)
            if (!compute(op, dt, st, x.core.at(UB, r.addr[0]), x.core.at(UB, r.addr[1]), x.core.at(UB, r.addr[2]), {}, r.lanes))
                return x.core.find("type", x.access.site, "%s does not take these element types", name);
    });
}

void vectorDuplicate(Local dst, Scalar s, DType type, const Lanes &lanes, Site at) {
    vectorUnary(Op::Duplicate, "Duplicate", dst, {}, s, false, type, type, lanes, at);
}

void vectorUnary(Op op, const char *name, Local dst, Local src, Scalar s, bool round, DType dt, DType st, const Lanes &lanes, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t widest = std::max(sizeOf(dt), sizeOf(st));
    Mask mask = resolve(c, lanes, widest);
    mask.each = op == Op::Copy && mask.counted;
    c.issue(V, name, at, [=](Exec &x) {
        Operand ops[] = {{"destination", dst, sizeOf(dt), lanes.dstBlk, lanes.dstRep, true},
                         {"source", src, sizeOf(st), lanes.src0Blk, lanes.src0Rep}};
        int n = op == Op::Duplicate ? 1 : 2;
        std::vector<Run> all;
        if (!runs(x, mask, ops, n, all)) return;
        if (op == Op::Axpy) {
            uint32_t origin = 0;
            for (auto &r : all) x.core.read(x, UB, r.addr[0], r.lanes * ops[0].elem, origin);
        }
        x.cycles = vectorCycles(all, widest, mask);
        if (x.core.dry()) return;
        access(x, ops, n, all);
        for (auto &r : all) {
            uint8_t *d = x.core.at(UB, r.addr[0]);
            bool fine = true;
            if (op == Op::Duplicate)
                for (uint32_t i = 0; i < r.lanes; i++) std::memcpy(d + i * sizeOf(dt), &s.bits, sizeOf(dt));
            else if (op == Op::Axpy)
                fine = compute(op, dt, st, d, x.core.at(UB, r.addr[1]), nullptr, s, r.lanes);
            else
                fine = computeUnary(op, dt, d, x.core.at(UB, r.addr[1]), s, round, r.lanes);
            if (!fine) return x.core.find("type", x.access.site, "%s does not take these element types", name);
        }
    });
}

} // namespace machine
