// Qualifiers, positions, pipes and events of Ascend C for Atlas A2 (__NPU_ARCH__ 2201).
#pragma once
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include "ascendc/half.h"
#include "machine/interface.h"

#define __aicore__
#define __global__
#define __vector__
#define __cube__
#define __mix__(...)
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __biasbuf__
#define __fbuf__
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __BLOCK_LOCAL__
#ifndef __forceinline__
#define __forceinline__ inline
#endif

using GM_ADDR = uint8_t *;

#define ASCEND_IS_AIC (::machine::isCube())
#define ASCEND_IS_AIV (!::machine::isCube())
#define ASCEND_IS_NOT_AIC (!::machine::isCube())
#define ASCEND_IS_NOT_AIV (::machine::isCube())
#define ascendc_assert(...) assert(MACHINE_FIRST(__VA_ARGS__, 0))
#define MACHINE_FIRST(first, ...) (first)
#define g_coreType (::machine::isCube() ? ::AscendC::AIC : ::AscendC::AIV)
#define block_idx (::machine::blockIndex())
#define block_num (::machine::blockCount())
#define get_block_idx() (::machine::blockIndex())
#define get_block_num() (::machine::blockCount())

// Task types are read from the source text before the launch, so the macros do nothing.
#define KERNEL_TASK_TYPE_DEFAULT(...)
#define KERNEL_TASK_TYPE(...)
#define TILING_KEY_IS(key) (::machine::tilingKey() == (key))
#define REGISTER_TILING_DEFAULT(type) using TilingDefault = type
#define REGISTER_TILING_FOR_TILINGKEY(...)
#define GET_TILING_DATA(name, address)                                                                                  \
    TilingDefault name;                                                                                                 \
    std::memcpy(&name, address, sizeof name)
#define GET_TILING_DATA_WITH_STRUCT(type, name, address)                                                                \
    type name;                                                                                                          \
    std::memcpy(&name, address, sizeof name)

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum class pad_t : uint8_t { PAD_NONE, PAD_MODE1, PAD_MODE2 };
enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    VQF322HIF8_PRE = 2,
    QF322HIF8_PRE = 3,
    VREQ8 = 8,
    REQ8 = 9,
    VDEQF16 = 10,
    DEQF16 = 11,
    F322BF16 = 16,
    VQF162B8_PRE = 17,
    QF162B8_PRE = 18,
    VQF322B8_PRE = 23,
    QF322B8_PRE = 24,
};

