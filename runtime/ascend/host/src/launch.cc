#include "launch.h"
#include <cstring>
#include <thread>

namespace machine {

Launch::Launch(const LaunchConfig &c, GlobalMemory &memory) : config(c), gm(memory) {
    for (int b = 0; b < c.blocks; b++) {
        bool cube = c.type != TaskType::VectorOnly && c.type != TaskType::Mix10V;
        int vectors = c.type == TaskType::Mix12 ? 2 : c.type == TaskType::CubeOnly || c.type == TaskType::Mix10C ? 0 : 1;
        if (cube) cores.push_back(std::make_unique<Core>(*this, int(cores.size()), true, b, 0));
        for (int v = 0; v < vectors; v++) cores.push_back(std::make_unique<Core>(*this, int(cores.size()), false, b, v));
    }
    gm.prepare(cores.size());
}

void Launch::run(const std::function<void()> &program) {
    state_.assign(cores.size(), State::Ready);
    ready_.resize(cores.size());
    std::vector<std::thread> threads;
    for (auto &c : cores) threads.emplace_back([this, &c, &program] { thread(*c, program); });
    {
        std::unique_lock<std::mutex> lock(mu_);
        schedule();
    }
    for (auto &t : threads) t.join();
    gm.races(cores);
}

void Launch::thread(Core &core, const std::function<void()> &program) {
    currentCore = &core;
    {
        std::unique_lock<std::mutex> lock(mu_);
        turn_.wait(lock, [&] { return state_[core.index] == State::Running; });
    }
    try {
        program();
        core.finish();
    } catch (Aborted &) {
    }
    std::unique_lock<std::mutex> lock(mu_);
    state_[core.index] = State::Done;
    running_--;
    schedule();
}

// schedule gives free turns to cores that can go on, in a fixed order.
void Launch::schedule() {
    int n = int(cores.size());
    bool changed = false;
    for (int k = 1; k <= n && running_ < config.workers; k++) {
        int i = (last_ + k) % n;
        if (state_[i] == State::Ready || (state_[i] == State::Waiting && ready_[i]())) {
            state_[i] = State::Running;
            running_++;
            last_ = i;
            k = 0;
            changed = true;
        }
    }
    if (running_ == 0)
        for (int i = 0; i < n; i++)
            if (state_[i] == State::Waiting) deadlock_ = changed = true, state_[i] = State::Running, running_++;
    if (changed) turn_.notify_all();
}

bool Launch::wait(Core &core, std::unique_lock<std::mutex> &lock, std::function<bool()> ready) {
    if (ready()) return true;
    if (deadlock_) return false;
    ready_[core.index] = ready;
    state_[core.index] = State::Waiting;
    running_--;
    schedule();
    turn_.wait(lock, [&] { return state_[core.index] == State::Running; });
    return ready();
}

void Launch::yield(Core &core) {
    std::unique_lock<std::mutex> lock(mu_);
    state_[core.index] = State::Ready;
    running_--;
    schedule();
    turn_.wait(lock, [&] { return state_[core.index] == State::Running; });
}

Launch::Arrival Launch::arrival(const Core &core, const Snapshot &s, uint32_t site) {
    Arrival a;
    if (s.others) a.cores = s.others->cores;
    else a.cores.resize(cores.size());
    a.cores[core.index].join(s.clock);
    a.lamport = core.lamport;
    a.time = s.time + config.rates.cross;
    a.site = site;
    return a;
}

void Launch::receive(Core &core, const std::vector<Arrival> &arrivals) {
    PipeState &s = core.pipes[S];
    auto known = std::make_shared<Others>();
    if (s.others) *known = *s.others;
    else known->cores.resize(cores.size());
    known->version++;
    for (auto &a : arrivals) {
        for (size_t i = 0; i < cores.size(); i++) known->cores[i].join(a.cores[i]);
        core.lamport = std::max(core.lamport, a.lamport + 1);
        s.free = std::max(s.free, a.time);
    }
    Clock own = known->cores[core.index];
    own[S] = 0; // a scalar store is ordered by the scalar unit's own flags alone
    s.done.join(own);
    s.others = known;
}

std::vector<int> Launch::senders(const Core &r, int mode) const {
    std::vector<int> list;
    for (auto &c : cores) {
        bool sends = mode == 0 ? c->cube == r.cube : c->block == r.block && (mode == 1 ? !c->cube && !r.cube : c->cube != r.cube);
        if (sends) list.push_back(c->index);
    }
    return list;
}

void Launch::crossSet(Core &core, int mode, int flag, uint32_t site, const Snapshot &snap) {
    std::unique_lock<std::mutex> lock(mu_);
    core.counters.crossFlags++;
    Arrival a = arrival(core, snap, site);
    for (auto &c : cores) {
        auto from = senders(*c, mode);
        if (std::find(from.begin(), from.end(), core.index) == from.end()) continue;
        auto &queue = flags_[{c->index, flag, mode, core.index}];
        queue.push_back(a);
        if (queue.size() == 16)
            core.find("flag", site, "cross-core flag %d is set 16 times without a wait on %s %d: the counter holds 15", flag,
                      c->cube ? "AIC" : "AIV", c->index);
    }
    schedule();
}

void Launch::crossWait(Core &core, int flag, uint32_t site) {
    std::unique_lock<std::mutex> lock(mu_);
    int found = -1;
    std::vector<int> from[3];
    for (int m = 0; m < 3; m++) from[m] = senders(core, m);
    auto ready = [&] {
        for (int m = 0; m < 3; m++) {
            bool all = !from[m].empty();
            for (int s : from[m]) {
                auto it = flags_.find({core.index, flag, m, s});
                all &= it != flags_.end() && !it->second.empty();
            }
            if (all) {
                found = m;
                return true;
            }
        }
        return false;
    };
    if (!wait(core, lock, ready)) {
        std::string missing;
        for (int s : from[2]) {
            auto it = flags_.find({core.index, flag, 2, s});
            if (it == flags_.end() || it->second.empty())
                missing += std::string(missing.empty() ? "" : ", ") + (cores[s]->cube ? "AIC " : "AIV ") + std::to_string(s);
        }
        core.find("deadlock", site, "waits for cross-core flag %d, which is never set (in mode 2, %s would have to)", flag,
                  missing.empty() ? "nobody" : missing.c_str());
        core.abort();
    }
    std::vector<Arrival> got;
    for (int s : from[found]) {
        auto &queue = flags_[{core.index, flag, found, s}];
        got.push_back(queue.front());
        queue.pop_front();
    }
    receive(core, got);
}

void Launch::syncAll(Core &core, bool vectorOnly, uint32_t site) {
    std::unique_lock<std::mutex> lock(mu_);
    Meeting &m = meeting_[vectorOnly];
    size_t want = 0;
    for (auto &c : cores) want += !vectorOnly || !c->cube;
    m.here.push_back(arrival(core, core.snapshot(S), site));
    uint64_t number = m.number;
    if (m.here.size() == want) {
        m.last = std::move(m.here);
        m.here.clear();
        m.number++;
        schedule();
    }
    if (!wait(core, lock, [&] { return m.number > number; })) {
        core.find("deadlock", site, "SyncAll: only %zu of %zu cores come to it", m.here.size(), want);
        core.abort();
    }
    receive(core, m.last);
}

void Launch::store(Core &core, uint8_t *p, const void *from, uint32_t bytes, uint32_t site) {
    std::unique_lock<std::mutex> lock(mu_);
    std::memcpy(p, from, bytes);
    stored_[p] = arrival(core, core.snapshot(S), site);
}

void Launch::load(Core &core, const uint8_t *p, void *to, uint32_t bytes) {
    std::unique_lock<std::mutex> lock(mu_);
    std::memcpy(to, p, bytes);
    auto it = stored_.find(p);
    if (it == stored_.end() || core.seen[p] == it->second.lamport) return;
    core.seen[p] = it->second.lamport;
    receive(core, {it->second});
}

void Launch::signal(Core &core, uint64_t key, uint32_t site) {
    std::unique_lock<std::mutex> lock(mu_);
    signals_[{key, 0}].push_back(arrival(core, core.snapshot(S), site));
    schedule();
}

void Launch::await(Core &core, uint64_t key, uint32_t site) {
    std::unique_lock<std::mutex> lock(mu_);
    auto &queue = signals_[{key, 0}];
    if (!wait(core, lock, [&] { return !queue.empty(); })) {
        core.find("deadlock", site, "IBWait: the block that it waits for never comes to an IBSet");
        core.abort();
    }
    Arrival a = queue.front();
    queue.pop_front();
    receive(core, {a});
}

} // namespace machine
