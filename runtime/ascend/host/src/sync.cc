// Flags, barriers, scalar accesses and the state of the scalar unit, as the headers call them.
#include <cstring>
#include "launch.h"
#include "number.h"

namespace machine {

bool isCube() { return core().cube; }
int64_t subBlockCount() { return core().cube || core().launch.config.type != TaskType::Mix12 ? 1 : 2; }
int64_t subBlockIndex() { return core().sub; }
int64_t blockIndex() { return core().block * subBlockCount() + core().sub; }
int64_t blockCount() { return core().launch.config.blocks; }
uint64_t tilingKey() { return core().launch.config.tilingKey; }
int64_t cycles() { return int64_t(core().pipes[S].free); }
uint32_t capacity(Space s) { return core().launch.config.capacity[s]; }

static const char *eventName(Pipe from, Pipe to, char (&buf)[16]) {
    snprintf(buf, sizeof buf, "%s_%s", pipeName(from), pipeName(to));
    return buf;
}

static bool validEvent(Core &c, Pipe from, Pipe to, int id, uint32_t site) {
    char b[16];
    if (id < 0 || id > 7) {
        c.find("limit", site, "event id %d of %s: there are 0 to 7", id, eventName(from, to, b));
        return false;
    }
    return c.has(from) && c.has(to);
}

void setFlag(Pipe from, Pipe to, int event, int id, Site at) {
    Core &c = core();
    uint32_t site = c.intern({at.file, at.line, "SetFlag"});
    if (c.aborted || !validEvent(c, from, to, id, site)) return;
    c.counters.flags++;
    c.ordersScalar |= from == S || to == S;
    c.issueTime(from);
    auto set = [=, &c] {
        FlagState &f = c.flags[event * 16 + id];
        char b[16];
        if (f.set)
            c.find("flag", site, "%s %d is set again before it is waited for (it was set at line %d)", eventName(from, to, b), id,
                   c.place(f.site).line);
        f.set = true;
        f.site = site;
        f.snapshot = c.snapshot(from);
        return true;
    };
    if (from == S) {
        set();
        c.progress();
    } else {
        c.push(from, set);
    }
}

void waitFlag(Pipe from, Pipe to, int event, int id, Site at) {
    Core &c = core();
    uint32_t site = c.intern({at.file, at.line, "WaitFlag"});
    if (c.aborted || !validEvent(c, from, to, id, site)) return;
    c.counters.waits++;
    c.issueTime(to);
    auto wait = [=, &c] {
        FlagState &f = c.flags[event * 16 + id];
        if (!f.set) {
            c.pipes[to].waiting = site;
            return false;
        }
        f.set = false;
        c.join(to, f.snapshot);
        return true;
    };
    if (to != S) {
        c.push(to, wait);
        return;
    }
    if (wait()) return;
    char b[16];
    c.find("deadlock", site, "the scalar unit waits for %s %d, which nothing before has set", eventName(from, to, b), id);
    c.needIdle(site);
    c.abort();
}

void pipeBarrier(Pipe p, Site at, bool byHand) {
    Core &c = core();
    c.ordersVector |= byHand && p == V;
    if (c.aborted || (p != All && !c.has(p))) return;
    uint32_t site = c.intern({at.file, at.line, "PipeBarrier"});
    c.counters.barriers++;
    if (p != All) {
        c.issueTime(p);
        c.push(p, [=, &c] {
            PipeState &s = c.pipes[p];
            s.done[p] = s.now;
            s.free += c.launch.config.rates.barrier;
            return true;
        });
        return;
    }
    c.needIdle(site);
    Snapshot all;
    for (int q = 0; q < kPipes; q++) {
        Snapshot s = c.snapshot(Pipe(q));
        all.clock.join(s.clock);
        all.others = later(all.others, s.others);
        all.time = std::max(all.time, s.time);
    }
    for (int q = 0; q < kPipes; q++) c.join(Pipe(q), all);
}

void crossSet(int mode, Pipe p, int flag, Site at) {
    Core &c = core();
    if (c.aborted || !c.has(p)) return;
    uint32_t site = c.intern({at.file, at.line, "CrossCoreSetFlag"});
    if (flag > 15) return c.find("limit", site, "cross-core flag %d: there are 0 to 15", flag);
    if (!c.launch.mixed())
        return c.find("flag", site, "cross-core flags do not work in a kernel of type AIV_ONLY or AIC_ONLY");
    c.issueTime(p);
    c.push(p, [=, &c] {
        c.launch.crossSet(c, mode, flag, site, c.snapshot(p));
        return true;
    });
}

void crossWait(int flag, Site at) {
    Core &c = core();
    if (c.aborted) return;
    uint32_t site = c.intern({at.file, at.line, "CrossCoreWaitFlag"});
    if (flag > 15) return c.find("limit", site, "cross-core flag %d: there are 0 to 15", flag);
    if (!c.launch.mixed())
        return c.find("flag", site, "cross-core flags do not work in a kernel of type AIV_ONLY or AIC_ONLY");
    c.launch.crossWait(c, flag, site);
}

void syncAll(bool vectorOnly, Site at) {
    Core &c = core();
    if (c.aborted || (vectorOnly && c.cube)) return;
    uint32_t site = c.intern({at.file, at.line, "SyncAll"});
    pipeBarrier(All, at);
    c.launch.syncAll(c, vectorOnly, site);
}

void blockSignal(Global g, int block, int event, Site at) {
    Core &c = core();
    if (c.aborted || c.cube) return;
    pipeBarrier(All, at);
    c.launch.signal(c, reinterpret_cast<uintptr_t>(g.ptr) + uint64_t(block) * 8 + uint64_t(event), c.intern({at.file, at.line, "IBSet"}));
}

void blockWait(Global g, int block, int event, Site at) {
    Core &c = core();
    if (c.aborted || c.cube) return;
    c.launch.await(c, reinterpret_cast<uintptr_t>(g.ptr) + uint64_t(block) * 8 + uint64_t(event), c.intern({at.file, at.line, "IBWait"}));
}

void fault(const char *kind, Site at, const char *format, ...) {
    Core &c = core();
    va_list args;
    va_start(args, format);
    c.find(kind, c.intern({at.file, at.line, ""}), "%s", formatted(format, args).c_str());
    va_end(args);
}

void stop(const char *kind, Site at, const char *format, ...) {
    Core &c = core();
    va_list args;
    va_start(args, format);
    c.find(kind, c.intern({at.file, at.line, ""}), "%s", formatted(format, args).c_str());
    va_end(args);
    c.abort();
}

void trap(Site at, const char *why) {
    Core &c = core();
    c.find("assert", c.intern({at.file, at.line, ""}), "%s", why);
    c.abort();
}

void print(const char *format, ...) {
    va_list args;
    va_start(args, format);
    core().printed += formatted(format, args);
    va_end(args);
}

bool hasPipe() { return core().tpipe != nullptr; }

// loads runs a read by the scalar unit: it is in order with the scalar unit, and ended before anything later is issued.
static Exec loads(Core &c, uint32_t site) {
    Exec x(c, S);
    x.access.pipe = Loads;
    x.access.time = ++c.pipes[Loads].now;
    x.access.site = site;
    c.pipes[S].done[Loads] = x.access.time;
    c.pipes[S].free += 1;
    return x;
}

void loadLocal(const Local &l, void *to, uint32_t bytes, Site at) {
    Core &c = core();
    std::memset(to, 0, bytes);
    if (c.aborted || c.memory[l.space].data.empty()) return;
    Exec x = loads(c, c.intern({at.file, at.line, "GetValue"}));
    if (!c.check(x, l, bytes, 0, "element")) return;
    uint32_t origin = 0;
    if (!c.read(x, l.space, l.addr, bytes, origin)) {
        std::string message = std::string("a scalar is read from ") + spaceName(l.space) + " that was never written";
        if (origin != x.access.site) message += ", or depends on such bytes: see line " + std::to_string(c.place(origin).line);
        Finding f;
        c.findings.add(std::move(c.unwritten(f, c.overlapped(origin) ? origin : x.access.site, message)));
    }
    std::memcpy(to, c.at(l.space, l.addr), bytes);
}

void storeLocal(const Local &l, const void *from, uint32_t bytes, Site at) {
    Core &c = core();
    if (c.aborted || c.memory[l.space].data.empty()) return;
    c.issue(S, "SetValue", at, [&](Exec &x) {
        if (!c.check(x, l, bytes, 0, "element")) return;
        c.write(x, l.space, l.addr, bytes);
        std::memcpy(c.at(l.space, l.addr), from, bytes);
    });
}

void loadGlobal(const Global &g, void *to, uint32_t bytes, Site at) {
    Core &c = core();
    std::memset(to, 0, bytes);
    if (c.aborted) return;
    Exec x = loads(c, c.intern({at.file, at.line, "GetValue"}));
    if (x.access.time % 4096 == 0) c.launch.yield(c); // it may poll for what another core writes
    Span s{g.ptr, 1, bytes, bytes};
    Region *r = c.launch.gm.within(c, x.access.site, g, s, false, "GetValue");
    if (!r) return;
    c.launch.gm.log(x, s, false, 0);
    if (!c.launch.gm.defined(*r, g.ptr, bytes)) c.find("unwritten", x.access.site, "a scalar is read from %s that was never written", r->name.c_str());
    std::memcpy(to, g.ptr, bytes);
}

void storeGlobal(const Global &g, const void *from, uint32_t bytes, Site at) {
    Core &c = core();
    if (c.aborted) return;
    c.issue(S, "SetValue", at, [&](Exec &x) {
        Span s{g.ptr, 1, bytes, bytes};
        Region *r = c.launch.gm.within(c, x.access.site, g, s, true, "SetValue");
        if (!r) return;
        std::memcpy(g.ptr, from, bytes);
        c.launch.gm.define(*r, s);
        for (uint32_t i = 0; i < bytes; i++) c.dirty[reinterpret_cast<uintptr_t>(g.ptr) + i] = x.access.site;
    });
}

void storeThrough(uint8_t *p, const void *from, uint32_t bytes, Site at) {
    Core &c = core();
    if (c.aborted) return;
    c.issue(S, "WriteGmByPassDCache", at, [&](Exec &x) {
        Span s{p, 1, bytes, bytes};
        Region *r = c.launch.gm.within(c, x.access.site, {p, nullptr, nullptr}, s, true, "WriteGmByPassDCache");
        if (!r) return;
        c.launch.gm.log(x, s, true, 1);
        c.launch.gm.define(*r, s);
        c.launch.store(c, p, from, bytes, x.access.site);
    });
}

void loadThrough(uint8_t *p, void *to, uint32_t bytes, Site at) {
    Core &c = core();
    std::memset(to, 0, bytes);
    if (c.aborted) return;
    Exec x = loads(c, c.intern({at.file, at.line, "ReadGmByPassDCache"}));
    if (x.access.time % 64 == 0) c.launch.yield(c); // it polls for what another core writes
    Span s{p, 1, bytes, bytes};
    if (!c.launch.gm.within(c, x.access.site, {p, nullptr, nullptr}, s, false, "ReadGmByPassDCache")) return;
    c.launch.load(c, p, to, bytes);
    if (x.access.time % 64 == 1) c.launch.gm.log(x, s, false, 1);
}

static void dump(Core &c, const uint8_t *p, DType type, uint32_t description, uint32_t count) {
    c.printed += "DumpTensor " + std::to_string(description) + ":";
    for (uint32_t i = 0; i < count; i++) {
        char b[32];
        snprintf(b, sizeof b, " %g", loadNumber(p + i * sizeOf(type), type));
        c.printed += b;
    }
    c.printed += "\n";
}

void dumpLocal(const Local &l, DType type, uint32_t description, uint32_t count, Site at) {
    Core &c = core();
    if (c.aborted || l.addr + uint64_t(count) * sizeOf(type) > c.memory[l.space].data.size()) return;
    c.needIdle(c.intern({at.file, at.line, "DumpTensor"}));
    dump(c, c.at(l.space, l.addr), type, description, count);
}

void dumpGlobal(const Global &g, DType type, uint32_t description, uint32_t count, Site at) {
    Core &c = core();
    Span s{g.ptr, 1, uint64_t(count) * sizeOf(type), 0};
    uint32_t site = c.intern({at.file, at.line, "DumpTensor"});
    if (!c.aborted && c.launch.gm.within(c, site, g, s, false, "DumpTensor")) dump(c, g.ptr, type, description, count);
}

// cleanCache brings stores to GM: for all others they happen here.
void cleanCache(const Global &g, bool all, Site at) {
    Core &c = core();
    if (c.aborted) return;
    c.issue(S, "DataCacheCleanAndInvalid", at, [&](Exec &x) {
        uint64_t line = reinterpret_cast<uintptr_t>(g.ptr) / 64 * 64;
        auto from = all ? c.dirty.begin() : c.dirty.lower_bound(line), to = all ? c.dirty.end() : c.dirty.lower_bound(line + 64);
        for (auto it = from; it != to; ++it) c.launch.gm.log(x, {reinterpret_cast<uint8_t *>(it->first), 1, 1, 1}, true, 0);
        c.dirty.erase(from, to);
    });
}

void setMaskMode(bool count) { core().maskCount = count; }
void setMask(uint64_t high, uint64_t low) {
    core().maskHigh = high;
    core().maskLow = low;
}
void setMaskLength(uint64_t n, uint32_t elem) {
    Core &c = core();
    if (c.maskCount) return setMask(0, n);
    uint64_t lanes = elem >= 4 ? 64 : 128;
    n = std::min(n, lanes);
    auto ones = [](uint64_t k) { return k >= 64 ? ~0ull : (1ull << k) - 1; };
    setMask(n > 64 ? ones(n - 64) : 0, ones(n));
}
void setPadValue(uint64_t bits) { core().padValue = bits; }
void setAtomic(int op, DType t, Site) {
    core().atomic = op;
    core().atomicType = t;
}

} // namespace machine

namespace AscendC {
class TPipe;
TPipe *currentPipe() { return static_cast<TPipe *>(machine::currentCore->tpipe); }
void setCurrentPipe(TPipe *p) {
    machine::currentCore->tpipe = p;
    machine::currentCore->managed |= p != nullptr;
}
} // namespace AscendC
