package driver

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tilec/codegen/launcher"
	"tilec/ir"
	"tilec/ir/interp"
	"tilec/runtime/array"
	"tilec/runtime/ptx"
)

// RunRequest is one run of a kernel on given arrays.
type RunRequest struct {
	Kernel  Kernel
	Machine *Machine
	// Define gives values to generics and tunables; what it leaves open is chosen.
	Define Definitions
	// Set gives dimensions and scalar parameters their values, in text.
	Set map[string]string
	// In holds the in and inout tensors. They are converted to the parameters'
	// types: floats round, integers must fit.
	In map[string]*array.Array
	// Interpret runs the tile form in the interpreter in place of the compiled
	// kernel.
	Interpret bool
	// Counters asks the PTX machine for what the kernel does to memory.
	Counters bool
	// CountOnly computes nothing: the host machine for Ascend C only counts, and inputs may be left out.
	CountOnly bool
	Print     func(string)
}

// RunResult is what a run left.
type RunResult struct {
	// Tensors holds the out and inout tensors. Elements of an out tensor that the
	// kernel does not write hold no value of meaning.
	Tensors map[string]*array.Array
	Config  string // generics and tunables
	// Findings are faults that the PTX machine saw.
	Findings []string
	Counters *ptx.Counters // of the PTX machine, nil if something else ran
	Cores    *CoresReport  // of the host machine for Ascend C
	// Lines are the program's lines by what they cost; empty without counters.
	Lines []LineCost
}

// Run runs a kernel.
func (s *Session) Run(ctx context.Context, r RunRequest) (*RunResult, error) {
	bind, err := r.Define.bind(r.Kernel.Kernel)
	if err != nil {
		return nil, err
	}
	inst, unit, err := s.choose(ctx, r.Kernel.Program, r.Kernel.Kernel, bind, r.Machine)
	if err != nil && !r.Interpret {
		return nil, err
	}
	if r.Interpret && err != nil {
		if inst, err = s.instance(r.Kernel.Program, r.Kernel.Kernel, bind); err != nil {
			return nil, err
		}
	}
	if r.CountOnly && (!r.Machine.HasCores() || r.Interpret || s.opts.Device != nil) {
		return nil, errors.New("only the host machine for Ascend C counts without computing")
	}
	args, err := r.arguments(inst.Tile)
	if err != nil {
		return nil, err
	}
	res := &RunResult{Config: strings.Trim(bindingsText(inst.Tile, false)+", "+bindingsText(inst.Tile, true), ", ")}
	if r.Interpret {
		out, err := interpret(ctx, inst.Tile, args, 0)
		if err != nil {
			return nil, err
		}
		res.Tensors = out.tensors
		return res, nil
	}
	artifact := ForMachine
	if s.opts.Device != nil {
		artifact = ForDevice
	}
	binary, err := s.Compile(ctx, unit, artifact)
	if err != nil {
		return nil, err
	}
	l, err := s.prepare(binary, args, aligned)
	if err != nil {
		return nil, err
	}
	var out *outcome
	if artifact == ForDevice {
		out, err = s.onDevice(ctx, l)
	} else {
		out, err = l.onMachine(ctx, execution{checks: ptx.CheckAll, counters: r.Counters, countOnly: r.CountOnly, print: r.Print})
	}
	if err != nil {
		return nil, err
	}
	res.Tensors = out.tensors
	if out.report != nil {
		res.Counters = out.report.Counters
		if r.Counters && res.Counters != nil {
			res.Lines = unit.lineCosts(res.Counters)
		}
		res.Findings = unit.findingTexts(out.report.Findings)
	}
	if out.cores != nil {
		res.Findings, res.Cores = out.faults, coresReport(unit, out.cores)
	}
	return res, nil
}

// arguments converts what is given to the parameters' types.
func (r *RunRequest) arguments(f *ir.Func) (interp.Args, error) {
	args := interp.Args{Tensors: map[string]*array.Array{}, Ints: map[string]int64{}, Floats: map[string]float64{}}
	scalars := map[string]*ir.Var{}
	for _, d := range f.Dims {
		scalars[d.Var.Name] = d.Var
	}
	for _, p := range f.Params {
		if p.Scalar != nil {
			scalars[p.Scalar.Name] = p.Scalar
		}
	}
	for name, text := range r.Set {
		v := scalars[name]
		if v == nil {
			return args, fmt.Errorf("%s has no dimension or scalar parameter named %s", f.Name, name)
		}
		if err := parseScalar(&args, v, text); err != nil {
			return args, fmt.Errorf("%s: %w", name, err)
		}
	}
	tensors := map[string]*ir.Buffer{}
	for _, t := range f.Tensors() {
		tensors[t.Name] = t
	}
	for name, a := range r.In {
		t := tensors[name]
		switch {
		case t == nil:
			return args, fmt.Errorf("%s has no tensor named %s", f.Name, name)
		case t.Kind == ir.Out:
			return args, fmt.Errorf("%s is an out tensor, it takes no input", name)
		}
		a, err := convertInput(a, t.Elem)
		if err != nil {
			return args, fmt.Errorf("input %s: %w", name, err)
		}
		args.Tensors[name] = a
	}
	for _, t := range f.Tensors() {
		if t.Kind != ir.Out && args.Tensors[t.Name] == nil && !r.CountOnly {
			return args, fmt.Errorf("no input for tensor %s of %s", t.Name, f.Name)
		}
	}
	b, err := launcher.Bind(f, launchArgs(args))
	if err != nil {
		return args, err
	}
	for name, n := range b.Dims() {
		args.Ints[name] = n
	}
	if r.CountOnly {
		for _, t := range f.Tensors() {
			if t.Kind != ir.Out && args.Tensors[t.Name] == nil {
				args.Tensors[t.Name] = array.New(t.Elem, b.Shape(t.Name)...)
			}
		}
	}
	return args, fits(f, b)
}

// parseScalar gives a dimension or scalar parameter the value that a text spells.
func parseScalar(args *interp.Args, v *ir.Var, text string) error {
	switch {
	case v.Type.IsFloat():
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		args.Floats[v.Name] = x
	case v.Type == array.Bool:
		x, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		args.Ints[v.Name] = 0
		if x {
			args.Ints[v.Name] = 1
		}
	case v.Type == array.U64:
		x, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			return fmt.Errorf("%q is not an integer of u64", text)
		}
		args.Ints[v.Name] = int64(x)
	default:
		x, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return fmt.Errorf("%q is not an integer", text)
		}
		args.Ints[v.Name] = x
	}
	return nil
}
