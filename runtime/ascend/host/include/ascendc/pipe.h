// TPipe, TQue, TQueBind, TBuf and TBufPool.
#pragma once
#include "ascendc/sync.h"

namespace AscendC {

enum class TBufState : uint8_t { FREE, OCCUPIED, ENQUE, DEQUE };

struct TBufType {
    TBufState state = TBufState::FREE;
    int8_t enqueued = -1, freed = -1; // event ids that are set and not yet waited for
    HardEvent freeEvent = HardEvent::MAX;
    uint32_t address = 0, length = 0;
    machine::Space space = machine::UB;
};

// queueEvent gives the event that hands a buffer on (forward) or back.
constexpr HardEvent queueEvent(machine::Space src, machine::Space dst, bool forward) {
    using namespace machine;
    auto pick = [=](HardEvent f, HardEvent b) { return forward ? f : b; };
    if (src == GM && dst == UB) return pick(HardEvent::MTE2_V, HardEvent::V_MTE2);
    if (src == GM && dst == L1) return pick(HardEvent::MTE2_MTE1, HardEvent::MTE1_MTE2);
    if (src == GM) return pick(HardEvent::MTE2_M, HardEvent::M_MTE2);
    if (src == UB && dst == GM) return pick(HardEvent::V_MTE3, HardEvent::MTE3_V);
    if (src == UB && dst == UB) return pick(HardEvent::MTE2_MTE3, HardEvent::MTE3_MTE2);
    if (src == UB) return pick(HardEvent::MTE3_MTE1, HardEvent::MTE1_MTE3);
    if (src == L1 && dst == FB) return pick(HardEvent::MTE1_FIX, HardEvent::FIX_MTE1);
    if (src == L1) return pick(HardEvent::MTE1_M, HardEvent::M_MTE1);
    return pick(HardEvent::M_FIX, HardEvent::FIX_M);
}

constexpr TPosition queueSource(TPosition p) {
    switch (p) {
    case TPosition::A2: return TPosition::A1;
    case TPosition::B2: case TPosition::C2PIPE2GM: return TPosition::B1;
    case TPosition::C2: return TPosition::C1;
    case TPosition::CO1: case TPosition::CO2: case TPosition::VECOUT: case TPosition::VECCALC: return p;
    default: return TPosition::GM;
    }
}
constexpr TPosition queueTarget(TPosition p) {
    switch (p) {
    case TPosition::CO1: return TPosition::CO2;
    case TPosition::CO2: case TPosition::VECOUT: return TPosition::GM;
    default: return p;
    }
}
constexpr TPosition bufferPosition(TPosition src, TPosition dst) {
    if (src == TPosition::GM || dst == TPosition::A2 || dst == TPosition::B2 || dst == TPosition::C2 || dst == TPosition::C2PIPE2GM)
        return dst;
    return src;
}

class TPipe;
TPipe *currentPipe();
void setCurrentPipe(TPipe *);
} // namespace AscendC

inline AscendC::TPipe *GetTPipePtr() { return AscendC::currentPipe(); }

