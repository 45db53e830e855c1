package ascend

import (
	"fmt"
	"strings"

	"tilec/codegen"
	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/ir/machine"
	"tilec/runtime/array"
)

// kernel is one kernel function being printed.
type kernel struct {
	f       *ir.Func
	m       *machine.Machine
	entry   string
	w       *codegen.Writer
	names   *codegen.Symbols
	gms     map[*ir.Buffer]string // the GlobalTensor of a tensor
	helpers map[string]bool
	cube    bool // it runs on the cube core
	uses    aicore.Uses
	mixed   *ir.Op // the programs of both cores, if there are two
	rings   []*ir.Buffer
	// workspace is the bytes of the rings of a group of cores.
	workspace int64
	// products are those that add to each tile of sums.
	products map[*ir.Buffer]*ir.Op
}

// Emit prints a kernel, scheduled for m.
func Emit(f *ir.Func, m *machine.Machine, file string) *codegen.Unit {
	entry := dialect().Entry(f.Name)
	k := &kernel{f: f, m: m, entry: entry, w: &codegen.Writer{}, names: dialect().Symbols(entry), gms: map[*ir.Buffer]string{}, helpers: map[string]bool{}}
	k.uses = aicore.UsesOf(f)
	k.cube = len(k.uses) > 0
	k.products = map[*ir.Buffer]*ir.Op{}
	f.Body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpCores {
			k.mixed = op
		}
		if op.Code == ir.OpAlloc && op.Buf.Space == ir.Global {
			k.rings = append(k.rings, op.Buf)
			k.workspace += aicore.Bytes(op.Buf)
		}
		if op.Code == ir.OpContract && (k.products[op.Dst.Buf] == nil || op.Where != nil) {
			k.products[op.Dst.Buf] = op
		}
	})
	body := k.print()
	w := &codegen.Writer{}
	k.head(w, file)
	w.Line("#include \"kernel_operator.h\"")
	w.Line("")
	w.Line("using namespace AscendC;")
	for _, h := range helpers {
		if k.helpers[h.name] {
			w.Line("")
			w.Raw(h.text)
		}
	}
	w.Line("")
	w.Raw(body)
	return &codegen.Unit{Text: w.String(), Entries: []codegen.Entry{{Name: k.entry, Func: f, Params: k.names.Params(f, array.I64), Threads: 1, Workspace: k.workspace}}}
}

func (k *kernel) varName(v *ir.Var) string { return k.names.Var(v) }

func (k *kernel) bufName(b *ir.Buffer) string { return k.names.Buf(b) }

// print returns the text of the kernel function.
func (k *kernel) print() string {
	var list []string
	for _, p := range k.names.Params(k.f, array.I64) {
		if p.Tensor != nil {
			list = append(list, "GM_ADDR "+p.Name)
		} else {
			list = append(list, cTypes[p.Type]+" "+p.Name)
		}
	}
	if k.workspace > 0 {
		list = append(list, "GM_ADDR workspace")
	}
	w := k.w
	w.Doc(k.f.Doc)
	w.Open("extern \"C\" __global__ __aicore__ void %s(%s)", k.entry, strings.Join(list, ", "))
	w.Line("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_%s);", k.task())
	w.Line("InitSocState();")
	for _, t := range k.f.Tensors() {
		k.gms[t] = k.names.Take(k.bufName(t) + "Gm")
		typ := memoryType(t.Elem)
		w.Line("GlobalTensor<%s> %s;", typ, k.gms[t])
		w.Line("%s.SetGlobalBuffer(reinterpret_cast<__gm__ %s*>(%s)%s);", k.gms[t], typ, k.bufName(t), k.extent(t))
	}
	if k.mixed != nil {
		w.Line("const int64_t %s = GetBlockIdx() / GetSubBlockNum();", k.varName(k.f.Grid[0].Var))
	}
	for _, b := range k.rings {
		k.gms[b] = k.bufName(b)
		elems := ir.Int(1)
		for _, e := range b.Shape {
			elems = ir.Int(elems.Int * e.Int)
		}
		typ := memoryType(b.Elem)
		w.Line("GlobalTensor<%s> %s; // %d tiles on their way between the cores", typ, k.gms[b], b.Extent(0))
		w.Line("%s.SetGlobalBuffer(reinterpret_cast<__gm__ %s*>(workspace + %s * %d + %d), %d);", k.gms[b], typ, k.varName(k.f.Grid[0].Var), k.workspace, b.Offset, elems.Int)
	}
	k.block(k.f.Body)
	w.Line("PipeBarrier<PIPE_ALL>();")
	w.Close("")
	return w.String()
}

