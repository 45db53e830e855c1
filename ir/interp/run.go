package interp

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"tilec/ir"
	"tilec/runtime/array"
)

// Options of a run.
type Options struct {
	// Workers is how many grid instances run at once; 0 means one a core.
	Workers int
	// Unordered leaves the order of accesses in scheduled form unwatched, and has
	// asynchronous copies land at once: for functions whose barriers are yet to come.
	Unordered bool
	// Stdout gets what print operations print, in the order of the grid; nil
	// drops it.
	Stdout io.Writer
}

// Result is what a run has done.
type Result struct {
	// Tensors holds the arrays of all tensors that may be written, those of the
	// arguments or new ones.
	Tensors map[string]*array.Array
	// written marks elements by tensor.
	written map[string][]uint32
	// Instances is the number of grid instances that ran.
	Instances int64
}

// Written reports whether element i, counted row-major, of a tensor was written;
// false for tensors that are only read.
func (r *Result) Written(tensor string, i int) bool {
	w := r.written[tensor]
	return i < len(w) && w[i] != 0
}

// Run verifies and executes a function of any form. The error is a *Fault when
// the program fails as it runs, an *ir.Malformed when it can't be run, otherwise
// one of the arguments or of ctx. Arrays of out
// and inout tensors are only changed by runs that succeed. With several faults,
// that of the first grid instance is given.
func Run(ctx context.Context, f *ir.Func, args Args, opts Options) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := ir.Verify(f); err != nil {
		return nil, err
	}
	elem, err := elemTypes(f, args)
	if err != nil {
		return nil, err
	}
	p, err := compile(f, elem, opts.Unordered)
	if err != nil {
		return nil, err
	}
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	launch := p.newFrame()
	launch.stop, launch.locks = &stop, new(locks)
	if err := bindScalars(launch, f, args); err != nil {
		return nil, err
	}
	arrays, err := bindTensors(launch, f, args)
	if err != nil {
		return nil, err
	}
	if err := checkLaunch(launch); err != nil {
		return nil, err
	}
	total, err := instances(launch)
	if err != nil {
		return nil, err
	}
	g := &gridRun{launch: launch, total: total, opts: opts, stop: &stop}
	if err := g.run(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	res := &Result{Tensors: map[string]*array.Array{}, written: map[string][]uint32{}, Instances: total}
	for _, t := range f.Tensors() {
		if st := launch.bufs[p.number[t]]; st.writers != nil {
			st.save(arrays[t.Name])
			res.Tensors[t.Name], res.written[t.Name] = arrays[t.Name], st.writers
		}
	}
	return res, nil
}

// checkLaunch checks what a launcher checks.
func checkLaunch(fr *frame) error {
	for i, r := range fr.prog.fn.Requires {
		if !fr.prog.requires[i].one(fr) {
			return &Fault{Span: r.Span, Message: "requirement not met: " + r.Text}
		}
	}
	for i, a := range fr.prog.fn.Assumes {
		if a.Multiple == nil {
			continue
		}
		if v := fr.prog.assumes[i].one(fr); a.Of == 0 || v%a.Of != 0 {
			return fmt.Errorf("assumption not met: %d is not a multiple of %d", v, a.Of)
		}
	}
	return nil
}

// instances returns the size of the grid.
func instances(fr *frame) (int64, error) {
	total := int64(1)
	for _, g := range fr.prog.grid {
		n := max(g.extent.one(fr), 0)
		if n > 0 && total > math.MaxInt64/n {
			return 0, fmt.Errorf("the grid is too large")
		}
		total *= n
	}
	return total, nil
}

// gridRun is the execution of all grid instances.
type gridRun struct {
	launch *frame
	total  int64
	opts   Options
	stop   *atomic.Bool

	next atomic.Int64
	// limit is the first instance that has failed so far.
	limit atomic.Int64

	mu      sync.Mutex
	fault   *Fault
	printed map[int64][]byte
}

func (g *gridRun) run() error {
	g.limit.Store(g.total)
	g.printed = map[int64][]byte{}
	workers := g.opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if g.launch.prog.inOrder {
		workers = 1
	}
	g.launch.alone = g.total == 1
	if g.launch.alone && g.launch.hazards == nil {
		for range workers - 1 {
			g.launch.helpers = append(g.launch.helpers, g.launch.fork())
		}
	}
	workers = int(min(int64(workers), g.total))
	frames := []*frame{g.launch}
	for len(frames) < workers {
		frames = append(frames, g.launch.fork())
	}
	var wg sync.WaitGroup
	for _, fr := range frames[:workers] {
		wg.Go(func() { g.work(fr) })
	}
	wg.Wait()
	if g.opts.Stdout != nil {
		for i := range g.limit.Load() {
			if text := g.printed[i]; text != nil {
				if _, err := g.opts.Stdout.Write(text); err != nil {
					return err
				}
			}
		}
	}
	if g.fault != nil {
		return g.fault
	}
	return nil
}

// work runs instances until none is left below the first that has failed.
func (g *gridRun) work(fr *frame) {
	for {
		i := g.next.Add(1) - 1
		if i >= g.limit.Load() || g.stop.Load() {
			return
		}
		fr.start(i)
		runBlock(fr, fr.prog.body)
		if fr.fault == nil && fr.printed == nil {
			continue
		}
		g.mu.Lock()
		if fr.printed != nil {
			g.printed[i] = fr.printed
		}
		if fr.fault != nil && i < g.limit.Load() {
			g.limit.Store(i)
			g.fault = fr.fault
		}
		g.mu.Unlock()
	}
}

// fork makes a frame for another worker: scalars copied, tensors shared.
func (fr *frame) fork() *frame {
	n := fr.prog.newFrame()
	copy(n.varF, fr.varF)
	copy(n.varD, fr.varD)
	copy(n.varI, fr.varI)
	copy(n.varB, fr.varB)
	for i, b := range fr.prog.buffers {
		if b.Kind.IsTensor() {
			n.bufs[i] = fr.bufs[i]
		}
	}
	if fr.hazards != nil {
		n.hazards = newHazards(len(fr.hazards.grains))
	}
	n.stop, n.locks, n.alone = fr.stop, fr.locks, fr.alone
	return n
}
