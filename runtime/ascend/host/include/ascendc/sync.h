// Flags, barriers and the system variables of a core.
#pragma once
#include "ascendc/tensor.h"

namespace AscendC {

inline int64_t GetBlockNum() { return machine::blockCount(); }
inline int64_t GetBlockIdx() { return machine::blockIndex(); }
inline int64_t GetSubBlockIdx() { return machine::subBlockIndex(); }
inline int64_t GetSubBlockNum() { return machine::subBlockCount(); }
inline int64_t GetTaskRatio() { return machine::subBlockCount(); }
inline int64_t GetSystemCycle() { return machine::cycles(); }
constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
constexpr uint32_t GetUBSizeInBytes() { return TOTAL_UB_SIZE; }

template <HardEvent event> void SetFlag(int32_t id, machine::Site at = machine::Site::here()) {
    machine::setFlag(pipesOf(event).from, pipesOf(event).to, int(event), id, at);
}
template <HardEvent event> void WaitFlag(int32_t id, machine::Site at = machine::Site::here()) {
    machine::waitFlag(pipesOf(event).from, pipesOf(event).to, int(event), id, at);
}
template <pipe_t pipe> void PipeBarrier(machine::Site at = machine::Site::here()) {
    static_assert(pipe != PIPE_S, "PipeBarrier does not support PIPE_S");
    machine::pipeBarrier(pipeOf(pipe), at, true);
}
template <MemDsbT> void DataSyncBarrier() {}

template <pipe_t src, pipe_t dst> class TQueSync {
public:
    static constexpr HardEvent event = eventOf(pipeOf(src), pipeOf(dst));
    static_assert(event != HardEvent::MAX, "no event leads from one of these pipes to the other");
    void SetFlag(TEventID id, machine::Site at = machine::Site::here()) { AscendC::SetFlag<event>(id, at); }
    void WaitFlag(TEventID id, machine::Site at = machine::Site::here()) { AscendC::WaitFlag<event>(id, at); }
};

template <uint8_t mode, pipe_t pipe> void CrossCoreSetFlag(uint16_t flag, machine::Site at = machine::Site::here()) {
    static_assert(mode <= 2, "mode 0, 1 or 2");
    static_assert(pipe != PIPE_S && pipe != PIPE_ALL, "a flag is raised by a pipe other than PIPE_S and PIPE_ALL");
    machine::crossSet(mode, pipeOf(pipe), flag, at);
}
template <uint8_t mode = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flag, machine::Site at = machine::Site::here()) {
    machine::crossWait(flag, at);
}
template <bool isAIVOnly = true> void SyncAll(machine::Site at = machine::Site::here()) { machine::syncAll(isAIVOnly, at); }
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t> &, const LocalTensor<int32_t> &, const int32_t = 0,
             machine::Site at = machine::Site::here()) {
    machine::syncAll(isAIVOnly, at);
}
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<int32_t> &gm, const LocalTensor<int32_t> &, int32_t block, int32_t event,
           machine::Site at = machine::Site::here()) {
    machine::blockSignal(gm.Place(), block, event, at);
}
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<int32_t> &gm, const LocalTensor<int32_t> &, int32_t block, int32_t event,
            machine::Site at = machine::Site::here()) {
    machine::blockWait(gm.Place(), block, event, at);
}

// Blocks take turns in the order of their numbers.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &, LocalTensor<int32_t> &) {}
inline void WaitPreBlock(GlobalTensor<int32_t> &gm, LocalTensor<int32_t> &, machine::Site at = machine::Site::here()) {
    if (GetBlockIdx() > 0) machine::blockWait(gm.Place(), int(GetBlockIdx()) - 1, 0, at);
}
inline void NotifyNextBlock(GlobalTensor<int32_t> &gm, LocalTensor<int32_t> &, machine::Site at = machine::Site::here()) {
    machine::blockSignal(gm.Place(), int(GetBlockIdx()), 0, at);
}
// Each launch has ended before the next one starts.
template <pipe_t aiv = PIPE_MTE3, pipe_t aic = PIPE_FIX, bool force = false> void SetNextTaskStart() {}
template <bool force = false> void WaitPreTaskEnd() {}

