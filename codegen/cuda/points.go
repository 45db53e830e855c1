package cuda

import (
	"fmt"
	"slices"

	"tilec/ir"
	"tilec/ir/layout"
)

// points is one elementwise operation being printed: a loop over groups of V
// registers that hold consecutive elements along the iteration variable fast.
type points struct {
	k     *kernel
	op    *ir.Op
	iters []ir.Iter
	fast  int // position in iters, -1 if no register bit moves along a dimension
	v     int
	group string // C++ expression of the group's first register
	where *ir.Expr
	pad   *ir.Expr // holds inside the domain, nil if the layout is no larger
	ahead []*ahead // what loadAhead has loaded
	parts int      // registers beside those of tiles that the loop indexes
	own   *env     // what threadOnly returned to at
}

// startPoints chooses the group size of an operation and opens its loop.
func (k *kernel) startPoints(op *ir.Op) *points {
	p := &points{k: k, op: op, iters: op.Iters(), fast: -1}
	l := op.Layout
	for i, it := range p.iters {
		if it.Extent.IsConst() && int(it.Extent.Int) < l.Out[i].Size {
			p.pad = ir.Conj(p.pad, ir.Bin(ir.Lt, ir.RefTo(it.Var), it.Extent))
		}
	}
	p.where = ir.Conj(p.pad, op.Where)
	if op.Dst != nil {
		p.where = ir.Conj(p.where, op.Dst.Guard)
	}
	most := p.consecutive()
	if n := k.mostUnrolled(op); n < most && !p.registers() && !storesSubBytes(op) {
		most = n
	}
	p.v = 1
	if p.fast >= 0 {
		fast := p.iters[p.fast].Var
		for _, a := range p.accesses() {
			if a.Buf.Space != ir.Register {
				p.v = max(p.v, min(most, k.align.Width(a, fast)))
			}
		}
		if d := op.Dst; d != nil && packed(d.Buf.Elem) && d.Buf.Space == ir.Register {
			p.v = max(p.v, min(most, perWord(d.Buf.Elem)))
		}
	}
	return p
}

// open starts the loop over groups.
func (p *points) open() {
	n := p.op.Layout.Size(layout.Reg)
	if n == p.v {
		p.group = "0"
		p.k.w.Scope()
		return
	}
	r := "r"
	p.group = r
	most := p.k.mostUnrolled(p.op)
	switch {
	case !p.k.narrow:
		most = min(most, partlyUnrolled)
	case n > longest:
		most = min(most, longest/4)
	}
	if n > most && !p.registers() {
		p.k.w.Line("#pragma unroll %d", max(most/p.v, 1))
	} else {
		p.k.w.Line("#pragma unroll")
	}
	if p.v == 1 {
		p.k.w.Open("for (int r = 0; r < %d; ++r)", n)
	} else {
		p.k.w.Open("for (int r = 0; r < %d; r += %d)", n, p.v)
	}
}

// partlyUnrolled bounds, in elements, how far loops of the fallback variant from memory to memory
// are unrolled: they are long there, element by element.
const partlyUnrolled = 8

// longest is how many elements of a thread a loop from memory to memory has that is
// unrolled whole: beyond, the code outgrows the instruction cache, and compile times all measure.
const longest = 256

// mostDivisions is how many divisions by values that are known only at run time,
// dozens of instructions each, an unrolled loop from memory to memory may have; those
// that have one value for all elements happen once.
const mostDivisions = 16

// mostUnrolled is, in elements, how far the loop of an operation may be unrolled.
func (k *kernel) mostUnrolled(op *ir.Op) int {
	divisions := 0
	op.Exprs(func(e *ir.Expr) bool {
		if (e.Op == ir.Div || e.Op == ir.Mod) && e.Type.IsInt() && !e.Args[1].IsConst() && varies(op, e) {
			divisions++
		}
		return true
	})
	n := op.Layout.Size(layout.Reg)
	for n > 1 && n*divisions > mostDivisions {
		n /= 2
	}
	return n
}

// varies reports that x has not one value for all elements of an operation.
func varies(op *ir.Op, x *ir.Expr) bool {
	return slices.ContainsFunc(op.Iters(), func(it ir.Iter) bool { return x.Uses(it.Var) })
}

