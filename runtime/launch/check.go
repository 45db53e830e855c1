package launch

import (
	"fmt"
	"math"
	"unsafe"
)

// Limits of a launch, the same on all architectures that we know (CUDA C++ programming guide, compute capabilities).
const (
	maxGridX   = math.MaxInt32
	maxGridYZ  = 65535
	maxBlock   = 1024
	maxBlockZ  = 64
	maxCluster = 16 // above 8 by opt-in
)

// Check verifies a launch against the kernel's parameters and the limits of any device, so that a wrong call is an error
// and not a stray write. It reports a grid that is empty, which needs no launch.
func Check(k *Kernel, grid [3]int64, block [3]int, shared int, args []Arg) (empty bool, err error) {
	for i, n := range grid {
		limit := int64(maxGridYZ)
		if i == 0 {
			limit = maxGridX
		}
		if n < 0 || n > limit {
			return false, fmt.Errorf("%s: grid %v: extent %c is not within 0 .. %d", k.Entry, grid, "xyz"[i], limit)
		}
		empty = empty || n == 0
	}
	threads := 1
	for i, n := range block {
		limit := maxBlock
		if i == 2 {
			limit = maxBlockZ
		}
		if n < 1 || n > limit {
			return false, fmt.Errorf("%s: block %v: extent %c is not within 1 .. %d", k.Entry, block, "xyz"[i], limit)
		}
		threads *= n
	}
	switch {
	case threads > maxBlock:
		return false, fmt.Errorf("%s: block %v has %d threads, at most %d are possible", k.Entry, block, threads, maxBlock)
	case shared < 0:
		return false, fmt.Errorf("%s: %d bytes of shared memory", k.Entry, shared)
	case len(args) != len(k.Params):
		return false, fmt.Errorf("%s: %d arguments, the kernel has %d parameters", k.Entry, len(args), len(k.Params))
	}
	blocks := int64(1)
	for i, n := range k.Cluster {
		if n < 0 || n > 1 && grid[i]%int64(n) != 0 {
			return false, fmt.Errorf("%s: grid %v: extent %c is not a multiple of the %d blocks of a cluster", k.Entry, grid, "xyz"[i], n)
		}
		blocks *= int64(max(n, 1))
	}
	if blocks > maxCluster {
		return false, fmt.Errorf("%s: clusters of %d blocks, at most %d are possible", k.Entry, blocks, maxCluster)
	}
	for i, p := range k.Params {
		if err := p.accepts(args[i]); err != nil {
			return false, fmt.Errorf("%s: argument %s: %w", k.Entry, p.Name, err)
		}
	}
	return empty, nil
}

// accepts says why an argument does not fit the parameter.
func (p Param) accepts(a Arg) error {
	array := p.Pointer || p.Map
	switch {
	case array && a.Array == nil:
		return fmt.Errorf("a scalar, an array of %s is needed", p.Type)
	case p.Map && a.Map == nil:
		return fmt.Errorf("an array, a tensor map over it is needed")
	case !p.Map && a.Map != nil:
		return fmt.Errorf("a tensor map, which the kernel does not take here")
	case !array && a.Array != nil:
		return fmt.Errorf("an array, a scalar %s is needed", p.Type)
	case !array && a.Type != p.Type:
		return fmt.Errorf("a scalar %s, %s is needed", a.Type, p.Type)
	case !array && p.Type.Bits()%8 != 0, p.Type.Bits() == 0:
		return fmt.Errorf("type %s cannot be passed as a scalar", p.Type)
	case !array:
		return nil
	case a.Array.DType != p.Type:
		return fmt.Errorf("an array of %s, one of %s is needed", a.Array.DType, p.Type)
	case a.Access < Read || a.Access > ReadWrite:
		return fmt.Errorf("an array without a declared access")
	case a.Offset < 0 || a.Offset > len(a.Array.Data):
		return fmt.Errorf("offset %d lies outside the array of %d bytes", a.Offset, len(a.Array.Data))
	}
	return nil
}

// Buffer is storage that one or more array arguments point into.
type Buffer struct {
	Data   []byte
	Access Access // of all the arguments together
}

// Buffers lists the distinct storage behind the array arguments; of[i] is the index of argument i's buffer, -1 for a
// scalar. Arguments with the same storage share a buffer, so a kernel may work in place. Storage that overlaps in
// part is an error.
func Buffers(args []Arg) (buffers []Buffer, of []int, err error) {
	of = make([]int, len(args))
	for i, a := range args {
		if a.Array == nil {
			of[i] = -1
			continue
		}
		of[i] = len(buffers)
		for j, b := range buffers {
			if !overlap(b.Data, a.Array.Data) {
				continue
			}
			if len(b.Data) != len(a.Array.Data) || unsafe.SliceData(b.Data) != unsafe.SliceData(a.Array.Data) {
				return nil, nil, fmt.Errorf("argument %d overlaps an earlier one in part", i)
			}
			of[i] = j
			if b.Access != a.Access {
				buffers[j].Access = ReadWrite
			}
			break
		}
		if of[i] == len(buffers) {
			buffers = append(buffers, Buffer{a.Array.Data, a.Access})
		}
	}
	return buffers, of, nil
}

// overlap reports storage in common.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	first, second := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return first < second+uintptr(len(b)) && second < first+uintptr(len(a))
}
