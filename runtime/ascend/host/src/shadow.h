// Shadow of a core's memory: who accessed each byte last, and whether it was ever written.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>
#include "clock.h"

namespace machine {

// Access is an instruction's access to some bytes of a block.
struct Access {
    uint32_t time = 0, site = 0;
    uint32_t bytes = 0; // bit i: byte i of the block
    uint16_t buffer = 0; // that the instruction reaches the bytes through, as Core numbers them; 0: unknown
    Pipe pipe = S;
    Space space = UB;
    bool write = false;
    bool unit = false;  // ordered by the unit flags of L0C
    bool chained = false; // an accumulation that the cube orders itself
};

struct Core;

// Shadow watches a memory in blocks of 32 bytes.
class Shadow {
public:
    static constexpr uint32_t kBlock = 32;

    explicit Shadow(uint32_t bytes = 0) : cells_((bytes + kBlock - 1) / kBlock) { nodes_.resize(1); }

    // read checks a read of bytes [addr, addr+n) and reports whether all of them were written, as defined values. Else origin is
    // the instruction that first read the undefined bytes, this one if none did before.
    bool read(Core &, Access, uint32_t addr, uint32_t n, uint32_t &origin);
    void write(Core &, Access, uint32_t addr, uint32_t n);

    // undefine marks bytes as written with values that depend on unwritten ones.
    void undefine(uint32_t addr, uint32_t n, uint32_t origin);
    bool defined(uint32_t addr, uint32_t n) const;
    // undefineBits marks bits of a byte so, the result of a comparison: of its other bits, definedBit tells that they are values.
    void undefineBits(uint32_t addr, uint8_t bits, uint32_t origin);
    bool definedBit(uint32_t addr, unsigned bit) const;
    uint32_t originOf(uint32_t addr) const { return cells_[addr / kBlock].origin; }

private:
    struct Cell {
        uint32_t head = 0, defined = 0, origin = 0;
        uint16_t owner = 0; // the buffer that it was last written through
    };
    struct Node {
        Access access;
        uint32_t next = 0;
    };
    static uint32_t maskOf(uint32_t from, uint32_t to) {
        return uint32_t((((uint64_t(1) << (to - from)) - 1) << from));
    }
    void touch(Core &, Cell &, const Access &, uint32_t block);
    uint32_t allocate();

    std::vector<Cell> cells_;
    std::vector<Node> nodes_; // node 0 is the end of a list
    uint32_t free_ = 0;
    std::unordered_map<uint32_t, uint8_t> partly_; // by address: the undefined bits of bytes that are not defined as a whole
};

} // namespace machine
