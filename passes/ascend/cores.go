package ascend

import (
	"tilec/ir"
	"tilec/passes"
)

// cores makes the grid one of cores: as many as there are instances, at most those of the machine, each of which runs every so many-th
// instance. Instances have a grid's indices as they come one after another, or panel by panel.
func cores(ctx *passes.Context, f *ir.Func) error {
	f.Machine = ctx.Machine.Name
	count := ctx.Machine.Cores.Vector
	if usesCube(f) {
		count = ctx.Machine.Cores.Cube
	}
	total := ir.Int(1)
	for _, g := range f.Grid {
		total = ir.Times(total, g.Extent)
	}
	body := &ir.Block{}
	used := ir.Bin(ir.Min, total, ir.Int(int64(count)))
	core := &ir.Var{Name: "core", Type: ir.Index, Kind: ir.GridVar, Span: f.Span}
	inst := &ir.Var{Name: "instance", Type: ir.Index, Kind: ir.LoopVar, Span: f.Span}
	body.Ops = append(indices(f, inst), f.Body.Ops...)
	loop := &ir.Op{Code: ir.OpFor, Var: inst, X: []*ir.Expr{ir.RefTo(core), total, used}, Body: body, Span: f.Span}
	f.Body = &ir.Block{Ops: []*ir.Op{loop}}
	f.Grid = []ir.Iter{{Var: core, Extent: used}}
	f.Persistent, f.Panel = false, 0
	return nil
}

// indices defines the grid's indices from the number of an instance.
func indices(f *ir.Func, inst *ir.Var) []*ir.Op {
	var ops []*ir.Op
	let := func(v *ir.Var, x *ir.Expr) {
		v.Kind = ir.LetVar
		ops = append(ops, &ir.Op{Code: ir.OpLet, Var: v, X: []*ir.Expr{x}, Span: f.Span})
	}
	temp := func(name string, x *ir.Expr) *ir.Expr {
		v := &ir.Var{Name: name, Type: ir.Index, Span: f.Span}
		let(v, x)
		return ir.RefTo(v)
	}
	rest := ir.RefTo(inst)
	grid := f.Grid
	if f.Panel > 0 && len(grid) >= 2 {
		// panels of rows of the second index, in which that index runs first
		nx, ny := grid[0].Extent, grid[1].Extent
		plane := temp("plane", ir.Bin(ir.Mod, rest, ir.Times(nx, ny)))
		rest = ir.Bin(ir.Div, rest, ir.Times(nx, ny))
		size := ir.Times(nx, ir.Int(int64(f.Panel)))
		panel := temp("panel", ir.Bin(ir.Div, plane, size))
		first := ir.Times(panel, ir.Int(int64(f.Panel)))
		rows := temp("panel_rows", ir.Bin(ir.Min, ir.Int(int64(f.Panel)), ir.Bin(ir.Sub, ny, first)))
		within := temp("within", ir.Bin(ir.Mod, plane, size))
		let(grid[0].Var, ir.Bin(ir.Div, within, rows))
		let(grid[1].Var, ir.Bin(ir.Add, first, ir.Bin(ir.Mod, within, rows)))
		if grid = grid[2:]; len(grid) > 0 {
			rest = temp("rest", rest)
		}
	}
	for i, g := range grid {
		if i == len(grid)-1 {
			let(g.Var, rest)
			break
		}
		let(g.Var, ir.Bin(ir.Mod, rest, g.Extent))
		rest = ir.Bin(ir.Div, rest, g.Extent)
		if i+2 < len(grid) {
			rest = temp("rest", rest)
		}
	}
	return ops
}

func usesCube(f *ir.Func) bool {
	found := false
	f.Body.Walk(func(op *ir.Op) { found = found || op.Code == ir.OpContract })
	return found
}
