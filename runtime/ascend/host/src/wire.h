// The binary form of a request: little-endian numbers, strings and blocks with their length before them.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace machine {

class Reader {
public:
    explicit Reader(FILE *f) : file_(f) {}
    void raw(void *to, size_t n) {
        if (n && fread(to, 1, n, file_) != n) {
            fprintf(stderr, "request ends early\n");
            exit(3);
        }
    }
    template <class T> T number() {
        T v;
        raw(&v, sizeof v);
        return v;
    }
    std::string text() {
        std::string s(number<uint32_t>(), 0);
        raw(&s[0], s.size());
        return s;
    }

private:
    FILE *file_;
};

} // namespace machine
