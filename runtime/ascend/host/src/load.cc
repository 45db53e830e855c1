// Loads of fractals to L0A and L0B.
#include <cstring>
#include "launch.h"
#include "number.h"

namespace machine {

static constexpr uint32_t kFractal = 512;

static double loadRate(const Core &c, Space to) { return to == L0B ? c.launch.config.rates.l1ToL0B : c.launch.config.rates.l1ToL0A; }

// origin tells what the 16 blocks of a fractal in L1 are, and reports blocks that belong to no one fractal of a matrix.
static Fractal fractalAt(Exec &x, uint32_t addr) {
    Core &c = x.core;
    Fractal first = c.provenance[L1][addr / 32], second = c.provenance[L1][addr / 32 + 1];
    if (first.matrix && second.matrix == first.matrix && second.row == first.row && second.strip == first.strip + 1)
        return {}; // a row that is multiplied as a vector
    for (uint32_t i = 1; i < 16 && first.matrix; i++) {
        const Fractal &f = c.provenance[L1][addr / 32 + i];
        if (f.matrix < first.matrix) continue; // rows beyond the matrix: nobody's, or left there by an earlier one
        if (f.matrix == first.matrix && f.strip == first.strip && f.row == first.row + i) continue;
        c.find("layout", x.access.site, "the fractal at byte %u of L1 is no fractal of a matrix: its row 0 is row %u of strip %u, its row %u is row %u of strip %u%s",
               addr, first.row, first.strip, i, f.row, f.strip, f.matrix == first.matrix ? "" : " of another matrix");
        return {};
    }
    return first;
}

// copyFractal moves 512 bytes, transposed as 16 by 16 elements of 2 bytes if asked.
static void copyFractal(Exec &x, Local dst, uint32_t to, Local src, uint32_t from, bool transpose) {
    Core &c = x.core;
    uint32_t origin = 0;
    bool all = c.read(x, src.space, from, kFractal, origin);
    c.write(x, dst.space, to, kFractal);
    const uint8_t *s = c.at(src.space, from);
    uint8_t *d = c.at(dst.space, to);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t o = transpose ? i % 16 * 16 + i / 16 : i;
        std::memcpy(d + i * 2, s + o * 2, 2);
        if (!all && !c.memory[src.space].shadow.defined(from + o * 2, 2)) c.memory[dst.space].shadow.undefine(to + i * 2, 2, origin);
    }
}

void loadFractals(Local dst, Local src, Global gm, bool global, const Load2D &p, DType type, Site at) {
    Core &c = core();
    if (c.memory[dst.space].data.empty() || p.repeat == 0) return;
    c.issue(global ? MTE2 : MTE1, "LoadData", at, [=](Exec &x) {
        Core &c = x.core;
        bool path = dst.space == L0A || dst.space == L0B || (global && dst.space == L1);
        if (!path || (!global && src.space != L1))
            return c.find("path", x.access.site, "LoadData has no path from %s to %s", global ? "GM" : spaceName(src.space), spaceName(dst.space));
        uint64_t extent = uint64_t(p.repeat - 1) * (p.dstGap + 1) * kFractal + kFractal;
        if (!c.check(x, dst, extent, dst.space == L1 ? 32 : kFractal, "destination")) return;
        Span span{gm.ptr + uint64_t(p.start) * kFractal, p.repeat, kFractal, uint64_t(p.srcStride) * kFractal};
        Local from = src;
        from.addr += p.start * kFractal;
        Region *r = nullptr;
        if (global) {
            if (!(r = c.launch.gm.within(c, x.access.site, gm, span, false, "LoadData"))) return;
            c.launch.gm.log(x, span, false, 0);
        } else if (!c.check(x, from, uint64_t(p.repeat - 1) * p.srcStride * kFractal + kFractal, 32, "source")) {
            return;
        }
        for (uint32_t i = 0; i < p.repeat && !c.dry(); i++) {
            uint32_t to = dst.addr + i * (p.dstGap + 1) * kFractal;
            Fractal f;
            if (global) {
                c.write(x, dst.space, to, kFractal);
                std::memcpy(c.at(dst.space, to), span.ptr + i * span.pitch, kFractal);
                if (!c.launch.gm.defined(*r, span.ptr + i * span.pitch, kFractal)) c.memory[dst.space].shadow.undefine(to, kFractal, x.access.site);
            } else {
                f = fractalAt(x, from.addr + i * p.srcStride * kFractal);
                copyFractal(x, dst, to, src, from.addr + i * p.srcStride * kFractal, p.transpose);
            }
            f.elem = uint8_t(type == DType::I4 ? 1 : sizeOf(type));
            f.transposed = p.transpose;
            if (dst.space == L1) std::fill_n(c.provenance[L1].begin() + to / 32, 16, Fractal());
            else c.provenance[dst.space][to / kFractal] = f;
        }
        uint64_t moved = uint64_t(p.repeat) * kFractal;
        c.counters.bytes[std::string(global ? "GM>" : "L1>") + spaceName(dst.space)] += int64_t(moved);
        x.cycles = double(moved) / (global ? c.launch.config.rates.gmRead : loadRate(c, dst.space));
    });
}

