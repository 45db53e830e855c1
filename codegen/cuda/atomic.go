package cuda

import (
	"fmt"

	"tilec/codegen"
	"tilec/ir"
	"tilec/runtime/array"
)

// atomic prints an atomic combination at each point of the domain.
func (k *kernel) atomic(op *ir.Op) {
	if len(op.Dom) == 0 && op.Var != nil {
		k.atomicValue(op)
		return
	}
	p := k.startPoints(op)
	p.v = 1
	first := copies(op.Layout)
	if first != "" {
		k.w.Open("if (%s)", first)
	}
	p.open()
	at := p.loadAhead()("0")
	call := k.atomicCall(op, at) + ";"
	if p.where != nil {
		call = fmt.Sprintf("if (%s) %s", top(k.expr(p.where, at)), call)
	}
	k.w.Line("%s", call)
	p.close()
	if first != "" {
		k.w.Close("")
	}
}

// atomicValue prints an atomic on one element whose old value the program reads:
// one thread does it and the CTA shares the result.
func (k *kernel) atomicValue(op *ir.Op) {
	t := op.Dst.Buf.Elem
	name := k.varName(op.Var)
	slot := k.names.Take(name + "_slot")
	k.w.Line("__shared__ %s %s;", cTypes[t], slot)
	k.w.Line("%s %s = %s;", cTypes[op.Var.Type], name, k.constant(ir.ZeroOf(op.Var.Type)))
	cond := "threadIdx.x == 0"
	if op.Where != nil {
		cond += " && " + k.expr(op.Where, nil)
	}
	k.w.Line("if (%s) %s = %s;", cond, slot, k.atomicCall(op, nil))
	k.w.Line("__syncthreads();")
	if op.Where != nil {
		k.w.Line("if (%s) %s = %s;", k.expr(op.Where, nil), name, slot)
	} else {
		k.w.Line("%s = %s;", name, slot)
	}
	k.w.Line("__syncthreads();")
}

// atomicCall spells the combination; its value is the old element.
func (k *kernel) atomicCall(op *ir.Op, at *env) string {
	t := op.Dst.Buf.Elem
	address := "&" + k.element(op.Dst, at)
	value := k.expr(op.X[0], at)
	switch op.Combine {
	case ir.Sum:
		switch t {
		case array.I32, array.U32, array.U64, array.F32, array.F64:
			return fmt.Sprintf("atomicAdd(%s, %s)", address, value)
		case array.I64:
			return fmt.Sprintf("(long long)atomicAdd(reinterpret_cast<unsigned long long*>(%s), (unsigned long long)%s)", address, value)
		}
	case ir.MaxOf, ir.MinOf:
		name := map[ir.Combine]string{ir.MaxOf: "atomicMax", ir.MinOf: "atomicMin"}[op.Combine]
		switch t {
		case array.I32, array.U32, array.I64, array.U64:
			return fmt.Sprintf("%s(%s, %s)", name, address, value)
		}
	case ir.OrOf, ir.AndOf, ir.XorOf:
		name := map[ir.Combine]string{ir.OrOf: "atomicOr", ir.AndOf: "atomicAnd", ir.XorOf: "atomicXor"}[op.Combine]
		switch t {
		case array.I32, array.U32, array.U64:
			return fmt.Sprintf("%s(%s, %s)", name, address, value)
		case array.I64:
			return fmt.Sprintf("(long long)%s(reinterpret_cast<unsigned long long*>(%s), (unsigned long long)%s)", name, address, value)
		}
	case ir.Exchange:
		switch t {
		case array.I32, array.U32, array.U64, array.F32:
			return fmt.Sprintf("atomicExch(%s, %s)", address, value)
		case array.I64:
			return fmt.Sprintf("(long long)atomicExch(reinterpret_cast<unsigned long long*>(%s), (unsigned long long)%s)", address, value)
		}
	}
	// the rest by compare-and-swap of the word that holds the element
	arithmetic := array.F32
	if t == array.F64 || t.IsInt() {
		arithmetic = t
	}
	combine := "value"
	if op.Combine != ir.Exchange {
		combine = k.combine(op.Combine, arithmetic, "old", "value")
	}
	old, new := "old_bits", combine
	decode := fmt.Sprintf("const %s old = %s;", cTypes[arithmetic], k.arithmeticOf(t, arithmetic, old))
	encode := new
	if arithmetic != t {
		encode = k.floatCast(arithmetic, t, new)
	}
	operandValue := value
	if arithmetic != t {
		operandValue = k.floatCast(t, arithmetic, value)
	}
	return fmt.Sprintf("%s(%s, [&](%s old_bits) { const %s value = %s; %s return %s; })",
		"atomic_update", address, cTypes[t], cTypes[arithmetic], operandValue, decode, encode)
}

