package interp

import (
	"fmt"
	"sync/atomic"

	"tilec/internal/diag"
	"tilec/ir"
)

// frame is the state of one worker, which runs one grid instance at a time.
type frame struct {
	prog *program
	// Scalars by slot, a set of slots for each lane.
	varF []float32
	varD []float64
	varI []int64
	varB []bool
	// Contents by buffer number; tensors are shared between frames.
	bufs []*store
	// Scratch space of expressions.
	tmpF arena[float32]
	tmpD arena[float64]
	tmpI arena[int64]
	tmpB arena[bool]

	// helpers take parts of the work of a grid of one instance.
	helpers []*frame

	// alone says that the grid has one instance.
	alone    bool
	instance int64
	op       *ir.Op // the running operation
	fault    *Fault
	stop     *atomic.Bool // the run was cancelled
	printed  []byte       // what the instance prints
	locks    *locks       // of elements that atomics update, shared by all frames
	hazards  *hazards     // nil unless the form is scheduled

	// group is that of the cores which run the instance, core the number of this one in it; it waits for a flag, or does not.
	group *group
	core  int
	waits bool
	flag  int64
}

// writer is the instance's mark in store.writers.
func (fr *frame) writer() uint32 { return uint32(fr.instance%(byAtomics-1)) + 1 }

// halted reports that the instance must end: a fault, or the run was cancelled.
func (fr *frame) halted() bool { return fr.fault != nil || fr.stop.Load() }

// start prepares the frame for a grid instance.
func (fr *frame) start(instance int64) {
	fr.instance, fr.op, fr.fault, fr.printed = instance, nil, nil, nil
	rest := instance
	for _, g := range fr.prog.grid {
		n := g.extent.one(fr)
		fr.varI[g.slot] = rest % n
		rest /= n
	}
	for _, s := range fr.bufs {
		if s != nil {
			clear(s.written)
		}
	}
	if fr.hazards != nil {
		fr.hazards.start()
	}
}

// fail records the first fault of the frame's grid instance.
func (fr *frame) fail(span diag.Span, format string, args ...any) {
	if fr.fault != nil {
		return
	}
	f := &Fault{Op: fr.op, Span: span, Message: fmt.Sprintf(format, args...)}
	if !span.IsValid() && fr.op != nil {
		f.Span = fr.op.Span
	}
	for _, g := range fr.prog.grid {
		f.Grid = append(f.Grid, GridIndex{g.name, fr.varI[g.slot]})
	}
	fr.fault = f
}
