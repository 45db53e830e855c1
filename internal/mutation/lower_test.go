package mutation

// lowering are faults in what the program is lowered to, and in what is known about its scalars.
var lowering = []fault{
	{
		name: "any product is taken to be below the extent",
		file: "lang/lower/bounds.go",
		old:  `f.below[x.Var] != nil && same(f.below[x.Var], ceilDiv(limit, n))`,
		new:  `f.below[x.Var] != nil && (FAULT || same(f.below[x.Var], ceilDiv(limit, n)))`,
		on:   cuda("other_extent shorter"),
	},
	{
		name: "no index is taken to be negative",
		file: "lang/lower/bounds.go",
		old:  `{ return f.of(e).lo >= 0 }`,
		new:  `{ return FAULT || f.of(e).lo >= 0 }`,
		on:   cuda("depthwise2d edge"),
	},
	{
		name: "what lies outside takes part in a maximum",
		file: "lang/lower/reduce.go",
		old:  "\tif neutralEdge(r) {",
		new:  "\tif FAULT || neutralEdge(r) {",
		on:   cuda("negative_max odd"),
	},
	{
		name: "sums don't add to what is there",
		file: "lang/lower/reduce.go",
		old:  `Combine: r.combine, Accumulate: t.op != ast.Set,`,
		new:  `Combine: r.combine, Accumulate: t.op != ast.Set && !(FAULT),`,
		on:   cuda("added_up odd"),
	},
	{
		name: "what stands for elements outside of a copy is forgotten",
		file: "lang/lower/copy.go",
		old:  `!isZero(v) {`,
		new:  `!isZero(v) && !(FAULT) {`,
		on:   cuda("edge_value odd"),
	},
	{
		name: "a product takes an operand the other way round",
		file: "lang/lower/copy.go",
		old:  "\tif transposed {",
		new:  "\tif transposed != (FAULT) {",
		on:   cuda("gemm_orders odd"),
	},
}