// task is which cores run the kernel.
func (k *kernel) task() string {
	switch {
	case k.mixed != nil:
		return "MIX_AIC_1_2"
	case k.cube:
		return "AIC_ONLY"
	}
	return "AIV_ONLY"
}

// extent spells the elements of a tensor, for SetGlobalBuffer; a strided one has no plain number of them.
func (k *kernel) extent(t *ir.Buffer) string {
	if t.Strides != nil {
		return ""
	}
	n := ir.Int(1)
	if len(t.Shape) > 0 {
		n = ir.Times(aicore.StrideOf(t, 0), t.Shape[0])
		if t.Elem.Bits() < 8 && len(t.Shape) == 1 {
			n = t.Shape[0]
		}
	}
	text := codegen.Top(k.expr(n, nil))
	if t.Elem.Bits() < 8 {
		text = fmt.Sprintf("(%s + 1) / 2", text)
	}
	return ", " + text
}

func (k *kernel) block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		switch op.Code {
		case ir.OpSetFlag, ir.OpWaitFlag, ir.OpPipeBarrier, ir.OpAlloc, ir.OpCores:
		default:
			k.w.Source(op.Span)
		}
		k.op(op)
	}
}

func (k *kernel) op(op *ir.Op) {
	w := k.w
	switch op.Code {
	case ir.OpAlloc:
		if op.Buf.Space != ir.Global {
			k.declare(op.Buf)
		}
	case ir.OpCores:
		w.Open("if ASCEND_IS_AIC")
		k.block(op.Body)
		w.Close("")
		w.Open("if ASCEND_IS_AIV")
		w.Line("const int64_t %s = GetSubBlockIdx();", k.varName(op.Var))
		k.block(op.Else)
		w.Close("")
	case ir.OpCrossSet:
		w.Line("CrossCoreSetFlag<2, PIPE_%s>(%s);", eventNames[op.Pipe], codegen.Top(k.expr(op.X[0], nil)))
	case ir.OpCrossWait:
		w.Line("CrossCoreWaitFlag(%s);", codegen.Top(k.expr(op.X[0], nil)))
	case ir.OpLet:
		w.Line("const %s %s = %s;", cTypes[op.Var.Type], k.varName(op.Var), codegen.Top(k.expr(op.X[0], nil)))
	case ir.OpVar:
		w.Line("%s %s = %s;", cTypes[op.Var.Type], k.varName(op.Var), codegen.Top(k.expr(op.X[0], nil)))
	case ir.OpAssign:
		w.Line("%s = %s;", k.varName(op.Var), codegen.Top(k.expr(op.X[0], nil)))
	case ir.OpFor:
		k.loop(op)
	case ir.OpWhile:
		w.Open("while (%s)", codegen.Top(k.expr(op.X[0], nil)))
		k.block(op.Body)
		w.Close("")
	case ir.OpIf:
		w.Open("if (%s)", codegen.Top(k.expr(op.X[0], nil)))
		k.block(op.Body)
		if op.Else != nil && len(op.Else.Ops) > 0 {
			w.Else()
			k.block(op.Else)
		}
		w.Close("")
	case ir.OpCopy, ir.OpMap:
		k.move(op)
	case ir.OpContract:
		k.multiply(op)
	case ir.OpAtomic:
		k.atomic(op)
	case ir.OpReduce:
		k.reduce(op)
	case ir.OpScan:
		k.scan(op)
	case ir.OpPrint:
		k.message(op)
	case ir.OpAssert:
		k.assertion(op)
	case ir.OpSetFlag:
		w.Line("SetFlag<HardEvent::%s_%s>(%s);", eventNames[op.Pipe], eventNames[op.To], codegen.Top(k.expr(op.X[0], nil)))
	case ir.OpWaitFlag:
		w.Line("WaitFlag<HardEvent::%s_%s>(%s);", eventNames[op.Pipe], eventNames[op.To], codegen.Top(k.expr(op.X[0], nil)))
	case ir.OpPipeBarrier:
		w.Line("PipeBarrier<PIPE_%s>();", eventNames[op.Pipe])
	default:
		ir.Bugf("no Ascend C spelling of operation %s", op.Code)
	}
}

var eventNames = map[ir.Pipe]string{ir.PipeS: "S", ir.PipeV: "V", ir.PipeM: "M", ir.PipeMTE1: "MTE1", ir.PipeMTE2: "MTE2", ir.PipeMTE3: "MTE3", ir.PipeFix: "FIX", ir.PipeAll: "ALL"}

