package ptxlaunch

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"tilec/runtime/array"
	"tilec/runtime/launch"
	"tilec/runtime/ptx"
)

// Config says how the machine runs kernels. The zero value checks nothing but bounds and alignment.
type Config struct {
	// Arch, such as sm_80, is whose limits hold; empty: what each kernel was compiled for.
	Arch string
	// Processors is how many blocks of a persistent grid there are; 0 is 4.
	Processors int
	Checks     ptx.Check
	Counters   bool // count bank conflicts and sectors too
	Workers    int  // blocks run at once; 0: one for each CPU
	// Print receives what kernels print; nil discards it.
	Print func(text string)
	// Observe, if set, sees the report of every launch, before Launch returns.
	Observe func(k *launch.Kernel, r *ptx.Report)
}

// Machine is the PTX machine as a launcher. Arrays of separate arguments lie apart, aligned to 256 bytes.
type Machine struct {
	config  Config
	mu      sync.Mutex
	kernels map[kernelKey]*loaded
}

var _ launch.Launcher = (*Machine)(nil)

// kernelKey tells kernels apart by content.
type kernelKey struct {
	text  [sha256.Size]byte
	entry string
}

// loaded is decoded at first use, by whoever comes first.
type loaded struct {
	once   sync.Once
	kernel *ptx.Kernel
	err    error
}

// New returns a machine.
func New(c Config) *Machine { return &Machine{config: c, kernels: map[kernelKey]*loaded{}} }

// Arch is the architecture that the machine keeps the limits of, empty if each kernel brings its own.
func (m *Machine) Arch() string { return m.config.Arch }

// defaultProcessors makes blocks of persistent grids loop, and on few CPUs.
const defaultProcessors = 4

// Processors is how many blocks a persistent grid should have.
func (m *Machine) Processors() int {
	if m.config.Processors > 0 {
		return m.config.Processors
	}
	return defaultProcessors
}

// FindingsError says that a kernel ran and did something wrong. What it wrote is in the arrays.
type FindingsError struct {
	Entry  string
	Report *ptx.Report
}

// Error lists the findings.
func (e *FindingsError) Error() string {
	lines := []string{fmt.Sprintf("%s: the PTX machine found %d faults", e.Entry, len(e.Report.Findings))}
	if len(e.Report.Findings) == 1 {
		lines[0] = e.Entry + ": the PTX machine found a fault"
	}
	for _, f := range e.Report.Findings {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// Launch runs a kernel. Faults of the kernel are a *FindingsError; any other error means that it did not run to its end.
func (m *Machine) Launch(ctx context.Context, k *launch.Kernel, grid [3]int64, block [3]int, shared int, args []launch.Arg) error {
	empty, err := launch.Check(k, grid, block, shared, args)
	if empty || err != nil {
		return err
	}
	params, err := parameters(k, args)
	if err != nil {
		return fmt.Errorf("%s: %w", k.Entry, err)
	}
	kernel, err := m.load(k)
	if err != nil {
		return err
	}
	config := ptx.Config{
		Grid: [3]int{int(grid[0]), int(grid[1]), int(grid[2])}, Block: block, SharedBytes: shared, Arch: m.config.Arch,
		Cluster: k.Cluster, Checks: m.config.Checks, Counters: m.config.Counters, Workers: m.config.Workers, Print: m.config.Print,
	}
	if config.Arch == "" {
		config.Arch = k.Arch
	}
	report, err := kernel.Launch(ctx, config, params...)
	if report != nil && m.config.Observe != nil {
		m.config.Observe(k, report)
	}
	if err != nil {
		return err
	}
	if len(report.Findings) > 0 {
		return &FindingsError{Entry: k.Entry, Report: report}
	}
	return nil
}

// load decodes a kernel, or returns it decoded.
func (m *Machine) load(k *launch.Kernel) (*ptx.Kernel, error) {
	if len(k.PTX) == 0 {
		return nil, fmt.Errorf("%s: no PTX, which is what the PTX machine runs", k.Entry)
	}
	key := kernelKey{sha256.Sum256(k.PTX), k.Entry}
	m.mu.Lock()
	l := m.kernels[key]
	if l == nil {
		l = new(loaded)
		m.kernels[key] = l
	}
	m.mu.Unlock()
	l.once.Do(func() {
		var module *ptx.Module
		if module, l.err = ptx.Parse(k.Entry+".ptx", string(k.PTX)); l.err == nil {
			l.kernel, l.err = module.Kernel(k.Entry)
		}
	})
	return l.kernel, l.err
}

// parameters are the arguments in the machine's terms. An array that is only written has no values to read.
func parameters(k *launch.Kernel, args []launch.Arg) ([]any, error) {
	buffers, of, err := launch.Buffers(args)
	if err != nil {
		return nil, err
	}
	memory := make([]*ptx.Buffer, len(buffers))
	params := make([]any, len(args))
	for i, a := range args {
		if of[i] < 0 {
			params[i] = a.Scalar()
			continue
		}
		if memory[of[i]] == nil {
			b := buffers[of[i]]
			memory[of[i]] = &ptx.Buffer{
				Name: k.Params[i].Name, Data: b.Data, ReadOnly: b.Access == launch.Read, Undefined: b.Access == launch.Write,
			}
		}
		if a.Map != nil {
			if params[i], err = tensorMap(a, memory[of[i]]); err != nil {
				return nil, fmt.Errorf("argument %s: %w", k.Params[i].Name, err)
			}
			continue
		}
		params[i] = ptx.Pointer{Buffer: memory[of[i]], Offset: int64(a.Offset)}
	}
	return params, nil
}

var swizzles = map[int]ptx.Swizzle{0: ptx.SwizzleNone, 32: ptx.Swizzle32B, 64: ptx.Swizzle64B, 128: ptx.Swizzle128B}

// tensorMap is a map in the machine's terms.
func tensorMap(a launch.Arg, b *ptx.Buffer) (*ptx.TensorMap, error) {
	t := a.Array.DType
	swizzle, ok := swizzles[a.Map.Swizzle]
	switch {
	case !ok:
		return nil, fmt.Errorf("a swizzle of %d bytes: there is 0, 32, 64 and 128", a.Map.Swizzle)
	case t.Bits() < 8:
		return nil, fmt.Errorf("tensor maps of %s are not supported yet", t)
	}
	m := &ptx.TensorMap{
		Buffer: b, Offset: int64(a.Offset), ElemBytes: t.Bits() / 8, Dims: a.Map.Dims, Strides: a.Map.Strides, Box: a.Map.Box,
		ElemStrides: a.Map.Steps, Swizzle: swizzle,
	}
	if a.Map.NaN {
		m.Fill = ptx.FillNaN
	}
	switch t {
	case array.F16, array.BF16, array.F32, array.F64:
		m.Type = t.String()
	}
	if m.Strides == nil {
		stride := int64(m.ElemBytes)
		for _, n := range m.Dims[:max(len(m.Dims)-1, 0)] {
			stride *= n
			m.Strides = append(m.Strides, stride)
		}
	}
	return m, nil
}
