// A core: its memories, its pipes, and what each pipe knows of the others.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <set>
#include "clock.h"
#include "report.h"
#include "shadow.h"

namespace machine {

struct Launch;

// Rates are the model of time, in cycles and bytes a cycle.
struct Rates {
    double gmRead = 128, gmWrite = 64, l1ToL0A = 256, l1ToL0B = 128, l1ToTable = 64, l0cOut = 128, ub = 256;
    double head[kPipes] = {};   // of each instruction of a pipe
    double issue = 1;           // of the scalar unit for each instruction
    double barrier = 0;         // of a PipeBarrier
    double cross = 0;           // from a cross-core flag to its wait
    double gmLatency = 0;       // from a copy's end to its flag
    int queueDepth = 32;        // instructions that wait in a pipe
};

// Aborted ends a core's program from within.
struct Aborted {};

// Exec is an instruction that executes.
struct Exec {
    Exec(struct Core &c, Pipe p) : core(c), pipe(p) { access.pipe = p; }
    struct Core &core;
    Pipe pipe;
    Access access; // with time, site and pipe set
    double cycles = 0;
    struct {
        Local place;
        uint16_t number;
    } buffers[6]; // of the operands that were checked, with their numbers
    int bufferCount = 0;
};

struct FlagState {
    bool set = false;
    Snapshot snapshot;
    uint32_t site = 0;
};

struct PipeState {
    Clock done;        // complete, as this pipe knows; of itself: up to its last barrier
    OthersRef others;
    uint32_t now = 0;  // instructions executed
    uint32_t last = 0; // site of the last one
    double free = 0, busy = 0;
    std::deque<std::function<bool()>> queue; // blocked first; each returns false when it has to wait
    uint32_t waiting = 0;                    // site of the wait that blocks, 0 if none
    std::deque<double> inFlight;             // end times of the last instructions
};

struct Memory {
    std::vector<uint8_t> data;
    Shadow shadow;
};

// Fractal says what a fractal in L0A or L0B holds, as far as copies tell: rows of a matrix's strip.
struct Fractal {
    uint32_t matrix = 0; // the Nd2Nz copy that brought it; 0: unknown
    uint16_t row = 0, strip = 0;
    uint8_t elem = 0;
    bool transposed = false;
};

struct Core {
    Core(Launch &, int index, bool cube, int block, int sub);

    Launch &launch;
    const int index;
    const bool cube;
    const int block, sub;

    Memory memory[kSpaces];
    PipeState pipes[kPipes];
    std::map<int, FlagState> flags; // by event * 16 + id
    Findings findings;
    Counters counters;
    std::string printed;
    bool aborted = false;
    uint64_t lamport = 0;
    std::map<const uint8_t *, uint64_t> seen; // stores past the cache that were read

    // Special registers.
    bool maskCount = false;
    uint64_t maskHigh = ~0ull, maskLow = ~0ull;
    uint64_t padValue = 0;
    float deqScale = 1;
    uint64_t compareMask[2] = {};
    Scalar reduced, reducedIndex;
    uint16_t merged[4] = {};
    int atomic = 0;
    DType atomicType = DType::None;
    void *tpipe = nullptr;
    bool managed = false; // there was a TPipe, which ends the kernel with a barrier
    bool ordersVector = false, ordersScalar = false; // the program does by itself what automatic synchronisation would do
    std::map<uint64_t, uint32_t> dirty; // lines of the data cache with stores that GM lacks, and their sites
    std::vector<Fractal> provenance[kSpaces]; // of blocks of L1, and of fractals of L0A and L0B
    uint32_t matrices = 0;
    std::vector<bool> unitFull; // fractals of L0C that a Mmad has released to the fixpipe by a unit flag
    uint32_t drainCount = 1, drainSrc = 0, drainDst = 0;
    uint64_t drainScale = 0;
    Local drainTable;
    bool hf32 = false;

    // issue hands an instruction to a pipe. It executes at once unless something earlier on the pipe waits. body(Exec&) does it,
    // and sets the cycles that it takes.
    using Body = std::function<void(Exec &)>;
    void issue(Pipe p, const char *name, Site at, const Body &body);
    void execute(Pipe p, const char *name, uint32_t site, double issued, const Body &body);
    bool has(Pipe) const;
    bool dry() const; // values neither move nor count

    // order reports a conflict of two accesses that nothing orders.
    void order(const Access &old, const Access &now, uint32_t addr, uint32_t bytes);
    bool overlap(const Access &, uint16_t owner, uint32_t addr);
    // unwritten begins the finding that undefined bytes matter: what first read them is at origin.
    Finding &unwritten(Finding &, uint32_t origin, const std::string &message);
    bool overlapped(uint32_t origin) const { return overlaps_.count(origin) > 0; }
    void name(Exec &, const Local &); // an operand's buffer
    static uint16_t bufferOf(const Exec &, Space, uint32_t addr);
    bool completes(Pipe now, const Access &old) const;

    uint32_t intern(const Place &);
    const Place &place(uint32_t site) const { return sites_[site]; }
    Place last() const { return sites_.empty() ? Place() : sites_[lastSite_]; }

    Finding &fill(Finding &f, const char *kind, uint32_t site);
    void find(const char *kind, uint32_t site, const char *format, ...) __attribute__((format(printf, 4, 5)));
    [[noreturn]] void abort();

    // run lets pipes go on whose waits have ended.
    void progress();
    void push(Pipe, std::function<bool()>);
    bool ready(Pipe p) const { return pipes[p].queue.empty(); }
    Snapshot snapshot(Pipe) const;
    void join(Pipe, const Snapshot &);
    void control(Pipe); // what the scalar unit has waited for is known to what it issues
    double issueTime(Pipe);
    void finish();
    void ended(); // reports pipes that still work at the end
    void needIdle(uint32_t site, Pipe only = All);

    // Accesses of instructions. check says whether a place lies within its buffer and its memory.
    bool check(Exec &, const Local &, uint64_t bytes, uint32_t align, const char *operand);
    bool read(Exec &, Space, uint32_t addr, uint32_t bytes, uint32_t &origin);
    void write(Exec &, Space, uint32_t addr, uint32_t bytes);
    uint8_t *at(Space s, uint32_t addr) { return memory[s].data.data() + addr; }

private:
    std::vector<Local> buffers_; // that instructions named, by number
    std::unordered_map<uint32_t, std::string> overlaps_; // what instructions read of others' buffers, by site
    std::map<std::tuple<int, uint32_t, uint32_t>, uint16_t> bufferIndex_;
    std::vector<Place> sites_;
    uint32_t lastSite_ = 0;
    std::unordered_map<uint64_t, uint32_t> siteIndex_;
};

extern thread_local Core *currentCore;
inline Core &core() { return *currentCore; } // whose thread this is
const char *pipeName(Pipe);
uint32_t sizeOf(DType);

} // namespace machine
