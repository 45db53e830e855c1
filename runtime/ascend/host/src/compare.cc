// Comparisons and selections.
#include "launch.h"
#include "number.h"
#include "vector.h"

namespace machine {

static bool holds(double a, double b, int mode) {
    switch (mode) {
    case 0: return a < b;
    case 1: return a > b;
    case 2: return a == b;
    case 3: return a <= b;
    case 4: return a >= b;
    default: return a != b;
    }
}

void vectorCompare(const char *name, Local dst, Local src0, Local src1, bool scalar, Scalar s, int mode, CompareTo to, DType type,
                   const Lanes &lanes, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t size = sizeOf(type);
    Mask mask = resolve(c, lanes, size);
    c.issue(V, name, at, [=](Exec &x) {
        if (type == DType::I32 && mode != 2) return x.core.find("type", x.access.site, "%s compares int32_t for equality alone", name);
        Operand ops[] = {{"first source", src0, size, lanes.src0Blk, lanes.src0Rep}, {"second source", src1, size, lanes.src1Blk, lanes.src1Rep}};
        int n = scalar ? 1 : 2;
        std::vector<Run> all;
        if (!runs(x, mask, ops, n, all)) return;
        uint32_t last = all.back().index + all.back().lanes, bytes = (last + 7) / 8;
        if (to == CompareTo::Memory && !x.core.check(x, dst, bytes, 32, "destination")) return;
        std::vector<uint8_t> bits(bytes), undefined(bytes);
        uint32_t origin = 0;
        double constant = loadNumber(&s.bits, type);
        for (auto &r : all) {
            bool whole = true;
            for (int i = 0; i < n; i++) whole &= x.core.read(x, UB, r.addr[i], r.lanes * size, origin);
            for (uint32_t k = 0; k < r.lanes; k++) {
                uint32_t lane = r.index + k;
                double a = loadNumber(x.core.at(UB, r.addr[0] + k * size), type), b = scalar ? constant : loadNumber(x.core.at(UB, r.addr[1] + k * size), type);
                if (holds(a, b, mode)) bits[lane / 8] |= uint8_t(1 << lane % 8);
                if (!whole)
                    for (int i = 0; i < n; i++)
                        if (!x.core.memory[UB].shadow.defined(r.addr[i] + k * size, size)) undefined[lane / 8] |= uint8_t(1 << lane % 8);
            }
        }
        x.cycles = double((last * size + 255) / 256);
        if (to == CompareTo::Register) {
            x.core.compareMask[0] = x.core.compareMask[1] = 0;
            std::memcpy(x.core.compareMask, bits.data(), std::min<size_t>(16, bits.size()));
            return;
        }
        x.core.write(x, UB, dst.addr, bytes);
        std::memcpy(x.core.at(UB, dst.addr), bits.data(), bytes);
        for (uint32_t b = 0; b < bytes; b++)
            x.core.memory[UB].shadow.undefineBits(dst.addr + b, undefined[b], origin);
    });
}

void compareMask(bool set, Local l, Site at) {
    core().issue(V, set ? "SetCmpMask" : "GetCmpMask", at, [=](Exec &x) {
        if (!x.core.check(x, l, 16, 16, "operand")) return;
        uint32_t origin = 0;
        if (set) {
            x.core.read(x, UB, l.addr, 16, origin);
            std::memcpy(x.core.compareMask, x.core.at(UB, l.addr), 16);
        } else {
            x.core.write(x, UB, l.addr, 16);
            std::memcpy(x.core.at(UB, l.addr), x.core.compareMask, 16);
        }
        x.cycles = 1;
    });
}

// Modes 1 and 2 put their scalar, or the address of the bits, in this reserved part of UB.
static constexpr uint32_t kReserved = 184 * 1024, kReservedBytes = 128;

void vectorSelect(Local dst, Local bits, Local src0, Local src1, Scalar s, int mode, bool fromTensor, DType type, const Lanes &lanes, Site at) {
    Core &c = core();
    if (c.cube) return;
    uint32_t size = sizeOf(type);
    Mask mask = resolve(c, lanes, size);
    c.issue(V, "Select", at, [=](Exec &x) {
        Core &c = x.core;
        Operand ops[] = {{"destination", dst, size, lanes.dstBlk, lanes.dstRep, true},
                         {"first source", src0, size, lanes.src0Blk, lanes.src0Rep},
                         {"second source", src1, size, lanes.src1Blk, lanes.src1Rep}};
        int n = mode == 1 ? 2 : 3;
        std::vector<Run> all;
        if (!runs(x, mask, ops, n, all)) return;
        uint32_t perRepeat = 256 / size, last = all.back().index + all.back().lanes;
        uint32_t bytes = mode == 0 ? perRepeat / 8 : (last + 7) / 8, origin = 0;
        std::vector<uint8_t> sel(std::max(bytes, 16u));
        if (fromTensor) {
            if (!c.check(x, bits, bytes, 32, "mask")) return;
            c.read(x, UB, bits.addr, bytes, origin);
            std::memcpy(sel.data(), c.at(UB, bits.addr), bytes);
            if (mode == 0) std::memcpy(c.compareMask, sel.data(), bytes);
        } else {
            std::memcpy(sel.data(), c.compareMask, 16);
        }
        if (mode != 0 && c.memory[UB].data.size() >= kReserved + kReservedBytes) {
            c.write(x, UB, kReserved, kReservedBytes);
            c.memory[UB].shadow.undefine(kReserved, kReservedBytes, x.access.site);
        }
        // Of a lane only the chosen source counts as read with a value.
        Undefined undefined;
        Shadow &shadow = c.memory[UB].shadow;
        for (auto &r : all) {
            for (int i = 1; i < n; i++) c.read(x, UB, r.addr[i], r.lanes * size, origin);
            for (uint32_t k = 0; k < r.lanes; k++) {
                uint32_t lane = mode == 0 ? (r.index + k) % perRepeat : r.index + k;
                bool first = sel[lane / 8] >> lane % 8 & 1;
                bool known = !fromTensor || shadow.definedBit(bits.addr + lane / 8, lane % 8);
                if (first || n == 3) known &= shadow.defined(r.addr[first ? 1 : 2] + k * size, size);
                if (!known) undefined.bytes.push_back({r.addr[0] + k * size, size});
            }
        }
        undefined.origin = origin ? origin : x.access.site;
        for (auto &r : all) {
            c.write(x, UB, r.addr[0], r.lanes * size);
            for (uint32_t k = 0; k < r.lanes; k++) {
                uint32_t lane = mode == 0 ? (r.index + k) % perRepeat : r.index + k;
                bool first = sel[lane / 8] >> lane % 8 & 1;
                const void *from = first ? c.at(UB, r.addr[1] + k * size) : n == 3 ? c.at(UB, r.addr[2] + k * size) : reinterpret_cast<const uint8_t *>(&s.bits);
                std::memmove(c.at(UB, r.addr[0] + k * size), from, size);
            }
        }
        undefined.apply(c);
        x.cycles = double((last * size + 255) / 256) + (mode ? 2 : 1);
    });
}

} // namespace machine