// Square blocks: 16 by 16 of 2 bytes are one fractal, 32 by 32 of one byte two below one another, 16 by 16 of 4 bytes two side by side.
void loadTransposed(Local dst, Local src, uint32_t start, uint32_t repeat, uint32_t srcStride, uint32_t dstGap, uint32_t dstFracGap,
                    DType type, Site at) {
    Core &c = core();
    if (c.memory[dst.space].data.empty() || repeat == 0) return;
    c.issue(MTE1, "LoadDataWithTranspose", at, [=](Exec &x) {
        Core &c = x.core;
        uint32_t size = sizeOf(type);
        if ((dst.space != L0A && dst.space != L0B) || src.space != L1)
            return c.find("path", x.access.site, "LoadDataWithTranspose has no path from %s to %s", spaceName(src.space), spaceName(dst.space));
        if (size > 4) return c.find("type", x.access.site, "LoadDataWithTranspose does not take this type here");
        bool nibbles = type == DType::I4;
        uint32_t fractals = nibbles ? 4 : size == 2 ? 1 : 2, side = nibbles ? 64 : size == 1 ? 32 : 16, block = kFractal * fractals, c0 = nibbles ? 64 : 32 / size;
        Local from = src;
        from.addr += start * block;
        if (!c.check(x, from, uint64_t(repeat - 1) * srcStride * block + block, 32, "source")) return;
        uint64_t extent = (uint64_t(repeat - 1) * (dstGap + 1) + (fractals - 1) * (dstFracGap + 1) + 1) * kFractal;
        if (!c.check(x, dst, extent, kFractal, "destination")) return;
        for (uint32_t i = 0; i < repeat && !c.dry(); i++) {
            uint32_t s = from.addr + i * srcStride * block, origin = 0;
            bool all = c.read(x, L1, s, block, origin);
            // place gives the byte of an element of a square block that is laid out in fractals.
            auto place = [&](uint32_t row, uint32_t col, uint32_t &fractal) {
                fractal = size == 1 ? row / 16 : col / c0;
                return nibbles ? (row % 16 * c0 + col) / 2 : (row % 16 * c0 + col % c0) * size;
            };
            for (uint32_t f = 0; f < fractals; f++) {
                uint32_t to = dst.addr + (i * (dstGap + 1) + f * (dstFracGap + 1)) * kFractal;
                c.write(x, dst.space, to, kFractal);
                Fractal p = c.provenance[L1][s / 32];
                p.elem = uint8_t(size);
                p.transposed = true;
                p.matrix = fractals == 1 ? p.matrix : 0; // several fractals mix in one
                c.provenance[dst.space][to / kFractal] = p;
            }
            for (uint32_t row = 0; row < side; row++)
                for (uint32_t col = 0; col < side; col++) {
                    uint32_t df, sf, db = place(col, row, df), sb = place(row, col, sf);
                    uint32_t to = dst.addr + (i * (dstGap + 1) + df * (dstFracGap + 1)) * kFractal + db;
                    uint8_t *d = c.at(dst.space, to), *from = c.at(L1, s + sf * kFractal + sb);
                    if (nibbles) {
                        uint8_t v = uint8_t(*from >> col % 2 * 4 & 15), high = uint8_t(row % 2 * 4);
                        *d = uint8_t((*d & ~(15 << high)) | v << high);
                    } else {
                        std::memcpy(d, from, size);
                    }
                    if (!all && !c.memory[L1].shadow.defined(s + sf * kFractal + sb, size)) c.memory[dst.space].shadow.undefine(to, size, origin);
                }
        }
        uint64_t moved = uint64_t(repeat) * block;
        c.counters.bytes[std::string("L1>") + spaceName(dst.space)] += int64_t(moved);
        x.cycles = double(moved) / loadRate(c, dst.space);
    });
}

