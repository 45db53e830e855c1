// The elements that a vector instruction works on.
#pragma once
#include "core.h"

namespace machine {

// Mask is the lanes of an instruction, resolved against the mask registers when it is issued.
struct Mask {
    bool counted = false;      // a count over all repeats; else bits of each
    bool each = false;         // the count is of each repeat, whose blocks go on beyond eight
    bool contiguous = false;   // strides do not count: operands lie dense
    uint64_t count = 0;
    uint64_t low = 0, high = 0;
    uint32_t repeat = 1;
};

// Operand is a strided operand; strides are in blocks.
struct Operand {
    const char *name;
    Local place;
    uint32_t elem;
    uint32_t blk = 1, rep = 8;
    bool written = false;
};

// Run is lanes that lie next to each other in every operand.
struct Run {
    uint32_t addr[3];
    uint32_t lanes;
    uint32_t index; // of the first lane, counted through all repeats
};

// resolve fixes the lanes of an instruction whose widest element has elem bytes, and changes the mask registers as it does.
Mask resolve(Core &, const Lanes &, uint32_t elem);

// runs lists the lanes of an instruction. It reports operands that are misaligned or leave their buffers, and is then false.
bool runs(Exec &, const Mask &, Operand *ops, int n, std::vector<Run> &out);

// Undefined collects the results of lanes that depend on unwritten bytes.
struct Undefined {
    std::vector<std::pair<uint32_t, uint32_t>> bytes; // addresses and lengths in UB
    uint32_t origin = 0;
    void apply(Core &) const;
};

// access checks the accesses of all runs; sources come before the destinations. Lanes with undefined sources have undefined results.
void access(Exec &, const Operand *ops, int n, const std::vector<Run> &);

} // namespace machine