// registers reports that the operation touches an array in registers, whose indices
// must be constants.
func (p *points) registers() bool {
	if p.parts > 1 {
		return true
	}
	for _, a := range p.accesses() {
		if a.Buf.Space == ir.Register && a.Buf.Layout.Size(layout.Reg) > 1 {
			return true
		}
	}
	return false
}

func (p *points) close() { p.k.w.Close("") }

// consecutive finds the iteration variable along which the low register bits
// move by one, and returns how many registers that covers.
func (p *points) consecutive() int {
	n := 1
	for _, basis := range p.op.Layout.Bases(layout.Reg) {
		at := -1
		for i, v := range basis {
			if v == n && (p.fast < 0 || p.fast == i) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		p.fast = at
		n *= 2
	}
	return n
}

func (p *points) accesses() []*ir.Access {
	var all []*ir.Access
	p.op.Loads(func(a *ir.Access) { all = append(all, a) })
	if p.op.Dst != nil {
		all = append(all, p.op.Dst)
	}
	return all
}

// at is the environment of the element e registers after the group's first.
func (p *points) at(e string) *env {
	idx := p.group
	switch {
	case e == "0" || e == "":
	case p.group == "0":
		idx = e
	default:
		idx = p.group + " + " + e
	}
	if p.own == nil {
		p.own = p.threadOnly()
	}
	v := &env{vars: make(map[*ir.Var]string, len(p.iters)), own: make(map[*ir.Var]string, len(p.iters)), thread: p.own}
	for i, it := range p.iters {
		v.own[it.Var] = p.k.fromRegister(p.op.Layout, i, operand(idx))
		v.vars[it.Var] = sum(p.k.threadPart(p.op.Layout, i, it.Var.Name), v.own[it.Var])
	}
	v.index = func(a *ir.Access) string { return p.registerOf(a, e) }
	v.load = func(a *ir.Access) (string, bool) {
		if a.Buf.Space != ir.Register {
			return "", false
		}
		dims, ok := p.op.Aligned(a)
		if !ok {
			ir.Bugf("register tile %s is indexed across threads", a.Buf.Name)
		}
		reg, ok := registerIndex(p.op.Layout, a.Buf.Layout, dims, operand(idx))
		if !ok {
			ir.Bugf("operation and register tile %s are laid out differently", a.Buf.Name)
		}
		return p.k.register(a.Buf, reg), true
	}
	return v
}

// registerOf is the register of a's tile for the element e after the group's first.
func (p *points) registerOf(a *ir.Access, e string) string {
	idx := p.group
	switch {
	case e == "0" || e == "":
	case p.group == "0":
		idx = e
	default:
		idx = p.group + " + " + e
	}
	dims, _ := p.op.Aligned(a)
	reg, ok := registerIndex(p.op.Layout, a.Buf.Layout, dims, operand(idx))
	if !ok {
		ir.Bugf("operation and register tile %s are laid out differently", a.Buf.Name)
	}
	return reg
}

// ahead is a memory load that a group does as a whole before its elements.
type ahead struct {
	a     *ir.Access
	cond  *ir.Expr // under which the value is used; nil always
	name  string   // local array: words for packed types, else elements
	width int      // elements in one access
}

// loadAhead does the wide loads of a group and returns the environment maker for
// its elements, which are to be computed where the operation's condition holds.
func (p *points) loadAhead() func(e string) *env {
	k := p.k
	var list []*ahead
	if p.v > 1 {
		add := func(a *ir.Access, cond *ir.Expr) {
			if a.Buf.Space == ir.Register || a.Buf.Elem.Bits()*p.v < 16 {
				return
			}
			w := min(p.v, k.align.Width(a, p.iters[p.fast].Var))
			if w*a.Buf.Elem.Bits() < 16 || w < 2 && a.Buf.Elem.Bits() < 32 {
				return
			}
			list = append(list, &ahead{a: a, cond: cond, width: w})
		}
		early(p.op.X, add)
		for _, s := range p.op.Src {
			add(s, nil)
		}
	}
	p.ahead = list
	base := p.at("0")
	for _, h := range list {
		b := h.a.Buf
		h.name = k.names.Take(b.Name + "_v")
		n := p.v
		if packed(b.Elem) {
			n = max(p.v/perWord(b.Elem), 1)
		}
		init := ""
		if g := p.guardOf(h); packed(b.Elem) && g != nil && !k.align.UniformGuard(g, p.iters[p.fast].Var, p.v) {
			init = " = {}" // elements are set one at a time
		}
		k.w.Line("alignas(16) %s %s[%d]%s;", registerType(b.Elem), h.name, n, init)
		p.groupLoad(h, base)
	}
	return func(e string) *env {
		at := p.at(e)
		inner := at.load
		at.load = func(a *ir.Access) (string, bool) {
			h := p.loaded(a)
			switch {
			case h == nil:
				return inner(a)
			case packed(a.Buf.Elem):
				return k.unpack(a.Buf.Elem, h.name, e), true
			}
			return fmt.Sprintf("%s[%s]", h.name, e), true
		}
		return at
	}
}

// loaded is the load ahead that has the values of a; nil if there is none.
func (p *points) loaded(a *ir.Access) *ahead {
	for _, h := range p.ahead {
		if h.a == a || h.cond == nil && p.where == nil && p.sameLoad(h.a, a) {
			return h
		}
	}
	return nil
}

// sameLoad reports that two loads give the same values.
func (p *points) sameLoad(a, b *ir.Access) bool {
	if a.Buf != b.Buf || (a.Guard == nil) != (b.Guard == nil) {
		return false
	}
	at := p.at("0")
	spelled := func(a *ir.Access) string {
		s := p.k.address(bare(a), at)
		if a.Guard != nil {
			s += p.k.expr(a.Guard, at) + p.k.expr(p.k.elseOf(a), at)
		}
		return s
	}
	return spelled(a) == spelled(b)
}

// early calls f on the loads whose value may be asked for before it is needed, with
// the condition under which it is: one that reads nothing itself. A guard says less,
// as it need not repeat the conditions around it.
func early(xs []*ir.Expr, f func(a *ir.Access, cond *ir.Expr)) {
	var order []*ir.Access
	conds := map[*ir.Access]*ir.Expr{}
	late := map[*ir.Access]bool{}
	var visit func(e, cond *ir.Expr, known bool)
	visit = func(e, cond *ir.Expr, known bool) {
		switch e.Op {
		case ir.Load:
			was, seen := conds[e.At]
			switch {
			case seen && was == nil:
			case !known || seen && cond != nil && cond != was:
				late[e.At] = true
			default:
				conds[e.At] = cond
				delete(late, e.At)
				if !seen {
					order = append(order, e.At)
				}
			}
			return
		case ir.Select:
			c := e.Args[0]
			visit(c, cond, known)
			known = known && !reads(c)
			visit(e.Args[1], ir.Conj(cond, c), known)
			visit(e.Args[2], ir.Conj(cond, ir.Un(ir.Not, c)), known)
			return
		case ir.And, ir.Or:
			c := e.Args[0]
			visit(c, cond, known)
			if e.Op == ir.Or {
				c = ir.Un(ir.Not, c)
			}
			visit(e.Args[1], ir.Conj(cond, c), known && !reads(c))
			return
		}
		for _, a := range e.Args {
			visit(a, cond, known)
		}
	}
	for _, x := range xs {
		visit(x, nil, true)
	}
	for _, a := range order {
		if !late[a] {
			f(a, conds[a])
		}
	}
}

func reads(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) bool {
		found = found || x.Op == ir.Load
		return !found
	})
	return found
}

