package ptx

import (
	"math"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// header starts an instruction: its guard and source.
func (d *decoder) header(r *raw) (instr, error) {
	in := instr{kind: opPlain, guard: none, p: none, q: none, target: none, rejoin: none, src: r.src}
	if g := r.src.ast.Guard; g != nil {
		b := d.lookup(r.scope, g.Reg)
		if b == nil || b.typ != lanes.Pred {
			return in, d.errorf(r.src.ast.Pos, "%s is not a predicate", g.Reg)
		}
		in.guard, in.neg = b.id, g.Neg
	}
	return in, nil
}

// pred is a predicate operand, read or written.
type pred struct {
	id  int32
	neg bool
}

// falsePred is a predicate that is never written.
const falsePred = 0

// predicate resolves a predicate operand to read.
func (d *decoder) predicate(r *raw, o syntax.Operand) (pred, error) {
	if o.Kind == syntax.Lit && o.Lit.Kind == syntax.IntLit {
		return pred{falsePred, o.Lit.Int != 0}, nil
	}
	id, err := d.predName(r, o.Name, o)
	return pred{id, o.Neg}, err
}

// destPred resolves a predicate to write; none for "_".
func (d *decoder) destPred(r *raw, o syntax.Operand) (int32, error) {
	if o.Kind == syntax.Discard {
		return none, nil
	}
	return d.predName(r, o.Name, o)
}

func (d *decoder) predName(r *raw, name string, o syntax.Operand) (int32, error) {
	if name == "_" {
		return none, nil
	}
	if b := d.lookup(r.scope, name); b != nil && b.typ == lanes.Pred {
		return b.id, nil
	}
	return none, d.errorf(o.Pos, "operand of %s must be a predicate", r.src.ast.Form())
}

// dest resolves a register to write with a value of the type.
func (d *decoder) dest(r *raw, o syntax.Operand, t lanes.Type) (int32, error) {
	if o.Kind == syntax.Discard {
		return d.newReg(t), nil
	}
	b := d.lookup(r.scope, o.Name)
	if o.Kind != syntax.Name || b == nil || b.typ == lanes.NoType || b.typ == lanes.Pred || o.Sel != "" || o.Neg || o.Offset != 0 {
		return 0, d.errorf(o.Pos, "destination of %s is not a register", r.src.ast.Form())
	}
	if b.typ.Slots() != t.Slots() {
		return 0, d.errorf(o.Pos, "%s is a .%s register, %s gives %d bits", o.Name, b.typ, r.src.ast.Form(), t.Bits())
	}
	return b.id, nil
}

// value resolves an operand to read as a value of the type.
func (d *decoder) value(r *raw, o syntax.Operand, t lanes.Type) (int32, error) {
	wide := t.Slots() == 2
	switch o.Kind {
	case syntax.Lit:
		v, err := d.literal(r, o, t)
		return d.constReg(v, wide), err
	case syntax.Name:
	default:
		return 0, d.errorf(o.Pos, "operand of %s is not a value", r.src.ast.Form())
	}
	if o.Sel != "" || o.Neg {
		return 0, d.errorf(o.Pos, "operand %s of %s with a selector or sign is not supported", o.Name, r.src.ast.Form())
	}
	if b := d.lookup(r.scope, o.Name); b != nil {
		if b.sym != nil {
			if b.sym.v.Extern && b.sym.space != shared {
				return 0, d.errorf(o.Pos, "variable %s has no definition here", o.Name)
			}
			return d.address(b.sym, o.Offset, wide), nil
		}
		if b.typ == lanes.Pred || o.Offset != 0 {
			return 0, d.errorf(o.Pos, "operand %s of %s is not a value", o.Name, r.src.ast.Form())
		}
		if b.typ.Slots() != t.Slots() {
			return 0, d.errorf(o.Pos, "%s is a .%s register, %s reads %d bits", o.Name, b.typ, r.src.ast.Form(), t.Bits())
		}
		return b.id, nil
	}
	if k, ok := specials[o.Name]; ok {
		return d.specialReg(k, wide), nil
	}
	if o.Name == "WARP_SZ" {
		return d.constReg(lanes.Width, wide), nil
	}
	return 0, d.errorf(o.Pos, "%s is not declared", o.Name)
}

func (d *decoder) specialReg(k special, wide bool) int32 {
	s := specialReg{kind: k, wide: wide}
	if r, ok := d.specials[s]; ok {
		return r
	}
	t := lanes.B32
	if wide {
		t = lanes.B64
	}
	r := d.newReg(t)
	d.specials[s] = r
	s.reg = r
	d.prog.special = append(d.prog.special, s)
	return r
}

// address is the constant address of a variable.
func (d *decoder) address(sym *symbol, off int64, wide bool) int32 {
	if sym.space == global || sym.space == constant_ {
		return d.constant(constant{value: uint64(off), wide: wide, global: sym.v})
	}
	return d.constReg(d.symbolOff(sym)+uint64(off), wide)
}

// symbolOff is a variable's address in its space. Dynamic shared memory comes after all static.
func (d *decoder) symbolOff(sym *symbol) uint64 {
	if sym.space == shared && sym.size < 0 {
		return uint64(d.prog.shared.dynamicBase())
	}
	return sym.off
}

// dynamicBase is the address of the dynamic shared memory.
func (l *sharedLayout) dynamicBase() int { return roundUp(sharedBase+l.static, max(l.align, 16)) }

// literal gives the bits of a number as a value of the type.
func (d *decoder) literal(r *raw, o syntax.Operand, t lanes.Type) (uint64, error) {
	l := o.Lit
	switch {
	case t == lanes.F64:
		if l.Kind == syntax.IntLit {
			return 0, d.errorf(o.Pos, "%s needs a floating-point literal", r.src.ast.Form())
		}
		return math.Float64bits(l.F64), nil
	case t == lanes.F32:
		if l.Kind == syntax.IntLit {
			return 0, d.errorf(o.Pos, "%s needs a floating-point literal", r.src.ast.Form())
		}
		if l.Kind == syntax.F32Lit {
			return l.Int, nil
		}
		return uint64(math.Float32bits(float32(l.F64))), nil
	case l.Kind == syntax.F64Lit && t.Bits() != 64:
		return 0, d.errorf(o.Pos, "%s takes no floating-point literal", r.src.ast.Form())
	}
	return l.Int & (^uint64(0) >> (64 - min(t.Bits(), 64))), nil
}

// wantArgs checks the number of operands.
func (d *decoder) wantArgs(r *raw, lo, hi int) error {
	if n := len(r.src.ast.Args); n < lo || n > hi {
		return d.errorf(r.src.ast.Pos, "%s with %d operands", r.src.ast.Form(), n)
	}
	return nil
}

// unsupported is the error for a form that the machine does not know.
func (d *decoder) unsupported(r *raw) error {
	return d.errorf(r.src.ast.Pos, "instruction form %s is not supported", r.src.ast.Form())
}