func (k *kernel) arithmeticOf(t, arithmetic ir.DType, x string) string {
	if t == arithmetic {
		return x
	}
	return k.floatCast(t, arithmetic, x)
}

// scan prints an inclusive scan: each thread walks along whole lines.
func (k *kernel) scan(op *ir.Op) {
	p := k.startPoints(op)
	p.v = 1
	t := op.Dst.Buf.Elem
	n := op.Dom[op.Axis].Extent.Int
	l := op.Layout
	lines := 1
	for d, o := range l.Out {
		if d != op.Axis {
			lines *= o.Size
		}
	}
	threads := k.f.Warps * 32
	first := copies(l)
	at := &env{vars: map[*ir.Var]string{}}
	line := k.names.Take("line")
	rest := line
	for d := len(op.Dom) - 1; d >= 0; d-- {
		if d == op.Axis {
			continue
		}
		ext := op.Dom[d].Extent.Int
		at.vars[op.Dom[d].Var] = fmt.Sprintf("%s %% %d", operand(rest), ext)
		rest = fmt.Sprintf("(%s / %d)", operand(rest), ext)
	}
	total := int64(1)
	for d, it := range op.Dom {
		if d != op.Axis {
			total *= it.Extent.Int
		}
	}
	_, _ = first, lines
	step := k.names.Take("at")
	at.vars[op.Dom[op.Axis].Var] = step
	arithmetic := t
	if t.IsFloat() && t.Bits() < 32 {
		arithmetic = array.F32
	}
	k.w.Open("for (int %s = threadIdx.x; %s < %d; %s += %d)", line, line, total, line, threads)
	k.w.Line("%s sum = %s;", cTypes[arithmetic], k.identity(op.Combine, arithmetic))
	k.w.Open("for (int %s = 0; %s < %d; ++%s)", step, step, n, step)
	k.w.Line("sum = %s;", k.combine(op.Combine, arithmetic, "sum", k.arithmeticOf(op.Src[0].Buf.Elem, arithmetic, k.load(op.Src[0], at))))
	v := "sum"
	if arithmetic != t {
		v = k.floatCast(arithmetic, t, v)
	}
	k.w.Line("%s = %s;", k.element(op.Dst, at), v)
	k.w.Close("")
	k.w.Close("")
}

// printf prints values once a grid instance.
func (k *kernel) printf(op *ir.Op) {
	format, args := codegen.Message(op, func(x *ir.Expr) (verb, arg string) {
		value := operand(k.toArithmetic(x.Type, k.expr(x, nil)))
		if x.Type.IsFloat() {
			return "%g", "(double)" + value
		}
		return "%lld", "(long long)" + value
	})
	k.w.Line("if (threadIdx.x == 0) printf(\"%s\\n\"%s);", format, args)
}

// assert stops the kernel where a condition is false.
func (k *kernel) assert(op *ir.Op) {
	text := "assertion failed"
	if len(op.Text) > 0 {
		text = op.Text[0]
	}
	fail := fmt.Sprintf("{ printf(\"%s\\n\"); __trap(); }", codegen.Escaped(text))
	if len(op.Dom) == 0 || op.Layout == nil {
		k.w.Line("if (!%s) %s", operand(k.expr(op.X[0], nil)), fail)
		return
	}
	p := k.startPoints(op)
	p.v = 1
	p.open()
	at := p.loadAhead()("0")
	cond := "!" + operand(k.expr(op.X[0], at))
	if p.where != nil {
		cond = fmt.Sprintf("%s && %s", k.expr(p.where, at), cond)
	}
	k.w.Line("if (%s) %s", cond, fail)
	p.close()
}
