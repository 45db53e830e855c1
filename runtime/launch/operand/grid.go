package operand

import (
	"fmt"
	"math"

	"tilec/runtime/launch"
)

// maxBlocks is the most blocks of a one-dimensional grid (CUDA C++ programming guide, compute capabilities).
const maxBlocks = math.MaxInt32

// Blocks multiplies the counts of a grid's indices: one block without any, none where a count is 0 or negative; too many are
// an error.
func Blocks(counts ...int64) (int64, error) {
	total := int64(1)
	for _, n := range counts {
		if n <= 0 {
			return 0, nil
		}
	}
	for _, n := range counts {
		if n > maxBlocks || total*n > maxBlocks {
			return 0, fmt.Errorf("a grid of %v blocks, at most %d in all are possible", counts, maxBlocks)
		}
		total *= n
	}
	return total, nil
}

// Rounds multiplies the counts of a persistent grid's indices, which may be more than a grid can have.
func Rounds(counts ...int64) (int64, error) {
	total := int64(1)
	for _, n := range counts {
		if n <= 0 {
			return 0, nil
		}
	}
	for _, n := range counts {
		if total > math.MaxInt64/n {
			return 0, fmt.Errorf("a grid of %v instances, at most %d in all are possible", counts, int64(math.MaxInt64))
		}
		total *= n
	}
	return total, nil
}

// defaultProcessors is for launchers that do not say.
const defaultProcessors = 16

// Processors returns how many blocks a launcher runs at once, a persistent grid's size: what its method Processors says,
// otherwise a small number.
func Processors(l launch.Launcher) int {
	if p, ok := l.(interface{ Processors() int }); ok {
		return max(p.Processors(), 1)
	}
	return defaultProcessors
}
