package launcher

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"tilec/codegen"
	"tilec/codegen/cuda"
	"tilec/ir"
	"tilec/runtime/array"
)

// goFunc is one typed function being printed.
type goFunc struct {
	f     *ir.Func // of the first image; the others differ in tunables only
	in    Instance
	name  string
	names *codegen.Names
	exprs *goExprs
	// arrays are the parameters of contiguous tensors, views what the launch works with.
	arrays, views map[*ir.Buffer]string
	// kernels are the variables of each image's entries.
	kernels [][]string
}

// instance prints an instance: its code, its kernels and its function.
func (g *goFile) instance(in Instance, generics bool) error {
	f := in.Images[0].function()
	fn := &goFunc{
		f: f, in: in, name: g.names.Take(in.functionName(generics)), names: &codegen.Names{},
		arrays: map[*ir.Buffer]string{}, views: map[*ir.Buffer]string{},
		exprs: &goExprs{names: map[*ir.Var]string{}, signs: signsOf(f)},
	}
	for _, im := range in.Images {
		if h := im.function(); len(h.Params) != len(f.Params) || len(h.Dims) != len(f.Dims) || len(h.Requires) != len(f.Requires) {
			return fmt.Errorf("the images for %s and %s are not of one kernel", in.Images[0].Arch, im.Arch)
		}
		fn.kernels = append(fn.kernels, g.kernels(fn.name, im))
	}
	fn.names.Reserve(goReserved...)
	for _, vars := range fn.kernels {
		fn.names.Reserve(vars...)
	}
	params := fn.params()
	fn.comment(g.file)
	g.file.Func().Id(fn.name).Params(params...).Error().BlockFunc(fn.body)
	g.file.Line()
	return fn.exprs.err
}

// params names what the function takes, and all that it binds.
func (fn *goFunc) params() []jen.Code {
	params := []jen.Code{jen.Id("ctx").Qual("context", "Context"), jen.Id("on").Qual(launchPackage, "Launcher")}
	for _, p := range fn.f.Params {
		if p.Tensor == nil {
			name := fn.names.Take(p.Scalar.Name)
			fn.exprs.names[p.Scalar] = name
			typ, ok := goTypes[p.Scalar.Type]
			if !ok {
				fn.exprs.unsupported(ir.RefTo(p.Scalar))
			}
			params = append(params, jen.Id(name).Id(typ))
			continue
		}
		name := fn.names.Take(p.Tensor.Name)
		if p.Tensor.Strides != nil {
			params = append(params, jen.Id(name).Qual(operandPackage, "View"))
			fn.views[p.Tensor] = name
			continue
		}
		params = append(params, jen.Id(name).Op("*").Qual(arrayPackage, "Array"))
		fn.arrays[p.Tensor] = name
	}
	for _, d := range fn.f.Dims {
		fn.exprs.names[d.Var] = fn.names.Take(d.Var.Name)
	}
	for _, t := range fn.f.Tensors() {
		if t.Strides == nil {
			fn.views[t] = fn.names.Take("view" + camel(t.Name))
		}
	}
	return params
}

// comment documents the function.
func (fn *goFunc) comment(file *jen.File) {
	doc := strings.TrimSpace(fn.f.Doc)
	if doc == "" {
		doc = "runs kernel " + fn.f.Name + "."
	} else {
		doc = "runs kernel " + fn.f.Name + ": " + doc
	}
	for i, line := range strings.Split(doc, "\n") {
		if i == 0 {
			line = fn.name + " " + line
		}
		file.Comment("// " + line)
	}
	file.Comment("//")
	for _, p := range fn.f.Params {
		if p.Tensor == nil {
			file.Comment(fmt.Sprintf("//   - %s: %s", p.Scalar.Name, p.Scalar.Type))
			continue
		}
		how := map[ir.BufferKind]string{ir.In: "read", ir.Out: "written", ir.InOut: "read and written"}[p.Tensor.Kind]
		file.Comment(fmt.Sprintf("//   - %s: %s%s, %s", p.Tensor.Name, p.Tensor.Elem, shapeText(p.Tensor), how))
	}
	if list := bindings(fn.f, false); list != "" {
		file.Comment("//")
		file.Comment("// Compiled with " + list + ".")
	}
}

