package cuda

import (
	"fmt"
	"strings"

	"tilec/ir"
	"tilec/ir/layout"
	"tilec/runtime/array"
)

// elementwise prints a map, or a copy that is not asynchronous.
func (k *kernel) elementwise(op *ir.Op) {
	value := valueOf(op)
	p := k.startPoints(op)
	memory := op.Dst.Buf.Space != ir.Register
	first := ""
	if memory {
		first = copies(op.Layout)
	}
	if first != "" {
		k.w.Open("if (%s)", first)
	}
	k.shareDivisors(op, value)
	if !p.wholeCopy(value) {
		p.open()
		if memory {
			p.toMemory(value)
		} else {
			p.toRegisters(value, p.loadAhead())
		}
		p.close()
	}
	if first != "" {
		k.w.Close("")
	}
}

// valueOf is the expression that an elementwise operation stores.
func valueOf(op *ir.Op) *ir.Expr {
	if op.Code == ir.OpCopy {
		return ir.CastTo(op.Dst.Buf.Elem, ir.LoadAt(op.Src[0]))
	}
	return op.X[0]
}

// wholeCopy prints a copy between memory and registers of the same type without
// going through elements; it returns false if the operation is not such a copy.
func (p *points) wholeCopy(value *ir.Expr) bool {
	k, op := p.k, p.op
	if value.Op != ir.Load || p.fast < 0 || p.v < 2 {
		return false
	}
	src, dst := value.At, op.Dst
	fast := p.iters[p.fast].Var
	var mem, reg *ir.Access
	load := src.Buf.Space != ir.Register
	if load {
		mem, reg = src, dst
	} else {
		mem, reg = dst, src
	}
	if mem.Buf.Space == ir.Register || reg.Buf.Space != ir.Register || mem.Buf.Elem != reg.Buf.Elem {
		return false
	}
	w := min(p.v, k.align.Width(mem, fast))
	bytes := w * mem.Buf.Elem.Bits() / 8
	guard := ir.Conj(p.where, mem.Guard)
	if w != p.v || bytes < 2 || w%perWord(mem.Buf.Elem) != 0 || !k.align.UniformGuard(guard, fast, p.v) || !p.straight(reg) {
		return false
	}
	if load && (p.where != nil && p.pad == nil || mem.Guard != nil && mem.Else != nil && !isZero(mem.Else)) {
		return false
	}
	p.open()
	at := p.at("0")
	r := k.registers(reg.Buf, p.registerOf(reg, "0"))
	if load {
		move := fmt.Sprintf("%s<%d>(%s, %s);", "copy_bytes", bytes, r, k.address(bare(mem), at))
		if guard == nil {
			k.w.Line("%s", move)
		} else {
			k.w.Line("if (%s) %s", top(k.expr(guard, at)), move)
			k.w.Line("else %s<%d>(%s);", "zero_bytes", bytes, r)
		}
	} else {
		move := k.storeBytes(bare(mem), at, r, bytes)
		if guard == nil {
			k.w.Line("%s", move)
		} else {
			k.w.Line("if (%s) %s", top(k.expr(guard, at)), move)
		}
	}
	p.close()
	return true
}

// straight reports that the group's elements lie in consecutive registers of a's
// tile, starting at a whole word.
func (p *points) straight(a *ir.Access) bool {
	dims, ok := p.op.Aligned(a)
	if !ok {
		return false
	}
	tile := a.Buf.Layout.Bases(layout.Reg)
	for b := range layout.Log2(p.v) {
		if b >= len(tile) {
			return false
		}
		for d, i := range dims {
			want := 0
			if i >= 0 {
				want = p.op.Layout.Bases(layout.Reg)[b][i]
			}
			if tile[b][d] != want {
				return false
			}
		}
	}
	return true
}

// registers spells a pointer to the registers of a tile from element idx on.
func (k *kernel) registers(b *ir.Buffer, idx string) string {
	name := k.bufName(b)
	if per := perWord(b.Elem); per > 1 {
		if idx == "0" {
			return name
		}
		return fmt.Sprintf("%s + %s / %d", name, operand(idx), per)
	}
	if b.Layout.Size(layout.Reg) == 1 {
		return "&" + name
	}
	if idx == "0" {
		return name
	}
	return fmt.Sprintf("%s + %s", name, operand(idx))
}