namespace AscendC {
using ::GetTPipePtr;

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0> class TQueBind {
public:
    static constexpr TPosition position = bufferPosition(src, dst);
    static constexpr HardEvent enqueueEvent = queueEvent(spaceOf(src), spaceOf(dst), true);
    static constexpr HardEvent freeEvent = queueEvent(spaceOf(src), spaceOf(dst), false);

    template <class T> LocalTensor<T> AllocTensor(machine::Site at = machine::Site::here()) {
        static_assert(depth != 0, "a queue of depth 0 allocates in place: AllocTensor(tensor)");
        return tensorOf<T>(take(at));
    }
    template <class T> void AllocTensor(LocalTensor<T> &tensor, machine::Site at = machine::Site::here()) {
        static_assert(depth == 0, "AllocTensor(tensor) is for queues of depth 0");
        tensor = tensorOf<T>(take(at));
    }
    template <class T> void FreeTensor(const LocalTensor<T> &tensor, machine::Site at = machine::Site::here());
    template <class T> bool EnQue(const LocalTensor<T> &tensor, machine::Site at = machine::Site::here()) {
        return enqueue<enqueueEvent>(tensor.GetBufferHandle(), at);
    }
    template <TPosition from, TPosition to, class T>
    bool EnQue(const LocalTensor<T> &tensor, machine::Site at = machine::Site::here()) {
        return enqueue<userEvent(from, to)>(tensor.GetBufferHandle(), at);
    }
    template <class T> LocalTensor<T> DeQue(machine::Site at = machine::Site::here()) {
        static_assert(depth != 0, "a queue of depth 0 dequeues in place: DeQue(tensor)");
        return tensorOf<T>(dequeue<enqueueEvent>(at));
    }
    template <class T> void DeQue(LocalTensor<T> &tensor, machine::Site at = machine::Site::here()) {
        static_assert(depth == 0, "DeQue(tensor) is for queues of depth 0");
        finish<enqueueEvent>(tensor.GetBufferHandle(), at);
    }
    template <TPosition from, TPosition to, class T> LocalTensor<T> DeQue(machine::Site at = machine::Site::here()) {
        return tensorOf<T>(dequeue<userEvent(from, to)>(at));
    }
    bool VacantInQue() const { return count_ < depth; }
    bool HasTensorInQue() const { return count_ > 0; }
    int32_t GetTensorCountInQue() const { return count_; }
    bool HasIdleBuffer() const {
        for (int i = 0; i < number_; i++)
            if (first_[i].state == TBufState::FREE) return true;
        return false;
    }
    template <class T> TBufState GetState(const LocalTensor<T> &t) const { return t.GetBufferHandle()->state; }
    void FreeAllEvent(machine::Site at = machine::Site::here()) {
        for (int i = 0; i < number_; i++) reclaim(&first_[i], at);
    }
    void Attach(TBufType *first, int number) {
        first_ = first;
        number_ = number;
        cursor_ = count_ = head_ = 0;
    }

protected:
    static constexpr HardEvent userEvent(TPosition from, TPosition to) {
        return spaceOf(from) == machine::UB && spaceOf(to) == machine::UB ? HardEvent::V_V : queueEvent(spaceOf(from), spaceOf(to), true);
    }
    template <class T> LocalTensor<T> tensorOf(TBufType *b) const {
        LocalTensor<T> t;
        t.SetPlace({b->address, b->address, b->address + b->length, b->space}, position, elementsOf<T>(b->length), b);
        return t;
    }
    bool owns(const TBufType *b) const { return first_ && b >= first_ && b < first_ + number_; }
    TBufType *take(machine::Site at);
    void reclaim(TBufType *b, machine::Site at);
    template <HardEvent event> bool enqueue(TBufType *b, machine::Site at);
    template <HardEvent event> TBufType *dequeue(machine::Site at);
    template <HardEvent event> void finish(TBufType *b, machine::Site at);

    TBufType *first_ = nullptr;
    TBufType *queue_[depth > 0 ? depth : 1] = {};
    int number_ = 0, cursor_ = 0, head_ = 0, count_ = 0;
};

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<queueSource(pos), queueTarget(pos), depth, mask> {};

template <TPosition pos = TPosition::VECCALC> class TBuf {
public:
    template <class T> LocalTensor<T> Get() { return Get<T>(elementsOf<T>(buffer_->length)); }
    template <class T> LocalTensor<T> Get(uint32_t elements) { return GetWithOffset<T>(elements, 0); }
    template <class T> LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t offset) {
        LocalTensor<T> t;
        if (!buffer_) machine::stop("queue", machine::Site::here(), "a TBuf is used before InitBuffer");
        machine::Local p{buffer_->address + offset, buffer_->address, buffer_->address + buffer_->length, buffer_->space};
        t.SetPlace(p, pos, elements, buffer_);
        return t;
    }
    void Attach(TBufType *b, int) { buffer_ = b; }
    static constexpr TPosition position = pos;

private:
    TBufType *buffer_ = nullptr;
};

// BufferSource carves buffers out of a range of each memory.
class BufferSource {
public:
    static constexpr int kMax = 64;

protected:
    template <class Q> bool carve(Q &queue, machine::Space space, int number, uint32_t bytes, HardEvent freeEvent, machine::Site at) {
        if (bytes == 0) machine::stop("queue", at, "InitBuffer with a length of 0");
        if (used_ + number > kMax) machine::stop("limit", at, "more than %d buffers in one TPipe", kMax);
        bytes = AlignUp(bytes, ONE_BLK_SIZE);
        uint64_t end = uint64_t(head_[space]) + uint64_t(bytes) * number;
        if (end > limit_[space])
            machine::stop("capacity", at, "%d x %u bytes of %s from %u on end %llu bytes beyond its %u bytes", number, bytes,
                          machine::spaceName(space), head_[space], (unsigned long long)(end - limit_[space]), limit_[space]);
        for (int i = 0; i < number; i++) {
            TBufType &b = buffers_[used_ + i];
            b = TBufType();
            b.space = space;
            b.address = head_[space];
            b.length = bytes;
            b.freeEvent = freeEvent;
            head_[space] += bytes;
        }
        queue.Attach(&buffers_[used_], number);
        used_ += number;
        return true;
    }
    void drain(machine::Site at);

