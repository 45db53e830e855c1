// Sorting of records: a value in 4 bytes, its index in 4 more.
#include "launch.h"
#include "number.h"

namespace machine {

static constexpr uint32_t kRecord = 8;

void vectorSort32(Local dst, Local src, Local index, uint32_t repeat, DType type, Site at) {
    core().issue(V, "Sort32", at, [=](Exec &x) {
        Core &c = x.core;
        uint32_t size = sizeOf(type), n = repeat * 32, origin = 0;
        if (n == 0 || !c.check(x, src, n * size, 32, "source") || !c.check(x, index, n * 4, 32, "index") || !c.check(x, dst, n * kRecord, 32, "destination")) return;
        bool known = c.read(x, UB, src.addr, n * size, origin);
        known &= c.read(x, UB, index.addr, n * 4, origin);
        std::vector<uint8_t> out(n * kRecord);
        for (uint32_t r = 0; r < repeat; r++) {
            uint32_t order[32];
            for (uint32_t i = 0; i < 32; i++) order[i] = r * 32 + i;
            auto value = [&](uint32_t i) { return loadNumber(c.at(UB, src.addr + i * size), type); };
            std::stable_sort(order, order + 32, [&](uint32_t a, uint32_t b) { return value(a) > value(b); });
            for (uint32_t i = 0; i < 32; i++) {
                uint8_t *record = &out[(r * 32 + i) * kRecord];
                std::memcpy(record, c.at(UB, src.addr + order[i] * size), size);
                std::memcpy(record + 4, c.at(UB, index.addr + order[i] * 4), 4);
            }
        }
        c.write(x, UB, dst.addr, n * kRecord);
        std::memcpy(c.at(UB, dst.addr), out.data(), out.size());
        if (!known) c.memory[UB].shadow.undefine(dst.addr, n * kRecord, origin);
        x.cycles = 8.0 * repeat;
    });
}

void vectorMergeSort(Local dst, const Local lists[4], const Merge &m, DType type, Site at) {
    std::array<Local, 4> src;
    std::copy(lists, lists + 4, src.begin());
    core().issue(V, "MrgSort", at, [=](Exec &x) {
        Core &c = x.core;
        uint32_t total = 0, origin = 0;
        for (int i = 0; i < m.lists; i++) {
            if (m.lengths[i] > 4095) return c.find("limit", x.access.site, "a list of %u records, at most 4095 are possible", m.lengths[i]);
            total += m.lengths[i];
        }
        std::vector<uint8_t> out;
        bool known = true;
        for (int r = 0; r < std::max<int>(1, m.repeat); r++) {
            uint32_t at[4], left[4];
            for (int i = 0; i < 4; i++) {
                left[i] = i < m.lists ? m.lengths[i] : 0;
                Local from = src[i];
                from.addr += uint32_t(r) * total * kRecord; // repeats follow one another, all lists of one repeat together
                at[i] = from.addr;
                if (!left[i]) continue;
                if (!c.check(x, from, left[i] * kRecord, 32, "source")) return;
                known &= c.read(x, UB, from.addr, left[i] * kRecord, origin);
            }
            for (int i = 0; i < 4; i++) c.merged[i] = 0;
            for (uint32_t k = 0; k < total; k++) {
                int best = -1;
                for (int i = 0; i < m.lists; i++) {
                    if (!left[i]) continue;
                    if (best < 0 || loadNumber(c.at(UB, at[i]), type) > loadNumber(c.at(UB, at[best]), type)) best = i;
                }
                out.insert(out.end(), c.at(UB, at[best]), c.at(UB, at[best]) + kRecord);
                at[best] += kRecord;
                c.merged[best]++;
                if (--left[best] == 0 && m.suspend) break;
            }
        }
        if (!c.check(x, dst, out.size(), 32, "destination")) return;
        c.write(x, UB, dst.addr, uint32_t(out.size()));
        std::memcpy(c.at(UB, dst.addr), out.data(), out.size());
        if (!known) c.memory[UB].shadow.undefine(dst.addr, uint32_t(out.size()), origin);
        x.cycles = double(out.size() / kRecord);
    });
}

void mergeResult(uint16_t taken[4]) { std::copy(core().merged, core().merged + 4, taken); }

} // namespace machine