// guardOf is the condition under which a load is done: what the operation leaves out
// is not read.
func (p *points) guardOf(h *ahead) *ir.Expr {
	return ir.Conj(ir.Conj(p.where, h.cond), h.a.Guard)
}

// groupLoad fills a local array with the group's elements.
func (p *points) groupLoad(h *ahead, base *env) {
	k := p.k
	guard := p.guardOf(h)
	plain := func() {
		for c := 0; c < p.v; c += h.width {
			bytes := h.width * h.a.Buf.Elem.Bits() / 8
			at := p.at(fmt.Sprint(c))
			k.w.Line("%s<%d>(%s, %s);", "copy_bytes", bytes, k.piece(h.a.Buf.Elem, h.name, c), k.address(bare(h.a), at))
		}
	}
	if guard == nil {
		plain()
		return
	}
	fast := p.iters[p.fast].Var
	fill := func(e string) string {
		v := k.expr(k.elseOf(h.a), p.at(e))
		return k.setLocal(h.a.Buf.Elem, h.name, e, v)
	}
	switch {
	case k.align.UniformGuard(guard, fast, p.v):
		k.w.Open("if (%s)", top(k.expr(guard, base)))
		plain()
		k.w.Else()
		p.fillElse(h, fill)
		k.w.Close("")
	default:
		if monotone(guard, fast) {
			k.w.Open("if (%s)", p.allHold(guard, fast))
			plain()
			k.w.Else()
		} else {
			k.w.Scope()
		}
		k.w.Line("#pragma unroll")
		k.w.Open("for (int e = 0; e < %d; ++e)", p.v)
		at := p.at("e")
		v := fmt.Sprintf("(%s ? %s : %s)", k.expr(guard, at), k.element(bare(h.a), at), k.expr(k.elseOf(h.a), at))
		k.w.Line("%s", k.setLocal(h.a.Buf.Elem, h.name, "e", v))
		k.w.Close("")
		k.w.Close("")
	}
}

