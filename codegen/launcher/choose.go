package launcher

import (
	"context"
	"fmt"

	"tilec/codegen/cuda"
	"tilec/ir"
	"tilec/runtime/launch"
	"tilec/runtime/launch/operand"
)

// mostNarrow is the largest dimension or extent that an entry with 32-bit dimensions takes.
const mostNarrow = 1 << 30

// Launch is one launch of an entry, ready to run.
type Launch struct {
	Entry *cuda.Entry
	Grid  int64 // blocks, all along x; 0 launches nothing
	Args  []launch.Arg
}

// Choose takes the first of the entries, which are variants of the bound function, whose assumptions the arguments meet.
// Processors is how many blocks a persistent grid has at most.
func (b *Binding) Choose(entries []cuda.Entry, processors int) (*Launch, error) {
	for i := range entries {
		e := &entries[i]
		env, err := b.environment(e.Func)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.f.Name, err)
		}
		ok, err := b.meets(e, env)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.f.Name, err)
		}
		if !ok {
			continue
		}
		grid, err := blocks(e.Func, env, processors)
		if err != nil {
			return nil, err
		}
		args, err := b.arguments(e, env)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.f.Name, err)
		}
		return &Launch{Entry: e, Grid: grid, Args: args}, nil
	}
	return nil, fmt.Errorf("%s: no compiled variant takes these arguments", b.f.Name)
}

// environment is the bound values in terms of a variant's own scalars, which stand in the same places.
func (b *Binding) environment(f *ir.Func) (environment, error) {
	if f == b.f {
		return b.env, nil
	}
	if len(f.Params) != len(b.f.Params) || len(f.Dims) != len(b.f.Dims) {
		return nil, fmt.Errorf("%s is no variant of the function", f.Name)
	}
	env := environment{}
	for i, d := range f.Dims {
		env[d.Var] = b.env[b.f.Dims[i].Var]
	}
	for i, p := range f.Params {
		q := b.f.Params[i]
		switch {
		case p.Scalar != nil && q.Scalar != nil:
			env[p.Scalar] = b.scalars[i]
		case p.Tensor != nil && q.Tensor != nil && p.Tensor.Name == q.Tensor.Name && len(p.Tensor.Strides) == len(q.Tensor.Strides):
			for axis, s := range p.Tensor.Strides {
				if v, ok := b.env[q.Tensor.Strides[axis]]; ok {
					env[s] = v
				}
			}
		default:
			return nil, fmt.Errorf("%s is no variant of the function", f.Name)
		}
	}
	return env, nil
}

// meets reports that the arguments satisfy all that an entry assumes.
func (b *Binding) meets(e *cuda.Entry, env environment) (bool, error) {
	for _, a := range e.Func.Assumes {
		if a.Tensor != nil && !b.args.Tensors[a.Tensor.Name].Aligned(int(a.Bytes)) {
			return false, nil
		}
		if a.Multiple != nil {
			n, err := env.index(a.Multiple)
			if err != nil || operand.FloorMod(n, a.Of) != 0 {
				return false, err
			}
		}
	}
	if !e.Narrow {
		return true, nil
	}
	for _, n := range b.dims {
		if n > mostNarrow {
			return false, nil
		}
	}
	for _, shape := range b.shapes {
		for _, n := range shape {
			if n > mostNarrow {
				return false, nil
			}
		}
	}
	return true, nil
}

// blocks is the size of the grid.
func blocks(f *ir.Func, env environment, processors int) (int64, error) {
	check := operand.Check(f.Name)
	counts := make([]int64, len(f.Grid))
	for i, g := range f.Grid {
		n, err := env.index(g.Extent)
		check.Fail(err)
		counts[i] = n
	}
	if f.Persistent {
		n := check.PersistentBlocks(processors, counts...)
		return n, check.Err()
	}
	n := check.Blocks(counts...)
	return n, check.Err()
}

// arguments lists what the entry takes, in order.
func (b *Binding) arguments(e *cuda.Entry, env environment) ([]launch.Arg, error) {
	args := make([]launch.Arg, len(e.Params))
	for i, p := range e.Params {
		if p.Tensor != nil {
			v, ok := b.args.Tensors[p.Tensor.Name]
			if !ok {
				return nil, fmt.Errorf("no array for tensor %s", p.Tensor.Name)
			}
			args[i] = tensorArg(p.Tensor.Kind, v)
			continue
		}
		v, ok := env[p.Scalar]
		if !ok {
			return nil, fmt.Errorf("no value for parameter %s", p.Scalar.Name)
		}
		if v.typ != p.Type {
			v = v.cast(p.Type)
		}
		args[i] = launch.Arg{Type: v.typ, Bits: v.bits()}
	}
	return args, nil
}

func tensorArg(k ir.BufferKind, v operand.View) launch.Arg {
	switch k {
	case ir.In:
		return v.In()
	case ir.Out:
		return v.Out()
	}
	return v.InOut()
}

// Kernel describes a compiled entry to a launcher. Arch names what the cubin, which may be empty, is for.
func Kernel(e *cuda.Entry, arch string, ptx, cubin []byte) *launch.Kernel {
	k := &launch.Kernel{Entry: e.Name, Arch: arch, PTX: ptx, Cubin: cubin}
	for _, p := range e.Params {
		if p.Tensor != nil {
			k.Params = append(k.Params, launch.Param{Name: p.Tensor.Name, Type: p.Tensor.Elem, Pointer: true})
		} else {
			k.Params = append(k.Params, launch.Param{Name: p.Scalar.Name, Type: p.Type})
		}
	}
	return k
}

// Run launches and waits. K is the compiled entry, as Kernel describes it.
func (l *Launch) Run(ctx context.Context, on launch.Launcher, k *launch.Kernel) error {
	return on.Launch(ctx, k, [3]int64{l.Grid, 1, 1}, [3]int{l.Entry.Threads, 1, 1}, int(l.Entry.Shared), l.Args)
}
