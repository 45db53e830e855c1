#include "gm.h"
#include <cstring>
#include <unordered_map>
#include "launch.h"

namespace machine {

static constexpr uint64_t kMargin = 4096;
static constexpr uint64_t kMostKept = 8 << 20; // bytes of written data that a core's log holds

Region &GlobalMemory::add(const std::string &name, uint64_t bytes, bool readOnly, bool output, bool initialised) {
    auto r = std::make_unique<Region>();
    r->name = name;
    r->storage.resize(bytes + 2 * kMargin + 512);
    uintptr_t base = reinterpret_cast<uintptr_t>(r->storage.data()) + kMargin;
    r->begin = reinterpret_cast<uint8_t *>((base + 511) / 512 * 512);
    r->end = r->begin + bytes;
    r->readOnly = readOnly;
    r->output = output;
    if (!initialised) {
        r->defined = std::make_unique<std::atomic<uint32_t>[]>(bytes / 32 + 2);
        std::memset(r->begin, 0xff, bytes); // a nan in every float type
    }
    regions.push_back(std::move(r));
    return *regions.back();
}

Region *GlobalMemory::find(const uint8_t *p) {
    for (auto &r : regions)
        if (p >= r->begin && p < r->end) return r.get();
    return nullptr;
}

std::string GlobalMemory::label(const uint8_t *p) {
    Region *r = find(p);
    return r && !r->output && !r->readOnly ? "workspace" : "GM";
}

bool GlobalMemory::remove(const uint8_t *begin) {
    for (auto it = regions.begin(); it != regions.end(); ++it)
        if ((*it)->begin == begin) return regions.erase(it), true;
    return false;
}

Region *GlobalMemory::within(Core &core, uint32_t site, const Global &g, const Span &s, bool write, const char *name) {
    if (s.rows == 0 || s.bytes == 0) return nullptr;
    uint64_t extent = (s.rows - 1) * s.pitch + s.bytes;
    Region *r = find(s.ptr);
    if (!r) {
        Region *near = nullptr;
        for (auto &c : regions)
            if (s.ptr >= c->begin - kMargin && s.ptr < c->end + kMargin) near = c.get();
        if (near)
            core.find("out of bounds", site, "%s of %llu bytes at byte %lld of %s, which has %llu bytes", write ? "a write" : "a read",
                      (unsigned long long)extent, (long long)(s.ptr - near->begin), near->name.c_str(),
                      (unsigned long long)(near->end - near->begin));
        else
            core.find("out of bounds", site, "%s at address %p, which lies in no argument", write ? "a write" : "a read", (void *)s.ptr);
        return nullptr;
    }
    if (s.ptr + extent > r->end) {
        core.find("out of bounds", site, "%s of %llu bytes at byte %lld of %s, which has %llu bytes", write ? "a write" : "a read",
                  (unsigned long long)extent, (long long)(s.ptr - r->begin), r->name.c_str(), (unsigned long long)(r->end - r->begin));
        return write || s.ptr + extent > r->end + kMargin / 2 ? nullptr : r; // a read gets what lies there
    }
    if (g.begin && (s.ptr < g.begin || s.ptr + extent > g.end)) {
        core.find("out of bounds", site, "%s of bytes %lld to %lld of a GlobalTensor that was declared with %llu bytes",
                  write ? "a write" : "a read", (long long)(s.ptr - g.begin), (long long)(s.ptr + extent - g.begin),
                  (unsigned long long)(g.end - g.begin));
        return nullptr;
    }
    if (write && r->readOnly) {
        core.find("read only", site, "%s writes %s, which the caller passed as an input", name, r->name.c_str());
        return nullptr;
    }
    return r;
}

bool GlobalMemory::keep(const Core &c, uint64_t bytes) {
    if (c.launch.config.dry || kept_[c.index] + bytes > kMostKept) return false;
    kept_[c.index] += bytes;
    return true;
}

GmAccess &GlobalMemory::log(Exec &x, const Span &s, bool write, int atomic) {
    static thread_local GmAccess none;
    if (x.core.launch.config.dry) return none = GmAccess();
    GmAccess a;
    a.span = s;
    a.lamport = ++x.core.lamport;
    PipeState &p = x.core.pipes[x.pipe];
    a.others = p.others;
    a.clock = p.done;
    a.time = x.access.time;
    a.site = x.access.site;
    a.core = x.core.index;
    a.pipe = x.access.pipe;
    a.write = write;
    a.atomic = atomic;
    logs_[x.core.index].push_back(std::move(a));
    return logs_[x.core.index].back();
}

template <class F> static void eachBlock(const Region &r, const uint8_t *p, uint64_t n, F f) {
    for (uint64_t at = p - r.begin, end = std::min<uint64_t>(at + n, r.end - r.begin); at < end;) {
        uint64_t from = at % 32, to = std::min<uint64_t>(32, from + end - at);
        f(at / 32, uint32_t(((uint64_t(1) << (to - from)) - 1) << from));
        at += to - from;
    }
}

void GlobalMemory::define(Region &r, const Span &s) {
    if (!r.defined) return;
    for (uint32_t i = 0; i < s.rows; i++)
        eachBlock(r, s.ptr + i * s.pitch, s.bytes, [&](uint64_t b, uint32_t m) {
            if ((r.defined[b].load(std::memory_order_relaxed) & m) != m) r.defined[b].fetch_or(m, std::memory_order_relaxed);
        });
}

void GlobalMemory::undefine(Region &r, const uint8_t *p, uint64_t n) {
    if (!r.defined) return;
    eachBlock(r, p, n, [&](uint64_t b, uint32_t m) { r.defined[b].fetch_and(~m, std::memory_order_relaxed); });
}

bool GlobalMemory::defined(const Region &r, const uint8_t *p, uint64_t n) const {
    if (p + n > r.end) return false;
    if (!r.defined) return true;
    bool all = true;
    eachBlock(r, p, n, [&](uint64_t b, uint32_t m) { all &= (r.defined[b].load(std::memory_order_relaxed) & m) == m; });
    return all;
}

// before reports that a is complete when b begins.
static bool before(const GmAccess &a, const GmAccess &b) {
    bool scalar = (a.pipe == S || a.pipe == Loads) && (b.pipe == S || b.pipe == Loads);
    if (a.core != b.core) return b.others && b.others->cores[a.core][a.pipe] >= a.time;
    if (scalar || b.clock[a.pipe] >= a.time) return true;
    if (a.pipe == b.pipe) return a.time == b.time || !a.write;
    return b.others && b.others->cores[a.core][a.pipe] >= a.time;
}

// same reports that two writes put the same values into the bytes of a block.
static bool same(const Region &r, const GmAccess &a, const GmAccess &b, uint64_t block, uint32_t mask) {
    if (!a.write || !b.write || a.data.empty() || b.data.empty()) return false;
    auto value = [](const GmAccess &g, const uint8_t *p) {
        uint64_t off = uint64_t(p - g.span.ptr), row = g.span.rows > 1 ? off / g.span.pitch : 0;
        return g.data[row * g.span.bytes + (off - row * g.span.pitch)];
    };
    for (; mask; mask &= mask - 1) {
        const uint8_t *p = r.begin + block * 32 + __builtin_ctz(mask);
        if (value(a, p) != value(b, p)) return false;
    }
    return true;
}

static void raceFinding(std::vector<std::unique_ptr<Core>> &cores, const GmAccess &a, const GmAccess &b, const Region &r, uint64_t byte) {
    Core &ca = *cores[a.core], &cb = *cores[b.core];
    Finding f;
    cb.fill(f, "race", b.site);
    f.other = ca.place(a.site);
    f.otherCore = a.core;
    f.pipe = pipeName(b.pipe);
    f.otherPipe = pipeName(a.pipe);
    f.space = "GM";
    f.addr = byte;
    f.bytes = 1;
    const char *how = b.write ? (a.write ? "writes what another writes" : "writes what another reads") : "reads what another writes";
    if (a.core != b.core)
        f.message = std::string(how) + " in " + r.name + ": no cross-core flag orders the two cores";
    else if (a.pipe == b.pipe)
        f.message = std::string("overlaps an earlier copy of the same pipe in ") + r.name + ": a PipeBarrier<PIPE_" + f.pipe + "> is missing";
    else
        f.message = std::string(how) + " in " + r.name + ": no flag " + f.otherPipe + "_" + f.pipe + " orders the two pipes";
    auto isScalar = [](Pipe p) { return p == S || p == Loads; };
    f.autoSync = a.core == b.core && !cb.cube && a.pipe != b.pipe && (isScalar(a.pipe) || isScalar(b.pipe));
    cb.findings.add(std::move(f));
}

// Watch is the accesses to the blocks of a region that later ones may conflict with.
struct GlobalMemory::Watch {
    struct Entry {
        const GmAccess *access;
        uint32_t mask;
    };
    std::unordered_map<uint64_t, std::vector<Entry>> blocks;
};

void GlobalMemory::races(std::vector<std::unique_ptr<Core>> &cores) {
    std::vector<const GmAccess *> order;
    for (auto &l : logs_)
        for (auto &a : l) order.push_back(&a);
    // Lamport times grow along every cross-core flag, so that this order has each access after those that come before it.
    std::stable_sort(order.begin(), order.end(), [](auto *a, auto *b) { return a->lamport < b->lamport; });
    std::vector<bool> written(regions.size());
    std::vector<Region *> of(order.size());
    for (size_t i = 0; i < order.size(); i++) {
        of[i] = find(order[i]->span.ptr);
        for (size_t k = 0; k < regions.size(); k++)
            if (regions[k].get() == of[i] && order[i]->write) written[k] = true;
    }
    for (size_t k = 0; k < regions.size(); k++) {
        if (!written[k]) continue;
        Region &r = *regions[k];
        Watch w;
        for (size_t i = 0; i < order.size(); i++) {
            if (of[i] != &r) continue;
            const GmAccess &b = *order[i];
            for (uint32_t row = 0; row < b.span.rows; row++)
                eachBlock(r, b.span.ptr + row * b.span.pitch, b.span.bytes, [&](uint64_t block, uint32_t mask) {
                    auto &list = w.blocks[block];
                    size_t keep = 0;
                    for (auto &e : list) {
                        uint32_t common = e.mask & mask;
                        if (common && (e.access->write || b.write) && !(e.access->atomic && b.atomic) && !before(*e.access, b) &&
                            !same(r, *e.access, b, block, common))
                            raceFinding(cores, *e.access, b, r, block * 32 + __builtin_ctz(common));
                        if (common && ((b.write && !b.atomic) ||
                                       (!b.write && !e.access->write && e.access->core == b.core && e.access->pipe == b.pipe)))
                            e.mask &= ~common;
                        if (e.mask) list[keep++] = e;
                    }
                    list.resize(keep);
                    list.push_back({&b, mask});
                });
        }
    }
}

} // namespace machine
