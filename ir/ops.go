package ir

import (
	"tilec/internal/diag"
	"tilec/ir/layout"
)

// Op is a statement: a row of the table of operations with its operands. Which
// fields an operation uses, its row says.
type Op struct {
	Code Opcode
	Span diag.Span
	// Var is the scalar that a let or var defines, an assign sets, a for runs
	// over, or an atomic leaves the old value in.
	Var *Var
	// X are scalar operands in the order of the table.
	X []*Expr
	// Dom are the free indices of a tile operation: it acts at every point, in
	// any order, each point seeing the values from before the operation.
	Dom []Iter
	// Red are the indices that a reduce or contract sums over.
	Red []Iter
	// Dst is the element written at each point of Dom.
	Dst *Access
	// Src are the elements read by copy, contract and scan.
	Src []*Access
	// Where limits a tile operation to the points at which it holds; for a reduce
	// those that are combined, for a contract those of Dom and Red whose products are added.
	Where *Expr
	// Init, for a contract: where it holds the old values of Dst do not count. Nil is never.
	Init *Expr
	// Combine is how a reduce, scan or atomic puts values together.
	Combine Combine
	// Accumulate: a reduce combines its result with the old Dst element.
	Accumulate bool
	// Partial: each lane keeps its own part of a reduce's result; a later join
	// makes it whole. What happens to it in between must be linear.
	Partial    bool
	Buf        *Buffer // alloc
	Body, Else *Block
	Loop       LoopKind
	// Stages of a pipeline loop: how many iterations' copies may be in flight,
	// the current one included; 0 or 1 means no overlap.
	Stages int
	// Axis of a scan.
	Axis int
	// N is the count of a wait: how many newest groups may still be in flight.
	N int
	// Async marks a copy that completes at a later wait.
	Async bool
	// Text is the message of an assert, the format pieces of a print.
	Text []string

	// Set by placement and layout; nil before.

	// Layout spreads the points of Dom, then Red, over (register, lane, warp).
	Layout *layout.Layout
	// Atom names the hardware instruction that a contract is split into, as in
	// the machine description.
	Atom string
	// Scratch is the shared memory through which a reduce combines the results
	// of different warps; the operation synchronises its own use of it.
	Scratch *Buffer
	// Pipe is the queue of an AI core that runs the operation, that sets a flag, or that a pipe barrier drains; To waits for
	// a flag.
	Pipe, To Pipe
	// Note is a remark of a pass that the printer keeps as a trailing comment.
	Note string
}

// Block is a list of operations in program order.
type Block struct {
	Ops []*Op
}

// LoopKind says how a for is to be run.
type LoopKind uint8

// Kinds of loops.
const (
	Serial LoopKind = iota
	Unroll
	Pipeline
)

// Opcode is a statement operation, a row of the table.
type Opcode uint8

// Statement operations.
const (
	InvalidOp Opcode = iota
	OpLet
	OpVar
	OpAssign
	OpAlloc
	OpFor
	OpWhile
	OpIf
	OpCopy
	OpMap
	OpReduce
	OpJoin
	OpContract
	OpScan
	OpAtomic
	OpPrint
	OpAssert
	OpCommit
	OpWait
	OpBarrier
	OpSetFlag
	OpWaitFlag
	OpPipeBarrier
	OpCores
	OpCrossSet
	OpCrossWait
	numOps
)

// Fields is the set of an operation's fields that its row uses.
type Fields uint32

// Fields of an Op.
const (
	HasVar Fields = 1 << iota
	HasDom
	HasRed
	HasDst
	HasWhere
	HasCombine
	HasBody
	HasElse
	HasBuf
	HasText
	HasN
	HasPipe
	HasTo
)

// Effect is what an operation does beside defining a scalar. Zero is invalid.
type Effect uint8

// Effects.
const (
	Pure    Effect = 1 << iota // reads scalars only
	Reads                      // reads buffers
	Writes                     // writes Dst
	Control                    // runs blocks
	Orders                     // orders other operations
	Outside                    // seen outside the kernel (print, assert)
)

// OpInfo is a row of the table of operations.
type OpInfo struct {
	Name string
	// X is the number of scalar operands, -1 for any; Src of source accesses.
	X, Src int
	Fields Fields
	Effect Effect
	// Since is the first form in which the operation may stand.
	Since Form
	Doc   string
}