// fillElse fills a whole local array with what a false guard gives.
func (p *points) fillElse(h *ahead, fill func(e string) string) {
	k := p.k
	if packed(h.a.Buf.Elem) && (h.a.Else == nil || isZero(h.a.Else)) {
		for w := 0; w < max(p.v/perWord(h.a.Buf.Elem), 1); w++ {
			k.w.Line("%s[%d] = 0;", h.name, w)
		}
		return
	}
	k.w.Line("#pragma unroll")
	k.w.Line("for (int e = 0; e < %d; ++e) %s", p.v, fill("e"))
}

func isZero(e *ir.Expr) bool {
	return e.IsConst() && e.Int == 0 && e.Float == 0
}

// bare is an access without its guard.
func bare(a *ir.Access) *ir.Access {
	b := *a
	b.Guard, b.Else = nil, nil
	return &b
}

// part spells a pointer to element c of a local array.
func (k *kernel) part(t ir.DType, name string, c int) string {
	i := c / perWord(t)
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s + %d", name, i)
}

// piece spells a pointer to element c of a local array, which need not start a word.
func (k *kernel) piece(t ir.DType, name string, c int) string {
	if c%perWord(t) == 0 {
		return k.part(t, name, c)
	}
	return fmt.Sprintf("reinterpret_cast<unsigned char*>(%s) + %d", name, c*t.Bits()/8)
}

// setLocal writes one element of a local array.
func (k *kernel) setLocal(t ir.DType, name, e, value string) string {
	if packed(t) {
		return fmt.Sprintf("%s(%s, %s, %s);", "set_"+t.String(), name, e, value)
	}
	return fmt.Sprintf("%s[%s] = %s;", name, e, value)
}

// monotone reports that every conjunct that depends on v is a comparison of v
// plus something with a value free of v, so that it holds between any two values
// at which it holds.
func monotone(cond *ir.Expr, v *ir.Var) bool {
	for _, c := range ir.Conjuncts(cond) {
		if !c.Uses(v) {
			continue
		}
		if len(c.Args) != 2 {
			return false
		}
		switch c.Op {
		case ir.Lt, ir.Le, ir.Gt, ir.Ge:
		default:
			return false
		}
		_, left := ir.Without(c.Args[0], v)
		_, right := ir.Without(c.Args[1], v)
		if !(left && !c.Args[1].Uses(v)) && !(right && !c.Args[0].Uses(v)) {
			return false
		}
	}
	return true
}

// allHold spells that a monotone condition holds for the whole group.
func (p *points) allHold(cond *ir.Expr, fast *ir.Var) string {
	first, last := p.at("0"), p.at(fmt.Sprint(p.v-1))
	text := ""
	for _, c := range ir.Conjuncts(cond) {
		s := p.k.expr(c, first)
		if c.Uses(fast) {
			_, left := ir.Without(c.Args[0], fast)
			upper := left == (c.Op == ir.Lt || c.Op == ir.Le)
			if upper {
				s = p.k.expr(c, last)
			}
		}
		if text != "" {
			text += " && "
		}
		text += s
	}
	return text
}