func (k *kernel) loop(op *ir.Op) {
	v := k.varName(op.Var)
	step := "++" + v
	switch {
	case op.X[0].Op == ir.Ref && op.X[0].Var.Kind == ir.GridVar:
		step = v + " += GetBlockNum()" // every launch does all instances, whatever its number of blocks
	case !op.X[2].IsInt(1):
		step = fmt.Sprintf("%s += %s", v, codegen.Top(k.expr(op.X[2], nil)))
	}
	k.w.Open("for (int64_t %s = %s; %s < %s; %s)", v, codegen.Top(k.expr(op.X[0], nil)), v, codegen.Within(codegen.ShiftLevel, k.expr(op.X[1], nil)), step)
	k.block(op.Body)
	k.w.Close("")
}

// move prints a map or copy.
func (k *kernel) move(op *ir.Op) {
	switch op.Pipe {
	case ir.PipeS:
		k.scalarLoop(op)
		return
	case ir.PipeMTE1:
		k.feed(op)
		return
	case ir.PipeFix:
		k.fixpipe(op)
		return
	case ir.PipeMTE2, ir.PipeMTE3:
		switch {
		case op.Dst.Buf.Space == ir.L1 && op.Code == ir.OpMap:
			k.zeros(op.Dst, 32)
			return
		case op.Dst.Buf.Space == ir.L1:
			k.toL1(op)
			return
		}
		c, ok := aicore.CopyOf(op)
		if !ok {
			ir.Bugf("no copy of the machine does %s", op.Header())
		}
		k.copy(op, &c)
		return
	}
	v, ok := aicore.VectorOf(op)
	if !ok {
		ir.Bugf("no instruction of the vector unit does %s", op.Header())
	}
	k.vector(op, &v)
}

var atomics = map[ir.Combine]string{ir.Sum: "SetAtomicAdd", ir.MaxOf: "SetAtomicMax", ir.MinOf: "SetAtomicMin"}

// atomic prints a copy to global memory that combines.
func (k *kernel) atomic(op *ir.Op) {
	c, ok := aicore.CopyOf(op)
	if !ok {
		ir.Bugf("no copy of the machine does %s", op.Header())
	}
	k.w.Line("%s<%s>();", atomics[op.Combine], localType(op.Dst.Buf.Elem))
	k.copy(op, &c)
	k.w.Line("SetAtomicNone();")
}

var positions = map[ir.Space]string{ir.UB: "VECCALC", ir.L1: "A1", ir.L0A: "A2", ir.L0B: "B2", ir.L0C: "CO1", ir.BT: "C2"}

// declare prints a tile: a tensor at its planned address.
func (k *kernel) declare(b *ir.Buffer) {
	var ext []string
	for _, e := range b.Extents() {
		ext = append(ext, fmt.Sprint(e))
	}
	elems := aicore.Bytes(b) * 8 / int64(b.Elem.Bits())
	k.w.Line("LocalTensor<%s> %s(TPosition::%s, %d, %d); // %s[%s]", localType(b.Elem), k.bufName(b), positions[b.Space], b.Offset, elems, b.Elem, strings.Join(ext, ", "))
}

// head documents the file.
func (k *kernel) head(w *codegen.Writer, file string) {
	f := k.f
	w.Line("// Kernel `%s` of %s for %s, made by tilec. Do not edit.", f.Name, file, k.m.Name)
	var generics, tunes []string
	for _, b := range f.Config {
		s := b.Name + " = " + b.Value
		if b.Tune {
			tunes = append(tunes, s)
		} else {
			generics = append(generics, s)
		}
	}
	if len(generics) > 0 {
		w.Line("// Generics: %s.", strings.Join(generics, ", "))
	}
	if len(tunes) > 0 {
		w.Line("// Tuned: %s.", strings.Join(tunes, ", "))
	}
	w.Line("//")
	var counts []string
	for _, g := range f.Grid {
		counts = append(counts, g.Extent.String())
	}
	kind := "vector cores"
	workspace := "No workspace."
	switch {
	case k.mixed != nil:
		kind = "groups of a cube core and two vector cores"
		workspace = fmt.Sprintf("Workspace: %d bytes for each block.", k.workspace)
	case k.cube:
		kind = "cube cores"
	}
	w.Line("// Launch: %s blocks, %s; nothing if that is 0. %s", strings.Join(counts, " x "), kind, workspace)
	w.Line("")
}
