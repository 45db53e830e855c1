package operand

import (
	"fmt"
	"math"

	"tilec/runtime/array"
)

// Checks verifies the arguments of one launch, and keeps the first error.
type Checks struct {
	kernel string
	err    error
}

// Check starts to verify a launch of a kernel.
func Check(kernel string) *Checks { return &Checks{kernel: kernel} }

// Err returns the first error; it names the kernel.
func (c *Checks) Err() error { return c.err }

// Fail notes an error, unless it is nil or there is one already.
func (c *Checks) Fail(err error) {
	if c.err == nil && err != nil {
		c.err = fmt.Errorf("%s: %w", c.kernel, err)
	}
}

func (c *Checks) failf(format string, args ...any) { c.Fail(fmt.Errorf(format, args...)) }

// Array verifies that a tensor parameter can take an array, and views it.
func (c *Checks) Array(name string, a *array.Array, t array.DType, rank int) View {
	v := Whole(a)
	c.Fail(v.check(name, t, rank, false))
	return v
}

// View verifies that a tensor parameter can take a view: of an array of the type, of the rank, all elements inside. Only
// strided parameters take views with strides.
func (c *Checks) View(name string, v View, t array.DType, rank int, strided bool) View {
	c.Fail(v.check(name, t, rank, strided))
	return v
}

// MaxExtent is the largest extent of a dimension: more than any memory holds, and little enough that sums and products
// with constants do not overflow.
const MaxExtent = 1 << 48

// Dim reads the dimension that a tensor's extent binds.
func (c *Checks) Dim(name string, v View, axis int) int64 {
	if axis >= len(v.Shape) {
		return 0 // the rank was an error
	}
	n := int64(v.Shape[axis])
	if n > MaxExtent {
		c.failf("%s: dimension %d is %d, at most %d is possible", name, axis, n, int64(MaxExtent))
	}
	return n
}

// Extent verifies an extent against what the parameter's shape makes of the dimensions; formula is its text in the program.
func (c *Checks) Extent(name string, v View, axis int, formula string, want int64) {
	if axis >= len(v.Shape) {
		return
	}
	switch got := int64(v.Shape[axis]); {
	case got == want:
	case formula == fmt.Sprint(want):
		c.failf("%s: shape %v: dimension %d is %d, %d is needed", name, v.Shape, axis, got, want)
	default:
		c.failf("%s: shape %v: dimension %d is %d, but %s = %d", name, v.Shape, axis, got, formula, want)
	}
}

// Int verifies that an integer type has a value. One of u64 is given by its bits, so that each is a value of it.
func (c *Checks) Int(name string, t array.DType, v int64) {
	if t == array.Bool && v != 0 && v != 1 || t != array.Bool && array.WrapInt(t, v) != v {
		c.failf("%s: %d is not a value of %s", name, v, t)
	}
}

// Require verifies a condition of the program; text is its message.
func (c *Checks) Require(holds bool, text string) {
	if !holds {
		c.failf("requirement not met: %s", text)
	}
}

// Apart verifies that two tensors, one of which is written, share no memory: kernels read and write in any order.
func (c *Checks) Apart(name string, v View, other string, w View) {
	if overlap(v, w) {
		c.failf("%s and %s share memory", name, other)
	}
}

// maxBlocks is the most blocks of a one-dimensional grid (CUDA C++ programming guide, compute capabilities).
const maxBlocks = math.MaxInt32

// Blocks multiplies the counts of a grid's indices: one block without any, none where a count is 0 or negative; too many
// are an error.
func (c *Checks) Blocks(counts ...int64) int64 { return c.product(maxBlocks, counts) }

// PersistentBlocks is Blocks for a grid of which each block runs as many instances as it must; there are at most as many
// blocks as processors.
func (c *Checks) PersistentBlocks(processors int, counts ...int64) int64 {
	return min(c.product(math.MaxInt64, counts), int64(max(processors, 1)))
}

func (c *Checks) product(limit int64, counts []int64) int64 {
	for _, n := range counts {
		if n <= 0 {
			return 0
		}
	}
	total := int64(1)
	for _, n := range counts {
		if n > limit/total {
			c.failf("a grid of %v blocks, at most %d in all are possible", counts, limit)
			return 0
		}
		total *= n
	}
	return total
}
