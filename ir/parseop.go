package ir

import (
	"strings"
)

// ops reads operations up to a closing brace, in a scope of their own.
func (p *parser) ops() *Block {
	p.nest()
	p.push()
	b := &Block{}
	for !p.is("}") && p.peek().kind != endToken {
		b.Ops = append(b.Ops, p.op())
	}
	p.pop()
	p.unnest()
	return b
}

// block reads operations in braces.
func (p *parser) block() *Block {
	p.expect("{")
	b := p.ops()
	p.expect("}")
	return b
}

// op reads what the operation's row of the table says that it has, in the
// printer's order.
func (p *parser) op() *Op {
	start := p.peek()
	code, ok := LookupOpcode(start.text)
	if !ok || start.kind != nameToken {
		p.fail("expected an operation, found %s", p.found())
	}
	p.next()
	op := &Op{Code: code}
	info := code.Info()
	has := func(f Fields) bool { return info.Fields&f != 0 }
	if has(HasCombine) {
		combine, ok := LookupCombine(p.peek().text)
		if !ok && !p.is(NoCombine.String()) {
			p.fail("expected a combination, found %s", p.found())
		}
		p.next()
		op.Combine = combine
	}
	op.Accumulate = p.accept("accumulate")
	op.Partial = p.accept("partial")
	if p.accept("axis") {
		op.Axis = p.count()
	}
	if has(HasN) {
		op.N = p.count()
	}
	if has(HasPipe) {
		op.Pipe = p.pipe()
	}
	if has(HasTo) {
		op.To = p.pipe()
	}
	var defines *Var
	iterating := has(HasDom)
	switch {
	case iterating:
		p.push()
		op.Dom = p.iters(IterVar)
		if has(HasRed) {
			p.expect("over")
			op.Red = p.iters(IterVar)
		}
	case has(HasBuf):
		op.Buf = p.buffer(Tile)
		p.scope.bufs[op.Buf.Name] = op.Buf
	case code == OpFor:
		p.loop(op)
		defines = op.Var
	case code == OpAssign:
		op.Var = p.lookupVar()
	case has(HasVar):
		kind := LetVar
		if code == OpVar {
			kind = MutVar
		}
		op.Var = p.typedVar(kind)
		defines = op.Var
	}
	if has(HasDst) {
		op.Dst = p.access()
	}
	if code != OpFor {
		p.operands(op)
	}
	if has(HasText) {
		p.expect("text")
		p.items("[", "]", func() { op.Text = append(op.Text, p.quoted()) })
	}
	if p.accept("init") {
		op.Init = p.expr()
	}
	if p.accept("where") {
		op.Where = p.expr()
	}
	if iterating {
		p.pop()
	}
	if code == OpAtomic && p.accept("old") {
		op.Var = p.typedVar(LetVar)
		defines = op.Var
	}
	op.Async = p.accept("async")
	if p.accept("on") {
		op.Pipe = p.pipe()
	}
	if p.accept("atom") {
		op.Atom = p.word()
	}
	op.Layout = p.layout()
	if p.accept("scratch") {
		p.expect("(")
		op.Scratch = p.buffer(Tile)
		p.expect(")")
	}
	op.Span = p.since(start)
	if !has(HasBody) {
		p.note(op)
		if defines != nil {
			p.define(defines)
		}
		return op
	}
	p.push()
	if defines != nil {
		p.define(defines)
	}
	p.bodies(op)
	p.pop()
	return op
}

func (p *parser) pipe() Pipe {
	pipe, ok := ParsePipe(p.peek().text)
	if !ok {
		p.fail("expected a pipe, found %s", p.found())
	}
	p.next()
	return pipe
}

func (p *parser) bodies(op *Op) {
	p.expect("{")
	p.note(op)
	op.Body = p.ops()
	p.expect("}")
	if op.Code.Info().Fields&HasElse != 0 && p.accept("else") {
		op.Else = p.block()
	}
}

// note takes the comment behind the operation, if any.
func (p *parser) note(op *Op) {
	line := p.toks[p.at-1].line
	if text, ok := p.notes[line]; ok {
		op.Note = strings.Join(strings.Fields(text), " ")
		delete(p.notes, line)
	}
}

func (p *parser) typedVar(kind VarKind) *Var {
	name, t := p.newName()
	p.expect(":")
	return &Var{Name: name, Type: p.dtype(), Kind: kind, Span: p.span(t)}
}

func (p *parser) loop(op *Op) {
	op.Var = p.indexVar(LoopVar)
	p.expect("in")
	lo := p.expr()
	p.expect("..")
	hi := p.expr()
	step := Int(1)
	if p.accept("step") {
		step = p.expr()
	}
	op.X = []*Expr{lo, hi, step}
	switch {
	case p.accept("unroll"):
		op.Loop = Unroll
	case p.accept("pipeline"):
		op.Loop = Pipeline
	}
	if p.accept("stages") {
		op.Stages = p.count()
	}
}

func (p *parser) operands(op *Op) {
	info := op.Code.Info()
	switch {
	case info.X < 0:
		p.items("(", ")", func() { op.X = append(op.X, p.expr()) })
		return
	case info.X == 0 && info.Src == 0:
		return
	}
	switch {
	case op.Code == OpContract:
		p.expect("+=")
	case info.Fields&(HasDst|HasVar) != 0:
		p.expect("=")
	}
	for range info.X {
		op.X = append(op.X, p.expr())
	}
	for i := range info.Src {
		if i > 0 {
			p.expect("*")
		}
		op.Src = append(op.Src, p.access())
	}
}
