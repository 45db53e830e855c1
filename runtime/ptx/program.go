package ptx

import (
	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// none marks an absent register, predicate or target.
const none = -1

// opKind tells the machine's main loop how an instruction goes on.
type opKind uint8

const (
	opPlain  opKind = iota + 1 // runs exec for the active lanes, then goes on
	opBranch                   // to target
	opIndex                    // brx.idx: to targets[a]
	opExit                     // ends the active lanes
	opSync                     // waits until the lanes of a mask are together, then runs exec
	opBarrier
	opAwait // waits for an mbarrier, or until waiting is pointless, then runs exec
	opGroup // runs exec once all warps of a warpgroup have come
)

// instr is one decoded instruction. Operands are numbers of registers: virtual
// until allocation, then places in a warp's register file.
type instr struct {
	kind   opKind
	neg    bool // the guard is negated
	wide   bool // d is 64 bits
	guard  int32
	d      int32
	a      int32
	b      int32
	c      int32
	p      int32 // predicate written
	q      int32 // second predicate written
	target int32
	rejoin int32 // where lanes that diverge here come together, or none
	exec   func(w *warp, in *instr, m uint32)
	fn     lanes.Fn
	class  class
	x      any // what else exec needs: *memOp, *shflOp, …
	src    *source
	pc     int32
	site   *Site   // where it is in the texts
	flying []int32 // registers that may be in flight in a wgmma, by their virtual numbers
	watch  *watch  // set if it reads or writes a register that may be undefined
}

// source is where an instruction comes from.
type source struct {
	ast *syntax.Instr
	loc *syntax.Loc
	// caller is the call that this instruction was inlined for.
	caller *source
}

// program is a kernel decoded.
type program struct {
	name  string
	mod   *syntax.Module
	entry *syntax.Func
	code  []instr
	regs  int // register file, in V32
	preds int
	// fragments is how many values of matrix operands a warp keeps.
	fragments int
	consts    []constant
	special   []specialReg
	local     int // bytes a thread
	shared    sharedLayout
	params    []param
	hopper    bool // uses mbarriers or wgmma
	globals   []*syntax.Var
	// undefined tells which of the watched registers have no value at the start.
	undefined []bool
	// watchedWide tells which of the watched registers are 64 bits wide.
	watchedWide []bool
}

// constant is a register with a value that all lanes share, set before the first instruction.
type constant struct {
	reg   int32
	wide  bool
	value uint64
	// global, if set, adds the address of a module variable, known at launch.
	global *syntax.Var
}

// specialReg is a register holding a special register's value, set when a block starts.
type specialReg struct {
	reg  int32
	wide bool
	kind special
}

// param is a kernel parameter's place in the parameter space.
type param struct {
	v    *syntax.Var
	off  int
	size int
}

// sharedLayout gives shared variables their addresses.
type sharedLayout struct {
	vars    []sharedVar
	static  int // bytes from sharedBase, dynamic memory starts there
	align   int
	dynamic bool
}

// sharedVar is a named piece of shared memory.
type sharedVar struct {
	name string
	off  int // address
	size int
}

// sharedBase is the address of the first shared byte: the kilobyte below it
// belongs to the system on sm_80 and later.
const sharedBase = 1024

// roundUp rounds n up to a multiple of align, a power of two.
func roundUp(n, align int) int { return (n + align - 1) &^ (align - 1) }
