// Global memory: its tensors, and the accesses that cores made to it.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>
#include "core.h"

namespace machine {

// Region is an argument's memory.
struct Region {
    std::string name;
    std::vector<uint8_t> storage; // with a margin on both sides
    uint8_t *begin = nullptr, *end = nullptr;
    bool readOnly = false, output = false;
    std::unique_ptr<std::atomic<uint32_t>[]> defined; // a bit a byte; null: all are
};

// Span is a set of rows of bytes.
struct Span {
    uint8_t *ptr = nullptr;
    uint32_t rows = 1;
    uint64_t bytes = 0, pitch = 0;
};

// GmAccess is an access that is compared with those of other pipes and cores when the launch has ended.
struct GmAccess {
    Span span;
    uint64_t lamport = 0;
    OthersRef others;
    Clock clock;
    uint32_t time = 0, site = 0;
    int core = 0;
    Pipe pipe = S;
    bool write = false;
    int atomic = 0;
    std::vector<uint8_t> data; // what it writes, row after row, if that is kept
};

class GlobalMemory {
public:
    Region &add(const std::string &name, uint64_t bytes, bool readOnly, bool output, bool initialised);
    std::string label(const uint8_t *p); // of traffic there: "workspace", or "GM" for what the caller sees
    Region *find(const uint8_t *p);
    // within names the region of a span, or reports the access and returns null.
    Region *within(Core &, uint32_t site, const Global &, const Span &, bool write, const char *name);
    GmAccess &log(Exec &, const Span &, bool write, int atomic);
    // keep has an access carry what it writes: two writes of the same values do not disturb one another.
    bool keep(const Core &, uint64_t bytes);
    void define(Region &, const Span &);
    bool defined(const Region &, const uint8_t *p, uint64_t n) const;
    void undefine(Region &, const uint8_t *p, uint64_t n);
    // races compares the accesses of all cores; findings go to the core of the later one.
    void races(std::vector<std::unique_ptr<Core>> &cores);
    std::vector<std::unique_ptr<Region>> regions;

    void prepare(size_t cores) { logs_.assign(cores, {}), kept_.assign(cores, 0); }
    bool remove(const uint8_t *begin);

private:
    struct Watch;
    std::vector<std::vector<GmAccess>> logs_; // by core
    std::vector<uint64_t> kept_;              // bytes of data by core
};

} // namespace machine