// Masks of vector instructions.
inline void SetMaskCount() { machine::setMaskMode(true); }
inline void SetMaskNorm() { machine::setMaskMode(false); }
template <class T, MaskMode mode = MaskMode::NORMAL> void SetVectorMask(const uint64_t high, const uint64_t low) {
    machine::setMask(high, low);
}
template <class T, MaskMode mode = MaskMode::NORMAL> void SetVectorMask(int32_t length) {
    if constexpr (mode == MaskMode::COUNTER)
        machine::setMask(0, uint64_t(length));
    else
        machine::setMaskLength(uint64_t(length), sizeof(T));
}
inline void ResetMask() { machine::setMask(~0ull, ~0ull); }

inline void InitSocState() {
    machine::setMaskMode(false);
    machine::setMask(~0ull, ~0ull);
    machine::setAtomic(0, machine::DType::None, machine::Site{"", 0});
}

// Atomic operations of copies to GM.
template <class T> void SetAtomicAdd(machine::Site at = machine::Site::here()) {
    static_assert(SupportType<T, float, half, int16_t, int32_t, int8_t, bfloat16_t>(), "SetAtomicAdd: not for this type");
    machine::setAtomic(1, machine::dtype<T>, at);
}
template <class T> void SetAtomicMax(machine::Site at = machine::Site::here()) { machine::setAtomic(2, machine::dtype<T>, at); }
template <class T> void SetAtomicMin(machine::Site at = machine::Site::here()) { machine::setAtomic(3, machine::dtype<T>, at); }
inline void SetAtomicNone(machine::Site at = machine::Site::here()) { machine::setAtomic(0, machine::DType::None, at); }
inline void DisableDmaAtomic(machine::Site at = machine::Site::here()) { machine::setAtomic(0, machine::DType::None, at); }

// The scalar unit's data cache.
template <class T, CacheLine lines, DcciDst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &t, machine::Site at = machine::Site::here()) {
    machine::cleanCache(t.Place(), lines == CacheLine::ENTIRE_DATA_CACHE, at);
}
// Past the cache, cores may hand values to one another.
template <class T> void WriteGmByPassDCache(T *address, T value, machine::Site at = machine::Site::here()) {
    machine::storeThrough(reinterpret_cast<uint8_t *>(address), &value, sizeof(T), at);
}
template <class T> T ReadGmByPassDCache(T *address, machine::Site at = machine::Site::here()) {
    T v;
    machine::loadThrough(reinterpret_cast<uint8_t *>(address), &v, sizeof(T), at);
    return v;
}

inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace + 16 * 1024 * 1024; }
inline void SetSysWorkspace(GM_ADDR) {}
inline void Trap(machine::Site at = machine::Site::here()) { machine::trap(at, "Trap"); }

#define PRINTF(...) ::machine::print(__VA_ARGS__)
template <class... Args> void printf(const char *format, Args... args) { machine::print(format, args...); }
template <class T> void DumpTensor(const LocalTensor<T> &t, uint32_t description, uint32_t count, machine::Site at = machine::Site::here()) {
    machine::dumpLocal(t.Place(), machine::dtype<T>, description, count, at);
}
template <class T> void DumpTensor(const GlobalTensor<T> &t, uint32_t description, uint32_t count, machine::Site at = machine::Site::here()) {
    machine::dumpGlobal(t.Place(), machine::dtype<T>, description, count, at);
}
#define ASCENDC_ASSERT(condition, action)                                                                               \
    do {                                                                                                                \
        if (!(condition)) {                                                                                             \
            action;                                                                                                     \
            ::machine::trap(::machine::Site::here(), #condition);                                                       \
        }                                                                                                               \
    } while (0)
} // namespace AscendC
