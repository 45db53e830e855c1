// The matrix unit.
#include <cstring>
#include "launch.h"
#include "number.h"

namespace machine {

void setHF32(bool on) { core().hf32 = on; }

namespace {

// Side is an operand in L0A or L0B, unpacked: rows of k elements.
template <class W> struct Side {
    std::vector<W> values;     // [rows][k]
    std::vector<uint8_t> bad;  // rows that hold undefined values
    bool anyBad = false;
    uint32_t origin = 0;
};

template <class W> W element(const uint8_t *p, DType t);
template <> float element<float>(const uint8_t *p, DType t) {
    return t == DType::F16 ? halfToFloat(loadAs<uint16_t>(p)) : t == DType::BF16 ? bf16ToFloat(loadAs<uint16_t>(p)) : loadAs<float>(p);
}
template <> int32_t element<int32_t>(const uint8_t *p, DType) { return loadAs<int8_t>(p); }
int32_t nibble(const uint8_t *p, uint32_t i) {
    int v = p[i / 2] >> i % 2 * 4 & 15;
    return v > 7 ? v - 16 : v;
}

// hf32 keeps 11 bits of the mantissa.
float hf32(float f) { return bitsToFloat((floatToBits(f) + 0x7ff + (floatToBits(f) >> 12 & 1)) & ~0xfffu); }

// unpack reads an operand of rows by k. Its fractals are 16 rows of 32 bytes; rowMajor: [rows/16][k/C0], else [k/C0][rows/16].
template <class W> bool unpack(Exec &x, Local l, DType type, uint32_t rows, uint32_t k, uint32_t kFractals, bool rowMajor, const char *name, Side<W> &out) {
    Core &c = x.core;
    bool nibbles = type == DType::I4;
    uint32_t size = sizeOf(type), c0 = nibbles ? 64 : 32 / size, rowFractals = (rows + 15) / 16, used = (k + c0 - 1) / c0;
    bool vector = rows == 1 && rowMajor; // a single row is read as it lies there
    uint64_t bytes = vector ? (uint64_t(k) * 32 + c0 - 1) / c0 : uint64_t(rowFractals) * (rowMajor ? kFractals : used) * 512;
    if (!c.check(x, l, bytes, 512, name)) return false;
    bool all = c.read(x, l.space, l.addr, uint32_t(bytes), out.origin);
    out.values.resize(size_t(rows) * k);
    out.bad.assign(rows, 0);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t f = 0; f < used; f++) {
            uint32_t at = rowMajor ? (r / 16 * kFractals + f) * 512 + r % 16 * 32 : (f * rowFractals + r / 16) * 512 + r % 16 * 32;
            if (vector) at = f * 32;
            uint32_t n = std::min(c0, k - f * c0);
            const uint8_t *p = c.at(l.space, l.addr + at);
            W *to = &out.values[size_t(r) * k + f * c0];
            for (uint32_t e = 0; e < n; e++) to[e] = nibbles ? W(nibble(p, e)) : element<W>(p + e * size, type);
            if (!all && !c.memory[l.space].shadow.defined(l.addr + at, nibbles ? (n + 1) / 2 : n * size)) out.bad[r] = out.anyBad = true;
        }
    return true;
}

// layout compares what the fractals of an operand hold with where they lie: along k the rows must stay, along the rows the strip.
void layout(Exec &x, Local l, uint32_t rowFractals, uint32_t kFractals, uint32_t kUsed, bool rowMajor, uint32_t size, const char *name) {
    Core &c = x.core;
    auto at = [&](uint32_t r, uint32_t f) -> const Fractal & {
        return c.provenance[l.space][l.addr / 512 + (rowMajor ? r * kFractals + f : f * rowFractals + r)];
    };
    for (uint32_t r = 0; r < rowFractals; r++)
        for (uint32_t f = 0; f < kUsed; f++) {
            const Fractal &here = at(r, f);
            if (here.elem && here.elem != size)
                return c.find("layout", x.access.site, "%s was loaded as elements of %u bytes and is multiplied as elements of %u", name, here.elem, size);
            auto compare = [&](uint32_t r0, uint32_t f0) {
                const Fractal &before = at(r0, f0);
                if (!here.matrix || before.matrix != here.matrix) return true;
                if (before.transposed != here.transposed) return false;
                bool alongK = r == r0, sameRow = before.row == here.row, sameStrip = before.strip == here.strip;
                // Transposed, the rows of the matrix run along k.
                return alongK != here.transposed ? sameRow && !sameStrip : sameStrip && !sameRow;
            };
            if ((f > 0 && !compare(r, f - 1)) || (r > 0 && !compare(r - 1, f)))
                return c.find("layout", x.access.site,
                              "%s is not in the order that the cube reads: its fractal (%u, %u) of 16 rows and one strip of k holds row %u, strip %u of the "
                              "matrix that was loaded%s",
                              name, r, f, here.row, here.strip, here.transposed ? ", transposed" : "");
        }
}

template <class W> __attribute__((target_clones("avx2", "default"), optimize("O3")))
void product(W *acc, const W *a, const W *bt, uint32_t m, uint32_t n, uint32_t k) {
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t p = 0; p < k; p++) {
            W v = a[size_t(i) * k + p];
            const W *row = bt + size_t(p) * n;
            W *to = acc + size_t(i) * n;
            for (uint32_t j = 0; j < n; j++) to[j] += v * row[j];
        }
}

