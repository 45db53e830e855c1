#include "vector.h"
#include "launch.h"

namespace machine {

static uint64_t ones(uint64_t k) { return k >= 64 ? ~0ull : (1ull << k) - 1; }

Mask resolve(Core &c, const Lanes &l, uint32_t elem) {
    Mask m;
    m.repeat = l.repeat;
    switch (l.mode) {
    case Lanes::Count:
        m.counted = m.contiguous = true;
        m.count = l.low;
        setMaskMode(false); // the instruction leaves the registers in their normal state
        setMask(~0ull, ~0ull);
        return m;
    case Lanes::Prefix: setMaskLength(l.low, elem); break;
    case Lanes::Bits: setMask(l.high, l.low); break;
    case Lanes::State: break;
    }
    if (c.maskCount) {
        m.counted = true;
        m.count = c.maskLow;
        return m;
    }
    m.low = c.maskLow;
    m.high = c.maskHigh;
    return m;
}

bool runs(Exec &x, const Mask &m, Operand *ops, int n, std::vector<Run> &out) {
    uint32_t widest = 1, group = 32;
    for (int i = 0; i < n; i++) widest = std::max(widest, ops[i].elem);
    for (int i = 0; i < n; i++) group = std::min(group, 32 / ops[i].elem);
    uint32_t lanes = 256 / widest;
    uint64_t repeats = m.counted && !m.each ? (m.count + lanes - 1) / lanes : m.repeat;
    if ((!m.counted || m.each) && m.repeat > 255) x.core.find("limit", x.access.site, "%u repeats, at most 255 are possible", m.repeat);
    auto active = [&](uint64_t r) { // lanes of a repeat: a prefix if counted, else the mask
        if (m.each) return uint32_t(m.count);
        return m.counted ? uint32_t(std::min<uint64_t>(lanes, m.count - r * lanes)) : lanes;
    };
    uint64_t low = m.counted ? ~0ull : m.low, high = m.counted ? ~0ull : m.high;
    if (lanes <= 64) high = 0, low &= ones(lanes);
    bool full = m.counted || (low == ones(lanes) && (lanes <= 64 || high == ~0ull));
    bool dense = full && !m.each;
    for (int i = 0; i < n; i++) dense &= ops[i].blk == 1 && (ops[i].rep == lanes * ops[i].elem / 32 || repeats <= 1);
    if (repeats == 0) return false;
    if (dense || m.contiguous) {
        uint64_t total = m.counted ? m.count : repeats * lanes;
        Run r{};
        for (int i = 0; i < n; i++) r.addr[i] = ops[i].place.addr;
        r.lanes = uint32_t(total);
        out.push_back(r);
    } else {
        for (uint64_t rep = 0; rep < repeats; rep++) {
            uint32_t have = active(rep);
            for (uint32_t g = 0; g < have; g += group) {
                uint64_t bits = m.each ? ~0ull : g < 64 ? low >> g : high >> (g - 64);
                uint32_t some = std::min(group, have - g);
                for (uint32_t k = 0; k < some;) {
                    if (!(bits >> k & 1)) {
                        k++;
                        continue;
                    }
                    uint32_t end = k;
                    while (end < some && (bits >> end & 1)) end++;
                    Run r{};
                    for (int i = 0; i < n; i++) {
                        uint32_t lane = g + k, perBlock = 32 / ops[i].elem;
                        r.addr[i] = ops[i].place.addr + uint32_t(rep) * ops[i].rep * 32 + lane / perBlock * ops[i].blk * 32 + lane % perBlock * ops[i].elem;
                    }
                    r.lanes = end - k;
                    r.index = uint32_t(rep) * lanes + g + k;
                    out.push_back(r);
                    k = end;
                }
            }
        }
    }
    bool fine = !out.empty();
    for (int i = 0; i < n && fine; i++) {
        uint32_t last = 0;
        for (auto &r : out) last = std::max(last, r.addr[i] + r.lanes * ops[i].elem);
        fine = x.core.check(x, ops[i].place, last - ops[i].place.addr, 32, ops[i].name);
    }
    return fine;
}

void Undefined::apply(Core &c) const {
    for (auto &b : bytes) c.memory[UB].shadow.undefine(b.first, b.second, origin);
}

void access(Exec &x, const Operand *ops, int n, const std::vector<Run> &all) {
    Shadow &shadow = x.core.memory[UB].shadow;
    Undefined undefined;
    bool whole = true;
    for (auto &r : all)
        for (int i = 0; i < n; i++)
            if (!ops[i].written) {
                uint32_t origin = 0;
                if (!x.core.read(x, UB, r.addr[i], r.lanes * ops[i].elem, origin) && whole) whole = false, undefined.origin = origin;
            }
    if (!whole)
        for (auto &r : all)
            for (uint32_t k = 0; k < r.lanes; k++) {
                bool fine = true;
                for (int i = 0; i < n; i++)
                    if (!ops[i].written) fine &= shadow.defined(r.addr[i] + k * ops[i].elem, ops[i].elem);
                for (int i = 0; i < n && !fine; i++)
                    if (ops[i].written) undefined.bytes.push_back({r.addr[i] + k * ops[i].elem, ops[i].elem});
            }
    for (auto &r : all)
        for (int i = 0; i < n; i++)
            if (ops[i].written) x.core.write(x, UB, r.addr[i], r.lanes * ops[i].elem);
    undefined.apply(x.core);
}

} // namespace machine
