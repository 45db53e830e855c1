// The fixpipe: L0C to GM and L1, with conversion, quantisation and relu on the way.
#include <cmath>
#include <cstring>
#include "launch.h"
#include "number.h"

namespace machine {

void toGlobal(Exec &x, Region &r, uint8_t *p, const uint8_t *from, uint64_t n, int atomic, DType type);

void setDrainMatrices(uint32_t count, uint32_t src, uint32_t dst) {
    Core &c = core();
    c.drainCount = count, c.drainSrc = src, c.drainDst = dst;
}
void setDrainScale(uint64_t s) { core().drainScale = s; }
void setDrainTable(const Local &l) { core().drainTable = l; }

namespace {

// Quantisation modes, with the numbers of QuantMode_t.
enum Quant { NoQuant = 0, F322F16 = 1, VREQ8 = 8, REQ8 = 9, VDEQF16 = 10, DEQF16 = 11, F322BF16 = 16, VQF322B8 = 23, QF322B8 = 24 };

bool perColumn(int q) { return q == VREQ8 || q == VDEQF16 || q == VQF322B8; }

bool valid(int q, DType d, DType s) {
    bool byte = d == DType::I8 || d == DType::U8;
    switch (q) {
    case NoQuant: return d == s;
    case F322F16: return s == DType::F32 && d == DType::F16;
    case F322BF16: return s == DType::F32 && d == DType::BF16;
    case VDEQF16: case DEQF16: return s == DType::I32 && d == DType::F16;
    case VQF322B8: case QF322B8: return s == DType::F32 && byte;
    case VREQ8: case REQ8: return s == DType::I32 && byte;
    default: return false;
    }
}

// The scale is a float whose low 13 bits do not count, in the low half; a signed offset of 9 bits starts at bit 37.
float scaleOf(uint64_t bits) { return bitsToFloat(uint32_t(bits) & ~0x1fffu); }
int offsetOf(uint64_t bits) {
    int v = int(bits >> 37 & 0x1ff);
    return v > 255 ? v - 512 : v;
}

void convert(uint8_t *to, DType d, const uint8_t *from, DType s, int q, uint64_t scale, bool relu) {
    if (q == NoQuant && s == DType::I32) {
        int32_t v = loadAs<int32_t>(from);
        if (relu) v = std::max(v, 0);
        std::memcpy(to, &v, 4);
        return;
    }
    double v = loadNumber(from, s);
    if (relu && v < 0) v = 0;
    if (q == VDEQF16 || q == DEQF16) v *= scaleOf(scale);
    if (q == VQF322B8 || q == QF322B8 || q == VREQ8 || q == REQ8) {
        v = std::min(255.0, std::max(-256.0, std::nearbyint(v * scaleOf(scale)))) + offsetOf(scale);
        bool isSigned = scale >> 46 & 1;
        v = isSigned ? std::min(127.0, std::max(-128.0, v)) : std::min(255.0, std::max(0.0, v));
        uint8_t b = uint8_t(int(v));
        *to = b;
        return;
    }
    storeNumber(to, d, v);
}

// Elements is the matrix that leaves L0C, converted, rows of n.
struct Elements {
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> undefined; // by element
    bool anyUndefined = false;
    uint32_t origin = 0;
};

bool take(Exec &x, Local src, const Local *scales, const Drain &p, uint32_t matrix, DType dt, DType st, Elements &out) {
    Core &c = x.core;
    uint32_t dsize = sizeOf(dt), strips = (p.n + 15) / 16;
    Local from = src;
    from.addr += matrix * p.srcMatrix * 1024;
    uint64_t extent = (uint64_t(strips - 1) * p.srcStride + p.m) * 64;
    if (!c.check(x, from, extent, 64, "source")) return false;
    std::vector<uint64_t> scale(p.n, p.scale);
    if (perColumn(p.quant)) {
        if (!scales) {
            c.find("type", x.access.site, "a scale for each column needs a tensor of scales");
            return false;
        }
        if (scales->space != L1 && scales->space != FB) {
            c.find("path", x.access.site, "the scales lie in %s, not in L1", spaceName(scales->space));
            return false;
        }
        if (!c.check(x, *scales, p.n * 8, 32, "scales")) return false;
        c.read(x, scales->space, scales->addr, p.n * 8, out.origin);
        std::memcpy(scale.data(), c.at(scales->space, scales->addr), p.n * 8);
    }
    Access plain = x.access;
    x.access.unit = p.unit != 0;
    bool all = true;
    for (uint32_t s = 0; s < strips; s++) all &= c.read(x, L0C, from.addr + s * p.srcStride * 64, p.m * 64, out.origin);
    x.access = plain;
    out.bytes.resize(size_t(p.m) * p.n * dsize);
    out.undefined.assign(size_t(p.m) * p.n, 0);
    for (uint32_t i = 0; i < p.m; i++)
        for (uint32_t j = 0; j < p.n; j++) {
            uint32_t at = from.addr + ((j / 16 * p.srcStride + i) * 16 + j % 16) * 4;
            convert(&out.bytes[(size_t(i) * p.n + j) * dsize], dt, c.at(L0C, at), st, p.quant, scale[j], p.relu);
            if (!all && !c.memory[L0C].shadow.defined(at, 4)) out.undefined[size_t(i) * p.n + j] = out.anyUndefined = true;
        }
    if (p.unit)
        for (uint32_t f = from.addr / 1024; f < (from.addr + extent + 1023) / 1024; f++) {
            if (!c.unitFull[f]) {
                c.find("deadlock", x.access.site, "the unit flag of L0C byte %u is never set: no Mmad with unitFlag 3 has released it", f * 1024);
                break;
            }
            if (p.unit == 3) c.unitFull[f] = false;
        }
    return true;
}

bool sound(Exec &x, Local src, const Drain &p, DType dt, DType st, bool global) {
    Core &c = x.core;
    if (src.space != L0C) return c.find("path", x.access.site, "the fixpipe reads L0C, not %s", spaceName(src.space)), false;
    if (!valid(p.quant, dt, st)) return c.find("type", x.access.site, "quantisation mode %d does not convert between these types", p.quant), false;
    if (p.dstStride == 0) return c.find("limit", x.access.site, "the destination's stride is 0"), false;
    if (p.n > 4095 || p.m > (p.rowMajor ? 8192u : 65535u)) return c.find("limit", x.access.site, "n %u and m %u: at most 4095 and %u", p.n, p.m, p.rowMajor ? 8192 : 65535), false;
    if (!p.rowMajor && p.n % (p.split ? 8 : 16)) return c.find("limit", x.access.site, "n is %u, no multiple of %d as fractals need", p.n, p.split ? 8 : 16), false;
    if (p.split && dt != DType::F32) return c.find("type", x.access.site, "channels are split for float alone"), false;
    if (p.srcStride < p.m) return c.find("limit", x.access.site, "strips of L0C lie %u rows apart, and m is %u", p.srcStride, p.m), false;
    if (p.srcMatrix > 512) return c.find("limit", x.access.site, "srcNdStride is %u, at most 512 is possible", p.srcMatrix), false;
    if (!global && p.rowMajor) return c.find("path", x.access.site, "rows are laid out on the way to GM alone: to L1 take CFG_NZ"), false;
    if (!global && dt == st) return c.find("path", x.access.site, "on the way to L1 the type must narrow"), false;
    return true;
}

// stripWidth is the columns of a strip in NZ form.
uint32_t stripWidth(const Drain &p, DType dt) { return p.split ? 8 : sizeOf(dt) == 1 ? 32 : 16; }

Drain withRegisters(const Core &c, Drain p) {
    if (p.matrices == 0 && p.rowMajor) p.matrices = c.drainCount, p.srcMatrix = c.drainSrc, p.dstMatrix = c.drainDst;
    if (p.matrices == 0) p.matrices = 1;
    if (p.scale == 0) p.scale = c.drainScale;
    return p;
}

} // namespace

void drainGlobal(const char *name, Global dst, Local src, const Local *scales, const Drain &asked, DType dt, DType st, Site at) {
    Core &c = core();
    if (!c.cube || asked.n == 0 || asked.m == 0) return;
    Drain p = withRegisters(c, asked);
    int atomic = c.atomic;
    bool scaled = scales != nullptr || c.drainTable.space == FB;
    Local sl = scales ? *scales : c.drainTable;
    c.issue(FIX, name, at, [=](Exec &x) {
        Core &c = x.core;
        if (!sound(x, src, p, dt, st, true)) return;
        uint32_t size = sizeOf(dt), width = p.rowMajor ? p.n : stripWidth(p, dt);
        for (uint32_t k = 0; k < p.matrices && !c.dry(); k++) {
            Elements e;
            if (!take(x, src, scaled ? &sl : nullptr, p, k, dt, st, e)) return;
            for (uint32_t s = 0; s * width < p.n; s++) {
                uint32_t columns = std::min(width, p.n - s * width);
                Span span;
                span.ptr = dst.ptr + (p.rowMajor ? uint64_t(k) * p.dstMatrix * size : uint64_t(s) * p.dstStride * 32);
                span.rows = p.m;
                span.bytes = columns * size;
                span.pitch = p.rowMajor ? uint64_t(p.dstStride) * size : width * size;
                Region *r = c.launch.gm.within(c, x.access.site, dst, span, true, name);
                if (!r) return;
                GmAccess &log = c.launch.gm.log(x, span, true, atomic);
                bool keep = !atomic && c.launch.gm.keep(c, span.rows * span.bytes);
                for (uint32_t i = 0; i < p.m; i++) {
                    size_t from = size_t(i) * p.n + s * width;
                    toGlobal(x, *r, span.ptr + i * span.pitch, &e.bytes[from * size], span.bytes, atomic, dt);
                    c.launch.gm.define(*r, {span.ptr + i * span.pitch, 1, span.bytes, 0});
                    if (keep) log.data.insert(log.data.end(), &e.bytes[from * size], &e.bytes[from * size] + span.bytes);
                    for (uint32_t j = 0; e.anyUndefined && j < columns; j++) {
                        if (!e.undefined[from + j]) continue;
                        c.launch.gm.undefine(*r, span.ptr + i * span.pitch + j * size, size);
                        if (!r->output) continue;
                        Finding f;
                        c.unwritten(f, e.origin, "reads bytes that were never written, and " + r->name + " gets what depends on them").other = c.place(x.access.site);
                        f.pipe = f.otherPipe = "FIX", f.space = "L0C", f.addr = src.addr;
                        f.bytes = size;
                        c.findings.add(std::move(f));
                    }
                }
            }
        }
        uint64_t moved = uint64_t(p.matrices) * p.m * p.n * size;
        c.counters.bytes["L0C>" + c.launch.gm.label(dst.ptr)] += int64_t(moved);
        x.cycles = double(p.matrices * p.m * p.n * 4) / c.launch.config.rates.l0cOut;
    });
}

void drainLocal(const char *name, Local dst, Local src, const Local *scales, const Drain &asked, DType dt, DType st, Site at) {
    Core &c = core();
    if (!c.cube || asked.n == 0 || asked.m == 0) return;
    Drain p = withRegisters(c, asked);
    bool scaled = scales != nullptr || c.drainTable.space == FB;
    Local sl = scales ? *scales : c.drainTable;
    c.issue(FIX, name, at, [=](Exec &x) {
        Core &c = x.core;
        if (dst.space != L1) return c.find("path", x.access.site, "the fixpipe has no path to %s", spaceName(dst.space));
        if (!sound(x, src, p, dt, st, false)) return;
        x.cycles = double(p.m * p.n * 4) / c.launch.config.rates.l0cOut;
        c.counters.bytes["L0C>L1"] += int64_t(p.m * p.n * sizeOf(dt));
        Elements e;
        if (c.dry() || !take(x, src, scaled ? &sl : nullptr, p, 0, dt, st, e)) return;
        uint32_t size = sizeOf(dt), width = stripWidth(p, dt), strips = (p.n + width - 1) / width;
        if (!c.check(x, dst, uint64_t(strips - 1) * p.dstStride * 32 + uint64_t(p.m) * 32, 32, "destination")) return;
        uint32_t number = ++c.matrices;
        for (uint32_t s = 0; s < strips; s++)
            for (uint32_t i = 0; i < p.m; i++) {
                uint32_t to = dst.addr + s * p.dstStride * 32 + i * 32, columns = std::min(width, p.n - s * width);
                size_t from = size_t(i) * p.n + s * width;
                c.write(x, L1, to, 32);
                std::memset(c.at(L1, to), 0, 32);
                std::memcpy(c.at(L1, to), &e.bytes[from * size], columns * size);
                c.provenance[L1][to / 32] = {number, uint16_t(i), uint16_t(s), uint8_t(size), false};
                for (uint32_t j = 0; e.anyUndefined && j < columns; j++)
                    if (e.undefined[from + j]) c.memory[L1].shadow.undefine(to + j * size, size, e.origin);
            }
    });
}

} // namespace machine
