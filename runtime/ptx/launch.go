package ptx

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"tilec/runtime/ptx/shadow"
	"tilec/runtime/ptx/syntax"
)

// Check selects what the machine watches for.
type Check uint

// Checks. Bounds and alignment are always checked.
const (
	// CheckShared finds races in shared memory and misuse of asynchronous copies, whose
	// bytes then land as late as waits allow.
	CheckShared Check = 1 << iota
	// CheckUnwritten finds reads of unwritten local memory, of undefined buffers, and,
	// with CheckShared, of unwritten shared memory.
	CheckUnwritten
	// CheckRegisters finds registers that are used before anything was put in them.
	CheckRegisters
	// CheckGlobal finds races in the buffers that aren't ReadOnly: between blocks and,
	// with CheckShared, between the warps of a block. It takes ten times their memory,
	// and watches at most 256 MiB of them.
	CheckGlobal

	// CheckAll is all of them.
	CheckAll = CheckShared | CheckUnwritten | CheckRegisters | CheckGlobal
)

// Config describes a launch.
type Config struct {
	Grid  [3]int // blocks; zeros count as ones
	Block [3]int // threads
	// Cluster is the blocks of a cluster; zeros: as the kernel says, or ones.
	Cluster     [3]int
	SharedBytes int // dynamic shared memory
	// Arch sets the limits, such as "sm_80"; empty is the module's target.
	Arch   string
	Checks Check
	// Counters asks for bank conflicts and sectors; instructions are always counted.
	Counters bool
	Workers  int // blocks run at once; 0: one for each processor
	// Seed, if not zero, makes the order of blocks and warps random: a program that is
	// right gives the same results.
	Seed uint64
	// MaxFindings bounds the findings kept; 0 is 100. A grid is stopped after that many different ones.
	MaxFindings int
	// Print receives what the kernel prints; nil discards it.
	Print func(string)
}

// Report is the outcome of a launch.
type Report struct {
	Findings []*Finding
	Counters *Counters
}

// Module is a parsed PTX text.
type Module struct{ syntax *syntax.Module }

// Parse reads a PTX module; name is used in messages.
func Parse(name, text string) (*Module, error) {
	m, err := syntax.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return &Module{m}, nil
}

// Kernels lists the entries of the module.
func (m *Module) Kernels() []string {
	var names []string
	for _, f := range m.syntax.Funcs {
		if f.Entry && f.Body != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// Kernel is an entry ready to run. It may be launched from several goroutines at once.
type Kernel struct{ prog *program }

// Kernel decodes the entry. Anything that it can reach and the machine doesn't
// know is an error that names the form and its line.
func (m *Module) Kernel(entry string) (*Kernel, error) {
	p, err := decodeKernel(m.syntax, entry)
	if err != nil {
		return nil, err
	}
	return &Kernel{p}, nil
}

// Params returns the size of each parameter in bytes.
func (k *Kernel) Params() []int {
	var sizes []int
	for _, p := range k.prog.params {
		sizes = append(sizes, p.size)
	}
	return sizes
}

// StaticShared returns the bytes of shared memory that the kernel declares itself.
func (k *Kernel) StaticShared() int { return k.prog.shared.static }

// launch is a grid while it runs.
type launch struct {
	prog    *program
	cfg     Config
	grid    [3]int
	block   [3]int
	cluster [3]int // blocks
	params  []byte
	space   *addressSpace
	next    atomic.Int64 // cluster to start
	total   int64        // clusters
	stopped atomic.Bool
	ctx     context.Context

	mu       sync.Mutex
	findings []*Finding
	index    map[findingKey]*Finding
	global   *shadow.Global // nil: races between blocks are not watched
	maps     mapVersions
	narrow   sync.Mutex // for atomic operations that the host lacks
	// workspace is the address of what a driver gives grids that synchronise, in the
	// environment registers 1 and 2: a size and a counter (cooperative_groups/details/driver_abi.h).
	workspace uint64
}

// findingKey tells findings apart: those of the same two instructions are one.
type findingKey struct {
	kind      Kind
	at, other int
}

// permuted gives the block to run as the i-th: all of them in turn, or with a seed
// by a stride that has no factor in common with their number.
func (l *launch) permuted(i int64) int64 {
	if l.cfg.Seed == 0 || l.total > 1<<31 {
		return i
	}
	n := uint64(l.total)
	step := l.cfg.Seed%n + 1
	for gcd(step, n) != 1 {
		step++
	}
	return int64((uint64(i)*step + l.cfg.Seed/n) % n)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (l *launch) stop() { l.stopped.Store(true) }

// add records a finding.
func (l *launch) add(f Finding) *Finding {
	key := findingKey{kind: f.Kind, at: f.At.PTXLine}
	if f.Other != nil {
		key.other = f.Other.PTXLine
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.index[key]; old != nil {
		old.Count++
		if f.order.before(old.order) {
			old.witness(&f)
		}
		return old
	}
	f.Count = 1
	l.index[key] = &f
	l.findings = append(l.findings, &f)
	if len(l.findings) >= l.cfg.MaxFindings {
		l.stop()
	}
	return &f
}

// sharedBytes is the block's shared memory: static, then dynamic.
func (l *launch) sharedBytes() int {
	s := &l.prog.shared
	if l.cfg.SharedBytes > 0 || s.dynamic {
		return s.dynamicBase() - sharedBase + l.cfg.SharedBytes
	}
	return s.static
}

// Launch runs the kernel over a grid. An argument is a *Buffer, a Pointer, a
// number (of 1, 2, 4 or 8 bytes), bool, or raw bytes, and must have the size of
// its parameter. What the program does wrong is in the report; an error means
// that it could not run, or that ctx ended.
func (k *Kernel) Launch(ctx context.Context, cfg Config, args ...any) (*Report, error) {
	l := &launch{prog: k.prog, cfg: cfg, ctx: ctx, space: newAddressSpace(), index: map[findingKey]*Finding{}}
	if err := l.configure(); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.prog.name, err)
	}
	if err := l.bindArgs(args); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.prog.name, err)
	}
	if err := l.space.placeGlobals(k.prog.mod, k.prog.globals); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(k.prog.special, func(s specialReg) bool { return s.kind == gridWorkspaceLow }) {
		l.workspace = l.space.add("the grid's workspace", []byte{8, 0, 0, 0, 0, 0, 0, 0}, baseAlign, 0).base
	}
	if cfg.Checks&CheckGlobal != 0 {
		l.watchGlobal()
	}
	n := cfg.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	n = int(min(int64(n), l.total))
	workers := make([]*worker, n)
	var wg sync.WaitGroup
	for i := range workers {
		workers[i] = newWorker(l)
		wg.Go(workers[i].run)
	}
	wg.Wait()
	for _, a := range l.space.allocs {
		if a.copyBack != nil {
			copy(a.copyBack, a.data)
		}
	}
	for _, f := range l.findings {
		f.Count += int(f.count)
	}
	slices.SortStableFunc(l.findings, func(a, b *Finding) int {
		if a.order.before(b.order) {
			return -1
		}
		return 1
	})
	rep := &Report{Findings: l.findings, Counters: l.collect(workers)}
	if err := ctx.Err(); err != nil {
		return rep, fmt.Errorf("kernel %s: stopped: %w", k.prog.name, err)
	}
	return rep, nil
}

