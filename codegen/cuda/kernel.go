package cuda

import (
	"fmt"
	"strings"
	"sync"

	"tilec/codegen"
	"tilec/ir"
	"tilec/ir/machine"
	"tilec/runtime/array"
)

// kernel is one entry function being printed.
type kernel struct {
	f     *ir.Func
	m     *machine.Machine
	entry string
	// narrow: dimensions and extents are below 2^30, so that indices fit 32 bits.
	narrow  bool
	w       *codegen.Writer // the body
	top     *codegen.Writer // what is computed once, before it
	tops    map[string]string
	parts   map[part]string // what threads add to coordinates
	names   *codegen.Symbols
	shared  map[*ir.Buffer]bool
	streams map[*ir.Op]*stream
	shareds map[*ir.Expr]*divisor // divisions of the operation being printed
	words   int                   // registers that tiles take at once
	r       *ranges
	align   *ir.Alignment
}

// Param, Entry and Unit are those of package codegen.
type (
	Param = codegen.Param
	Entry = codegen.Entry
	Unit  = codegen.Unit
)

// Emit prints the variants of one kernel, scheduled for m, fastest first.
func Emit(variants []*ir.Func, m *machine.Machine, file string) *Unit {
	u := &Unit{Entries: make([]Entry, len(variants))}
	bodies := make([]string, len(variants))
	each(len(variants), func(i int) {
		f := variants[i]
		entry := dialect().Entry(f.Name)
		if i > 0 {
			entry += "_any"
		}
		k := &kernel{
			f: f, m: m, entry: entry, narrow: i == 0 && len(variants) > 1,
			w: &codegen.Writer{}, top: &codegen.Writer{}, tops: map[string]string{}, parts: map[part]string{}, names: dialect().Symbols(entry),
			shared: map[*ir.Buffer]bool{}, streams: map[*ir.Op]*stream{}, words: ir.RegisterWords(f), shareds: map[*ir.Expr]*divisor{},
			align: ir.AlignmentOf(f),
		}
		k.r = newRanges(f, k.narrow)
		bodies[i] = k.print()
		u.Entries[i] = k.describe()
	})
	w := &codegen.Writer{}
	helpers := prelude(bodies)
	size := 1<<10 + len(helpers)
	for _, b := range bodies {
		size += len(b) + 1
	}
	w.Grow(size)
	head(w, u, m, file)
	w.Raw(helpers)
	for _, b := range bodies {
		w.Line("")
		w.Raw(b)
	}
	u.Text = w.String()
	return u
}

// each calls f for 0 … n-1 at the same time; a panic of one is the caller's.
func each(n int, f func(i int)) {
	panics := make([]any, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			defer func() { panics[i] = recover() }()
			f(i)
		})
	}
	wg.Wait()
	for _, r := range panics {
		if r != nil {
			panic(r)
		}
	}
}

func (k *kernel) describe() Entry {
	return Entry{Name: k.entry, Func: k.f, Threads: k.f.Warps * 32, Shared: k.f.SharedBytes, Narrow: k.narrow, Params: k.names.Params(k.f, k.dim())}
}

// dim is the type that dimensions are passed in.
func (k *kernel) dim() ir.DType {
	if k.narrow {
		return array.I32
	}
	return array.I64
}

func (k *kernel) varName(v *ir.Var) string { return k.names.Var(v) }

func (k *kernel) bufName(b *ir.Buffer) string { return k.names.Buf(b) }

// print returns the text of the entry function.
func (k *kernel) print() string {
	params := k.names.Params(k.f, k.dim())
	restrict := " __restrict__"
	if mixesReads(k.f) {
		restrict = ""
	}
	var list []string
	for _, p := range params {
		switch {
		case p.Tensor == nil:
			list = append(list, cTypes[p.Type]+" "+p.Name)
		case p.Tensor.Kind == ir.In:
			list = append(list, fmt.Sprintf("const %s*%s %s", memoryType(p.Tensor.Elem), restrict, p.Name))
		default:
			list = append(list, fmt.Sprintf("%s* __restrict__ %s", memoryType(p.Tensor.Elem), p.Name))
		}
	}
	sharedName := "smem"
	k.top.Open("") // the function's indentation
	k.w = k.top.Indented()
	top := k.top
	k.top = top.Indented()
	k.top.Line("const int lane = threadIdx.x & %d;", k.m.Limits.WarpSize-1)
	k.top.Line("const int warp = threadIdx.x / %d;", k.m.Limits.WarpSize)
	if k.f.SharedBytes > 0 {
		k.top.Line("extern __shared__ __align__(128) unsigned char %s[];", sharedName)
	}
	k.grid(func() { k.block(k.f.Body) })

	out := &codegen.Writer{}
	out.Grow(1<<10 + k.top.Len() + k.w.Len())
	out.Doc(k.f.Doc)
	out.Line("extern \"C\" __global__ void __launch_bounds__(%d, 1)", k.f.Warps*32)
	out.Open("%s(%s)", k.entry, strings.Join(list, ", "))
	out.Raw(k.top.String())
	out.Raw(k.w.String())
	out.Close("")
	return out.String()
}

