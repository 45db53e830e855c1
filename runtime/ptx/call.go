package ptx

import (
	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// call expands a call: the callee's text with its parameters bound to the
// caller's variables.
func (d *decoder) call(s *scope, in *syntax.Instr, ret *int) error {
	c := in.Call
	if c.Proto != "" || d.lookup(s, c.Func) != nil {
		return d.errorf(in.Pos, "indirect calls are not supported")
	}
	if builtin, ok := builtins[c.Func]; ok {
		d.raw = append(d.raw, raw{src: d.source(in), scope: s, ret: ret, made: builtin})
		return nil
	}
	var callee *syntax.Func
	for _, f := range d.mod.Funcs {
		if f.Name == c.Func && !f.Entry && f.Body != nil {
			callee = f
		}
	}
	if callee == nil {
		return d.errorf(in.Pos, "function %s has no body here and is not one that the machine provides", c.Func)
	}
	if d.depth++; d.depth > maxCallDepth {
		return d.errorf(in.Pos, "calls nested deeper than %d: recursion is not supported", maxCallDepth)
	}
	defer func() { d.depth-- }()
	if len(c.Args) != len(callee.Params) || len(c.Results) != len(callee.Results) {
		return d.errorf(in.Pos, "call of %s with %d arguments and %d results, wants %d and %d",
			c.Func, len(c.Args), len(c.Results), len(callee.Params), len(callee.Results))
	}
	after := new(int)
	if in.Guard != nil {
		skip := *in.Guard
		skip.Neg = !skip.Neg
		jump := *in
		jump.Guard = &skip
		d.raw = append(d.raw, raw{src: d.source(&jump), scope: s, made: func(d *decoder, r *raw) (instr, error) {
			out, err := d.header(r)
			out.kind, out.target = opBranch, int32(*after)
			return out, err
		}})
	}
	cs := newScope(d.module)
	var copies []raw // results in registers, handed back at the end
	for i, p := range callee.Params {
		if err := d.bindArg(s, cs, in, p, c.Args[i], false, &d.raw); err != nil {
			return err
		}
	}
	for i, p := range callee.Results {
		if err := d.bindArg(s, cs, in, p, c.Results[i], true, &copies); err != nil {
			return err
		}
	}
	loc, caller := d.loc, d.caller
	d.caller = d.source(in)
	end := new(int)
	err := d.block(cs, callee.Body, end)
	d.loc, d.caller = loc, caller
	*end = len(d.raw)
	d.raw = append(d.raw, copies...)
	*after = len(d.raw)
	return err
}

// bindArg makes the formal parameter stand for the actual one. A formal variable
// is the caller's variable; a formal register is copied, to the list given.
func (d *decoder) bindArg(s, cs *scope, in *syntax.Instr, formal *syntax.Var, actual syntax.Operand, result bool, copies *[]raw) error {
	b := d.lookup(s, actual.Name)
	if formal.Space == "param" {
		if actual.Kind != syntax.Name || b == nil || b.sym == nil || b.sym.space != local {
			return d.errorf(in.Pos, "argument for %s must be a .param variable", formal.Name)
		}
		if b.sym.size < formal.Elems()*elemBytes(formal) {
			return d.errorf(in.Pos, "argument for %s is too small", formal.Name)
		}
		cs.names[formal.Name] = b
		return nil
	}
	if err := d.declareVar(cs, formal); err != nil {
		return err
	}
	t := lanes.ParseType(formal.Type)
	from, to := actual, syntax.Operand{Kind: syntax.Name, Name: formal.Name, Pos: in.Pos}
	fromScope, toScope := s, cs
	if result {
		from, to = to, from
		fromScope, toScope = toScope, fromScope
	}
	*copies = append(*copies, raw{src: d.source(in), scope: s, made: func(d *decoder, r *raw) (instr, error) {
		out := instr{kind: opPlain, guard: none, p: none, q: none, target: none, rejoin: none, src: r.src, class: classMove}
		if t == lanes.Pred {
			return out, d.errorf(in.Pos, "predicates as parameters are not supported")
		}
		var err error
		if out.a, err = d.value(&raw{src: r.src, scope: fromScope}, from, t); err != nil {
			return out, err
		}
		if out.d, err = d.dest(&raw{src: r.src, scope: toScope}, to, t); err != nil {
			return out, err
		}
		op, err := lanes.Lookup("mov", []string{"b" + formal.Type[1:]})
		if err != nil {
			return out, d.errorf(in.Pos, "parameters of type .%s are not supported", formal.Type)
		}
		out.fn, out.exec, out.wide = op.Fn, execALU, t.Bits() == 64
		return out, nil
	}})
	return nil
}
