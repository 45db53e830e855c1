#include "core.h"
#include <cstring>
#include "launch.h"

namespace machine {

thread_local Core *currentCore;

const char *pipeName(Pipe p) {
    static const char *names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "S", "ALL", ""};
    return names[p];
}
const char *spaceName(Space s) {
    static const char *names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", ""};
    return names[s];
}
uint32_t sizeOf(DType t) {
    static const uint8_t sizes[] = {1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
    return sizes[int(t)];
}

Core::Core(Launch &l, int i, bool c, int b, int s) : launch(l), index(i), cube(c), block(b), sub(s) {
    for (int sp = 1; sp < kSpaces; sp++) {
        bool own = cube ? sp != UB : sp == UB;
        uint32_t bytes = own ? l.config.capacity[sp] : 0;
        memory[sp].data.assign(bytes, 0xcd);
        memory[sp].shadow = Shadow(bytes);
    }
    sites_.emplace_back();
    buffers_.emplace_back();
    provenance[L1].resize(memory[L1].data.size() / 32);
    provenance[L0A].resize(memory[L0A].data.size() / 512);
    provenance[L0B].resize(memory[L0B].data.size() / 512);
    unitFull.resize(memory[L0C].data.size() / 1024);
}

bool Core::dry() const { return launch.config.dry; }

bool Core::has(Pipe p) const {
    if (p == V) return !cube;
    if (p == M || p == MTE1 || p == FIX) return cube;
    return true;
}

uint32_t Core::intern(const Place &p) {
    uint64_t key = (reinterpret_cast<uintptr_t>(p.file) * 31 + uint64_t(p.line)) * 0x9E3779B97F4A7C15ull ^ reinterpret_cast<uintptr_t>(p.name);
    auto it = siteIndex_.find(key);
    if (it != siteIndex_.end()) return lastSite_ = it->second;
    sites_.push_back(p);
    return lastSite_ = siteIndex_[key] = uint32_t(sites_.size() - 1);
}

Finding &Core::fill(Finding &f, const char *kind, uint32_t site) {
    f.kind = kind;
    f.at = sites_[site];
    f.core = index;
    return f;
}

void Core::find(const char *kind, uint32_t site, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Finding f;
    fill(f, kind, site).message = formatted(format, args);
    va_end(args);
    findings.add(std::move(f));
}

void Core::abort() {
    aborted = true;
    throw Aborted();
}

// issueTime is when the scalar unit can hand an instruction to a pipe: a full queue holds it up.
double Core::issueTime(Pipe p) {
    const Rates &r = launch.config.rates;
    PipeState &s = pipes[p];
    double &now = pipes[S].free;
    if (p != S && int(s.inFlight.size()) >= r.queueDepth) {
        now = std::max(now, s.inFlight.front());
        s.inFlight.pop_front();
    }
    now += r.issue;
    return now;
}

void Core::control(Pipe p) {
    if (p == S) return;
    const PipeState &s = pipes[S];
    pipes[p].done.join(s.done);
    pipes[p].others = later(pipes[p].others, s.others);
}

void Core::issue(Pipe p, const char *name, Site at, const Body &body) {
    if (aborted || !has(p)) return; // compiled for the other kind of core
    uint32_t site = intern({at.file, at.line, name});
    double when = issueTime(p);
    PipeState &s = pipes[p];
    if (s.queue.empty()) {
        control(p);
        return execute(p, name, site, when, body);
    }
    Snapshot ctrl{pipes[S].done, pipes[S].others, when};
    s.queue.push_back([=] {
        join(p, ctrl);
        execute(p, name, site, when, body);
        return true;
    });
}

void Core::execute(Pipe p, const char *name, uint32_t site, double issued, const Body &body) {
    PipeState &s = pipes[p];
    Exec x(*this, p);
    x.access.time = ++s.now;
    x.access.site = s.last = site;
    body(x);
    const Rates &r = launch.config.rates;
    double cycles = r.head[p] + x.cycles;
    s.free = std::max(s.free, issued) + cycles;
    s.busy += cycles;
    if (p != S) s.inFlight.push_back(s.free);
    counters.instructions[std::string(pipeName(p)) + " " + name]++;
}

bool Core::completes(Pipe now, const Access &old) const { return old.time <= pipes[now].done[old.pipe]; }

void Core::order(const Access &old, const Access &now, uint32_t addr, uint32_t bytes) {
    auto scalar = [](Pipe p) { return p == S || p == Loads; };
    Pipe acting = now.pipe == Loads ? S : now.pipe;
    if (completes(acting, old) || (scalar(old.pipe) && scalar(now.pipe))) return;
    if (old.unit && now.unit) return;
    if (now.space == FB && old.pipe == now.pipe) return; // the fixpipe loads its tables in its own order
    if (old.pipe == now.pipe && (old.time == now.time || !old.write || (old.chained && now.chained))) return;
    Finding f;
    fill(f, "race", now.site);
    f.other = sites_[old.site];
    f.otherCore = index;
    f.pipe = pipeName(now.pipe);
    f.otherPipe = pipeName(old.pipe);
    f.addr = addr + __builtin_ctz(bytes);
    f.bytes = __builtin_popcount(bytes);
    const char *how = now.write ? (old.write ? "writes what another writes" : "writes what another still reads")
                                : "reads what another still writes";
    if (old.pipe == now.pipe)
        f.message = std::string("depends on an earlier instruction of the same pipe: a PipeBarrier<PIPE_") + f.pipe + "> is missing";
    else
        f.message = std::string(how) + ": no flag " + f.otherPipe + "_" + f.pipe + " orders the two pipes";
    f.space = spaceName(now.space);
    f.autoSync = !cube && ((old.pipe == V && now.pipe == V) || scalar(old.pipe) || scalar(now.pipe));
    findings.add(std::move(f));
}

Snapshot Core::snapshot(Pipe p) const {
    const PipeState &s = pipes[p];
    Snapshot n{s.done, s.others, s.free};
    n.clock[p] = s.now;
    if (p == S) n.clock[Loads] = pipes[Loads].now;
    return n;
}

void Core::join(Pipe p, const Snapshot &n) {
    PipeState &s = pipes[p];
    s.done.join(n.clock);
    s.others = later(s.others, n.others);
    s.free = std::max(s.free, n.time);
}

void Core::push(Pipe p, std::function<bool()> item) {
    if (pipes[p].queue.empty()) {
        control(p);
        if (item()) {
            progress();
            return;
        }
    }
    pipes[p].queue.push_back(std::move(item));
}

void Core::progress() {
    for (bool moved = true; moved;) {
        moved = false;
        for (int p = 0; p < kPipes; p++) {
            auto &q = pipes[p].queue;
            while (!q.empty() && q.front()()) {
                q.pop_front();
                pipes[p].waiting = 0;
                moved = true;
            }
        }
    }
}

// needIdle stops the core where the scalar unit waits for pipes that wait for ever.
void Core::needIdle(uint32_t site, Pipe only) {
    for (int p = 0; p < kPipes; p++) {
        if (pipes[p].queue.empty() || (only != All && only != p)) continue;
        find("deadlock", pipes[p].waiting ? pipes[p].waiting : site, "the %s pipe waits for a flag that is never set, with %zu instructions behind it",
             pipeName(Pipe(p)), pipes[p].queue.size() - 1);
        abort();
    }
}

// ended reports work that nothing waits for. A program with static tensors has to end with a barrier of all pipes (Ascend C guide,
// matrix programming in split mode); TPipe does it in its destructor.
void Core::ended() {
    if (managed || dry()) return;
    for (Pipe p : {MTE3, FIX, V, M, MTE1, MTE2}) {
        if (pipes[p].now <= pipes[S].done[p]) continue;
        find("unfinished", pipes[p].last, "the kernel ends while the %s pipe may still work: PipeBarrier<PIPE_ALL> is missing at its end", pipeName(p));
        return;
    }
}

void Core::finish() {
    bool blocked = false;
    for (int p = 0; p < kPipes; p++) {
        if (pipes[p].queue.empty()) continue;
        blocked = true;
        find("deadlock", pipes[p].waiting, "the %s pipe waits for a flag that is never set, with %zu instructions behind it",
             pipeName(Pipe(p)), pipes[p].queue.size() - 1);
    }
    for (auto &f : flags)
        if (f.second.set && !blocked) find("flag", f.second.site, "is set and never waited for, which breaks the next kernel");
    if (!blocked) ended();
    for (int p = 0; p < Loads; p++) {
        counters.busy[p] = pipes[p].busy;
        counters.cycles = std::max(counters.cycles, pipes[p].free);
    }
    if (!dirty.empty()) {
        // The cache is written back at the end: other cores see the stores no earlier.
        issue(S, "end", {"", 0}, [&](Exec &x) {
            for (auto &d : dirty) {
                Span s{reinterpret_cast<uint8_t *>(d.first), 1, 1, 1};
                x.access.site = d.second;
                launch.gm.log(x, s, true, 0);
            }
        });
    }
}

void Core::name(Exec &x, const Local &l) {
    for (int i = 0; i < x.bufferCount; i++) {
        const Local &p = x.buffers[i].place;
        if (p.space == l.space && p.begin == l.begin && p.end == l.end) return;
    }
    if (x.bufferCount == 6) return;
    uint16_t &n = bufferIndex_[{int(l.space), l.begin, l.end}];
    if (n == 0 && buffers_.size() < 0xffff) {
        n = uint16_t(buffers_.size());
        buffers_.push_back(l);
    }
    x.buffers[x.bufferCount++] = {l, n};
}

// bufferOf is the number of the smallest buffer among the operands that a byte lies in.
uint16_t Core::bufferOf(const Exec &x, Space s, uint32_t addr) {
    uint16_t best = 0;
    uint32_t least = ~0u;
    for (int i = 0; i < x.bufferCount; i++) {
        const Local &p = x.buffers[i].place;
        if (p.space == s && addr >= p.begin && addr < p.end && p.end - p.begin < least) least = p.end - p.begin, best = x.buffers[i].number;
    }
    return best;
}

// overlap reports that bytes are read through one buffer and were written through another which lies only partly on it: they are nobody's
// then, a fault if they matter. Views of a buffer, and parts of one, are none.
bool Core::overlap(const Access &a, uint16_t owner, uint32_t addr) {
    const Local &reader = buffers_[a.buffer], &writer = buffers_[owner];
    bool apart = (writer.begin < reader.begin && writer.end < reader.end) || (writer.begin > reader.begin && writer.end > reader.end);
    if (apart && !overlaps_.count(a.site)) {
        auto bytes = [](const Local &l) { return "bytes " + std::to_string(l.begin) + " to " + std::to_string(l.end); };
        overlaps_[a.site] = "reads byte " + std::to_string(addr) + " of " + spaceName(a.space) + " in the buffer of " + bytes(reader) +
                            ", after it was written through the one of " + bytes(writer);
    }
    return apart;
}

Finding &Core::unwritten(Finding &f, uint32_t origin, const std::string &message) {
    auto at = overlaps_.find(origin);
    fill(f, at == overlaps_.end() ? "unwritten" : "overlap", origin).message = at == overlaps_.end() ? message : at->second;
    return f;
}

bool Core::check(Exec &x, const Local &l, uint64_t bytes, uint32_t align, const char *operand) {
    uint32_t limit = uint32_t(memory[l.space].data.size());
    name(x, l);
    if (align && l.addr % align) {
        find("alignment", x.access.site, "the %s starts at byte %u of %s, no multiple of %u", operand, l.addr, spaceName(l.space), align);
        return false;
    }
    if (l.addr + bytes > l.end || l.addr < l.begin) {
        find("out of bounds", x.access.site, "the %s takes bytes %u to %llu of a buffer of %u bytes", operand, l.addr - l.begin,
             (unsigned long long)(l.addr - l.begin + bytes), l.end - l.begin);
        // The hardware knows no buffers: it goes on.
    }
    if (l.addr + bytes > limit) {
        find("capacity", x.access.site, "the %s ends at byte %llu of %s, which has %u", operand, (unsigned long long)(l.addr + bytes),
             spaceName(l.space), limit);
        return false;
    }
    return true;
}

bool Core::read(Exec &x, Space s, uint32_t addr, uint32_t bytes, uint32_t &origin) {
    if (launch.config.dry) return true;
    x.access.space = s;
    x.access.buffer = bufferOf(x, s, addr);
    return memory[s].shadow.read(*this, x.access, addr, bytes, origin);
}

void Core::write(Exec &x, Space s, uint32_t addr, uint32_t bytes) {
    if (launch.config.dry) return;
    x.access.space = s;
    x.access.buffer = bufferOf(x, s, addr);
    memory[s].shadow.write(*this, x.access, addr, bytes);
}

} // namespace machine
