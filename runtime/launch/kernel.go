package launch

import (
	"context"

	"tilec/runtime/array"
)

// Kernel is one compiled kernel. A launcher takes the form that it runs: the PTX machine the PTX, a GPU the cubin if
// there is one for its architecture, else the PTX.
type Kernel struct {
	Entry  string  // the symbol in the image
	Arch   string  // that the cubin is for, such as sm_80
	PTX    []byte  // text
	Cubin  []byte  // ELF image; may be empty
	Params []Param // in the entry's order
	// Cluster is the blocks of a cluster, x first; zeros for a kernel without clusters or that says it itself.
	Cluster [3]int
}

// Param is a kernel parameter: a pointer to elements of a type, a tensor map over them, or a scalar of the type.
type Param struct {
	Name    string
	Type    array.DType
	Pointer bool
	Map     bool // by value, 128 bytes
}

// Launcher runs kernels. Launch returns when the kernel has ended and its results are in the arrays. A grid with an
// empty extent runs nothing. Grid and block are in x, y, z order, shared is the dynamic shared memory of a
// block in bytes. Launches of one launcher may be made from several goroutines.
type Launcher interface {
	Launch(ctx context.Context, k *Kernel, grid [3]int64, block [3]int, shared int, args []Arg) error
}
