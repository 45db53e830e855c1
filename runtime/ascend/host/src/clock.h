// Vector clocks: which work of which pipe is known to be complete.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>
#include "machine/interface.h"

namespace machine {

// Clock gives, for each pipe of the own core, the number of the last instruction known to be complete.
struct Clock {
    std::array<uint32_t, kPipes> t{};
    uint32_t &operator[](int p) { return t[p]; }
    uint32_t operator[](int p) const { return t[p]; }
    void join(const Clock &o) {
        for (int p = 0; p < kPipes; p++) t[p] = std::max(t[p], o.t[p]);
    }
};

// Others is what a core knows of all cores. Each value is immutable, and the versions of one core are totally ordered: only the
// scalar unit waits for other cores, and what it learns grows.
struct Others {
    uint32_t version = 0;
    std::vector<Clock> cores;
};
using OthersRef = std::shared_ptr<const Others>;

inline const OthersRef &later(const OthersRef &a, const OthersRef &b) {
    if (!a) return b;
    if (!b) return a;
    return a->version >= b->version ? a : b;
}

// Snapshot is what a pipe knows at a point, as a flag carries it.
struct Snapshot {
    Clock clock;
    OthersRef others;
    double time = 0; // cycles
};

} // namespace machine
