package driver

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"tilec/codegen/cuda"
	"tilec/codegen/launcher"
	"tilec/ir"
	"tilec/ir/interp"
	"tilec/passes"
	"tilec/runtime/array"
	"tilec/runtime/ascend"
	"tilec/runtime/launch/operand"
	"tilec/runtime/ptx"
)

// poison fills what a kernel has not written: a nan in every float type.
const poison = 0xff

// outcome is what a run left.
type outcome struct {
	tensors map[string]*array.Array // out and inout ones
	written func(tensor string, i int) bool
	report  *ptx.Report    // of the PTX machine
	cores   *ascend.Report // of the host machine for Ascend C, with the first faults in text
	faults  []string
}

// interpret runs a function of any form. Arrays of args are not changed.
func interpret(ctx context.Context, f *ir.Func, args interp.Args, workers int) (*outcome, error) {
	return interpretWith(ctx, f, args, interp.Options{Workers: workers})
}

// afterPass runs what a pass has left; one that is followed by the pass which puts
// in the barriers has none to order its accesses.
func afterPass(ctx context.Context, p *passes.Pass, f *ir.Func, args interp.Args, workers int) (*outcome, error) {
	return interpretWith(ctx, f, args, interp.Options{Workers: workers, Unordered: p.Gives&passes.Scheduled == 0})
}

func interpretWith(ctx context.Context, f *ir.Func, args interp.Args, opts interp.Options) (*outcome, error) {
	own := args
	own.Tensors = map[string]*array.Array{}
	for _, t := range f.Tensors() {
		a := args.Tensors[t.Name]
		switch {
		case a == nil:
		case t.Kind == ir.InOut:
			own.Tensors[t.Name] = a.Clone()
		case t.Kind == ir.In:
			own.Tensors[t.Name] = a
		}
	}
	res, err := interp.Run(ctx, f, own, opts)
	if err != nil {
		return nil, err
	}
	return &outcome{tensors: res.Tensors, written: res.Written}, nil
}

// placement says where the tensors of a launch lie in memory.
type placement uint8

const (
	// aligned tensors start on a multiple of 256 bytes, contiguous.
	aligned placement = iota
	// offAlignment tensors start an element after that, and strided ones have
	// gaps: what must not matter to a kernel, but sends it to its slower entry.
	offAlignment
	// padded strided tensors have gaps between rows only, of a multiple of 16 bytes.
	padded
	// crossed ones have their first dimension contiguous.
	crossed
	// backward ones run from their last element to their first.
	backward
)

// placements lists those in which the entries are to be run: not aligned where some
// entry needs alignment, and strided in several ways where a tensor may be.
func placements(entries []cuda.Entry) []placement {
	strided := slices.ContainsFunc(entries[0].Func.Tensors(), func(t *ir.Buffer) bool { return t.Strides != nil })
	switch {
	case strided:
		return []placement{aligned, offAlignment, padded, crossed, backward}
	case len(entries) > 1:
		return []placement{aligned, offAlignment}
	}
	return []placement{aligned}
}

// launchable is a launch ready to run: the entry chosen, the arguments placed.
type launchable struct {
	*launcher.Launch
	binary  *Binary
	placing placement
	entry   int // of the binary
	results []placed
}

// placed is an out or inout tensor of a launch.
type placed struct {
	tensor *ir.Buffer
	view   operand.View
}

