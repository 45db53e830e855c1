package ascend

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os/exec"
	"runtime"
	"strings"

	"tilec/runtime/array"
	"tilec/runtime/launch"
)

// Arg is a kernel argument: an array or a scalar of package launch, a workspace, or the bytes of a structure.
type Arg struct {
	launch.Arg
	Workspace int    // bytes of global memory that nobody has written
	Bytes     []byte // of a structure that is passed by value
}

// Args wraps arguments of package launch.
func Args(list ...launch.Arg) []Arg {
	args := make([]Arg, len(list))
	for i, a := range list {
		args[i] = Arg{Arg: a}
	}
	return args
}

// Workspace passes the address of so many bytes, which lose their contents with the launch.
func Workspace(bytes int) Arg { return Arg{Workspace: bytes} }

// Struct passes a structure by value.
func Struct(bytes []byte) Arg { return Arg{Bytes: bytes} }

// Config describes a launch.
type Config struct {
	Kernel string   // may be empty if the program has one kernel
	Task   TaskType // Unspecified: as the source says
	Blocks int      // the number in <<<…>>>; 0 counts as 1
	// TilingKey is what TILING_KEY_IS compares with.
	TilingKey uint64
	// CountOnly leaves out all values and checks of memory: only counters and times are wanted, of launches too large to compute.
	// Control flow must not depend on computed values.
	CountOnly bool
	Workers   int       // cores that run at once; 0: one for each processor
	Capacity  *Capacity // nil: of Atlas A2
	Rates     *Rates    // nil: DefaultRates
}

// Capacity is the bytes of each memory of a core.
type Capacity struct {
	UB, L1, L0A, L0B, L0C, BT, FB int
}

// AtlasA2 has the memories of 910B and 910C that a kernel may use (Ascend C guide, NPU architecture 2201): the framework keeps the
// last 256 bytes of UB and L1.
var AtlasA2 = Capacity{UB: 192<<10 - 256, L1: 512<<10 - 256, L0A: 64 << 10, L0B: 64 << 10, L0C: 128 << 10, BT: 1 << 10, FB: 7 << 10}

// Run launches a kernel, waits for its end, and brings its results to the arrays. What the kernel does wrong is in the report;
// an error means that it could not run, or that ctx ended.
func (p *Program) Run(ctx context.Context, cfg Config, args ...Arg) (*Report, error) {
	k := p.Kernel(cfg.Kernel)
	if k == nil {
		return nil, fmt.Errorf("no kernel %q: the program has %s", cfg.Kernel, strings.Join(p.names(), ", "))
	}
	if len(args) != len(k.Params) {
		return nil, fmt.Errorf("%s: %d arguments, the kernel has %d parameters", k.Name, len(args), len(k.Params))
	}
	r := request{cfg: cfg, kernel: k, args: args}
	if err := r.encode(); err != nil {
		return nil, fmt.Errorf("%s: %w", k.Name, err)
	}
	answer, report, err := p.answer(ctx, &r)
	if err != nil {
		return nil, err
	}
	if report.coresRace() && r.workers != 1 {
		// What cores see of one another depends on their timing then. One at a time, it is always the same.
		r = request{cfg: cfg, kernel: k, args: args}
		r.cfg.Workers = 1
		if err := r.encode(); err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		if answer, report, err = p.answer(ctx, &r); err != nil {
			return nil, err
		}
	}
	return report, r.results(answer)
}

// answer has the runner execute a request, and returns the results that follow the report.
func (p *Program) answer(ctx context.Context, r *request) (io.Reader, *Report, error) {
	name := r.kernel.Name
	cmd := exec.CommandContext(ctx, p.runner, p.library)
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &r.wire, &out, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, context.Cause(ctx))
		}
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return nil, nil, fmt.Errorf("%s: %s", name, text)
		}
		return nil, nil, fmt.Errorf("%s: the host machine ended with %w", name, err)
	}
	var size uint64
	if err := binary.Read(&out, binary.LittleEndian, &size); err != nil {
		return nil, nil, fmt.Errorf("%s: the host machine's answer: %w", name, err)
	}
	if size > uint64(out.Len()) {
		return nil, nil, fmt.Errorf("%s: the host machine's answer ends early", name)
	}
	report := &Report{}
	if err := json.Unmarshal(out.Next(int(size)), report); err != nil {
		return nil, nil, fmt.Errorf("%s: the host machine's report: %w", name, err)
	}
	return &out, report, nil
}

func (p *Program) names() []string {
	var names []string
	for _, k := range p.Kernels {
		names = append(names, k.Name)
	}
	return names
}

