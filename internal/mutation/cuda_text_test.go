package mutation

// cudaText are faults in the text for GPUs.
var cudaText = []fault{
	{
		name: "a group of a copy is taken whole or not at all",
		file: "codegen/cuda/async.go",
		old:  `case k.align.UniformGuard(guard, fast, w):`,
		new:  `case FAULT || k.align.UniformGuard(guard, fast, w):`,
		on:   cuda("row_ends i8"),
	},
	{
		name: "pointers don't move on",
		file: "codegen/cuda/async.go",
		old:  `k.w.Line("%s += %s;", s.src, s.step)`,
		new:  "if !(FAULT) {\n\t\t\tk.w.Line(\"%s += %s;\", s.src, s.step)\n\t\t}",
		on:   cuda("deep whole"),
	},
	{
		name: "the bias of a pointer is taken off twice",
		file: "codegen/cuda/async.go",
		old:  `from = fmt.Sprintf("%s - %d", from, s.bias)`,
		new:  `from = fmt.Sprintf("%s - %d", from, s.bias*(1+map[bool]int64{true: 1}[FAULT]))`,
		on:   cuda("short_rows ragged"),
	},
	{
		name: "fragments are read without the swizzle",
		file: "codegen/cuda/contract.go",
		old:  `if sw := swizzleOf(o.b.Layout); sw.Bits > 0 {`,
		new:  `if sw := swizzleOf(o.b.Layout); sw.Bits > 0 && !(FAULT) {`,
		on:   cuda("deep whole"),
	},
	{
		name: "atoms of a pair take each other's columns",
		file: "codegen/cuda/contract.go",
		old:  `k.bufName(c.p.C.Buf), c.nt, c.column(n), a, n)`,
		new:  `k.bufName(c.p.C.Buf), c.nt, c.column(n), a, n^map[bool]int{true: 1}[FAULT && pair > 1])`,
		on:   cuda("gemm_orders odd"),
	},
	{
		name: "the last lane is left out of sums",
		file: "codegen/cuda/reduce.go",
		old:  `k.w.Open("for (int mask = %d; mask <= %d; mask *= 2)", 1<<b, 1<<last)`,
		new:  `k.w.Open("for (int mask = %d; mask <= %d; mask *= 2)", 1<<b, (1<<last)>>map[bool]int{true: 1}[FAULT])`,
		on:   cuda("lanes 48"),
	},
	{
		name: "warps don't wait for each other's sums",
		file: "codegen/cuda/reduce.go",
		old:  `k.w.Line("__syncthreads();")`,
		new:  "if !(FAULT) {\n\t\tk.w.Line(\"__syncthreads();\")\n\t}",
		on:   cuda("absmax 576"),
	},
	{
		name: "the last warp is left out of sums",
		file: "codegen/cuda/reduce.go",
		old:  `k.w.Line("for (int w = 1; w < %d; ++w) %s = %s;", warps, slot`,
		new:  `k.w.Line("for (int w = 1; w < %d; ++w) %s = %s;", warps-map[bool]int{true: 1}[FAULT], slot`,
		on:   cuda("absmax 576"),
	},
	{
		name: "every lane that has a copy adds it",
		file: "codegen/cuda/atomic.go",
		old:  "\tfirst := copies(op.Layout)\n\tif first != \"\" {",
		new:  "\tfirst := copies(op.Layout)\n\tif FAULT {\n\t\tfirst = \"\"\n\t}\n\tif first != \"\" {",
		on:   cuda("counters odd"),
	},
	{
		name: "threads don't wait for the old value of an atomic",
		file: "codegen/cuda/atomic.go",
		old:  "\tk.w.Line(\"__syncthreads();\")\n\tif op.Where != nil {",
		new:  "\tif !(FAULT) {\n\t\tk.w.Line(\"__syncthreads();\")\n\t}\n\tif op.Where != nil {",
		on:   cuda("slots odd"),
	},
	{
		name: "the half of an element of 4 bits is the other one",
		file: "codegen/cuda/memory.go",
		old:  `return fmt.Sprintf("%s{(unsigned char)((%s >> (%s & %d) * %d) & %d)}", cTypes[b.Elem], base, operand(last), 8/b.Elem.Bits()-1,`,
		new:  `return fmt.Sprintf("%s{(unsigned char)((%s >> (%s & %d) * %d) & %d)}", cTypes[b.Elem], base, operand(last+map[bool]string{true: " + 1"}[FAULT]), 8/b.Elem.Bits()-1,`,
		on:   cuda("unpack i4"),
	},
	{
		name: "the rest of k is not multiplied",
		file: "codegen/cuda/fma.go",
		old:  "\tif whole < p.K {",
		new:  "\tif whole < p.K && !(FAULT) {",
		on:   cuda("depth_of_six odd"),
	},
}