// grid prints the grid's indices and, for a persistent grid, the loop over them.
func (k *kernel) grid(body func()) {
	f := k.f
	w := k.w
	index := "blockIdx.x"
	typ := "int"
	total := []string{}
	for _, g := range f.Grid {
		total = append(total, k.expr(g.Extent, nil))
	}
	if f.Persistent {
		t := strings.Join(total, " * (long long)")
		w.Open("for (long long grid_index = blockIdx.x; grid_index < (long long)%s; grid_index += gridDim.x)", t)
		index, typ = "grid_index", "long long"
	}
	if len(f.Grid) == 1 {
		w.Line("const %s %s = %s;", k.scalarType(f.Grid[0].Var), k.varName(f.Grid[0].Var), index)
	} else if len(f.Grid) > 1 {
		k.splitIndex(index, typ)
	}
	body()
	if f.Persistent {
		if f.SharedBytes > 0 {
			w.Line("__syncthreads();")
		}
		w.Close("")
	}
}

// splitIndex prints the decomposition of a linear block index into grid indices.
func (k *kernel) splitIndex(index, typ string) {
	f, w := k.f, k.w
	if typ == "int" {
		index = "(int)" + index
	}
	rest := k.names.Take("rest")
	w.Line("%s %s = %s;", typ, rest, index)
	start := 0
	if f.Panel > 0 {
		// panels of Panel rows of the second index; within one, that index runs first
		x, y := f.Grid[0], f.Grid[1]
		nx, ny := k.expr(x.Extent, nil), k.expr(y.Extent, nil)
		size, panel, rows := k.names.Take("panel_size"), k.names.Take("panel"), k.names.Take("panel_rows")
		plane := k.names.Take("plane")
		w.Line("const %s %s = %s %% (%s * %s);", typ, plane, rest, nx, ny)
		w.Line("%s /= %s * %s;", rest, nx, ny)
		w.Line("const %s %s = %d * %s;", typ, size, f.Panel, nx)
		w.Line("const %s %s = %s / %s;", typ, panel, plane, size)
		w.Line("const %s %s = min((%s)%d, (%s)(%s - %s * %d));", typ, rows, typ, f.Panel, typ, ny, panel, f.Panel)
		w.Line("const %s %s = %s %% %s / %s;", k.scalarType(x.Var), k.varName(x.Var), plane, size, rows)
		w.Line("const %s %s = %s * %d + %s %% %s %% %s;", k.scalarType(y.Var), k.varName(y.Var), panel, f.Panel, plane, size, rows)
		start = 2
	}
	for i := start; i < len(f.Grid); i++ {
		g := f.Grid[i]
		if i == len(f.Grid)-1 {
			w.Line("const %s %s = %s;", k.scalarType(g.Var), k.varName(g.Var), rest)
			break
		}
		n := k.expr(g.Extent, nil)
		w.Line("const %s %s = %s %% %s;", k.scalarType(g.Var), k.varName(g.Var), rest, operand(n))
		w.Line("%s /= %s;", rest, top(n))
	}
}

