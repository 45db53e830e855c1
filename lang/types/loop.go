package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
)

func (c *checker) ifStmt(s *ast.If) {
	t := c.closed(s, s.Cond, func() Type { return c.boolExpr(s.Cond, "the condition") })
	if v := c.constOf(s.Cond); t.Valid() && v.Kind == BoolValue {
		if v.Bool {
			c.block(s.Then)
		} else if s.Else != nil {
			c.statement(s.Else)
		}
		return
	}
	control := c.control
	c.control |= c.taintOf(s.Cond)
	c.flow.either(func() { c.block(s.Then) }, func() {
		if s.Else != nil {
			c.statement(s.Else)
		}
	}, branch{span: s.Cond.Span(), text: "this condition decides whether it runs"})
	c.control = control
}

func (c *checker) while(s *ast.While) {
	c.closed(s, s.Cond, func() Type { return c.boolExpr(s.Cond, "the condition") })
	control := c.control
	c.control |= c.taintOf(s.Cond)
	c.flow.attempt(loopBranch(s.Cond), func() { c.block(s.Body) })
	c.control = control
}

func (c *checker) forStmt(s *ast.For) {
	c.loop(s, s.Name, s.Lo, s.Hi, s.Step, s.Body, &Loop{})
}

// maxStages bounds the depth of a pipeline.
const maxStages = 64

// Stages is how many stages a pipeline has for which the program says n: it has at least one.
func Stages(n int64) int { return int(max(1, min(n, maxStages))) }

func (c *checker) pipeline(s *ast.Pipeline) {
	l := &Loop{Stages: 1}
	if s.Stages != nil {
		if n, ok := c.constInt(s.Stages, "the number of stages"); ok {
			if n < 0 || n > maxStages {
				c.errorf(diag.BadExtent, s.Stages.Span(), "a pipeline has 1 to %d stages, not %s", maxStages, valued(sourceText(s.Stages), n))
			}
			l.Stages = Stages(n)
		}
	}
	c.loop(s, s.Name, s.Lo, s.Hi, s.Step, s.Body, l)
}

// loop checks a for or pipeline.
func (c *checker) loop(s ast.Stmt, name *ast.Ident, lo, hi, step ast.Expr, body *ast.Block, l *Loop) {
	control := c.control
	for _, e := range []ast.Expr{lo, hi, step} {
		if e != nil {
			c.closed(s, e, func() Type { return c.integerExpr(e, "a bound of a loop") })
			c.control |= c.taintOf(e)
		}
	}
	from, to := c.formula(lo), c.formula(hi)
	if step != nil {
		if n, ok := c.constOf(step).Int64(); ok && n < 1 {
			c.errorf(diag.BadExtent, step.Span(), "the step of a loop must be at least 1, not %s", valued(sourceText(step), n))
		}
	}
	if name == nil {
		return
	}
	x := c.newScalar(name, LoopIndex, indexType)
	x.taint = c.control | c.taintOf(lo)
	first, last := from.bounds(), to.bounds()
	x.limit = interval{lo: first.lo, loOK: first.loOK}
	if last.hiOK {
		x.limit.hi, x.limit.hiOK = addInt(last.hi, -1)
	}
	l.Var = x
	l.Once = from.Known() && to.Known() && from.Add(ConstExtent(1)).LessEqual(to)
	c.info.Loops[s] = l
	outer := c.open()
	c.declare(name, x)
	if l.Once {
		c.block(body)
	} else {
		c.flow.attempt(branch{span: lo.Span().To(hi.Span()), text: "the loop may run zero times"}, func() { c.block(body) })
	}
	c.scope = outer
	c.control = control
}
