// Reductions.
#include <cmath>
#include "launch.h"
#include "number.h"
#include "vector.h"

namespace machine {

namespace {

struct Lane {
    double value = 0;
    uint32_t index = 0;
    bool active = false, defined = true;
};

// rounded keeps a sum to the operand's type.
double rounded(double v, DType t) { return t == DType::F16 ? double(halfToFloat(floatToHalf(float(v)))) : double(float(v)); }

bool better(Reduce op, double a, double b) { return op == Reduce::Max ? a > b : a < b; }

// combine gives the result of two lanes; of equal extremes the first stays.
Lane combine(Reduce op, const Lane &a, const Lane &b, DType t) {
    if (!a.active) return b;
    if (!b.active) return a;
    Lane r = a;
    if (op == Reduce::Sum) r.value = rounded(a.value + b.value, t);
    else if (better(op, b.value, a.value) || (std::isnan(b.value) && !std::isnan(a.value))) r = b, r.active = true;
    r.defined = a.defined && b.defined;
    return r;
}

// tree combines neighbours, then the results of neighbours, as the vector unit adds.
Lane tree(Reduce op, std::vector<Lane> v, DType t) {
    while (v.size() > 1) {
        size_t half = (v.size() + 1) / 2;
        for (size_t i = 0; i < half; i++) v[i] = 2 * i + 1 < v.size() ? combine(op, v[2 * i], v[2 * i + 1], t) : v[2 * i];
        v.resize(half);
    }
    return v.empty() ? Lane() : v[0];
}

// Source is the lanes of all repeats, 256 bytes each.
struct Source {
    std::vector<Lane> lanes;
    uint32_t perRepeat, repeats, origin = 0;
};

bool load(Exec &x, const Mask &mask, const Lanes &l, Local src, DType type, Source &out) {
    uint32_t size = sizeOf(type);
    Operand op{"source", src, size, l.src0Blk, l.src0Rep};
    std::vector<Run> all;
    if (!runs(x, mask, &op, 1, all)) return false;
    out.perRepeat = 256 / size;
    out.repeats = mask.counted ? uint32_t((mask.count + out.perRepeat - 1) / out.perRepeat) : mask.repeat;
    out.lanes.resize(out.repeats * out.perRepeat);
    for (auto &r : all) {
        bool whole = x.core.read(x, UB, r.addr[0], r.lanes * size, out.origin);
        for (uint32_t k = 0; k < r.lanes; k++) {
            Lane &lane = out.lanes[r.index + k];
            lane.value = loadNumber(x.core.at(UB, r.addr[0] + k * size), type);
            lane.index = r.index + k;
            lane.active = true;
            lane.defined = whole || x.core.memory[UB].shadow.defined(r.addr[0] + k * size, size);
        }
    }
    return true;
}

void put(Exec &x, uint32_t addr, const Lane &lane, DType type, uint32_t origin) {
    uint32_t size = sizeOf(type);
    x.core.write(x, UB, addr, size);
    storeNumber(x.core.at(UB, addr), type, lane.value);
    if (!lane.defined) x.core.memory[UB].shadow.undefine(addr, size, origin);
}

void putIndex(Exec &x, uint32_t addr, uint32_t index, uint32_t size) {
    x.core.write(x, UB, addr, size);
    std::memcpy(x.core.at(UB, addr), &index, size);
}

} // namespace

void reduceRepeat(const char *name, Reduce op, ReduceWhat what, Local dst, Local src, DType type, const Lanes &l, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t size = sizeOf(type);
    Mask mask = resolve(c, l, size);
    c.issue(V, name, at, [=](Exec &x) {
        Source s;
        if (!load(x, mask, l, src, type, s)) return;
        bool pair = what == ReduceWhat::ValueIndex || what == ReduceWhat::IndexValue;
        uint32_t unit = pair ? 2 * size : what == ReduceWhat::Index ? 4 : size;
        uint64_t bytes = uint64_t(s.repeats - 1) * l.dstRep * unit + unit;
        if (!x.core.check(x, dst, bytes, unit, "destination")) return;
        for (uint32_t r = 0; r < s.repeats; r++) {
            Lane best = tree(op, std::vector<Lane>(s.lanes.begin() + r * s.perRepeat, s.lanes.begin() + (r + 1) * s.perRepeat), type);
            uint32_t to = dst.addr + r * l.dstRep * unit, index = best.index % s.perRepeat;
            bool indexFirst = what == ReduceWhat::IndexValue;
            if (what == ReduceWhat::Index) putIndex(x, to, index, 4);
            else put(x, to + (indexFirst ? size : 0), best, type, s.origin);
            if (pair) putIndex(x, to + (indexFirst ? 0 : size), index, size);
            storeNumber(&x.core.reduced.bits, type, best.value);
            x.core.reducedIndex.bits = index;
        }
        x.cycles = s.repeats;
    });
}

void reduceBlock(const char *name, Reduce op, Local dst, Local src, DType type, const Lanes &l, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t size = sizeOf(type);
    Mask mask = resolve(c, l, size);
    c.issue(V, name, at, [=](Exec &x) {
        Source s;
        if (!load(x, mask, l, src, type, s)) return;
        // The stride of the results is in units of the 8 that a repeat gives.
        uint64_t bytes = uint64_t(s.repeats - 1) * l.dstRep * 8 * size + 8 * size;
        if (!x.core.check(x, dst, bytes, 8 * size, "destination")) return;
        uint32_t perBlock = 32 / size;
        for (uint32_t r = 0; r < s.repeats; r++)
            for (uint32_t b = 0; b < 8; b++) {
                auto from = s.lanes.begin() + r * s.perRepeat + b * perBlock;
                Lane best = tree(op, std::vector<Lane>(from, from + perBlock), type);
                if (best.active) put(x, dst.addr + (r * l.dstRep * 8 + b) * size, best, type, s.origin);
            }
        x.cycles = s.repeats;
    });
}

void reducePair(const char *name, Local dst, Local src, DType type, const Lanes &l, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t size = sizeOf(type);
    Mask mask = resolve(c, l, size);
    c.issue(V, name, at, [=](Exec &x) {
        Source s;
        if (!load(x, mask, l, src, type, s)) return;
        uint32_t half = s.perRepeat / 2;
        uint64_t bytes = uint64_t(s.repeats - 1) * l.dstRep * 128 + 128;
        if (!x.core.check(x, dst, bytes, 32, "destination")) return;
        for (uint32_t r = 0; r < s.repeats; r++)
            for (uint32_t k = 0; k < half; k++) {
                const Lane *two = &s.lanes[r * s.perRepeat + 2 * k];
                Lane sum = combine(Reduce::Sum, two[0], two[1], type);
                if (sum.active) put(x, dst.addr + r * l.dstRep * 128 + k * size, sum, type, s.origin);
            }
        x.cycles = s.repeats;
    });
}

// workElements is how much of the work tensor a reduction uses (Ascend C API, ReduceMax and ReduceSum).
static uint64_t workElements(Reduce op, bool index, uint64_t count, uint32_t size) {
    uint64_t each = 256 / size, block = 32 / size;
    auto up = [](uint64_t v, uint64_t to) { return (v + to - 1) / to * to; };
    if (op == Reduce::Sum) return 0; // the accumulator of the vector unit
    uint64_t first = up(2 * ((count + each - 1) / each), block);
    if (!index) return first;
    uint64_t total = 0;
    for (uint64_t n = count;;) {
        uint64_t repeats = (n + each - 1) / each;
        total += up(2 * repeats, block);
        if (repeats <= 1) return total;
        n = 2 * repeats;
    }
}

void reduceAll(const char *name, Reduce op, bool index, Local dst, Local src, Local work, DType type, const Lanes &l, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t size = sizeOf(type);
    Mask mask = resolve(c, l, size);
    c.issue(V, name, at, [=](Exec &x) {
        Source s;
        if (!load(x, mask, l, src, type, s)) return;
        uint64_t need = workElements(op, index, mask.counted ? mask.count : s.lanes.size(), size) * size;
        if (need && !x.core.check(x, work, need, 32, "work tensor")) return;
        if (!x.core.check(x, dst, index ? 2 * size : size, size, "destination")) return;
        if (need && work.addr != src.addr) {
            x.core.write(x, UB, work.addr, uint32_t(need));
            x.core.memory[UB].shadow.undefine(work.addr, uint32_t(need), x.access.site);
        }
        Lane best;
        for (uint32_t r = 0; r < s.repeats; r++)
            best = combine(op, best, tree(op, std::vector<Lane>(s.lanes.begin() + r * s.perRepeat, s.lanes.begin() + (r + 1) * s.perRepeat), type), type);
        if (!best.active) return;
        put(x, dst.addr, best, type, s.origin);
        if (index) putIndex(x, dst.addr + size, best.index, size);
        storeNumber(&x.core.reduced.bits, type, best.value);
        x.core.reducedIndex.bits = best.index;
        x.cycles = s.repeats + (op == Reduce::Sum ? 0 : s.repeats / 32 + 2);
    });
}

Scalar lastReduction(bool index) { return index ? core().reducedIndex : core().reduced; }

} // namespace machine
