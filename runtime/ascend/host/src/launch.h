// A launch: its cores, their threads, and the flags between them.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include "gm.h"

namespace machine {

enum class TaskType { VectorOnly, CubeOnly, Mix10V, Mix10C, Mix11, Mix12 };

struct LaunchConfig {
    TaskType type = TaskType::VectorOnly;
    int blocks = 1, workers = 1;
    uint64_t tilingKey = 0;
    bool dry = false; // only count and time: no values move, nothing is watched
    uint32_t capacity[kSpaces] = {};
    Rates rates;
};

struct Launch {
    Launch(const LaunchConfig &, GlobalMemory &);
    void run(const std::function<void()> &program);

    LaunchConfig config;
    GlobalMemory &gm;
    std::vector<std::unique_ptr<Core>> cores;
    std::mutex atomics; // of copies that add

    void crossSet(Core &, int mode, int flag, uint32_t site, const Snapshot &);
    void crossWait(Core &, int flag, uint32_t site);
    void syncAll(Core &, bool vectorOnly, uint32_t site);
    void signal(Core &, uint64_t key, uint32_t site);
    void await(Core &, uint64_t key, uint32_t site);
    void yield(Core &);
    void store(Core &, uint8_t *, const void *from, uint32_t bytes, uint32_t site);
    void load(Core &, const uint8_t *, void *to, uint32_t bytes);
    bool mixed() const { return config.type != TaskType::VectorOnly && config.type != TaskType::CubeOnly; }

private:
    struct Arrival {
        std::vector<Clock> cores;
        uint64_t lamport;
        double time;
        uint32_t site;
    };
    enum class State { Ready, Running, Waiting, Done };

    void thread(Core &, const std::function<void()> &program);
    // wait gives the core's turn away until ready holds; false: it never will.
    bool wait(Core &, std::unique_lock<std::mutex> &, std::function<bool()> ready);
    void schedule();
    Arrival arrival(const Core &, const Snapshot &, uint32_t site);
    void receive(Core &, const std::vector<Arrival> &);
    std::vector<int> senders(const Core &receiver, int mode) const;

    std::mutex mu_;
    std::condition_variable turn_;
    std::vector<State> state_;
    std::vector<std::function<bool()>> ready_;
    int running_ = 0, last_ = -1;
    bool deadlock_ = false;
    std::map<std::tuple<int, int, int, int>, std::deque<Arrival>> flags_; // receiver, flag, mode, sender
    std::map<std::pair<uint64_t, int>, std::deque<Arrival>> signals_;      // key, 0
    std::map<const uint8_t *, Arrival> stored_; // past the cache, by address
    struct Meeting {
        std::vector<Arrival> here;
        uint64_t number = 0;
        std::vector<Arrival> last;
    } meeting_[2];
};

} // namespace machine