namespace AscendC {
using TEventID = int8_t;
using TTagType = int32_t;
template <class T> using PrimT = T;

constexpr int AIC = 1, AIV = 2;
constexpr uint32_t ONE_BLK_SIZE = 32, ONE_REPEAT_BYTE_SIZE = 256, DEFAULT_BLK_NUM = 8, BLOCK_CUBE = 16;
constexpr uint32_t DEFAULT_C0_SIZE = 32, MAX_REPEAT_TIMES = 255, DEFAULT_REPEAT_STRIDE = 8, DEFAULT_BLK_STRIDE = 1;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr int32_t TOTAL_UB_SIZE = 192 * 1024, TOTAL_L1_SIZE = 512 * 1024;
constexpr int32_t TOTAL_L0A_SIZE = 64 * 1024, TOTAL_L0B_SIZE = 64 * 1024, TOTAL_L0C_SIZE = 128 * 1024;

enum class TPosition : uint8_t {
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM, C2PIPE2LOCAL, MAX
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

enum class HardEvent : uint8_t {
    MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V, MTE2_M,
    M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX, FIX_MTE2, FIX_S, M_S,
    FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX, FIX_V, V_FIX, MAX
};

enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
enum class RoundMode { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class CacheMode { CACHE_MODE_DISABLE, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

// spaceOf gives the memory behind a position on this architecture.
constexpr machine::Space spaceOf(TPosition p) {
    switch (p) {
    case TPosition::A1: case TPosition::B1: case TPosition::C1: case TPosition::TSCM: case TPosition::SPM: return machine::L1;
    case TPosition::A2: return machine::L0A;
    case TPosition::B2: return machine::L0B;
    case TPosition::CO1: return machine::L0C;
    case TPosition::C2: return machine::BT;
    case TPosition::C2PIPE2GM: return machine::FB;
    case TPosition::GM: case TPosition::CO2: return machine::GM;
    default: return machine::UB;
    }
}

constexpr machine::Space spaceOf(Hardware h) {
    switch (h) {
    case Hardware::L1: return machine::L1;
    case Hardware::L0A: return machine::L0A;
    case Hardware::L0B: return machine::L0B;
    case Hardware::L0C: return machine::L0C;
    case Hardware::BIAS: return machine::BT;
    case Hardware::FIXBUF: return machine::FB;
    case Hardware::GM: return machine::GM;
    default: return machine::UB;
    }
}

constexpr machine::Pipe pipeOf(pipe_t p) {
    switch (p) {
    case PIPE_S: return machine::S;
    case PIPE_V: return machine::V;
    case PIPE_M: return machine::M;
    case PIPE_MTE1: return machine::MTE1;
    case PIPE_MTE2: return machine::MTE2;
    case PIPE_MTE3: return machine::MTE3;
    case PIPE_FIX: return machine::FIX;
    default: return machine::All;
    }
}

struct EventPipes {
    machine::Pipe from, to;
};

// pipesOf takes an event apart into the pipe that sets it and the one that waits.
constexpr EventPipes pipesOf(HardEvent e) {
    using namespace machine;
    constexpr EventPipes table[] = {
        {MTE2, MTE1}, {MTE1, MTE2}, {MTE1, M}, {M, MTE1}, {MTE2, V}, {V, MTE2}, {MTE3, V}, {V, MTE3}, {M, V}, {V, M}, {V, V},
        {MTE3, MTE1}, {MTE1, MTE3}, {MTE1, V}, {MTE2, M}, {M, MTE2}, {V, MTE1}, {M, FIX}, {FIX, M}, {MTE3, MTE2}, {MTE2, MTE3},
        {S, V}, {V, S}, {S, MTE2}, {MTE2, S}, {S, MTE3}, {MTE3, S}, {MTE2, FIX}, {FIX, MTE2}, {FIX, S}, {M, S}, {FIX, MTE3},
        {MTE1, FIX}, {FIX, MTE1}, {FIX, FIX}, {FIX, V}, {V, FIX}, {NoPipe, NoPipe},
    };
    return table[int(e)];
}

// eventOf is the inverse of pipesOf; MAX where there is no such event.
constexpr HardEvent eventOf(machine::Pipe from, machine::Pipe to) {
    for (int e = 0; e < int(HardEvent::MAX); e++)
        if (pipesOf(HardEvent(e)).from == from && pipesOf(HardEvent(e)).to == to) return HardEvent(e);
    return HardEvent::MAX;
}

template <class T> constexpr uint32_t bytesOf(uint64_t elements) {
    return std::is_same<T, int4b_t>::value ? uint32_t(elements / 2) : uint32_t(elements * sizeof(T));
}
template <class T> constexpr uint32_t elementsOf(uint64_t bytes) {
    return std::is_same<T, int4b_t>::value ? uint32_t(bytes * 2) : uint32_t(bytes / sizeof(T));
}

template <class T, class... Any> constexpr bool SupportType() { return (std::is_same<T, Any>::value || ...); }
template <class A, class B> constexpr bool IsSameType_v = std::is_same<A, B>::value;
template <class A, class B> struct IsSameType : std::is_same<A, B> {};
namespace Std {
using std::enable_if;
using std::is_same;
using std::conditional;
using std::tuple;
} // namespace Std
template <bool b, class T, class F> struct Conditional { using type = std::conditional_t<b, T, F>; };

constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }
constexpr int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
} // namespace AscendC