    TBufType buffers_[kMax];
    int used_ = 0;
    uint32_t head_[machine::kSpaces] = {}, limit_[machine::kSpaces] = {};
};

template <TPosition pos, uint32_t ids = 4> class TBufPool;

class TPipe : public BufferSource {
public:
    TPipe() { Init(); }
    ~TPipe() { Destroy(); }
    TPipe(const TPipe &) = delete;

    void Init() {
        InitSocState();
        alive_ = true;
        setCurrentPipe(this);
        for (int s = 0; s < machine::kSpaces; s++) {
            head_[s] = 0;
            limit_[s] = machine::capacity(machine::Space(s));
        }
        used_ = 0;
    }
    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask> &q, uint8_t number, uint32_t bytes, machine::Site at = machine::Site::here()) {
        using Q = TQueBind<src, dst, depth, mask>;
        return carve(q, spaceOf(Q::position), number, bytes, Q::freeEvent, at);
    }
    template <TPosition pos> bool InitBuffer(TBuf<pos> &b, uint32_t bytes, machine::Site at = machine::Site::here()) {
        return carve(b, spaceOf(pos), 1, bytes, HardEvent::MAX, at);
    }
    template <TPosition pos, uint32_t ids>
    bool InitBufPool(TBufPool<pos, ids> &pool, uint32_t bytes, machine::Site at = machine::Site::here()) {
        TBuf<pos> whole;
        carve(whole, spaceOf(pos), 1, bytes, HardEvent::MAX, at);
        pool.Place(head_[spaceOf(pos)] - AlignUp(bytes, ONE_BLK_SIZE), bytes);
        return true;
    }
    template <TPosition pos, uint32_t ids, class Shared>
    bool InitBufPool(TBufPool<pos, ids> &pool, uint32_t bytes, Shared &shared) {
        pool.Place(shared.Start(), bytes);
        return true;
    }
    template <HardEvent event> TEventID AllocEventID(machine::Site at = machine::Site::here()) {
        int id = free(event);
        if (id >= kEvents) machine::stop("limit", at, "all %d event ids of one kind are taken", kEvents);
        taken_[int(event)] |= 1u << id;
        return TEventID(id);
    }
    template <HardEvent event> void ReleaseEventID(TEventID id) { taken_[int(event)] &= ~(1u << id); }
    TEventID FetchEventID(HardEvent event, machine::Site at = machine::Site::here()) {
        int id = free(event);
        if (id >= kEvents) machine::stop("limit", at, "all %d event ids of one kind are taken", kEvents);
        return TEventID(id);
    }
    template <HardEvent event> TEventID FetchEventID(machine::Site at = machine::Site::here()) { return FetchEventID(event, at); }
    void Reset(machine::Site at = machine::Site::here()) {
        drain(at);
        machine::pipeBarrier(machine::All, at);
        Init();
    }
    void Destroy(machine::Site at = machine::Site::here());

private:
    static constexpr int kEvents = 8;
    int free(HardEvent event) const {
        int id = 0;
        while (id < kEvents && (taken_[int(event)] >> id & 1)) id++;
        return id;
    }
    uint32_t taken_[int(HardEvent::MAX) + 1] = {};
    bool alive_ = false;
};

template <TPosition pos, uint32_t ids> class TBufPool : public BufferSource {
public:
    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask> &q, uint8_t number, uint32_t bytes, machine::Site at = machine::Site::here()) {
        using Q = TQueBind<src, dst, depth, mask>;
        return carve(q, spaceOf(Q::position), number, bytes, Q::freeEvent, at);
    }
    template <TPosition p> bool InitBuffer(TBuf<p> &b, uint32_t bytes, machine::Site at = machine::Site::here()) {
        return carve(b, spaceOf(p), 1, bytes, HardEvent::MAX, at);
    }
    void Reset(machine::Site at = machine::Site::here()) {
        drain(at);
        used_ = 0;
        head_[spaceOf(pos)] = start_;
    }
    void Place(uint32_t start, uint32_t bytes) {
        start_ = head_[spaceOf(pos)] = start;
        limit_[spaceOf(pos)] = start + bytes;
    }
    uint32_t Start() const { return start_; }