// prepare places the arguments, copies of which are made, and chooses the entry.
func (s *Session) prepare(b *Binary, args interp.Args, how placement) (*launchable, error) {
	f := b.Entries[0].Func
	shapes, err := launcher.Bind(f, launchArgs(args))
	if err != nil {
		return nil, err
	}
	l := &launchable{binary: b, placing: how}
	own := launchArgs(args)
	for _, t := range f.Tensors() {
		view := layOut(t, shapes.Shape(t.Name), how)
		if t.Kind != ir.Out {
			scatter(view, args.Tensors[t.Name])
		}
		own.Tensors[t.Name] = view
		if t.Kind != ir.In {
			l.results = append(l.results, placed{t, view})
		}
	}
	bound, err := launcher.Bind(f, own)
	if err != nil {
		return nil, err
	}
	processors := b.Machine.Rates.SMs
	if s.opts.Device != nil && s.opts.Device.Processors > 0 {
		processors = s.opts.Device.Processors
	}
	if l.Launch, err = bound.Choose(b.Entries, processors); err != nil {
		return nil, err
	}
	for l.Entry != &b.Entries[l.entry] {
		l.entry++
	}
	return l, nil
}

// layOut makes the memory of a tensor, full of poison.
func layOut(t *ir.Buffer, shape []int, how placement) operand.View {
	v := operand.View{Shape: shape}
	size, _ := array.Bytes(t.Elem, shape...) // Bind has looked at the shape
	if t.Strides != nil && how != aligned {
		var elements int
		v.Strides, elements = strides(shape, how, 128/t.Elem.Bits())
		size = elements * t.Elem.Bits() / 8
		if how == backward {
			v.Offset = (elements - 1) * t.Elem.Bits() / 8
		}
	}
	if how == offAlignment {
		v.Offset = max(t.Elem.Bits()/8, 1)
	}
	v.Array = &array.Array{DType: t.Elem, Shape: shape, Data: bytes.Repeat([]byte{poison}, v.Offset+size)}
	return v
}

// strides of a tensor placed in some way, where line elements make up 16 bytes, and
// the elements that it takes with them.
func strides(shape []int, how placement, line int) (steps []int, elements int) {
	steps = make([]int, len(shape))
	axes := make([]int, len(shape)) // from the one that varies fastest
	for i := range axes {
		axes[i] = len(shape) - 1 - i
	}
	if how == crossed {
		slices.Reverse(axes)
	}
	step := 1
	if how == offAlignment {
		step = 2
	}
	for i, d := range axes {
		steps[d] = step
		step *= max(shape[d], 1)
		switch {
		case how == offAlignment:
			step += 3
		case how == padded && i == 0:
			step = (step+line-1)/line*line + line
		}
		if how == backward {
			steps[d] = -steps[d]
		}
	}
	return steps, step
}

// element returns the number of a row-major element in the memory behind a view.
func element(v operand.View, i int) int {
	if v.Strides == nil {
		return i
	}
	at := v.Offset * 8 / v.Array.DType.Bits()
	for d, n := range indexOf(i, v.Shape) {
		at += n * v.Strides[d]
	}
	return at
}

// memory is the elements behind a view: from its first on, if it has no strides.
func memory(v operand.View) *array.Array {
	if v.Strides == nil {
		return &array.Array{DType: v.Array.DType, Shape: v.Shape, Data: v.Array.Data[v.Offset:]}
	}
	data := v.Array.Data
	return &array.Array{DType: v.Array.DType, Shape: []int{len(data) * 8 / v.Array.DType.Bits()}, Data: data}
}

// scatter copies an array into the memory of a view.
func scatter(v operand.View, a *array.Array) {
	m := memory(v)
	if v.Strides == nil {
		copy(m.Data, a.Data)
		return
	}
	for i := range a.Len() {
		m.SetBits(element(v, i), a.Bits(i))
	}
}

// gather copies an array out of the memory of a view.
func gather(v operand.View) *array.Array {
	m := memory(v)
	if v.Strides == nil {
		return m
	}
	a := array.New(m.DType, v.Shape...)
	for i := range a.Len() {
		a.SetBits(i, m.Bits(element(v, i)))
	}
	return a
}

// execution says how the PTX machine runs a launch.
type execution struct {
	checks    ptx.Check
	counters  bool
	countOnly bool // of the host machine for Ascend C: values don't matter
	workers   int
	print     func(string)
}