var opTable = [numOps]OpInfo{
	OpLet:         {Name: "let", X: 1, Fields: HasVar, Effect: Pure | Reads, Since: TileForm, Doc: "defines an immutable scalar"},
	OpVar:         {Name: "var", X: 1, Fields: HasVar, Effect: Pure | Reads, Since: TileForm, Doc: "defines a mutable scalar with its first value"},
	OpAssign:      {Name: "assign", X: 1, Fields: HasVar, Effect: Pure | Reads, Since: TileForm, Doc: "gives a mutable scalar a new value"},
	OpAlloc:       {Name: "alloc", Fields: HasBuf, Effect: Pure, Since: TileForm, Doc: "declares a buffer, its contents undefined, until the end of the block"},
	OpFor:         {Name: "for", X: 3, Fields: HasVar | HasBody, Effect: Control, Since: TileForm, Doc: "runs its body for var = lo, lo+step, … below hi"},
	OpWhile:       {Name: "while", X: 1, Fields: HasBody, Effect: Control, Since: TileForm, Doc: "runs its body as long as the condition holds"},
	OpIf:          {Name: "if", X: 1, Fields: HasBody | HasElse, Effect: Control, Since: TileForm, Doc: "runs one of two blocks; the condition is the same for the whole grid instance"},
	OpCopy:        {Name: "copy", Src: 1, Fields: HasDom | HasDst | HasWhere, Effect: Reads | Writes, Since: TileForm, Doc: "moves a block, converting the element type; indices are affine in the domain, but for what an asynchronous copy reads"},
	OpMap:         {Name: "map", X: 1, Fields: HasDom | HasDst | HasWhere, Effect: Reads | Writes, Since: TileForm, Doc: "gives Dst the value of an expression at each point of the domain"},
	OpReduce:      {Name: "reduce", X: 1, Fields: HasDom | HasRed | HasDst | HasWhere | HasCombine, Effect: Reads | Writes, Since: TileForm, Doc: "combines an expression over Red into Dst at each point of Dom"},
	OpJoin:        {Name: "join", Src: 1, Fields: HasDom | HasDst | HasCombine, Effect: Reads | Writes, Since: PlacedForm, Doc: "makes the result of partial reduces whole: combines what the lanes that hold copies of an element have"},
	OpContract:    {Name: "contract", Src: 2, Fields: HasDom | HasRed | HasDst | HasWhere, Effect: Reads | Writes, Since: TileForm, Doc: "adds the sum over Red of the product of two elements to Dst: exact products, sums in Dst's type"},
	OpScan:        {Name: "scan", Src: 1, Fields: HasDom | HasDst | HasCombine, Effect: Reads | Writes, Since: TileForm, Doc: "inclusive scan of Src along the domain's axis"},
	OpAtomic:      {Name: "atomic", X: 1, Fields: HasVar | HasDom | HasDst | HasWhere | HasCombine, Effect: Reads | Writes, Since: TileForm, Doc: "combines a value into Dst atomically at each point; Var, if any, is the old value"},
	OpPrint:       {Name: "print", X: -1, Fields: HasText, Effect: Outside | Reads, Since: TileForm, Doc: "prints scalars, once a grid instance"},
	OpAssert:      {Name: "assert", X: 1, Fields: HasDom | HasText, Effect: Outside | Reads, Since: TileForm, Doc: "stops the kernel with a message where the condition is false"},
	OpCommit:      {Name: "commit", Effect: Orders, Since: ScheduledForm, Doc: "closes a group of the asynchronous copies issued since the last commit"},
	OpWait:        {Name: "wait", Fields: HasN, Effect: Orders, Since: ScheduledForm, Doc: "waits until at most N newest groups are in flight"},
	OpSetFlag:     {Name: "setflag", X: 1, Fields: HasPipe | HasTo, Effect: Orders, Since: ScheduledForm, Doc: "raises a flag once the pipe has done all it was given; the operand is the flag's number among those of the two pipes"},
	OpWaitFlag:    {Name: "waitflag", X: 1, Fields: HasPipe | HasTo, Effect: Orders, Since: ScheduledForm, Doc: "has the second pipe wait until the flag is up, and takes it down"},
	OpPipeBarrier: {Name: "pipebarrier", Fields: HasPipe, Effect: Orders, Since: ScheduledForm, Doc: "has a pipe finish what it was given before it goes on"},
	OpCores:       {Name: "cores", Fields: HasVar | HasBody | HasElse, Effect: Control, Since: TileForm, Doc: "runs its first block on the cube core of a group and the second one on each of its two vector cores, where the scalar is 0 and 1; they share tiles in global memory, and only cross-core flags order them"},
	OpCrossSet:    {Name: "crossset", X: 1, Fields: HasPipe, Effect: Orders, Since: TileForm, Doc: "adds one to a cross-core flag once the pipe has done all it was given: the cube core's for both vector cores, each vector core's for the cube core"},
	OpCrossWait:   {Name: "crosswait", X: 1, Effect: Orders, Since: TileForm, Doc: "waits until a cross-core flag is above zero, that of both vector cores on the cube core, and takes one off"},
	OpBarrier:     {Name: "barrier", Effect: Orders, Since: ScheduledForm, Doc: "orders all threads of a CTA and their shared-memory accesses"},
}

// Info returns the operation's row.
func (c Opcode) Info() OpInfo { return opTable[c] }

// String returns the operation's name.
func (c Opcode) String() string {
	if c == InvalidOp || c >= numOps {
		return "invalid"
	}
	return opTable[c].Name
}

// LookupOpcode returns the operation of that name.
func LookupOpcode(name string) (Opcode, bool) {
	for c := OpLet; c < numOps; c++ {
		if opTable[c].Name == name {
			return c, true
		}
	}
	return InvalidOp, false
}