func (k *kernel) block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, op := range b.Ops {
		switch op.Code {
		case ir.OpLet, ir.OpVar, ir.OpAssign, ir.OpCommit, ir.OpWait, ir.OpBarrier:
			k.w.SourceOnce(op.Span)
		case ir.OpAlloc:
			if op.Buf.Space == ir.Register { // a shared tile is declared at the top
				k.w.Source(op.Span)
			}
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
		if op.Buf.Space == ir.Register {
			k.declare(op.Buf)
		} else {
			k.useShared(op.Buf)
		}
	case ir.OpLet:
		w.Line("const %s %s = %s;", k.scalarType(op.Var), k.varName(op.Var), top(k.expr(op.X[0], nil)))
	case ir.OpVar:
		w.Line("%s %s = %s;", k.scalarType(op.Var), k.varName(op.Var), top(k.expr(op.X[0], nil)))
	case ir.OpAssign:
		if togglesBit(op) && k.r.of(ir.RefTo(op.Var)) == (span{0, 1}) {
			w.Line("%s ^= 1;", k.varName(op.Var))
			return
		}
		w.Line("%s = %s;", k.varName(op.Var), top(k.expr(op.X[0], nil)))
	case ir.OpFor:
		v := k.varName(op.Var)
		step := "++" + v
		if !op.X[2].IsInt(1) {
			step = fmt.Sprintf("%s += %s", v, k.expr(op.X[2], nil))
		}
		streams := k.openStreams(op)
		if op.Loop == ir.Unroll {
			w.Line("#pragma unroll")
		} else {
			w.Line("#pragma unroll 1")
		}
		w.Open("for (%s %s = %s; %s < %s; %s)", k.scalarType(op.Var), v, top(k.expr(op.X[0], nil)), v, within(shiftLevel, k.expr(op.X[1], nil)), step)
		k.block(op.Body)
		k.advanceStreams(streams)
		w.Close("")
	case ir.OpWhile:
		w.Open("while (%s)", top(k.expr(op.X[0], nil)))
		k.block(op.Body)
		w.Close("")
	case ir.OpIf:
		w.Open("if (%s)", top(k.expr(op.X[0], nil)))
		k.block(op.Body)
		if op.Else != nil && len(op.Else.Ops) > 0 {
			w.Else()
			k.block(op.Else)
		}
		w.Close("")
	case ir.OpCopy:
		if op.Async {
			k.asyncCopy(op)
		} else {
			k.elementwise(op)
		}
	case ir.OpMap:
		k.elementwise(op)
	case ir.OpReduce:
		k.reduce(op)
	case ir.OpJoin:
		k.join(op)
	case ir.OpContract:
		k.contract(op)
	case ir.OpScan:
		k.scan(op)
	case ir.OpAtomic:
		k.atomic(op)
	case ir.OpPrint:
		k.printf(op)
	case ir.OpAssert:
		k.assert(op)
	case ir.OpCommit:
		w.Line("%s();", "cp_async_commit")
	case ir.OpWait:
		w.Line("%s<%d>();", "cp_async_wait", op.N)
	case ir.OpBarrier:
		w.Line("__syncthreads();")
	default:
		ir.Bugf("no CUDA spelling of operation %s", op.Code)
	}
}

// togglesBit reports an assignment that moves a variable on in a ring of two.
func togglesBit(op *ir.Op) bool {
	x := op.X[0]
	if x.Op != ir.Select || x.Args[0].Op != ir.Eq || !x.Args[0].Args[1].IsInt(2) || !x.Args[1].IsInt(0) {
		return false
	}
	next := x.Args[2]
	return next.Op == ir.Add && next.Args[0].Op == ir.Ref && next.Args[0].Var == op.Var && next.Args[1].IsInt(1)
}

// useShared declares the pointer to a shared tile at the top of the kernel.
func (k *kernel) useShared(b *ir.Buffer) {
	if k.shared[b] {
		return
	}
	k.shared[b] = true
	k.top.Line("%s* const %s = reinterpret_cast<%s*>(%s);%s", memoryType(b.Elem), k.bufName(b), memoryType(b.Elem), top(plus("smem", int(b.Offset))), tileComment(b))
}

// sharedBase spells the 32-bit shared-window address of a tile.
func (k *kernel) sharedBase(b *ir.Buffer) string {
	k.useShared(b)
	return k.topValue("unsigned", fmt.Sprintf("%s(%s)", "shared_address", k.bufName(b)), b.Name+"_base")
}

// head documents the file: where it comes from and how to launch it.
func head(w *codegen.Writer, u *Unit, m *machine.Machine, file string) {
	f := u.Entries[0].Func
	w.Line("// Kernel `%s` of %s for %s, made by tilec. Do not edit.", f.Name, file, m.Name)
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
	w.Line("// Launch: a one-dimensional grid of %s blocks; nothing if that is 0.", gridText(f))
	for _, e := range u.Entries {
		w.Line("//   %s: %d threads, %d bytes of dynamic shared memory%s", e.Name, e.Threads, e.Shared, assumptionText(e))
	}
	w.Line("")
}

func gridText(f *ir.Func) string {
	var parts []string
	for _, g := range f.Grid {
		parts = append(parts, g.Extent.String())
	}
	if len(parts) == 0 {
		return "1"
	}
	t := strings.Join(parts, " x ")
	if f.Persistent {
		return "at most " + t + " (one a multiprocessor is enough)"
	}
	return t
}

func assumptionText(e Entry) string {
	var parts []string
	var ptrs []string
	for _, a := range e.Func.Assumes {
		if a.Tensor != nil {
			ptrs = append(ptrs, a.Tensor.Name)
		} else {
			parts = append(parts, fmt.Sprintf("%s %% %d == 0", a.Multiple.String(), a.Of))
		}
	}
	if len(ptrs) > 0 {
		parts = append(parts, fmt.Sprintf("%s aligned to %d bytes", strings.Join(ptrs, ", "), ir.WidestAccess))
	}
	if e.Narrow {
		parts = append(parts, "every extent at most 2^30")
	}
	if len(parts) == 0 {
		return ""
	}
	return "; needs " + strings.Join(parts, ", ")
}