// toRegisters stores a group's values into a register tile.
func (p *points) toRegisters(value *ir.Expr, at func(string) *env) {
	k, dst := p.k, p.op.Dst
	t := dst.Buf.Elem
	per := perWord(t)
	if packed(t) && p.where == nil && p.v%per == 0 && p.straight(dst) {
		word := p.registerOf(dst, "0")
		p.packWords(value, at, func(w int, packedValue string) {
			k.w.Line("%s[%s] = %s;", k.bufName(dst.Buf), sum(divided(word, per), fmt.Sprint(w)), packedValue)
		})
		return
	}
	p.each(func(e string) {
		a := at(e)
		set := k.setRegister(dst.Buf, p.registerOf(dst, e), k.expr(value, a))
		if p.where != nil {
			set = fmt.Sprintf("if (%s) %s", top(k.expr(p.where, a)), set)
		}
		k.w.Line("%s", set)
	})
}

func divided(x string, by int) string {
	if x == "0" {
		return "0"
	}
	return fmt.Sprintf("%s / %d", operand(x), by)
}

// each prints body for every element of the group.
func (p *points) each(body func(e string)) {
	if p.v == 1 {
		body("0")
		return
	}
	p.k.w.Line("#pragma unroll")
	p.k.w.Open("for (int e = 0; e < %d; ++e)", p.v)
	body("e")
	p.k.w.Close("")
}

// packWords computes a group's values and hands over its packed words. Values
// that end in a rounding from f32 are packed by the conversion itself.
func (p *points) packWords(value *ir.Expr, at func(string) *env, word func(w int, value string)) {
	k := p.k
	t := value.Type
	per := perWord(t)
	if value.Op == ir.Load && value.At.Buf.Elem == t {
		// words that are there already
		for w := range p.v / per {
			if s, ok := p.wordOf(value.At, w); ok {
				word(w, s)
				continue
			}
			word(w, k.pack(t, p.elements(value, at, w*per, per), false))
		}
		return
	}
	if spell := p.pairwise(value, at); spell != nil {
		for w := range p.v / per {
			word(w, spell(w))
		}
		return
	}
	inner, fused := value, false
	if value.Op == ir.Cast && value.Args[0].Type == array.F32 && (t == array.F16 || t == array.BF16) {
		inner, fused = value.Args[0], true
	}
	if p.v == per && (inner.Op == ir.Load || per == 2) {
		word(0, k.pack(t, p.elements(inner, at, 0, per), fused))
		return
	}
	name := k.names.Take("y")
	k.w.Line("%s %s[%d];", cTypes[inner.Type], name, p.v)
	p.each(func(e string) { k.w.Line("%s[%s] = %s;", name, e, top(k.expr(inner, at(e)))) })
	for w := range p.v / per {
		parts := make([]string, per)
		for i := range parts {
			parts[i] = fmt.Sprintf("%s[%d]", name, w*per+i)
		}
		word(w, k.pack(t, parts, fused))
	}
}

// wordOf spells word w of a group's load, if it was loaded ahead or lies in
// consecutive registers.
func (p *points) wordOf(a *ir.Access, w int) (string, bool) {
	if h := p.loaded(a); h != nil {
		return fmt.Sprintf("%s[%d]", h.name, w), true
	}
	if a.Buf.Space == ir.Register && p.straight(a) {
		return fmt.Sprintf("%s[%s]", p.k.bufName(a.Buf), sum(divided(p.registerOf(a, "0"), perWord(a.Buf.Elem)), fmt.Sprint(w))), true
	}
	return "", false
}

func (p *points) elements(value *ir.Expr, at func(string) *env, from, n int) []string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = top(p.k.expr(value, at(fmt.Sprint(from+i))))
	}
	return parts
}

// pack spells a word of packed elements; rounding packs f32 values of a 16-bit type.
func (k *kernel) pack(t ir.DType, parts []string, rounding bool) string {
	name := "pack_" + t.String()
	if rounding {
		name = "round_pack_" + t.String()
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(parts, ", "))
}

// toMemory computes a group and stores it to global or shared memory: as a whole
// where all of it is to be stored, else element by element.
func (p *points) toMemory(value *ir.Expr) {
	k, dst := p.k, p.op.Dst
	t := dst.Buf.Elem
	w := 1
	if p.fast >= 0 {
		w = min(p.v, k.align.Width(dst, p.iters[p.fast].Var))
	}
	bits := w * t.Bits()
	single := func() {
		if t.Bits() < 8 {
			p.toBytes(value)
			return
		}
		p.each(func(e string) { p.storeOne(value, p.at, e) })
	}
	if w == 1 || bits < 16 || packed(t) && w%perWord(t) != 0 && (bits != 16 || t.Bits() < 8) {
		if p.v == 1 || t.Bits() < 8 {
			single()
			return
		}
		w = 1
	}
	whole := func() {
		where := p.where
		p.where = nil
		p.store(value, w)
		p.where = where
	}
	if p.where == nil {
		whole()
		return
	}
	fast := p.iters[p.fast].Var
	switch {
	case k.align.UniformGuard(p.where, fast, p.v):
		k.w.Open("if (%s)", top(k.expr(p.where, p.at("0"))))
		whole()
		k.w.Close("")
	case monotone(p.where, fast):
		k.w.Open("if (%s)", p.allHold(p.where, fast))
		whole()
		k.w.Else()
		single()
		k.w.Close("")
	default:
		single()
	}
}