// request is a launch on its way to the runner and back.
type request struct {
	cfg     Config
	kernel  *Kernel
	args    []Arg
	wire    bytes.Buffer
	workers int
	back    [][]byte // storage of the buffers that come back, in their order
}

func (r *request) u8(v bool) {
	if v {
		r.wire.WriteByte(1)
	} else {
		r.wire.WriteByte(0)
	}
}
func (r *request) u32(v int) {
	r.wire.Write(binary.LittleEndian.AppendUint32(nil, uint32(v)))
}
func (r *request) u64(v uint64) { r.wire.Write(binary.LittleEndian.AppendUint64(nil, v)) }
func (r *request) f64(v float64) {
	r.u64(math.Float64bits(v))
}
func (r *request) text(s string) {
	r.u32(len(s))
	r.wire.WriteString(s)
}

// encode writes the request, in the order in which the runner reads it (host/src/runner.cc).
func (r *request) encode() error {
	r.text(r.kernel.Name)
	if err := r.encodeConfig(r.kernel.Task); err != nil {
		return err
	}
	return r.encodeArgs()
}

// encodeConfig writes the configuration of a launch. With no task type at all each launch has its own.
func (r *request) encodeConfig(task TaskType) error {
	if r.cfg.Task != Unspecified {
		task = r.cfg.Task
	}
	blocks := max(1, r.cfg.Blocks)
	if blocks > 1<<16 {
		return fmt.Errorf("%d blocks", blocks)
	}
	workers := r.cfg.Workers
	if workers <= 0 {
		workers = runtime.NumCPU()
	}
	r.workers = workers
	r.u32(int(task) - 1)
	r.u32(blocks)
	r.u32(workers)
	r.u64(r.cfg.TilingKey)
	r.u8(r.cfg.CountOnly)
	capacity := AtlasA2
	if r.cfg.Capacity != nil {
		capacity = *r.cfg.Capacity
	}
	for _, n := range []int{capacity.UB, capacity.L1, capacity.L0A, capacity.L0B, capacity.L0C, capacity.BT, capacity.FB} {
		r.u32(n)
	}
	rates := DefaultRates()
	if r.cfg.Rates != nil {
		rates = *r.cfg.Rates
	}
	rates.encode(r)
	return nil
}

func (r *request) encodeArgs() error {
	arrays := make([]launch.Arg, len(r.args))
	for i, a := range r.args {
		if a.Array != nil {
			if a.Access < launch.Read || a.Access > launch.ReadWrite {
				return fmt.Errorf("argument %d: an array without a declared access", i+1)
			}
			if a.Offset < 0 || a.Offset > len(a.Array.Data) {
				return fmt.Errorf("argument %d: offset %d lies outside the array", i+1, a.Offset)
			}
			arrays[i] = a.Arg
		}
	}
	buffers, of, err := launch.Buffers(arrays)
	if err != nil {
		return err
	}
	workspaces := 0
	for i, a := range r.args {
		if a.Array == nil && a.Workspace > 0 {
			of[i] = len(buffers) + workspaces
			workspaces++
		}
	}
	r.u32(len(buffers) + workspaces)
	for b, buf := range buffers {
		r.text(bufferName(of, b))
		r.u64(uint64(len(buf.Data)))
		r.u8(buf.Access == launch.Read)
		r.u8(true)
		r.u8(buf.Access != launch.Write)
		if buf.Access != launch.Write {
			r.wire.Write(buf.Data)
		}
		if buf.Access != launch.Read {
			r.back = append(r.back, buf.Data)
		}
	}
	for i, a := range r.args {
		if a.Array == nil && a.Workspace > 0 {
			r.text(fmt.Sprintf("the workspace (argument %d)", i+1))
			r.u64(uint64(a.Workspace))
			r.u8(false)
			r.u8(false)
			r.u8(false)
		}
	}
	r.u32(len(r.args))
	for i, a := range r.args {
		switch {
		case of[i] >= 0:
			r.u8(true)
			r.u32(of[i])
			r.u64(uint64(a.Offset))
		case a.Bytes != nil:
			r.u8(false)
			r.text(string(a.Bytes))
		case a.Type != array.Invalid:
			r.u8(false)
			r.text(string(a.Scalar()))
		default:
			return fmt.Errorf("argument %d is empty", i+1)
		}
	}
	return nil
}

func bufferName(of []int, b int) string {
	for i, n := range of {
		if n == b {
			return fmt.Sprintf("argument %d", i+1)
		}
	}
	return "an argument"
}

// results brings what the kernel wrote to the arrays.
func (r *request) results(in io.Reader) error {
	for _, data := range r.back {
		if _, err := io.ReadFull(in, data); err != nil {
			return fmt.Errorf("%s: the host machine's results: %w", r.kernel.Name, err)
		}
	}
	return nil
}