// body prints the checks and the launch.
func (fn *goFunc) body(group *jen.Group) {
	f := fn.f
	group.Id("check").Op(":=").Qual(operandPackage, "Check").Call(jen.Lit(f.Name))
	for _, p := range f.Params {
		t := p.Tensor
		switch {
		case t == nil:
		case t.Strides != nil:
			group.Id("check").Dot("View").Call(jen.Lit(t.Name), jen.Id(fn.views[t]), dtype(t.Elem), jen.Lit(len(t.Shape)), jen.True())
		default:
			group.Id(fn.views[t]).Op(":=").Id("check").Dot("Array").Call(jen.Lit(t.Name), jen.Id(fn.arrays[t]), dtype(t.Elem), jen.Lit(len(t.Shape)))
		}
	}
	fn.extents(group)
	for _, pair := range written(f) {
		p, q := pair[0], pair[1]
		group.Id("check").Dot("Apart").Call(jen.Lit(p.Name), jen.Id(fn.views[p]), jen.Lit(q.Name), jen.Id(fn.views[q]))
	}
	if fn.sameRequires() {
		fn.requires(group, 0)
	}
	if len(fn.in.Images) == 1 {
		fn.image(group, 0)
		return
	}
	archs := []jen.Code{jen.Id("on")}
	for _, im := range fn.in.Images {
		archs = append(archs, jen.Lit(im.Arch))
	}
	group.Switch(jen.Qual(operandPackage, "Best").Call(archs...)).BlockFunc(func(group *jen.Group) {
		for i := range fn.in.Images {
			label := jen.Case(jen.Lit(i))
			if i == len(fn.in.Images)-1 {
				label = jen.Default()
			}
			group.Add(label.BlockFunc(func(group *jen.Group) {
				group.Comment(fn.in.Images[i].Arch)
				fn.image(group, i)
			}))
		}
	})
}

// extents binds the dimensions and compares all other extents with them.
func (fn *goFunc) extents(group *jen.Group) {
	type extent struct {
		t    *ir.Buffer
		axis int
	}
	bound := map[extent]bool{}
	for _, d := range fn.f.Dims {
		if d.From == nil {
			fn.exprs.unsupported(ir.RefTo(d.Var))
			continue
		}
		bound[extent{d.From, d.Axis}] = true
		group.Id(fn.exprs.names[d.Var]).Op(":=").Id("check").Dot("Dim").Call(jen.Lit(d.From.Name), jen.Id(fn.views[d.From]), jen.Lit(d.Axis))
	}
	for _, t := range fn.f.Tensors() {
		for axis, e := range t.Shape {
			if !bound[extent{t, axis}] {
				group.Id("check").Dot("Extent").Call(jen.Lit(t.Name), jen.Id(fn.views[t]), jen.Lit(axis), jen.Lit(e.String()), fn.index(e))
			}
		}
	}
}

// index spells an expression as an int64.
func (fn *goFunc) index(e *ir.Expr) *jen.Statement { return fn.exprs.expr(ir.CastTo(ir.Index, e)) }

// sameRequires reports that all images have the same requirements: a tunable may be part of one.
func (fn *goFunc) sameRequires() bool {
	return !slices.ContainsFunc(fn.in.Images, func(im Image) bool {
		return !slices.EqualFunc(im.function().Requires, fn.f.Requires, func(a, b ir.Require) bool {
			return a.Text == b.Text && a.Cond.String() == b.Cond.String()
		})
	})
}

// requires prints the program's conditions as an image has them.
func (fn *goFunc) requires(group *jen.Group, i int) {
	f := fn.in.Images[i].function()
	with := substitution(f, fn.f)
	for _, r := range f.Requires {
		group.Id("check").Dot("Require").Call(fn.exprs.expr(r.Cond.Subst(with)), jen.Lit(r.Text))
	}
}

// image prints the grid of an image and the choice between its entries.
func (fn *goFunc) image(group *jen.Group, i int) {
	im := fn.in.Images[i]
	f := im.function()
	if !fn.sameRequires() {
		fn.requires(group, i)
	}
	with := substitution(f, fn.f)
	method, counts := "Blocks", []jen.Code{}
	if f.Persistent {
		method = "PersistentBlocks"
		counts = append(counts, jen.Qual(operandPackage, "Processors").Call(jen.Id("on")))
	}
	for _, it := range f.Grid {
		counts = append(counts, fn.index(it.Extent.Subst(with)))
	}
	group.Id("blocks").Op(":=").Id("check").Dot(method).Call(counts...)
	group.If(jen.Id("err").Op(":=").Id("check").Dot("Err").Call(), jen.Id("err").Op("!=").Nil()).Block(jen.Return(jen.Id("err")))
	for j := range im.Unit.Entries {
		e := &im.Unit.Entries[j]
		conditions := fn.conditions(e)
		if len(conditions) == 0 {
			fn.launch(group, e, fn.kernels[i][j])
			return
		}
		all := jen.Add(conditions[0])
		for _, c := range conditions[1:] {
			all.Op("&&").Add(c)
		}
		group.If(all).BlockFunc(func(group *jen.Group) { fn.launch(group, e, fn.kernels[i][j]) })
	}
	group.Return(jen.Qual("errors", "New").Call(jen.Lit(fn.f.Name + ": no compiled variant takes these arguments")))
}

