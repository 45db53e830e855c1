// Gathers, broadcasts, index vectors and transpositions.
#include "launch.h"
#include "number.h"
#include "vector.h"

namespace machine {

void vectorGather(Local dst, Local src, Local offsets, uint32_t base, DType type, const Lanes &lanes, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t size = sizeOf(type);
    Mask mask = resolve(c, lanes, size);
    c.issue(V, "Gather", at, [=](Exec &x) {
        Core &c = x.core;
        uint32_t perRepeat = 256 / size;
        Operand op{"destination", dst, size, 1, lanes.dstRep, true};
        std::vector<Run> all;
        if (!runs(x, mask, &op, 1, all)) return;
        if (!c.check(x, src, size, 32, "source")) return;
        Undefined undefined;
        uint64_t total = 0;
        for (auto &r : all) {
            Local o = offsets;
            o.addr += r.index * 4;
            if (!c.check(x, o, r.lanes * 4, 4, "offsets") || offsets.addr % 32) {
                if (offsets.addr % 32) c.find("alignment", x.access.site, "the offsets start at byte %u of UB, no multiple of 32", offsets.addr);
                return;
            }
            uint32_t origin = 0;
            bool known = c.read(x, UB, o.addr, r.lanes * 4, origin);
            std::vector<uint8_t> values(r.lanes * size);
            for (uint32_t k = 0; k < r.lanes; k++) {
                bool defined = known || c.memory[UB].shadow.defined(o.addr + k * 4, 4);
                uint32_t off = loadAs<uint32_t>(c.at(UB, o.addr + k * 4)) + base;
                if (defined) {
                    if (off % size) return c.find("alignment", x.access.site, "offset %u is no multiple of the element's %u bytes", off, size);
                    Local from = src;
                    from.addr += off;
                    if (from.addr < src.addr || !c.check(x, from, size, 0, "gathered element")) return;
                    defined = c.read(x, UB, from.addr, size, origin);
                    std::memcpy(&values[k * size], c.at(UB, from.addr), size);
                }
                if (!defined) undefined.bytes.push_back({r.addr[0] + k * size, size}), undefined.origin = origin;
            }
            c.write(x, UB, r.addr[0], r.lanes * size);
            std::memcpy(c.at(UB, r.addr[0]), values.data(), values.size());
            total += r.lanes;
        }
        undefined.apply(c);
        x.cycles = double(total * 8 / perRepeat + 1) * 4; // assumed: 16 elements a cycle
    });
}

void vectorGatherBlocks(Local dst, Local src, Local offsets, uint32_t repeat, uint32_t dstBlk, uint32_t dstRep, Site at) {
    core().issue(V, "Gatherb", at, [=](Exec &x) {
        Core &c = x.core;
        if (!c.check(x, offsets, repeat * 32, 32, "offsets")) return;
        uint32_t origin = 0;
        c.read(x, UB, offsets.addr, repeat * 32, origin);
        for (uint32_t i = 0; i < repeat * 8; i++) {
            uint32_t off = loadAs<uint32_t>(c.at(UB, offsets.addr + i * 4));
            Local from = src, to = dst;
            from.addr += off;
            to.addr += (i / 8 * dstRep + i % 8 * dstBlk) * 32;
            if (!c.check(x, from, 32, 32, "gathered block") || !c.check(x, to, 32, 32, "destination")) return;
            bool known = c.read(x, UB, from.addr, 32, origin);
            c.write(x, UB, to.addr, 32);
            std::memmove(c.at(UB, to.addr), c.at(UB, from.addr), 32);
            if (!known) c.memory[UB].shadow.undefine(to.addr, 32, origin);
        }
        x.cycles = repeat;
    });
}

static bool picked(uint8_t pattern, uint32_t i) {
    switch (pattern) {
    case 1: return i % 2 == 0;
    case 2: return i % 2 == 1;
    case 7: return true;
    default: return i % 4 == uint32_t(pattern - 3);
    }
}

uint64_t vectorGatherMask(Local dst, Local src, Local bits, const MaskedGather &g, DType type, Site at) {
    uint64_t kept = 0;
    Core &c = core();
    if (c.cube) return 0;
    setMaskMode(false);
    setMask(~0ull, ~0ull);
    c.needIdle(c.intern({at.file, at.line, "GatherMask"}), V); // the count is read back by the scalar unit
    c.issue(V, "GatherMask", at, [&, g](Exec &x) {
        uint32_t size = sizeOf(type), lanes = 256 / size, each = g.counted ? g.count : lanes, perBlock = 32 / size, origin = 0;
        std::vector<uint8_t> out;
        Undefined undefined;
        for (uint32_t r = 0; r < g.repeat; r++) {
            Local b = bits;
            b.addr += r * g.rep1 * 32;
            if (g.pattern == 0) {
                if (!c.check(x, b, (each + 7) / 8, size, "mask")) return;
                c.read(x, UB, b.addr, (each + 7) / 8, origin);
            }
            for (uint32_t i = 0; i < each; i++) {
                bool take = g.pattern ? picked(g.pattern, i) : c.at(UB, b.addr)[i / 8] >> i % 8 & 1;
                if (!take) continue;
                Local from = src;
                from.addr += (r * g.rep0 + i / perBlock * g.blk) * 32 + i % perBlock * size;
                if (!c.check(x, from, size, 0, "source")) return;
                if (!c.read(x, UB, from.addr, size, origin)) undefined.bytes.push_back({dst.addr + uint32_t(out.size()), size}), undefined.origin = origin;
                out.insert(out.end(), c.at(UB, from.addr), c.at(UB, from.addr) + size);
            }
        }
        kept = out.size() / size;
        x.cycles = g.repeat * ((each * size + 255) / 256);
        if (out.empty() || !c.check(x, dst, out.size(), 32, "destination")) return;
        c.write(x, UB, dst.addr, uint32_t(out.size()));
        std::memcpy(c.at(UB, dst.addr), out.data(), out.size());
        undefined.apply(c);
    });
    return kept;
}

void vectorBlockBroadcast(Local dst, Local src, uint32_t repeat, uint32_t dstBlk, uint32_t dstRep, DType type, Site at) {
    core().issue(V, "Brcb", at, [=](Exec &x) {
        Core &c = x.core;
        uint32_t size = sizeOf(type), origin = 0;
        if (repeat == 0 || !c.check(x, src, repeat * 8 * size, 32, "source")) return;
        if (!c.check(x, dst, ((repeat - 1) * dstRep + 7 * dstBlk + 1) * 32, 32, "destination")) return;
        c.read(x, UB, src.addr, repeat * 8 * size, origin);
        for (uint32_t i = 0; i < repeat * 8; i++) {
            uint32_t to = dst.addr + (i / 8 * dstRep + i % 8 * dstBlk) * 32, from = src.addr + i * size;
            bool known = c.memory[UB].shadow.defined(from, size);
            uint8_t value[8];
            std::memcpy(value, c.at(UB, from), size);
            c.write(x, UB, to, 32);
            for (uint32_t b = 0; b < 32; b += size) std::memcpy(c.at(UB, to + b), value, size);
            if (!known) c.memory[UB].shadow.undefine(to, 32, origin);
        }
        x.cycles = repeat;
    });
}

void vectorIndex(Local dst, Scalar first, DType type, const Lanes &lanes, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t size = sizeOf(type);
    Mask mask = resolve(c, lanes, size);
    c.issue(V, "CreateVecIndex", at, [=](Exec &x) {
        Operand op{"destination", dst, size, lanes.dstBlk, lanes.dstRep, true};
        std::vector<Run> all;
        if (!runs(x, mask, &op, 1, all)) return;
        access(x, &op, 1, all);
        double start = loadNumber(&first.bits, type);
        for (auto &r : all)
            for (uint32_t k = 0; k < r.lanes; k++) storeNumber(x.core.at(UB, r.addr[0] + k * size), type, start + r.index + k);
        x.cycles = double(all.size());
    });
}

void vectorPermute(Local dst, Local src, uint32_t outer, uint32_t rows, uint32_t columns, DType type, Site at) {
    core().issue(V, "Transpose", at, [=](Exec &x) {
        Core &c = x.core;
        uint32_t size = sizeOf(type), n = outer * rows * columns, origin = 0;
        if (n == 0 || !c.check(x, src, n * size, 32, "source") || !c.check(x, dst, n * size, 32, "destination")) return;
        bool known = c.read(x, UB, src.addr, n * size, origin);
        std::vector<uint8_t> in(c.at(UB, src.addr), c.at(UB, src.addr) + n * size);
        c.write(x, UB, dst.addr, n * size);
        for (uint32_t o = 0; o < outer; o++)
            for (uint32_t r = 0; r < rows; r++)
                for (uint32_t k = 0; k < columns; k++)
                    std::memcpy(c.at(UB, dst.addr + ((o * columns + k) * rows + r) * size), &in[((o * rows + r) * columns + k) * size], size);
        if (!known) c.memory[UB].shadow.undefine(dst.addr, n * size, origin);
        x.cycles = double(n * size / 128 + 1);
    });
}

void vectorTranspose16(Local dst, Local src, DType, Site at) {
    core().issue(V, "Transpose", at, [=](Exec &x) {
        Core &c = x.core;
        if (!c.check(x, dst, 512, 32, "destination") || !c.check(x, src, 512, 32, "source")) return;
        uint32_t origin = 0;
        bool known = c.read(x, UB, src.addr, 512, origin);
        uint16_t in[256], out[256];
        std::memcpy(in, c.at(UB, src.addr), 512);
        for (int i = 0; i < 256; i++) out[i] = in[i % 16 * 16 + i / 16];
        c.write(x, UB, dst.addr, 512);
        std::memcpy(c.at(UB, dst.addr), out, 512);
        if (!known) c.memory[UB].shadow.undefine(dst.addr, 512, origin);
        x.cycles = 2;
    });
}

// Element (row i, column j) of 16 rows of 32 bytes becomes element i of row j: two rows of the result hold a column of four bytes,
// half a row one of a byte.
void vectorTransposeRows(const Local dst[16], const Local src[16], bool dstHigh, bool srcHigh, uint32_t repeat, uint32_t dstRep,
                         uint32_t srcRep, DType type, Site at) {
    std::array<Local, 16> d, s;
    std::copy(dst, dst + 16, d.begin());
    std::copy(src, src + 16, s.begin());
    core().issue(V, "TransDataTo5HD", at, [=](Exec &x) {
        Core &c = x.core;
        uint32_t size = sizeOf(type), columns = size == 4 ? 8 : 16;
        if (repeat == 1 && (dstRep || srcRep))
            c.find("limit", x.access.site, "a single repeat needs repeat strides of 0, they are %u and %u", dstRep, srcRep);
        for (uint32_t r = 0; r < repeat; r++) {
            uint8_t block[16][32];
            bool known[16][32];
            uint32_t origin = 0;
            for (int i = 0; i < 16; i++) {
                Local from = s[i];
                from.addr += r * srcRep * 32;
                if (!c.check(x, from, 32, 32, "source row")) return;
                bool all = c.read(x, UB, from.addr, 32, origin);
                std::memcpy(block[i], c.at(UB, from.addr), 32);
                for (int b = 0; b < 32; b++) known[i][b] = all || c.memory[UB].shadow.defined(from.addr + b, 1);
            }
            for (uint32_t j = 0; j < columns; j++)
                for (uint32_t i = 0; i < 16; i++) {
                    uint32_t column = size == 1 ? j + (srcHigh ? 16 : 0) : j;
                    // Where element i of column j goes: the row of the destination, and the byte in it.
                    uint32_t row = size == 4 ? 2 * j + i / 8 : j, byte = size == 4 ? i % 8 * 4 : size == 1 ? i + (dstHigh ? 16 : 0) : i * 2;
                    Local to = d[row];
                    to.addr += r * dstRep * 32 + byte;
                    if (!c.check(x, to, size, 0, "destination row")) return;
                    c.write(x, UB, to.addr, size);
                    std::memcpy(c.at(UB, to.addr), &block[i][column * size], size);
                    if (!known[i][column * size]) c.memory[UB].shadow.undefine(to.addr, size, origin);
                }
        }
        x.cycles = 2.0 * repeat;
    });
}

void vectorBroadcast(Local dst, Local src, const uint32_t *dstShape, const uint32_t *srcShape, int dim, DType type, Site at) {
    uint32_t rows = dim == 2 ? dstShape[0] : 1, columns = dstShape[dim - 1];
    uint32_t srcRows = dim == 2 ? srcShape[0] : 1, srcColumns = srcShape[dim - 1];
    core().issue(V, "Broadcast", at, [=](Exec &x) {
        Core &c = x.core;
        uint32_t size = sizeOf(type), origin = 0;
        if ((srcRows != rows && srcRows != 1) || (srcColumns != columns && srcColumns != 1))
            return c.find("limit", x.access.site, "a shape of %u by %u cannot become %u by %u", srcRows, srcColumns, rows, columns);
        if (!c.check(x, src, srcRows * srcColumns * size, 32, "source") || !c.check(x, dst, rows * columns * size, 32, "destination")) return;
        c.read(x, UB, src.addr, srcRows * srcColumns * size, origin);
        std::vector<uint8_t> in(c.at(UB, src.addr), c.at(UB, src.addr) + srcRows * srcColumns * size);
        Undefined undefined;
        undefined.origin = origin;
        for (uint32_t i = 0; i < rows * columns; i++) {
            uint32_t from = (srcRows == 1 ? 0 : i / columns) * srcColumns + (srcColumns == 1 ? 0 : i % columns);
            if (!c.memory[UB].shadow.defined(src.addr + from * size, size)) undefined.bytes.push_back({dst.addr + i * size, size});
        }
        c.write(x, UB, dst.addr, rows * columns * size);
        for (uint32_t i = 0; i < rows * columns; i++) {
            uint32_t from = (srcRows == 1 ? 0 : i / columns) * srcColumns + (srcColumns == 1 ? 0 : i % columns);
            std::memcpy(c.at(UB, dst.addr + i * size), &in[from * size], size);
        }
        undefined.apply(c);
        x.cycles = double(rows * columns * size / 128 + 1);
    });
}

} // namespace machine