// store computes a group and stores it in pieces of w elements.
func (p *points) store(value *ir.Expr, w int) {
	k, dst := p.k, p.op.Dst
	t := dst.Buf.Elem
	bits := w * t.Bits()
	at := p.loadAhead()
	if w == 1 {
		p.each(func(e string) { p.storeOne(value, at, e) })
		return
	}
	name := ""
	if h := p.loadedWhole(value); h != nil && (!packed(t) || bits >= 32) {
		name = h.name // as it came
	} else if packed(t) && bits == 32 && p.v == w {
		p.packWords(value, at, func(_ int, v string) {
			k.w.Line("*reinterpret_cast<unsigned*>(%s) = %s;", k.address(dst, p.at("0")), v)
		})
		return
	} else if name = k.names.Take("out"); packed(t) && bits >= 32 {
		k.w.Line("alignas(16) unsigned %s[%d];", name, p.v/perWord(t))
		p.packWords(value, at, func(i int, v string) { k.w.Line("%s[%d] = %s;", name, i, v) })
	} else {
		k.w.Line("alignas(16) %s %s[%d];", cTypes[t], name, p.v)
		p.each(func(e string) { k.w.Line("%s[%s] = %s;", name, e, top(k.expr(value, at(e)))) })
	}
	for c := 0; c < p.v; c += w {
		part := k.part(t, name, c)
		if packed(t) && bits < 32 && c > 0 {
			part = fmt.Sprintf("%s + %d", name, c)
		}
		k.w.Line("%s", k.storeBytes(dst, p.at(fmt.Sprint(c)), part, bits/8))
	}
}

// loadedWhole is the load ahead that has a group's values just as they are stored; nil if
// they are computed.
func (p *points) loadedWhole(value *ir.Expr) *ahead {
	if value.Op != ir.Load || value.At.Buf.Elem != p.op.Dst.Buf.Elem {
		return nil
	}
	return p.loaded(value.At)
}

// storeBytes spells a store of whole words to memory. Wide stores are explicit vector
// instructions: the compiler does not always put words together, and in shared
// memory single ones meet banks in another order.
func (k *kernel) storeBytes(a *ir.Access, at *env, from string, bytes int) string {
	to := k.address(a, at)
	switch {
	case bytes < 8 || bytes < ir.WidestAccess && a.Buf.Space != ir.Shared:
		return fmt.Sprintf("%s<%d>(%s, %s);", "copy_bytes", bytes, to, from)
	case a.Buf.Space == ir.Shared:
		if registerType(a.Buf.Elem) != "unsigned" {
			from = fmt.Sprintf("reinterpret_cast<const unsigned*>(%s)", from)
		}
		return fmt.Sprintf("%s<%d>(%s(%s), %s);", "store_shared", bytes, "shared_address", to, from)
	case k.touchedOnce(a.Buf):
		return fmt.Sprintf("%s(%s, %s);", "store_once", to, from)
	}
	return fmt.Sprintf("%s(%s, %s);", "store_global", to, from)
}

// touchedOnce reports a tensor that one operation of the kernel stores to and none
// reads: its stores need no order among other accesses.
func (k *kernel) touchedOnce(t *ir.Buffer) bool {
	if t.Kind != ir.Out {
		return false
	}
	n := 0
	k.f.Body.Walk(func(op *ir.Op) {
		op.Loads(func(a *ir.Access) {
			if a.Buf == t {
				n = 2
			}
		})
		if op.Dst != nil && op.Dst.Buf == t {
			n++
		}
	})
	return n == 1
}

// storeOne stores element e of a group by itself.
func (p *points) storeOne(value *ir.Expr, at func(string) *env, e string) {
	k := p.k
	a := at(e)
	store := fmt.Sprintf("%s = %s;", k.element(p.op.Dst, a), top(k.expr(value, a)))
	if p.where != nil {
		k.w.Line("if (%s) %s", top(k.expr(p.where, a)), store)
		return
	}
	k.w.Line("%s", store)
}
