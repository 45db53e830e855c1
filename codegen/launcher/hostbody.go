package launcher

import (
	"fmt"
	"math"
	"strings"

	"tilec/codegen/cuda"
	"tilec/ir"
)

// function prints the launcher's function.
func (h *host) function(launch func()) {
	w := h.body
	w.Line("extern \"C\" %s launch_%s(", h.api.status, h.f.Name)
	w.Open("%s", h.parameterText("    "))
	w.Line("if (why != nullptr) *why = nullptr;")
	h.dims()
	h.extents()
	h.pointers()
	h.requires()
	h.grid()
	launch()
	w.Close("")
}

// launches prints the launch of the fastest entry that takes the arguments.
func (h *host) launches() {
	for i := range h.unit.Entries {
		if !h.variant(i) {
			return
		}
	}
	h.refuse("", "no compiled variant takes these arguments")
}

// refuse prints a return with a message, after its condition; values fill the message's %lld.
func (h *host) refuse(condition, format string, values ...string) {
	list := []string{"why", cppString(h.f.Name + ": " + format)}
	list = append(list, values...)
	text := "return refuse(" + strings.Join(list, ", ") + ");"
	if condition != "" {
		text = "if (" + condition + ") " + text
	}
	h.body.Line("%s", text)
}

// cppString quotes text for C++, bytes beyond ASCII as they are.
func cppString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		case c == '?': // no trigraphs
			b.WriteString("\\?")
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// percent keeps text as it is within a format.
func percent(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// extent spells one extent as it was passed.
func (h *host) extent(b *ir.Buffer, axis int) string { return fmt.Sprintf("%s[%d]", h.shapes[b], axis) }

// dims reads each dimension from the extent that binds it.
func (h *host) dims() {
	if len(h.f.Dims) == 0 {
		return
	}
	w := h.body
	w.Line("")
	w.Line("// Dimensions, each from the first extent that is it.")
	for _, d := range h.f.Dims {
		name := h.exprs.names[d.Var]
		if d.From == nil {
			h.exprs.unsupported(ir.RefTo(d.Var))
			continue
		}
		w.Line("const long long %s = %s;", name, h.extent(d.From, d.Axis))
		h.refuse(fmt.Sprintf("%s < 0 || %s > %d", name, name, int64(maxExtent)),
			fmt.Sprintf("%s: dimension %d is %%lld", percent(d.From.Name), d.Axis), name)
	}
}

// extents compares all other extents with what the dimensions make of them.
func (h *host) extents() {
	w := h.body
	bound := map[string]bool{}
	for _, d := range h.f.Dims {
		if d.From != nil {
			bound[h.extent(d.From, d.Axis)] = true
		}
	}
	first := true
	for _, t := range h.f.Tensors() {
		for axis, e := range t.Shape {
			got := h.extent(t, axis)
			if bound[got] {
				continue
			}
			if first {
				w.Line("")
				w.Line("// All other extents agree.")
				first = false
			}
			want := h.exprs.whole(e)
			what := fmt.Sprintf("%s: dimension %d is %%lld, ", percent(t.Name), axis)
			condition := got + " != " + want.at(cppSum)
			if e.IsConst() {
				h.refuse(condition, what+want.text+" is needed", got)
				continue
			}
			value := want.text
			if e.Type != ir.Index {
				value = "(long long)" + want.at(cppUnary)
			}
			h.refuse(condition, what+"but "+percent(e.String())+" = %lld", got, value)
			if !h.exprs.signs.natural(e) {
				h.refuse(got+" < 0", fmt.Sprintf("%s: dimension %d is %%lld", percent(t.Name), axis), got)
			}
		}
	}
}

// pointers checks that there is memory, and completes strides.
func (h *host) pointers() {
	w := h.body
	if h.anyTensor() {
		w.Line("")
		w.Line("// Tensors with elements have memory.")
	}
	for _, t := range h.f.Tensors() {
		condition := h.tensors[t] + " == nullptr"
		if len(t.Shape) > 0 {
			condition += fmt.Sprintf(" && !empty(%s, %d)", h.shapes[t], len(t.Shape))
		}
		h.refuse(condition, percent(t.Name)+": a null pointer")
	}
	for _, t := range h.f.Tensors() {
		if t.Strides == nil {
			continue
		}
		w.Line("")
		w.Line("// Strides of %s in elements.", t.Name)
		for axis, s := range t.Strides {
			factors := []string{}
			for d := axis + 1; d < len(t.Shape); d++ {
				factors = append(factors, h.extent(t, d))
			}
			if len(factors) == 0 {
				factors = []string{"1"}
			}
			w.Line("const long long %s = %s != nullptr ? %s[%d] : %s;", h.exprs.names[s], h.strides[t], h.strides[t], axis, strings.Join(factors, " * "))
		}
	}
}

// requires checks the program's own conditions.
func (h *host) requires() {
	if len(h.f.Requires) == 0 {
		return
	}
	h.body.Line("")
	h.body.Line("// What the program requires.")
	for _, r := range h.f.Requires {
		h.body.Source(r.Span)
		h.refuse("!("+h.exprs.expr(r.Cond)+")", "requirement not met: "+percent(r.Text))
	}
}

// grid computes the number of blocks; nothing runs if there are none.
func (h *host) grid() {
	w := h.body
	w.Line("")
	limit, what := fmt.Sprint(maxBlocks), "blocks"
	if h.f.Persistent {
		limit, what = fmt.Sprint(int64(math.MaxInt64)), "instances"
		w.Line("// Blocks loop over the grid's instances, one block a multiprocessor.")
	} else {
		w.Line("// The grid lies along x; nothing runs if it is empty.")
	}
	counts := make([]string, len(h.f.Grid))
	for i, g := range h.f.Grid {
		counts[i] = h.exprs.expr(g.Extent)
	}
	if len(counts) == 0 {
		counts = []string{"1"}
	}
	w.Line("const long long counts[] = {%s};", strings.Join(counts, ", "))
	kind := "const long long"
	if h.f.Persistent {
		kind = "long long"
	}
	w.Line("%s blocks = grid_size(counts, %s);", kind, limit)
	w.Line("if (blocks == 0) return %s;", h.api.success)
	h.refuse("blocks < 0", "a grid of more than "+limit+" "+what)
	if !h.f.Persistent {
		return
	}
	w.Line("int device = 0, processors = 1;")
	w.Line("cudaError_t status = cudaGetDevice(&device);")
	w.Line("if (status == cudaSuccess) status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);")
	w.Line("if (status != cudaSuccess) return status;")
	w.Line("blocks = std::min<long long>(blocks, processors);")
}

// variant prints the launch of an entry, under the conditions that it has. It is false after one without any.
func (h *host) variant(i int) bool {
	w := h.body
	e := &h.unit.Entries[i]
	conditions := h.conditions(e)
	w.Line("")
	if len(conditions) > 0 {
		w.Line("// Arguments that the fast entry can take.")
		w.Open("if (%s)", strings.Join(conditions, " && "))
	}
	args := make([]string, len(e.Params))
	for j, p := range e.Params {
		args[j] = "arg(" + h.argument(i, e, p) + ")"
	}
	list := strings.Join(args, ", ")
	if len(args) == 0 {
		list = "nullptr"
	}
	w.Line("void* args[] = {%s};", list)
	w.Line("return launch_kernel(reinterpret_cast<const void*>(&%s), blocks, %d, %d, args, stream);", h.entries[i], e.Threads, e.Shared)
	if len(conditions) > 0 {
		w.Close("")
	}
	return len(conditions) > 0
}

// argument spells what is passed for a parameter; a dimension of 32 bits is a variable of its own.
func (h *host) argument(i int, e *cuda.Entry, p cuda.Param) string {
	if p.Tensor != nil {
		return h.tensors[h.counterpart(e.Func, p.Tensor)]
	}
	v := h.scalar(e.Func, p.Scalar)
	name := h.exprs.names[v]
	if v.Kind == ir.ParamVar || p.Type == ir.Index {
		return name
	}
	narrow := h.names.Take(fmt.Sprintf("%s_%d", name, p.Type.Bits()))
	h.body.Line("const %s %s = (%s)%s;", hostTypes[p.Type], narrow, hostTypes[p.Type], name)
	return narrow
}

// conditions are what an entry assumes, in C++.
func (h *host) conditions(e *cuda.Entry) []string {
	var list []string
	with := h.substitution(e.Func)
	for _, a := range e.Func.Assumes {
		if a.Tensor != nil {
			list = append(list, fmt.Sprintf("aligned(%s, %d)", h.tensors[h.counterpart(e.Func, a.Tensor)], a.Bytes))
		}
		if a.Multiple != nil {
			m := a.Multiple.Subst(with)
			list = append(list, h.exprs.whole(ir.Bin(ir.Eq, ir.Bin(ir.Mod, m, ir.Int(a.Of)), ir.Int(0))).at(cppCompare))
		}
	}
	if !e.Narrow {
		return list
	}
	for _, d := range h.f.Dims {
		list = append(list, fmt.Sprintf("%s <= %d", h.exprs.names[d.Var], int64(mostNarrow)))
	}
	for _, t := range h.f.Tensors() {
		for axis, x := range t.Shape {
			if x.Op != ir.Ref && !x.IsConst() {
				list = append(list, fmt.Sprintf("%s <= %d", h.extent(t, axis), int64(mostNarrow)))
			}
		}
	}
	return list
}

// The variants of a kernel have scalars and buffers of their own, in the same places.

func (h *host) counterpart(f *ir.Func, t *ir.Buffer) *ir.Buffer {
	for i, p := range f.Params {
		if p.Tensor == t {
			return h.f.Params[i].Tensor
		}
	}
	return t
}

func (h *host) scalar(f *ir.Func, v *ir.Var) *ir.Var {
	if e, ok := h.substitution(f)[v]; ok {
		return e.Var
	}
	return v
}

func (h *host) substitution(f *ir.Func) map[*ir.Var]*ir.Expr { return substitution(f, h.f) }

// substitution maps the scalars of one variant to those of another.
func substitution(from, to *ir.Func) map[*ir.Var]*ir.Expr {
	with := map[*ir.Var]*ir.Expr{}
	for i, d := range from.Dims {
		with[d.Var] = ir.RefTo(to.Dims[i].Var)
	}
	for i, p := range from.Params {
		if p.Scalar != nil {
			with[p.Scalar] = ir.RefTo(to.Params[i].Scalar)
			continue
		}
		for axis, s := range p.Tensor.Strides {
			with[s] = ir.RefTo(to.Params[i].Tensor.Strides[axis])
		}
	}
	return with
}