// conditions are what an entry assumes. Arrays are aligned by every launcher; views may not be.
func (fn *goFunc) conditions(e *cuda.Entry) []*jen.Statement {
	var list []*jen.Statement
	with := substitution(e.Func, fn.f)
	for _, a := range e.Func.Assumes {
		if t := fn.counterpart(e.Func, a.Tensor); t != nil && t.Strides != nil {
			list = append(list, jen.Id(fn.views[t]).Dot("Aligned").Call(jen.Lit(int(a.Bytes))))
		}
		if a.Multiple != nil {
			rest := ir.Bin(ir.Mod, a.Multiple.Subst(with), ir.Int(a.Of))
			list = append(list, fn.exprs.expr(ir.Bin(ir.Eq, rest, ir.Int(0))))
		}
	}
	if !e.Narrow {
		return list
	}
	narrow := func(x *jen.Statement) { list = append(list, x.Op("<=").Lit(1).Op("<<").Lit(30)) }
	for _, d := range fn.f.Dims {
		narrow(jen.Id(fn.exprs.names[d.Var]))
	}
	for _, t := range fn.f.Tensors() {
		for axis, x := range t.Shape {
			if x.Op != ir.Ref && !x.IsConst() {
				narrow(jen.Id(fn.views[t]).Dot("Shape").Index(jen.Lit(axis)))
			}
		}
	}
	return list
}

// counterpart is the tensor that stands in the place of a variant's.
func (fn *goFunc) counterpart(f *ir.Func, t *ir.Buffer) *ir.Buffer {
	for i, p := range f.Params {
		if t != nil && p.Tensor == t {
			return fn.f.Params[i].Tensor
		}
	}
	return nil
}

// launch prints the launch of an entry.
func (fn *goFunc) launch(group *jen.Group, e *cuda.Entry, kernel string) {
	args := make([]jen.Code, len(e.Params))
	for i, p := range e.Params {
		args[i] = fn.argument(e.Func, p)
	}
	group.Id("args").Op(":=").Index().Qual(launchPackage, "Arg").Values(args...)
	group.Return(jen.Id("on").Dot("Launch").Call(
		jen.Id("ctx"), jen.Op("&").Id(kernel), jen.Index(jen.Lit(3)).Int64().Values(jen.Id("blocks"), jen.Lit(1), jen.Lit(1)),
		jen.Index(jen.Lit(3)).Int().Values(jen.Lit(e.Threads), jen.Lit(1), jen.Lit(1)), jen.Lit(int(e.Shared)), jen.Id("args"),
	))
}

// argument spells what is passed for a parameter of an entry.
func (fn *goFunc) argument(f *ir.Func, p cuda.Param) jen.Code {
	if p.Tensor != nil {
		t := fn.counterpart(f, p.Tensor)
		access := map[ir.BufferKind]string{ir.In: "In", ir.Out: "Out", ir.InOut: "InOut"}[t.Kind]
		return jen.Id(fn.views[t]).Dot(access).Call()
	}
	v := p.Scalar
	if e, ok := substitution(f, fn.f)[v]; ok {
		v = e.Var
	}
	for _, t := range fn.f.Tensors() {
		if axis := slices.Index(t.Strides, v); axis >= 0 {
			return jen.Qual(launchPackage, "Int").Call(dtype(p.Type), jen.Id(fn.views[t]).Dot("Stride").Call(jen.Lit(axis)))
		}
	}
	name := jen.Id(fn.exprs.names[v])
	switch {
	case p.Type == array.Bool:
		return jen.Qual(operandPackage, "Bool").Call(name)
	case p.Type.IsFloat() && v.Type == array.F64:
		return jen.Qual(launchPackage, "Float").Call(dtype(p.Type), name)
	case p.Type.IsFloat():
		return jen.Qual(launchPackage, "Float").Call(dtype(p.Type), jen.Id("float64").Call(name))
	case v.Kind == ir.DimVar || v.Type == array.I64:
		return jen.Qual(launchPackage, "Int").Call(dtype(p.Type), name)
	}
	return jen.Qual(launchPackage, "Int").Call(dtype(p.Type), jen.Id("int64").Call(name))
}