// bindArgs lays the arguments out in the parameter space.
func (l *launch) bindArgs(args []any) error {
	params := l.prog.params
	if len(args) != len(params) {
		return fmt.Errorf("%d arguments for %d parameters", len(args), len(params))
	}
	end := 0
	for _, p := range params {
		end = max(end, p.off+p.size)
	}
	l.params = make([]byte, end)
	bases := map[*Buffer]uint64{}
	for i, a := range args {
		p := params[i]
		if m, ok := a.(*TensorMap); ok {
			a = l.bindMap(m, bases, i, p.size)
		}
		b, err := l.argBytes(a, bases, i)
		if err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
		if len(b) != p.size {
			return fmt.Errorf("argument %d has %d bytes, parameter %s has %d", i, len(b), p.v.Name, p.size)
		}
		copy(l.params[p.off:], b)
	}
	return nil
}

func (l *launch) argBytes(arg any, bases map[*Buffer]uint64, i int) ([]byte, error) {
	le := binary.LittleEndian
	switch v := arg.(type) {
	case error:
		return nil, v
	case *Buffer:
		return le.AppendUint64(nil, l.bind(v, bases, i)), nil
	case Pointer:
		return le.AppendUint64(nil, l.bind(v.Buffer, bases, i)+uint64(v.Offset)), nil
	case []byte:
		return v, nil
	case int:
		return nil, fmt.Errorf("an int has no fixed size: use int32 or int64")
	case nil:
		return make([]byte, 8), nil
	}
	b, err := binary.Append(nil, le, arg)
	if err != nil {
		return nil, fmt.Errorf("%T is not an argument", arg)
	}
	return b, nil
}

// bind gives a buffer its address; nil is the null pointer.
func (l *launch) bind(b *Buffer, bases map[*Buffer]uint64, i int) uint64 {
	if b == nil {
		return 0
	}
	if base, ok := bases[b]; ok {
		return base
	}
	name := b.Name
	if name == "" {
		name = "argument " + itoa(i)
	}
	a := l.space.add(name, b.Data, baseAlign, b.Misalign)
	a.readOnly = b.ReadOnly
	if b.Undefined && l.cfg.Checks&CheckUnwritten != 0 {
		a.valid = newWritten(len(b.Data))
	}
	bases[b] = a.base
	return a.base
}
