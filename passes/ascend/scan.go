package ascend

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// scan lowers a running combination: over rows by the vector unit, a row at a time, and along them by the scalar unit.
func (s *stepper) scan(op *ir.Op) {
	s.name = op.Dst.Buf.Name
	if t := op.Dst.Buf.Elem; t.IsFloat() && t.Bits() < 32 {
		wide := *op
		wide.Src = []*ir.Access{s.tile(op.Dom, ir.CastTo(array.F32, ir.LoadAt(op.Src[0])))}
		wide.Dst = s.temp(op.Dom, array.F32)
		if s.err != nil {
			return
		}
		s.running(&wide)
		s.into(op.Dom, op.Dst, ir.CastTo(t, ir.LoadAt(wide.Dst)))
		return
	}
	s.running(op)
}

// running emits a scan of a type that a unit calculates in.
func (s *stepper) running(op *ir.Op) {
	if !s.overRows(op) {
		op.Pipe = ir.PipeS
		s.emit(op)
	}
}

// overRows emits a scan along any axis but the last as a loop whose every turn adds one more row to what the last one left.
func (s *stepper) overRows(op *ir.Op) bool {
	two, ok := op.Combine.Op()
	if !ok || op.Axis == len(op.Dom)-1 {
		return false
	}
	axis := op.Dom[op.Axis].Var
	rest := append(append([]ir.Iter(nil), op.Dom[:op.Axis]...), op.Dom[op.Axis+1:]...)
	turn := &ir.Var{Name: axis.Name, Type: ir.Index, Kind: ir.LoopVar, Span: op.Span}
	at := func(a *ir.Access, row *ir.Expr) *ir.Access {
		n := *a
		n.Index = nil
		for _, x := range a.Index {
			n.Index = append(n.Index, x.Map(func(e *ir.Expr) *ir.Expr {
				if e.Op == ir.Ref && e.Var == axis {
					return row
				}
				return e
			}))
		}
		return &n
	}
	now, before := ir.RefTo(turn), ir.Bin(ir.Sub, ir.RefTo(turn), ir.Int(1))
	step := func(dst *ir.Access, x *ir.Expr) []*ir.Op {
		return s.within(func() {
			ok = ok && s.vector(&ir.Op{Code: ir.OpMap, Dom: rest, Dst: dst, X: []*ir.Expr{x}, Span: s.span})
		})
	}
	first := step(at(op.Dst, ir.Int(0)), ir.LoadAt(at(op.Src[0], ir.Int(0))))
	next := step(at(op.Dst, now), ir.Bin(two, ir.LoadAt(at(op.Dst, before)), ir.LoadAt(at(op.Src[0], now))))
	if !ok {
		return false
	}
	s.out = append(s.out, first...)
	loop := loopOver(turn, op.Dom[op.Axis].Extent, next)
	loop.X[0] = ir.Int(1)
	s.emit(loop)
	return true
}
