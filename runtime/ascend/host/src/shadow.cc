#include "shadow.h"
#include "core.h"

namespace machine {

uint32_t Shadow::allocate() {
    if (free_) {
        uint32_t n = free_;
        free_ = nodes_[n].next;
        return n;
    }
    nodes_.emplace_back();
    return uint32_t(nodes_.size() - 1);
}

// touch compares an access with those before it that it may conflict with, forgets those that it stands for from now on, and keeps
// it. What is ordered after the kept one is ordered after the forgotten ones too.
void Shadow::touch(Core &core, Cell &cell, const Access &a, uint32_t block) {
    uint32_t *link = &cell.head;
    bool kept = false;
    while (*link) {
        uint32_t at = *link;
        Access &old = nodes_[at].access;
        uint32_t common = old.bytes & a.bytes;
        if (common) {
            if (old.write || a.write) core.order(old, a, block * kBlock, common);
            if (a.write || (!old.write && old.pipe == a.pipe)) old.bytes &= ~common;
        }
        if (!kept && old.time == a.time && old.pipe == a.pipe && old.write == a.write && old.site == a.site) {
            old.bytes |= a.bytes;
            kept = true;
        }
        if (old.bytes == 0) {
            *link = nodes_[at].next;
            nodes_[at].next = free_;
            free_ = at;
            continue;
        }
        link = &nodes_[at].next;
    }
    if (kept) return;
    uint32_t n = allocate(); // may move the nodes, and with them what link points to
    nodes_[n].access = a;
    nodes_[n].next = cell.head;
    cell.head = n;
}

bool Shadow::read(Core &core, Access a, uint32_t addr, uint32_t n, uint32_t &origin) {
    bool all = true;
    a.write = false;
    for (uint32_t end = addr + n; addr < end;) {
        uint32_t block = addr / kBlock, from = addr % kBlock, to = std::min(kBlock, from + end - addr);
        Cell &cell = cells_[block];
        a.bytes = maskOf(from, to);
        touch(core, cell, a, block);
        if (cell.owner && a.buffer && cell.owner != a.buffer && core.overlap(a, cell.owner, block * kBlock)) cell.owner = 0, cell.defined = 0, cell.origin = a.site;
        if ((cell.defined & a.bytes) != a.bytes) {
            if (!cell.origin) cell.origin = a.site;
            if (all) origin = cell.origin;
            all = false;
        }
        addr += to - from;
    }
    return all;
}

void Shadow::write(Core &core, Access a, uint32_t addr, uint32_t n) {
    a.write = true;
    for (uint32_t end = addr + n; addr < end;) {
        uint32_t block = addr / kBlock, from = addr % kBlock, to = std::min(kBlock, from + end - addr);
        Cell &cell = cells_[block];
        a.bytes = maskOf(from, to);
        touch(core, cell, a, block);
        cell.defined |= a.bytes;
        cell.owner = a.buffer;
        if (cell.defined == ~0u) cell.origin = 0;
        addr += to - from;
    }
}

void Shadow::undefine(uint32_t addr, uint32_t n, uint32_t origin) {
    if (!partly_.empty())
        for (uint32_t i = 0; i < n; i++) partly_.erase(addr + i);
    for (uint32_t end = addr + n; addr < end;) {
        uint32_t from = addr % kBlock, to = std::min(kBlock, from + end - addr);
        Cell &cell = cells_[addr / kBlock];
        cell.defined &= ~maskOf(from, to);
        if (!cell.origin) cell.origin = origin;
        addr += to - from;
    }
}

void Shadow::undefineBits(uint32_t addr, uint8_t bits, uint32_t origin) {
    if (!bits) return;
    undefine(addr, 1, origin);
    partly_[addr] = bits;
}

bool Shadow::definedBit(uint32_t addr, unsigned bit) const {
    if (defined(addr, 1)) return true;
    auto at = partly_.find(addr);
    return at != partly_.end() && !(at->second >> bit & 1);
}

bool Shadow::defined(uint32_t addr, uint32_t n) const {
    for (uint32_t end = addr + n; addr < end;) {
        uint32_t from = addr % kBlock, to = std::min(kBlock, from + end - addr), m = maskOf(from, to);
        if ((cells_[addr / kBlock].defined & m) != m) return false;
        addr += to - from;
    }
    return true;
}

} // namespace machine
