#include "report.h"
#include <cstdio>

namespace machine {

void Findings::add(Finding f) {
    Key key{f.kind, f.at.file, f.at.line, f.other.file, f.other.line, f.at.name};
    auto it = index_.find(key);
    if (it != index_.end()) {
        list_[it->second].count += f.count;
        list_[it->second].autoSync &= f.autoSync;
        return;
    }
    if (full()) return;
    index_[key] = list_.size();
    list_.push_back(std::move(f));
}

std::string formatted(const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(nullptr, 0, format, args);
    std::string s(n > 0 ? n : 0, 0);
    if (n > 0) vsnprintf(&s[0], n + 1, format, again);
    va_end(again);
    return s;
}

std::string quoted(const std::string &s) {
    std::string out = "\"";
    for (unsigned char c : s) {
        char b[8];
        if (c == '"' || c == '\\') out += '\\', out += char(c);
        else if (c < 32) snprintf(b, sizeof b, "\\u%04x", c), out += b;
        else out += char(c);
    }
    return out + "\"";
}

} // namespace machine
