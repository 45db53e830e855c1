package lower

import (
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

func (l *lowerer) loop(s *ast.For) {
	kind := ir.Serial
	if s.Unroll {
		kind = ir.Unroll
	}
	op := &ir.Op{Code: ir.OpFor, Loop: kind, Span: s.Span()}
	l.iterate(op, s, s.Name, [3]ast.Expr{s.Lo, s.Hi, s.Step}, s.Body)
}

func (l *lowerer) pipeline(s *ast.Pipeline) {
	op := &ir.Op{Code: ir.OpFor, Loop: ir.Pipeline, Span: s.Span()}
	if f := l.info().Loops[s]; f != nil {
		op.Stages = f.Stages
	}
	l.iterate(op, s, s.Name, [3]ast.Expr{s.Lo, s.Hi, s.Step}, s.Body)
}

// iterate completes a for with the given bounds and step.
func (l *lowerer) iterate(op *ir.Op, s ast.Stmt, name *ast.Ident, bounds [3]ast.Expr, body *ast.Block) {
	lo, hi, step := l.expr(bounds[0], ir.Index), l.expr(bounds[1], ir.Index), ir.Int(1)
	if bounds[2] != nil {
		step = l.expr(bounds[2], ir.Index)
	}
	op.X = []*ir.Expr{lo, hi, step}
	if f := l.info().Loops[s]; f != nil && f.Var != nil {
		op.Var = l.defineVar(f.Var, ir.LoopVar)
	} else {
		op.Var = l.newVar(name.Name, ir.Index, ir.LoopVar, name.Span())
	}
	// Whoever is in the body: lo <= var < hi for steps above 0.
	if l.facts.of(step).lo > 0 {
		in := interval{l.facts.of(lo).lo, l.facts.of(hi).hi}
		if in.hi != plusInf {
			in.hi = max(in.hi-1, in.lo)
		}
		l.facts.within[op.Var] = in
		l.facts.below[op.Var] = hi
	}
	op.Body = l.block(func() { l.stmts(body.Stmts) })
	l.emit(op)
}

// while lowers a loop on a condition. A condition that needs operations of its
// own is computed ahead of the loop and at the end of its body.
func (l *lowerer) while(s *ast.While) {
	var cond *ir.Expr
	ahead := l.block(func() { cond = l.condition(s.Cond) })
	op := &ir.Op{Code: ir.OpWhile, Span: s.Span()}
	if len(ahead.Ops) == 0 {
		op.X = []*ir.Expr{cond}
		op.Body = l.block(func() { l.stmts(s.Body.Stmts) })
		l.emit(op)
		return
	}
	l.out.Ops = append(l.out.Ops, ahead.Ops...)
	v := l.newVar("again", array.Bool, ir.MutVar, s.Cond.Span())
	l.emit(&ir.Op{Code: ir.OpVar, Var: v, X: []*ir.Expr{cond}, Span: s.Cond.Span()})
	op.X = []*ir.Expr{ir.RefTo(v)}
	op.Body = l.block(func() {
		l.stmts(s.Body.Stmts)
		next := l.condition(s.Cond)
		l.emit(&ir.Op{Code: ir.OpAssign, Var: v, X: []*ir.Expr{next}, Span: s.Cond.Span()})
	})
	l.emit(op)
}

func (l *lowerer) branch(s *ast.If) {
	if v, ok := l.info().Consts[s.Cond]; ok && v.Kind == types.BoolValue {
		switch {
		case v.Bool:
			l.stmts(s.Then.Stmts)
		case s.Else != nil:
			l.stmt(s.Else)
		}
		return
	}
	op := &ir.Op{Code: ir.OpIf, X: []*ir.Expr{l.condition(s.Cond)}, Span: s.Span()}
	op.Body = l.block(func() { l.stmts(s.Then.Stmts) })
	if s.Else != nil {
		op.Else = l.block(func() { l.stmt(s.Else) })
	}
	l.emit(op)
}

func (l *lowerer) callStmt(s *ast.CallStmt) {
	c := l.info().Calls[s.Call]
	if c == nil || c.Kind != types.FnCall {
		l.bug(s.Span(), "a call of %s for its effect", s.Call.Fun.Name)
		return
	}
	l.expand(s.Call, c)
}

// print lowers print(…) with a text before, between and after the values.
func (l *lowerer) print(s *ast.Print) {
	op := &ir.Op{Code: ir.OpPrint, Span: s.Span()}
	text := ""
	for i, a := range s.Args {
		if i > 0 {
			text += " "
		}
		if v, ok := l.info().Consts[a]; ok && v.Kind == types.StringValue {
			text += v.Text
			continue
		}
		if str, ok := a.(*ast.String); ok {
			text += str.Value
			continue
		}
		t := l.natural(a)
		if t == array.Invalid {
			t = l.number(l.info().Types[a].DType())
		}
		op.X = append(op.X, l.expr(a, t))
		op.Text = append(op.Text, text)
		text = ""
	}
	op.Text = append(op.Text, text)
	l.emit(op)
}

// assert lowers an assertion, at all points of its free indices. Elements
// outside their tensor assert nothing.
func (l *lowerer) assert(s *ast.Assert) {
	op := &ir.Op{Code: ir.OpAssert, Span: s.Span()}
	if f := l.info().Index[s]; f != nil {
		op.Dom = l.defineIters(f.Free)
	}
	l.within(op.Dom, func() {
		c := l.condition(s.Cond)
		if inside := l.inside(c); inside != nil {
			c = bin(ir.Or, ir.Un(ir.Not, inside), c)
		}
		op.X = []*ir.Expr{c}
	})
	text := "assertion failed: " + s.Cond.Span().Text()
	if s.Message != nil {
		text = s.Message.Value
	}
	op.Text = []string{text}
	if !isInt(op.X[0], 1) {
		l.emit(op)
	}
}