template <class W> void run(Exec &x, Local cl, Local a, Local b, const Local *bias, const Multiply &p, DType type) {
    Core &c = x.core;
    uint32_t size = sizeOf(type), c0 = type == DType::I4 ? 64 : 32 / size;
    uint32_t kUsed = (p.k + c0 - 1) / c0, kFractals = p.alignK && size == 4 ? (p.k + 15) / 16 * 2 : kUsed;
    uint32_t mPad = (p.m + 15) / 16 * 16, nFractals = (p.n + 15) / 16;
    // A cycle makes 16 x 16 results of one strip of k; float takes two for each of its strips.
    x.cycles = double(mPad / 16) * nFractals * kUsed * (type == DType::F32 ? 2 : 1);
    if (c.dry()) return;
    Side<W> left, right;
    if (!unpack(x, a, type, p.m, p.k, kFractals, true, "left operand", left)) return;
    if (!unpack(x, b, type, p.n, p.k, kFractals, false, "right operand", right)) return;
    if (p.m > 1) layout(x, a, mPad / 16, kFractals, kUsed, true, size, "L0A");
    layout(x, b, nFractals, kFractals, kUsed, false, size, "L0B");
    uint64_t bytes = uint64_t(nFractals) * mPad * 64;
    // Bytes and nibbles are multiplied in pairs of column fractals, of which the last may be nobody's.
    Local room = cl;
    if (size == 1 && p.n % 32 == 0 && p.n > 16) room.end += mPad * 64;
    if (!c.check(x, room, bytes, 1024, "result")) return;
    if (c.hf32 && type == DType::F32)
        for (auto *side : {&left, &right})
            for (auto &v : side->values) v = W(hf32(float(v)));
    auto place = [&](uint32_t i, uint32_t j) { return cl.addr + ((j / 16 * mPad + i) * 16 + j % 16) * 4; };
    std::vector<W> acc(size_t(p.m) * p.n), bt(size_t(p.k) * p.n);
    uint32_t origin = left.anyBad ? left.origin : right.origin;
    std::vector<uint8_t> badColumn = right.bad;
    bool resultKnown = true;
    Access plain = x.access;
    bool accumulates = !p.zero && !bias && !p.fromBias;
    x.access.unit = p.unit != 0;
    x.access.chained = p.m / 16 * (p.n / 16) >= 10; // large enough that one product follows the other without a gap
    if (accumulates) {
        resultKnown = c.read(x, L0C, cl.addr, uint32_t(bytes), origin);
        for (uint32_t i = 0; i < p.m; i++)
            for (uint32_t j = 0; j < p.n; j++) acc[size_t(i) * p.n + j] = loadAs<W>(c.at(L0C, place(i, j)));
    } else if (bias || p.fromBias) {
        Local from;
        from.space = BT;
        from.end = uint32_t(c.memory[BT].data.size());
        if (bias) from = *bias;
        if (from.space != BT) return c.find("path", x.access.site, "the bias lies in %s, not in the bias table", spaceName(from.space));
        if (!c.check(x, from, p.n * 4, 64, "bias")) return;
        Access kept = x.access;
        x.access = plain;
        if (!c.read(x, BT, from.addr, p.n * 4, origin))
            for (uint32_t j = 0; j < p.n; j++) badColumn[j] |= !c.memory[BT].shadow.defined(from.addr + j * 4, 4);
        x.access = kept;
        for (uint32_t i = 0; i < p.m; i++)
            for (uint32_t j = 0; j < p.n; j++) acc[size_t(i) * p.n + j] = loadAs<W>(c.at(BT, from.addr + j * 4));
    }
    for (uint32_t j = 0; j < p.n; j++)
        for (uint32_t q = 0; q < p.k; q++) bt[size_t(q) * p.n + j] = right.values[size_t(j) * p.k + q];
    product(acc.data(), left.values.data(), bt.data(), p.m, p.n, p.k);
    // What was undefined before stays so where the product adds to it.
    std::vector<std::pair<uint32_t, uint32_t>> undefined;
    bool columnsKnown = std::find(badColumn.begin(), badColumn.end(), 1) == badColumn.end();
    if (left.anyBad || !columnsKnown || !resultKnown)
        for (uint32_t i = 0; i < p.m; i++)
            for (uint32_t j = 0; j < p.n; j++)
                if (left.bad[i] || badColumn[j] || (accumulates && !c.memory[L0C].shadow.defined(place(i, j), 4))) undefined.push_back({place(i, j), 4});
    c.write(x, L0C, cl.addr, uint32_t(bytes));
    for (uint32_t i = 0; i < p.m; i++)
        for (uint32_t j = 0; j < p.n; j++) std::memcpy(c.at(L0C, place(i, j)), &acc[size_t(i) * p.n + j], 4);
    for (auto &u : undefined) c.memory[L0C].shadow.undefine(u.first, u.second, origin ? origin : x.access.site);
    // Rows and columns that only pad the fractals have no values.
    for (uint32_t j = 0; j < nFractals; j++)
        if (p.m < mPad) c.memory[L0C].shadow.undefine(cl.addr + (j * mPad + p.m) * 64, (mPad - p.m) * 64, x.access.site);
    if (p.n % 16)
        for (uint32_t i = 0; i < p.m; i++) c.memory[L0C].shadow.undefine(place(i, p.n), (16 - p.n % 16) * 4, x.access.site);
    if (p.unit)
        for (uint32_t f = cl.addr / 1024; f < (cl.addr + bytes) / 1024; f++) {
            if (c.unitFull[f]) {
                c.find("deadlock", x.access.site, "the unit flag of L0C byte %u is still set: no Fixpipe with a unit flag has drained it", f * 1024);
                break;
            }
            if (p.unit == 3) c.unitFull[f] = true;
        }
}

} // namespace

void multiply(Local cl, Local a, Local b, const Local *bias, const Multiply &p, DType ct, DType at, DType, Site site) {
    Core &c = core();
    if (!c.cube || p.m == 0 || p.n == 0 || p.k == 0) return;
    bool biased = bias != nullptr;
    Local bl = bias ? *bias : Local();
    c.issue(M, "Mmad", site, [=](Exec &x) {
        if (a.space != L0A || b.space != L0B || cl.space != L0C)
            return x.core.find("path", x.access.site, "Mmad reads L0A and L0B and writes L0C, not %s, %s and %s", spaceName(a.space), spaceName(b.space), spaceName(cl.space));
        if (p.m > 4095 || p.n > 4095 || p.k > 4095) return x.core.find("limit", x.access.site, "Mmad of %u x %u x %u: at most 4095 each", p.m, p.n, p.k);
        if (ct == DType::I32) run<int32_t>(x, cl, a, b, biased ? &bl : nullptr, p, at);
        else run<float>(x, cl, a, b, biased ? &bl : nullptr, p, at);
    });
}

} // namespace machine
