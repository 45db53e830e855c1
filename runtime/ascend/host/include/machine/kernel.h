// Registration of kernels: the text that the toolchain appends to a source uses it.
#pragma once
#include <functional>
#include <tuple>
#include <utility>
#include "machine/interface.h"

namespace machine {

struct Param {
    uint32_t bytes;
    bool pointer;
};

struct Kernel {
    const char *name;
    void (*invoke)(const uint8_t *args); // each argument in slots of 8 bytes
    const Param *params;
    int count;
    Kernel *next;
};

void registerKernel(Kernel *);

// A source that has a main is a host program, which launches its kernels itself.
void registerMain(int (*)(int, char **));
void hostLaunch(int task, int64_t blocks, const std::function<void()> &kernel);
template <int (*program)()> int withoutArguments(int, char **) { return program(); }

constexpr uint32_t slots(uint32_t bytes) { return (bytes + 7) / 8 * 8; }

template <auto function> struct Invoker;
template <class... Args, void (*function)(Args...)> struct Invoker<function> {
    static constexpr Param params[] = {{uint32_t(sizeof(Args)), std::is_pointer<Args>::value}..., {0, false}};
    template <size_t... i> static void call(const uint8_t *args, std::index_sequence<i...>) {
        std::tuple<std::decay_t<Args>...> values;
        size_t at = 0;
        ((std::memcpy(static_cast<void *>(&std::get<i>(values)), args + at, sizeof(std::get<i>(values))), at += slots(sizeof(std::get<i>(values)))), ...);
        (void)at;
        function(std::get<i>(values)...);
    }
    static void invoke(const uint8_t *args) { call(args, std::index_sequence_for<Args...>()); }
};

template <auto function> struct Registration {
    Kernel kernel;
    explicit Registration(const char *name)
        : kernel{name, Invoker<function>::invoke, Invoker<function>::params, int(sizeof(Invoker<function>::params) / sizeof(Param)) - 1, nullptr} {
        registerKernel(&kernel);
    }
};

} // namespace machine
