// Findings and counters of a run.
#pragma once
#include <cstdarg>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>
#include "machine/interface.h"

namespace machine {

// Place is an instruction of the source: its name and where it is called.
struct Place {
    const char *file = "";
    int line = 0;
    const char *name = "";
    bool operator==(const Place &o) const { return file == o.file && line == o.line && name == o.name; }
};

struct Finding {
    std::string kind, message;
    Place at, other;
    int core = 0, otherCore = -1;
    const char *pipe = "", *otherPipe = "";
    const char *space = "";
    uint64_t addr = 0, bytes = 0;
    bool autoSync = false; // the device compiler's automatic synchronisation would order it
    int64_t count = 1;
};

// Findings keeps one of each kind for each pair of places.
class Findings {
public:
    void add(Finding);
    const std::vector<Finding> &all() const { return list_; }
    bool full() const { return list_.size() >= kMax; }

private:
    static constexpr size_t kMax = 200;
    using Key = std::tuple<std::string, std::string, int, std::string, int, std::string>;
    std::map<Key, size_t> index_;
    std::vector<Finding> list_;
};

// Counters are of one core.
struct Counters {
    std::map<std::string, int64_t> instructions; // by "PIPE name"
    std::map<std::string, int64_t> bytes;        // by "FROM>TO"
    int64_t flags = 0, waits = 0, barriers = 0, crossFlags = 0;
    double busy[kPipes] = {};
    double cycles = 0;
};

std::string formatted(const char *format, va_list);
std::string quoted(const std::string &);

} // namespace machine