private:
    uint32_t start_ = 0;
};

// signal and await are events whose kind is known at run time only.
inline void awaitEvent(HardEvent e, int id, machine::Site at) { machine::waitFlag(pipesOf(e).from, pipesOf(e).to, int(e), id, at); }

inline void BufferSource::drain(machine::Site at) {
    for (int i = 0; i < used_; i++) {
        TBufType &b = buffers_[i];
        if (b.freed >= 0) awaitEvent(b.freeEvent, b.freed, at);
        b.freed = -1;
    }
}

inline void TPipe::Destroy(machine::Site at) {
    if (!alive_) return;
    alive_ = false;
    drain(at);
    machine::pipeBarrier(machine::All, at);
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
void TQueBind<src, dst, depth, mask>::reclaim(TBufType *b, machine::Site at) {
    if (b->freed < 0) return;
    WaitFlag<freeEvent>(b->freed, at);
    GetTPipePtr()->template ReleaseEventID<freeEvent>(b->freed);
    b->freed = -1;
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
TBufType *TQueBind<src, dst, depth, mask>::take(machine::Site at) {
    if (!first_) machine::stop("queue", at, "AllocTensor before InitBuffer");
    for (int i = 0; i < number_; i++) {
        TBufType *b = &first_[cursor_];
        cursor_ = (cursor_ + 1) % number_;
        if (b->state != TBufState::FREE) continue;
        b->state = TBufState::OCCUPIED;
        reclaim(b, at);
        return b;
    }
    machine::stop("queue", at, "AllocTensor: all %d buffers of the queue are in use, so it waits for ever", number_);
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
template <class T>
void TQueBind<src, dst, depth, mask>::FreeTensor(const LocalTensor<T> &tensor, machine::Site at) {
    TBufType *b = tensor.GetBufferHandle();
    if (!owns(b)) machine::stop("queue", at, "FreeTensor of a tensor that is not of this queue");
    if (b->state == TBufState::FREE) machine::stop("queue", at, "FreeTensor of a tensor that is free already");
    int id = GetTPipePtr()->template AllocEventID<freeEvent>(at);
    SetFlag<freeEvent>(id, at);
    b->freed = int8_t(id);
    b->state = TBufState::FREE;
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
template <HardEvent event>
bool TQueBind<src, dst, depth, mask>::enqueue(TBufType *b, machine::Site at) {
    if (!owns(b)) machine::stop("queue", at, "EnQue of a tensor that is not of this queue");
    if (b->state != TBufState::OCCUPIED && b->state != TBufState::DEQUE)
        machine::stop("queue", at, "EnQue of a tensor that is %s", b->state == TBufState::FREE ? "free" : "enqueued already");
    if (depth != 0) {
        if (count_ >= depth) machine::stop("queue", at, "EnQue of a tensor more than the queue's depth of %d", depth);
        queue_[(head_ + count_) % (depth > 0 ? depth : 1)] = b;
        count_++;
    }
    b->state = TBufState::ENQUE;
    if (event == HardEvent::V_V) {
        machine::pipeBarrier(machine::V, at);
        return true;
    }
    b->enqueued = GetTPipePtr()->template AllocEventID<event>(at);
    SetFlag<event>(b->enqueued, at);
    return true;
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
template <HardEvent event>
TBufType *TQueBind<src, dst, depth, mask>::dequeue(machine::Site at) {
    if (count_ == 0) machine::stop("queue", at, "DeQue from a queue that is empty");
    TBufType *b = queue_[head_];
    head_ = (head_ + 1) % (depth > 0 ? depth : 1);
    count_--;
    finish<event>(b, at);
    return b;
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
template <HardEvent event>
void TQueBind<src, dst, depth, mask>::finish(TBufType *b, machine::Site at) {
    if (!owns(b)) machine::stop("queue", at, "DeQue of a tensor that is not of this queue");
    b->state = TBufState::DEQUE;
    if (b->enqueued < 0) return;
    WaitFlag<event>(b->enqueued, at);
    GetTPipePtr()->template ReleaseEventID<event>(b->enqueued);
    b->enqueued = -1;
}

} // namespace AscendC
