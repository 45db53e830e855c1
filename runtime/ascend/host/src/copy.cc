// Copies between global memory and a core's memories.
#include <cstring>
#include <mutex>
#include "launch.h"
#include "number.h"

namespace machine {

// limits reports fields that the instruction cannot hold.
static void limits(Exec &x, const Rows &r, uint64_t most) {
    if (r.count > 4095) x.core.find("limit", x.access.site, "%u blocks, a copy has at most 4095", r.count);
    if (r.bytes > most) x.core.find("limit", x.access.site, "blocks of %llu bytes, at most %llu are possible", (unsigned long long)r.bytes, (unsigned long long)most);
}

// fromGlobal reads a row, and reports whether all of it was ever written.
static bool fromGlobal(Exec &x, Region &r, const uint8_t *p, uint64_t n, uint8_t *to) {
    std::memcpy(to, p, n);
    return x.core.launch.gm.defined(r, p, n);
}

void copyIn(const char *name, Local dst, Global src, const Rows &rows, const Pad &pad, DType type, Site at) {
    Core &c = core();
    if (c.memory[dst.space].data.empty() || rows.count == 0 || rows.bytes == 0) return;
    uint64_t fill = pad.value ? pad.fill : c.padValue;
    c.issue(MTE2, name, at, [=](Exec &x) {
        Core &c = x.core;
        limits(x, rows, pad.enabled ? 2097151 : 65535ull * 32);
        if (dst.space != UB && dst.space != L1) return c.find("path", x.access.site, "no path leads from GM to %s", spaceName(dst.space));
        if (pad.left > 32 || pad.right > 32) c.find("limit", x.access.site, "%u and %u bytes of padding, at most 32 are possible", pad.left, pad.right);
        if (pad.enabled && rows.bytes % pad.elem) c.find("alignment", x.access.site, "rows of %llu bytes are no whole elements", (unsigned long long)rows.bytes);
        uint64_t body = pad.left + rows.bytes + pad.right, whole = pad.enabled ? (body + 31) / 32 * 32 : body;
        uint64_t pitch = whole + rows.dstGap;
        if (!c.check(x, dst, (rows.count - 1) * pitch + whole, 32, "destination")) return;
        Span span{src.ptr, rows.count, rows.bytes, rows.bytes + rows.srcGap};
        Region *r = c.launch.gm.within(c, x.access.site, src, span, false, name);
        if (!r) return;
        c.launch.gm.log(x, span, false, 0);
        for (uint32_t i = 0; i < rows.count && !c.dry(); i++) {
            uint32_t to = dst.addr + uint32_t(i * pitch);
            uint8_t *d = c.at(dst.space, to);
            c.write(x, dst.space, to, uint32_t(whole));
            if (dst.space == L1) std::fill_n(c.provenance[L1].begin() + to / 32, (whole + 31) / 32, Fractal());
            bool all = fromGlobal(x, *r, span.ptr + i * span.pitch, rows.bytes, d + pad.left);
            if (!all)
                for (uint32_t b = 0; b < rows.bytes; b++)
                    if (!c.launch.gm.defined(*r, span.ptr + i * span.pitch + b, 1)) c.memory[dst.space].shadow.undefine(to + pad.left + b, 1, x.access.site);
            if (whole == rows.bytes) continue;
            bool filled = pad.value || pad.left || pad.right;
            for (uint64_t b = 0; b < whole; b += pad.elem) {
                if (b == pad.left) b += rows.bytes;
                if (b >= whole) break;
                std::memcpy(d + b, filled ? reinterpret_cast<const uint8_t *>(&fill) : d, pad.elem);
            }
            // Without padding the rest of the last block holds what the hardware happens to put there.
            if (!filled) c.memory[dst.space].shadow.undefine(to + uint32_t(rows.bytes), uint32_t(whole - rows.bytes), x.access.site);
        }
        uint64_t moved = rows.count * rows.bytes;
        c.counters.bytes[c.launch.gm.label(src.ptr) + ">" + spaceName(dst.space)] += int64_t(moved);
        x.cycles = double(moved) / c.launch.config.rates.gmRead;
    });
}

// toGlobal writes a row of a core's memory to GM, with the atomic operation if one is set.
void toGlobal(Exec &x, Region &r, uint8_t *p, const uint8_t *from, uint64_t n, int atomic, DType type) {
    if (atomic == 0) {
        std::memcpy(p, from, n);
        return;
    }
    if (!x.core.launch.gm.defined(r, p, n))
        x.core.find("unwritten", x.access.site, "an atomic operation on bytes of %s that nobody has written", r.name.c_str());
    std::lock_guard<std::mutex> lock(x.core.launch.atomics);
    uint32_t size = sizeOf(type);
    for (uint64_t i = 0; i + size <= n; i += size) {
        double a = loadNumber(p + i, type), b = loadNumber(from + i, type);
        storeNumber(p + i, type, atomic == 1 ? a + b : atomic == 2 ? std::max(a, b) : std::min(a, b));
    }
}

// fillsUp reports that every block of a row has some defined byte: a copy of whole blocks cannot but take the rest of them too.
static bool fillsUp(const Shadow &s, uint32_t addr, uint64_t n) {
    for (uint64_t block = 0; block < n; block += Shadow::kBlock) {
        bool some = false;
        for (uint64_t b = block; b < std::min<uint64_t>(n, block + Shadow::kBlock); b++) some |= s.defined(addr + uint32_t(b), 1);
        if (!some) return false;
    }
    return true;
}

// surfaces handles undefined bytes that a copy brings to GM: in a result they are a fault, in a workspace they stay undefined.
static void surfaces(Exec &x, Region &r, Space space, uint32_t addr, uint64_t n, uint8_t *p, uint32_t origin, bool blocks) {
    Core &c = x.core;
    for (uint64_t b = 0; b < n; b++)
        if (!c.memory[space].shadow.defined(addr + uint32_t(b), 1)) c.launch.gm.undefine(r, p + b, 1);
    if (!r.output || (blocks && fillsUp(c.memory[space].shadow, addr, n))) return;
    Finding f;
    c.unwritten(f, origin, origin == x.access.site ? "brings bytes to " + r.name + " that were never written"
                                                   : "reads bytes that were never written, and " + r.name + " gets what depends on them");
    f.other = c.place(x.access.site);
    f.pipe = f.otherPipe = pipeName(x.pipe);
    f.space = spaceName(space);
    f.addr = addr;
    f.bytes = n;
    c.findings.add(std::move(f));
}

void copyOut(const char *name, Global dst, Local src, const Rows &rows, bool padded, DType type, Site at) {
    Core &c = core();
    if (c.memory[src.space].data.empty() || rows.count == 0 || rows.bytes == 0) return;
    int atomic = c.atomic;
    DType atomicType = c.atomicType;
    c.issue(MTE3, name, at, [=](Exec &x) {
        Core &c = x.core;
        limits(x, rows, padded ? 2097151 : 65535ull * 32);
        if (src.space != UB && src.space != L1) return c.find("path", x.access.site, "no path of DataCopy leads from %s to GM", spaceName(src.space));
        if (padded && rows.bytes % sizeOf(type)) c.find("alignment", x.access.site, "rows of %llu bytes are no whole elements", (unsigned long long)rows.bytes);
        uint64_t pitch = (padded ? (rows.bytes + 31) / 32 * 32 : rows.bytes) + rows.srcGap;
        if (!c.check(x, src, (rows.count - 1) * pitch + rows.bytes, 32, "source")) return;
        Span span{dst.ptr, rows.count, rows.bytes, rows.bytes + rows.dstGap};
        Region *r = c.launch.gm.within(c, x.access.site, dst, span, true, name);
        if (!r) return;
        GmAccess &log = c.launch.gm.log(x, span, true, atomic);
        bool keep = !atomic && c.launch.gm.keep(c, rows.count * rows.bytes);
        for (uint32_t i = 0; i < rows.count && !c.dry(); i++) {
            uint32_t from = src.addr + uint32_t(i * pitch), origin = 0;
            uint8_t *p = span.ptr + i * span.pitch;
            bool all = c.read(x, src.space, from, uint32_t(rows.bytes), origin);
            toGlobal(x, *r, p, c.at(src.space, from), rows.bytes, atomic, atomicType);
            c.launch.gm.define(*r, {p, 1, rows.bytes, 0});
            if (keep) log.data.insert(log.data.end(), c.at(src.space, from), c.at(src.space, from) + rows.bytes);
            if (!all) surfaces(x, *r, src.space, from, rows.bytes, p, origin, !padded);
        }
        uint64_t moved = rows.count * rows.bytes;
        c.counters.bytes[spaceName(src.space) + (">" + c.launch.gm.label(dst.ptr))] += int64_t(moved);
        x.cycles = double(moved) / c.launch.config.rates.gmWrite;
    });
}

void copyLocal(const char *name, Local dst, Local src, const Rows &rows, DType dstType, DType srcType, Site at) {
    Core &c = core();
    if (c.memory[src.space].data.empty() || c.memory[dst.space].data.empty() || rows.count == 0 || rows.bytes == 0) return;
    bool onUB = src.space == UB && dst.space == UB, table = src.space == L1 && (dst.space == BT || dst.space == FB);
    Pipe pipe = onUB ? V : dst.space == FB ? FIX : MTE1;
    c.issue(pipe, name, at, [=](Exec &x) {
        Core &c = x.core;
        if (!onUB && !table) return c.find("path", x.access.site, "no path of DataCopy leads from %s to %s", spaceName(src.space), spaceName(dst.space));
        limits(x, rows, 65535ull * 128);
        // Blocks to the bias table are of 64 bytes as they arrive, those to the fixpipe's tables of 128.
        uint64_t unit = dst.space == BT ? 64 : dst.space == FB ? 128 : 32;
        uint64_t out = rows.bytes / 32 * unit, in = dstType != srcType ? out / 2 : out;
        if (dstType != srcType && !(dst.space == BT && srcType == DType::F16 && dstType == DType::F32))
            return c.find("path", x.access.site, "DataCopy converts half to float on the way to the bias table, and nothing else");
        uint64_t dstPitch = out + rows.dstGap / 32 * unit, srcPitch = in + rows.srcGap;
        if (!c.check(x, dst, (rows.count - 1) * dstPitch + out, dst.space == BT ? 64 : dst.space == FB ? 128 : 32, "destination")) return;
        if (!c.check(x, src, (rows.count - 1) * srcPitch + in, 32, "source")) return;
        for (uint32_t i = 0; i < rows.count && !c.dry(); i++) {
            uint32_t to = dst.addr + uint32_t(i * dstPitch), from = src.addr + uint32_t(i * srcPitch), origin = 0;
            bool all = c.read(x, src.space, from, uint32_t(in), origin);
            std::vector<uint8_t> undefinedAt;
            if (!all)
                for (uint64_t b = 0; b < in; b++) undefinedAt.push_back(!c.memory[src.space].shadow.defined(from + uint32_t(b), 1));
            c.write(x, dst.space, to, uint32_t(out));
            if (in == out)
                std::memmove(c.at(dst.space, to), c.at(src.space, from), out);
            else
                for (uint64_t e = 0; e < out / 4; e++)
                    storeNumber(c.at(dst.space, to) + e * 4, DType::F32, loadNumber(c.at(src.space, from) + e * 2, DType::F16));
            for (uint64_t b = 0; b < undefinedAt.size(); b++)
                if (undefinedAt[b]) c.memory[dst.space].shadow.undefine(to + uint32_t(b * out / in), uint32_t(out / in), origin);
        }
        c.counters.bytes[std::string(spaceName(src.space)) + ">" + spaceName(dst.space)] += int64_t(rows.count * out);
        x.cycles = double(rows.count * out) / (onUB ? c.launch.config.rates.ub : c.launch.config.rates.l1ToTable);
    });
}

void copyNdToNz(Local dst, Global src, const NdNz &p, DType type, Site at) {
    Core &c = core();
    if (c.memory[dst.space].data.empty() || p.count == 0 || p.rows == 0 || p.columns == 0) return;
    c.issue(MTE2, "DataCopy", at, [=](Exec &x) {
        Core &c = x.core;
        if (dst.space != L1) return c.find("path", x.access.site, "ND is brought to NZ on the way to L1 alone, not to %s", spaceName(dst.space));
        uint32_t size = type == DType::I4 ? 1 : sizeOf(type), c0 = 32 / size, strips = (p.columns + c0 - 1) / c0;
        auto limit = [&](const char *field, uint32_t v, uint32_t low, uint32_t high) {
            if (v < low || v > high) c.find("limit", x.access.site, "%s is %u, not within %u to %u", field, v, low, high);
        };
        limit("ndNum", p.count, 0, 4095);
        limit("nValue", p.rows, 0, 16384);
        limit("dstNzC0Stride", p.dstStrip, 1, 16384);
        limit("dstNzNStride", p.dstRow, 1, 16384);
        if (p.rows > 1 || p.count > 1) limit("srcDValue", p.srcRow, 1, 65535);
        uint64_t strip = uint64_t(p.dstStrip) * 32, row = uint64_t(p.dstRow) * 32, matrix = uint64_t(p.dstMatrix) * size;
        uint64_t extent = (p.count - 1) * matrix + (strips - 1) * strip + (p.rows - 1) * row + 32;
        if (!c.check(x, dst, extent, 32, "destination")) return;
        for (uint32_t m = 0; m < p.count; m++) {
            Span span{src.ptr + uint64_t(m) * p.srcMatrix * size, p.rows, uint64_t(p.columns) * size, uint64_t(p.srcRow) * size};
            Region *r = c.launch.gm.within(c, x.access.site, src, span, false, "DataCopy");
            if (!r) return;
            c.launch.gm.log(x, span, false, 0);
            uint32_t number = ++c.matrices;
            for (uint32_t i = 0; i < p.rows && !c.dry(); i++) {
                const uint8_t *from = span.ptr + i * span.pitch;
                for (uint32_t s = 0; s < strips; s++) {
                    uint32_t to = dst.addr + uint32_t(m * matrix + s * strip + i * row), n = std::min(32u, uint32_t(span.bytes) - s * 32);
                    c.write(x, L1, to, 32);
                    uint8_t *d = c.at(L1, to);
                    std::memcpy(d, from + s * 32, n);
                    std::memset(d + n, 0, 32 - n);
                    if (!c.launch.gm.defined(*r, from + s * 32, n)) c.memory[L1].shadow.undefine(to, n, x.access.site);
                    c.provenance[L1][to / 32] = {number, uint16_t(i), uint16_t(s), uint8_t(size), false};
                }
            }
        }
        uint64_t moved = uint64_t(p.count) * p.rows * p.columns * size;
        c.counters.bytes[c.launch.gm.label(src.ptr) + ">L1"] += int64_t(moved);
        x.cycles = double(moved) / c.launch.config.rates.gmRead;
    });
}

} // namespace machine