// onDevice runs a launch on the session's device.
func (s *Session) onDevice(ctx context.Context, l *launchable) (*outcome, error) {
	if l.Grid > 0 {
		b := l.binary
		if err := l.Run(ctx, s.opts.Device, launcher.Kernel(l.Entry, b.Machine.Name, b.PTX, b.Cubin)); err != nil {
			return nil, err
		}
	}
	return l.outcome(), nil
}

// onMachine runs a launch on the PTX machine. The binary must be made for it.
func (l *launchable) onMachine(ctx context.Context, x execution) (*outcome, error) {
	if l.Grid == 0 {
		return l.outcome(), nil
	}
	if l.binary.program != nil {
		return l.onHost(ctx, x)
	}
	args := make([]any, len(l.Args))
	for i, a := range l.Args {
		if a.Array == nil {
			args[i] = a.Scalar()
			continue
		}
		kind := l.Entry.Params[i].Tensor.Kind
		b := &ptx.Buffer{Name: l.Entry.Params[i].Name, ReadOnly: kind == ir.In, Undefined: kind == ir.Out}
		args[i] = b
		if l.placing == backward { // elements lie before the first
			b.Data = a.Array.Data
			args[i] = ptx.Pointer{Buffer: b, Offset: int64(a.Offset)}
		} else {
			b.Data, b.Misalign = a.Array.Data[a.Offset:], a.Offset
		}
	}
	report, err := l.binary.kernels[l.entry].Launch(ctx, ptx.Config{
		Grid: [3]int{int(l.Grid), 1, 1}, Block: [3]int{l.Entry.Threads, 1, 1}, SharedBytes: int(l.Entry.Shared), Arch: l.binary.Machine.Name,
		Checks: x.checks, Counters: x.counters, Workers: x.workers, Print: x.print,
	}, args...)
	if err != nil {
		return nil, err
	}
	out := l.outcome()
	out.report = report
	return out, nil
}

// outcome collects the results of a launch.
func (l *launchable) outcome() *outcome {
	out := &outcome{tensors: map[string]*array.Array{}}
	for _, r := range l.results {
		out.tensors[r.tensor.Name] = gather(r.view)
	}
	return out
}

// isPoison reports an element whose bits nobody has written.
func isPoison(a *array.Array, i int) bool {
	n := a.DType.Bits()
	return a.Bits(i) == 1<<(n-1)<<1-1 && n >= 8
}

// sourceLine translates an instruction's line of the emitted text to the program's,
// by the comments that the text has: "matmul.tile:12" and the line's text, "" if
// there is none above it. Within a device function the line is that of its call.
func (u *Unit) sourceLine(s ptx.Site) (place, text string) {
	if s.File == "" {
		return "", ""
	}
	lines := []int{s.Line}
	for _, call := range s.Inlined {
		_, number, _ := strings.Cut(call, ":")
		n, _ := strconv.Atoi(number)
		lines = append(lines, n)
	}
	for _, line := range lines {
		if number, text := u.comment(line); number != "" {
			return u.Source + ":" + number, text
		}
	}
	return "", ""
}

// comment finds the comment with the program's line above a line of the emitted text.
func (u *Unit) comment(line int) (number, text string) {
	lines := u.lines()
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "extern ") {
			break // the head of the entry function
		}
		rest, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), "// ")
		if !ok {
			continue
		}
		number, text, found := strings.Cut(rest, ":")
		if found && number != "" && strings.Trim(number, "0123456789") == "" {
			return number, strings.TrimSpace(text)
		}
	}
	return "", ""
}

// findingText spells a fault that the PTX machine found, with the program's line.
func (u *Unit) findingText(f *ptx.Finding) string {
	text := f.String()
	at, _ := u.sourceLine(f.At)
	if at == "" {
		return text
	}
	if f.Other != nil {
		if other, _ := u.sourceLine(*f.Other); other != "" && other != at {
			at += " and " + other
		}
	}
	return at + ": " + text
}