// The image in L1 is [channels/C0][height][width][C0]; its columns run over (channel block, filter row, filter column, C0).
void loadImage(Local dst, Local src, const Load3D &p, DType type, Site at) {
    Core &c = core();
    if (c.memory[dst.space].data.empty()) return;
    c.issue(MTE1, "LoadData", at, [=](Exec &x) {
        Core &c = x.core;
        bool nibbles = type == DType::I4;
        uint32_t size = sizeOf(type), c0 = nibbles ? 64 : 32 / size;
        if ((dst.space != L0A && dst.space != L0B) || src.space != L1)
            return c.find("path", x.access.site, "LoadData of an image has no path from %s to %s", spaceName(src.space), spaceName(dst.space));
        bool transpose = dst.space == L0B || p.transpose;
        if (transpose && size == 1) return c.find("type", x.access.site, "LoadData of an image transposes types of 2 and 4 bytes alone");
        if (p.kStart % c0 || p.kExtent % c0 || p.mStart % 16 || p.mExtent % 16)
            return c.find("alignment", x.access.site, "the extents and starts of LoadData (m %u from %u, k %u from %u) are not multiples of 16 and %u",
                          p.mExtent, p.mStart, p.kExtent, p.kStart, c0);
        int spanW = int(p.dilationW) * (int(p.filterW) - 1) + 1, spanH = int(p.dilationH) * (int(p.filterH) - 1) + 1;
        int outW = (int(p.width + p.pad[0] + p.pad[1]) - spanW) / int(p.strideW) + 1, outH = (int(p.height + p.pad[2] + p.pad[3]) - spanH) / int(p.strideH) + 1;
        if (outW <= 0 || outH <= 0) return c.find("limit", x.access.site, "the filter is larger than the image");
        uint64_t bytes = uint64_t(p.mExtent) * p.kExtent / c0 * 32;
        if (!c.check(x, dst, bytes, kFractal, "destination")) return;
        uint32_t kBlocks = p.kExtent / c0, origin = 0;
        c.write(x, dst.space, dst.addr, uint32_t(bytes));
        std::fill_n(c.provenance[dst.space].begin() + dst.addr / kFractal, bytes / kFractal, Fractal{0, 0, 0, uint8_t(size), transpose});
        for (uint32_t m = 0; m < p.mExtent && !c.dry(); m++)
            for (uint32_t kb = 0; kb < kBlocks; kb++) {
                uint32_t column = p.kStart / c0 + kb, row = p.mStart + m;
                uint32_t fw = column % p.filterW, fh = column / p.filterW % p.filterH, c1 = column / p.filterW / p.filterH;
                int h = int(row) / outW * int(p.strideH) + int(fh * p.dilationH) - int(p.pad[2]);
                int w = int(row) % outW * int(p.strideW) + int(fw * p.dilationW) - int(p.pad[0]);
                uint8_t block[32];
                bool known[32];
                std::memset(known, 1, sizeof known);
                if (h < 0 || w < 0 || h >= int(p.height) || w >= int(p.width) || int(row) >= outW * outH) {
                    for (uint32_t b = 0; b < 32; b += size) std::memcpy(block + b, &p.padBits, size);
                } else {
                    Local from = src;
                    from.addr += ((c1 * p.height + uint32_t(h)) * p.width + uint32_t(w)) * 32;
                    if (!c.check(x, from, 32, 32, "source")) return;
                    bool all = c.read(x, L1, from.addr, 32, origin);
                    std::memcpy(block, c.at(L1, from.addr), 32);
                    for (int b = 0; b < 32; b++) known[b] = all || c.memory[L1].shadow.defined(from.addr + uint32_t(b), 1);
                }
                if (!transpose) { // [m/16][k/C0][16][C0]
                    uint32_t to = dst.addr + ((m / 16 * kBlocks + kb) * 16 + m % 16) * 32;
                    std::memcpy(c.at(dst.space, to), block, 32);
                    for (uint32_t b = 0; b < 32; b++)
                        if (!known[b]) c.memory[dst.space].shadow.undefine(to + b, 1, origin);
                    continue;
                }
                for (uint32_t e = 0; e < c0; e++) {
                    uint32_t k = kb * c0 + e, at;
                    if (dst.space == L0A) at = ((k / 16 * (p.mExtent / c0) + m / c0) * 16 + k % 16) * c0 + m % c0; // of the transpose
                    else at = ((m / c0 * ((p.kExtent + 15) / 16) + k / 16) * 16 + k % 16) * c0 + m % c0; // [m/C0][k/16][16][C0]
                    uint32_t to = dst.addr + at * size;
                    std::memcpy(c.at(dst.space, to), block + e * size, size);
                    if (!known[e * size]) c.memory[dst.space].shadow.undefine(to, size, origin);
                }
            }
        c.counters.bytes[std::string("L1>") + spaceName(dst.space)] += int64_t(bytes);
        x.cycles = double(bytes) / loadRate(c, dst.space);
    });
}

void fillLocal(Local dst, uint32_t repeat, uint32_t blocks, uint32_t gap, uint64_t bits, DType type, Site at) {
    Core &c = core();
    if (c.memory[dst.space].data.empty()) return;
    c.issue(dst.space == L1 ? MTE2 : MTE1, "Fill", at, [=](Exec &x) {
        Core &c = x.core;
        uint32_t unit = dst.space == L1 ? 32 : kFractal, size = sizeOf(type), run = blocks * unit, pitch = (blocks + gap) * unit;
        if (dst.space == UB || dst.space == L0C) return c.find("path", x.access.site, "Fill does not reach %s", spaceName(dst.space));
        if (repeat == 0 || blocks == 0) return;
        if (!c.check(x, dst, uint64_t(repeat - 1) * pitch + run, unit, "destination")) return;
        for (uint32_t r = 0; r < repeat; r++) {
            uint32_t to = dst.addr + r * pitch;
            c.write(x, dst.space, to, run);
            for (uint32_t b = 0; b < run; b += size) std::memcpy(c.at(dst.space, to + b), &bits, size);
            auto &known = c.provenance[dst.space];
            uint32_t grain = dst.space == L1 ? 32 : kFractal;
            std::fill_n(known.begin() + to / grain, run / grain, Fractal()); // a pattern of bits has no type
        }
        x.cycles = double(repeat * run) / loadRate(c, dst.space);
    });
}

} // namespace machine
