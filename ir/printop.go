package ir

import (
	"strconv"
	"strings"
)

// ops prints a block's operations, their names visible to the block's end.
func (p *printer) ops(b *Block) {
	if b == nil {
		return
	}
	p.scope(func() {
		for _, op := range b.Ops {
			p.op(op)
		}
	})
}

func (p *printer) op(op *Op) {
	p.startLine()
	fields := op.Code.Info().Fields
	if fields&HasBody == 0 {
		p.header(op)
		p.note(op)
		p.put("\n")
		return
	}
	p.scope(func() { // of the loop's variable
		p.header(op)
		p.put(" {")
		p.note(op)
		p.put("\n")
		p.depth++
		p.ops(op.Body)
		p.depth--
		if op.Else != nil {
			p.line("} else {")
			p.depth++
			p.ops(op.Else)
			p.depth--
		}
	})
	p.line("}")
}

func (p *printer) note(op *Op) {
	if note := strings.Join(strings.Fields(op.Note), " "); note != "" {
		p.put(" // ", note)
	}
}

// header prints an operation up to its blocks: what its row of the table says
// that it has, in one order for all of them.
func (p *printer) header(op *Op) {
	if op.Code == InvalidOp || op.Code >= numOps {
		p.put("invalid")
		return
	}
	info := op.Code.Info()
	p.put(info.Name)
	has := func(f Fields) bool { return info.Fields&f != 0 }
	if has(HasCombine) {
		p.put(" ", op.Combine.String())
	}
	if op.Accumulate {
		p.put(" accumulate")
	}
	if op.Partial {
		p.put(" partial")
	}
	if op.Axis != 0 {
		p.put(" axis ", strconv.Itoa(op.Axis))
	}
	if has(HasN) {
		p.put(" ", strconv.Itoa(op.N))
	}
	if has(HasPipe) {
		p.put(" ", op.Pipe.String())
	}
	if has(HasTo) {
		p.put(" ", op.To.String())
	}
	release := p.declare(op)
	switch {
	case has(HasDom):
		p.put(" ")
		p.iters(op.Dom)
		if has(HasRed) {
			p.put(" over ")
			p.iters(op.Red)
		}
	case has(HasBuf):
		p.put(" ")
		p.buffer(op.Buf)
	case op.Code == OpFor:
		p.loop(op)
	case op.Code == OpAssign:
		p.put(" ", p.varName(op.Var))
	case has(HasVar) && op.Var != nil:
		p.put(" ", p.varName(op.Var), ": ", op.Var.Type.String())
	}
	if has(HasDst) {
		p.put(" ")
		p.access(op.Dst)
	}
	if op.Code != OpFor {
		p.operands(op)
	}
	if has(HasText) {
		p.put(" text [")
		for i, t := range op.Text {
			if i > 0 {
				p.put(", ")
			}
			p.put(strconv.Quote(t))
		}
		p.put("]")
	}
	if op.Init != nil {
		p.put(" init ")
		p.expr(op.Init)
	}
	if op.Where != nil {
		p.put(" where ")
		p.expr(op.Where)
	}
	release()
	if op.Code == OpAtomic && op.Var != nil {
		p.declareVar(op.Var)
		p.put(" old ", p.varName(op.Var), ": ", op.Var.Type.String())
	}
	p.attributes(op)
}

// declare names what op brings into scope and returns what takes its iteration
// variables out again. Values don't see what they define, but no two things in
// scope share a name, so the order makes no difference to the text.
func (p *printer) declare(op *Op) (release func()) {
	switch op.Code {
	case OpLet, OpVar, OpFor, OpCores:
		p.declareVar(op.Var)
	case OpAlloc:
		p.declareBuffer(op.Buf)
	}
	if p.names == nil || len(op.Dom)+len(op.Red) == 0 {
		return func() {}
	}
	mark := p.names.mark()
	for _, it := range op.Dom {
		p.declareVar(it.Var)
	}
	for _, it := range op.Red {
		p.declareVar(it.Var)
	}
	return func() { p.names.release(mark) }
}

// loop prints the head of a for.
func (p *printer) loop(op *Op) {
	p.put(" ")
	p.indexVar(op.Var)
	p.put(" in ")
	for i, x := range op.X {
		switch i {
		case 1:
			p.put(" .. ")
		case 2:
			if x.IsInt(1) && x.Type == Index {
				continue
			}
			p.put(" step ")
		}
		p.expr(x)
	}
	switch op.Loop {
	case Unroll:
		p.put(" unroll")
	case Pipeline:
		p.put(" pipeline")
	}
	if op.Stages != 0 {
		p.put(" stages ", strconv.Itoa(op.Stages))
	}
}

// operands prints the value of the operation: its scalars or its sources.
func (p *printer) operands(op *Op) {
	info := op.Code.Info()
	switch {
	case info.X < 0:
		p.put(" (")
		for i, x := range op.X {
			if i > 0 {
				p.put(", ")
			}
			p.expr(x)
		}
		p.put(")")
		return
	case info.X == 0 && info.Src == 0:
		return
	}
	switch {
	case op.Code == OpContract:
		p.put(" +=")
	case info.Fields&(HasDst|HasVar) != 0:
		p.put(" =")
	}
	for _, x := range op.X {
		p.put(" ")
		p.expr(x)
	}
	for i, s := range op.Src {
		if i > 0 {
			p.put(" *")
		}
		p.put(" ")
		p.access(s)
	}
}

func (p *printer) attributes(op *Op) {
	if op.Async {
		p.put(" async")
	}
	if op.Pipe != NoPipe && op.Code.Info().Fields&HasPipe == 0 {
		p.put(" on ", op.Pipe.String())
	}
	if op.Atom != "" {
		p.put(" atom ", word(op.Atom))
	}
	if op.Layout != nil {
		p.put(" layout ", op.Layout.String())
	}
	if op.Scratch != nil {
		p.scope(func() { // nothing but the operation uses it
			p.declareBuffer(op.Scratch)
			p.put(" scratch (")
			p.buffer(op.Scratch)
			p.put(")")
		})
	}
}
