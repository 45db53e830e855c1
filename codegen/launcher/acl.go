package launcher

import (
	"fmt"

	"tilec/codegen"
	"tilec/ir"
	"tilec/runtime/array"
)

var acl = api{status: "aclError", success: "ACL_SUCCESS", invalid: "ACL_ERROR_INVALID_PARAM", stream: "aclrtStream"}

// ACL prints the C++ launcher of a kernel for AI cores: one function for the Ascend Computing Language that takes pointers with shapes,
// and scalars, checks them, allocates the workspace if the kernel needs one, and launches. File is the name of the emitted kernel, which
// the launcher includes; source and arch are as for Host. An error is something that has no C++ spelling yet.
func ACL(u *codegen.Unit, file, source, arch string) (string, error) {
	e := u.Entries[len(u.Entries)-1]
	h := newHost(u, e.Func, acl)
	h.function(func() { h.start(&e) })
	return h.file(func(w *codegen.Writer, code string) {
		h.title(w, source, arch)
		w.Line("// Compile it as Ascend C (with bisheng, --npu-arch=dav-2201); it includes the kernel, %s,", file)
		h.prototype(w)
		includes(w, code, "acl/acl.h")
		w.Line("#include %q", file)
		w.Line("")
	}, h.checks, "launcher_of_"+e.Name)
}

// start prints the launch. A workspace lives as long as the kernel runs, for which the function waits then.
func (h *host) start(e *codegen.Entry) {
	w := h.body
	var args []string
	for _, p := range e.Params {
		if p.Tensor != nil {
			args = append(args, fmt.Sprintf("static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(%s)))", h.tensors[p.Tensor]))
			continue
		}
		if p.Scalar.Kind == ir.ParamVar && p.Type != array.F32 && (p.Type.IsFloat() || p.Type.Bits() < 8) {
			h.exprs.unsupported(ir.RefTo(p.Scalar))
		}
		args = append(args, h.exprs.names[p.Scalar])
	}
	w.Line("")
	launch := func() {
		w.Line("%s<<<static_cast<uint32_t>(blocks), nullptr, stream>>>(", e.Name)
		for i, a := range args {
			end := ","
			if i == len(args)-1 {
				end = ");"
			}
			w.Line("    %s%s", a, end)
		}
		if len(args) == 0 {
			w.Line(");")
		}
	}
	if e.Workspace == 0 {
		launch()
		w.Line("return %s;", h.api.success)
		return
	}
	args = append(args, "static_cast<uint8_t*>(workspace)")
	w.Line("// Tiles on their way between the cores of a group: %d bytes for each block, until the kernel is done.", e.Workspace)
	w.Line("void* workspace = nullptr;")
	w.Line("%s status = aclrtMalloc(&workspace, static_cast<size_t>(blocks) * %d, ACL_MEM_MALLOC_HUGE_FIRST);", h.api.status, e.Workspace)
	w.Line("if (status != %s) return status;", h.api.success)
	launch()
	w.Line("status = aclrtSynchronizeStream(stream);")
	w.Line("const %s freed = aclrtFree(workspace);", h.api.status)
	w.Line("return status != %s ? status : freed;", h.api.success)
}
