package launcher

import (
	"fmt"
	"slices"
	"strings"

	"tilec/codegen"
	"tilec/codegen/cuda"
	"tilec/ir"
	"tilec/runtime/launch/operand"
)

// Host prints the C++ launcher of an emitted kernel: one function for the CUDA runtime that takes pointers with shapes, and
// scalars, checks them, and launches the fastest entry that they allow. Source is the name of the program's file, arch
// what the unit was emitted for. An error is a condition of the program that has no C++ spelling yet.
func Host(u *cuda.Unit, source, arch string) (string, error) {
	f := u.Entries[len(u.Entries)-1].Func
	h := newHost(u, f, cudaRuntime)
	h.function(h.launches)
	return h.file(func(w *codegen.Writer, code string) {
		h.head(w, source, arch)
		includes(w, code, "cuda_runtime.h")
		h.declarations(w)
	}, h.prelude, "")
}

// file puts the text together around the function that has been printed: what stands before all, and what it calls. Where names of a
// kernel in the same file would stand beside those of the launcher, that has a namespace.
func (h *host) file(top func(w *codegen.Writer, code string), prelude func(w *codegen.Writer), namespace string) (string, error) {
	if h.exprs.err != nil {
		return "", fmt.Errorf("%s: %w", h.f.Name, h.exprs.err)
	}
	code := &codegen.Writer{}
	if namespace != "" {
		code.Line("namespace %s {", namespace)
		code.Line("")
	}
	code.Line("namespace {")
	code.Line("")
	h.exprs.helpers(code)
	prelude(code)
	code.Line("}  // namespace")
	code.Line("")
	h.comment(code)
	code.Raw(h.body.String())
	if namespace != "" {
		code.Line("")
		code.Line("}  // namespace %s", namespace)
	}
	w := &codegen.Writer{}
	top(w, code.String())
	w.Raw(code.String())
	return w.String(), nil
}

// api is what launchers call a runtime's types and values.
type api struct {
	status, success, invalid, stream string
}

var cudaRuntime = api{status: "cudaError_t", success: "cudaSuccess", invalid: "cudaErrorInvalidValue", stream: "cudaStream_t"}

// host is one launcher being printed.
type host struct {
	unit  *cuda.Unit
	api   api
	f     *ir.Func // the variant that takes any arguments
	body  *codegen.Writer
	names *codegen.Names
	exprs *hostExprs
	// entries, tensors, shapes and strides are the C++ names of what is passed.
	entries []string
	tensors map[*ir.Buffer]string
	shapes  map[*ir.Buffer]string
	strides map[*ir.Buffer]string
}

// hostReserved are names that the printed text uses for itself, and C++'s own.
var hostReserved = strings.Fields(`stream why args counts blocks status device processors refusal refuse empty aligned grid_size arg
	launch_kernel floor_div floor_mod shift_left shift_right truncated from_f16 from_bf16 cudaError_t cudaStream_t dim3 size_t std n
	f16 bf16 f8e4m3 f8e5m2 f8e8m0 f4e2m1 i4 u4 auto bool break case catch char class const constexpr continue default delete do
	double else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept nullptr
	operator private protected public register return short signed sizeof static struct switch template this throw true try
	typedef typename union unsigned using virtual void volatile while and or not xor NAN INFINITY main printf exp log sin cos tan
	tanh erf floor ceil trunc round pow fma abs y0 y1 j0 j1 jn yn gamma signal time min max`)

func newHost(u *cuda.Unit, f *ir.Func, a api) *host {
	h := &host{
		unit: u, api: a, f: f, body: &codegen.Writer{}, names: &codegen.Names{},
		exprs:   &hostExprs{names: map[*ir.Var]string{}, signs: signsOf(f), used: map[string]bool{}},
		tensors: map[*ir.Buffer]string{}, shapes: map[*ir.Buffer]string{}, strides: map[*ir.Buffer]string{},
	}
	h.names.Reserve(hostReserved...)
	for _, e := range u.Entries {
		h.names.Reserve(e.Name)
		h.entries = append(h.entries, e.Name)
	}
	for _, p := range f.Params {
		if p.Tensor == nil {
			h.exprs.names[p.Scalar] = h.names.Take(p.Scalar.Name)
			continue
		}
		h.tensors[p.Tensor] = h.names.Take(p.Tensor.Name)
		h.shapes[p.Tensor] = h.names.Take(p.Tensor.Name + "_shape")
		if p.Tensor.Strides != nil {
			h.strides[p.Tensor] = h.names.Take(p.Tensor.Name + "_strides")
		}
		for _, s := range p.Tensor.Strides {
			h.exprs.names[s] = h.names.Take(s.Name)
		}
	}
	for _, d := range f.Dims {
		h.exprs.names[d.Var] = h.names.Take(d.Var.Name)
	}
	return h
}

// head documents the file.
func (h *host) head(w *codegen.Writer, source, arch string) {
	h.title(w, source, arch)
	w.Line("// Compile it with the kernel:  nvcc -arch=%s -c %s.%s.cu %s.%s.host.cu", arch, h.f.Name, arch, h.f.Name, arch)
	h.prototype(w)
}

// title says what the file is.
func (h *host) title(w *codegen.Writer, source, arch string) {
	w.Line("// Launcher of kernel `%s` of %s for %s, made by tilec. Do not edit.", h.f.Name, source, arch)
	for _, tuned := range []bool{false, true} {
		if list := bindings(h.f, tuned); list != "" {
			w.Line("// %s: %s.", map[bool]string{false: "Generics", true: "Tuned"}[tuned], list)
		}
	}
	w.Line("//")
}

// prototype prints the declaration of the function for those who call it.
func (h *host) prototype(w *codegen.Writer) {
	w.Line("// and declare what is called:")
	w.Line("//   extern \"C\" %s launch_%s(", h.api.status, h.f.Name)
	for _, line := range strings.Split(h.parameterText("    ")+";", "\n") {
		w.Line("//   %s", line)
	}
	w.Line("")
}

// bindings lists what generics or tunables stand for.
func bindings(f *ir.Func, tuned bool) string {
	var list []string
	for _, b := range f.Config {
		if b.Tune == tuned {
			list = append(list, b.Name+" = "+b.Value)
		}
	}
	return strings.Join(list, ", ")
}

// headers are what names of the C++ library need.
var headers = []struct {
	header string
	names  []string
}{
	{"algorithm", []string{"std::find", "std::min<", "std::max<"}},
	{"cmath", []string{
		"std::exp", "std::log", "std::sqrt", "std::sin", "std::cos", "std::tanh", "std::erf", "std::floor", "std::ceil", "std::nearbyint",
		"std::trunc", "std::fma", "std::fmin", "std::fabs", "std::pow", "std::ldexp", "NAN", "INFINITY",
	}},
	{"cstdarg", []string{"va_start"}},
	{"cstdint", []string{"std::uintptr_t"}},
	{"cstdio", []string{"std::vsnprintf"}},
	{"cstdlib", []string{"std::llabs"}},
	{"cstring", []string{"std::memcpy"}},
	{"limits", []string{"std::numeric_limits"}},
}

// includes prints what the code includes.
func includes(w *codegen.Writer, code string, runtime ...string) {
	for _, h := range headers {
		if slices.ContainsFunc(h.names, func(name string) bool { return strings.Contains(code, name) }) {
			w.Line("#include <%s>", h.header)
		}
	}
	w.Line("")
	for _, name := range runtime {
		w.Line("#include <%s>", name)
	}
	w.Line("")
}

// declarations declare the entries. Element types that C++ lacks stay incomplete here.
func (h *host) declarations(w *codegen.Writer) {
	opaque := map[string]bool{}
	var decls []string
	for _, e := range h.unit.Entries {
		params := make([]string, len(e.Params))
		for i, p := range e.Params {
			if p.Tensor == nil {
				params[i] = hostTypes[p.Type]
				continue
			}
			typ := hostTypes[p.Tensor.Elem]
			if bits := p.Tensor.Elem.Bits(); p.Tensor.Elem.IsFloat() && bits >= 8 && bits < 32 {
				typ = p.Tensor.Elem.String()
				opaque[typ] = true
			}
			params[i] = typ + "*"
			if p.Tensor.Kind == ir.In {
				params[i] = "const " + params[i]
			}
		}
		decls = append(decls, fmt.Sprintf("extern \"C\" __global__ void %s(%s);", e.Name, strings.Join(params, ", ")))
	}
	w.Line("// The compiled entries, fastest first.")
	for _, t := range sorted(opaque) {
		w.Line("struct %s;", t)
	}
	for _, d := range decls {
		w.Line("%s", d)
	}
	w.Line("")
}

func sorted(set map[string]bool) []string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// prelude prints the functions that any launcher needs.
func (h *host) prelude(w *codegen.Writer) {
	h.checks(w)
	w.Raw(`// The address of an argument, as the runtime takes it.
template <class T> void* arg(const T& value) { return const_cast<void*>(static_cast<const void*>(&value)); }

`)
	if h.anyAligned() {
		w.Raw(`// Whether an address is a multiple of a number of bytes.
bool aligned(const void* pointer, std::uintptr_t bytes) { return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0; }

`)
	}
	if slices.ContainsFunc(h.unit.Entries, func(e cuda.Entry) bool { return e.Shared > defaultShared }) {
		w.Raw(`// Launches an entry. Dynamic shared memory beyond 48 KB has to be asked for.
cudaError_t launch_kernel(const void* entry, long long blocks, int threads, size_t shared, void** args, cudaStream_t stream) {
    if (shared > 48 * 1024) {
        const cudaError_t status = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
        if (status != cudaSuccess) return status;
    }
    return cudaLaunchKernel(entry, dim3((unsigned)blocks), dim3((unsigned)threads), args, shared, stream);
}

`)
		return
	}
	w.Raw(`// Launches an entry.
cudaError_t launch_kernel(const void* entry, long long blocks, int threads, size_t shared, void** args, cudaStream_t stream) {
    return cudaLaunchKernel(entry, dim3((unsigned)blocks), dim3((unsigned)threads), args, shared, stream);
}

`)
}

// checks prints the functions that check arguments.
func (h *host) checks(w *codegen.Writer) {
	w.Raw(`// Notes why a launch is refused: *why points to the text until the thread's next refusal.
` + h.api.status + ` refuse(const char** why, const char* format, ...) {
    static thread_local char refusal[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(refusal, sizeof refusal, format, args);
    va_end(args);
    if (why != nullptr) *why = refusal;
    return ` + h.api.invalid + `;
}

// Multiplies the counts of a grid's indices; none where one is 0 or negative, -1 beyond the limit.
template <int N> long long grid_size(const long long (&counts)[N], long long limit) {
    long long blocks = 1;
    for (long long n : counts) {
        if (n <= 0) return 0;
    }
    for (long long n : counts) {
        if (n > limit / blocks) return -1;
        blocks *= n;
    }
    return blocks;
}

`)
	if h.anyTensor() {
		w.Raw(`// Whether a tensor has no elements.
bool empty(const long long* shape, int rank) {
    return std::find(shape, shape + rank, 0) != shape + rank;
}

`)
	}
}

// defaultShared is the dynamic shared memory that needs no asking for, in bytes (CUDA C++ programming guide, compute
// capabilities).
const defaultShared = 48 << 10

func (h *host) anyTensor() bool { return len(h.tensors) > 0 }

func (h *host) anyAligned() bool {
	for _, e := range h.unit.Entries {
		for _, a := range e.Func.Assumes {
			if a.Tensor != nil {
				return true
			}
		}
	}
	return false
}

// comment documents the function.
func (h *host) comment(w *codegen.Writer) {
	for line := range strings.Lines(strings.TrimSpace(h.f.Doc)) {
		w.Line("/// %s", strings.TrimRight(line, "\n"))
	}
	if h.f.Doc != "" {
		w.Line("///")
	}
	w.Line("/// Starts the kernel on a stream of the current device. Arguments:")
	for _, p := range h.f.Params {
		if p.Tensor == nil {
			w.Line("///   %s: %s%s", h.exprs.names[p.Scalar], p.Scalar.Type, asBits(p.Scalar.Type))
			continue
		}
		how := map[ir.BufferKind]string{ir.In: "read", ir.Out: "written", ir.InOut: "read and written"}[p.Tensor.Kind]
		strided := ""
		if p.Tensor.Strides != nil {
			strided = "; " + h.strides[p.Tensor] + " in elements, null for contiguous rows"
		}
		w.Line("///   %s: %s%s, %s%s", h.tensors[p.Tensor], p.Tensor.Elem, shapeText(p.Tensor), how, strided)
	}
	w.Line("/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.")
	w.Line("/// Arguments that do not fit are %s, and *why, where why is not null, says what is wrong.", h.api.invalid)
}

// asBits marks scalars that C++ has no type for.
func asBits(t ir.DType) string {
	if t.IsFloat() && t.Bits() < 32 || t.Bits() < 8 {
		return ", as its bits"
	}
	return ""
}

func shapeText(b *ir.Buffer) string {
	extents := make([]string, len(b.Shape))
	for i, e := range b.Shape {
		extents[i] = e.String()
	}
	return "[" + strings.Join(extents, ", ") + "]"
}

// parameterText is the parameter list of the function, with the closing parenthesis, a parameter a line.
func (h *host) parameterText(indent string) string {
	var lines []string
	for _, p := range h.f.Params {
		if p.Tensor == nil {
			lines = append(lines, hostTypes[p.Scalar.Type]+" "+h.exprs.names[p.Scalar])
			continue
		}
		typ := hostTypes[p.Tensor.Elem]
		if p.Tensor.Elem.IsFloat() && p.Tensor.Elem.Bits() < 32 || p.Tensor.Elem.Bits() < 8 {
			typ = "void"
		}
		if p.Tensor.Kind == ir.In {
			typ = "const " + typ
		}
		line := typ + "* " + h.tensors[p.Tensor]
		if len(p.Tensor.Shape) > 0 {
			line += fmt.Sprintf(", const long long %s[%d]", h.shapes[p.Tensor], len(p.Tensor.Shape))
		}
		if p.Tensor.Strides != nil {
			line += fmt.Sprintf(", const long long %s[%d]", h.strides[p.Tensor], len(p.Tensor.Shape))
		}
		lines = append(lines, line)
	}
	lines = append(lines, h.api.stream+" stream, const char** why)")
	return indent + strings.Join(lines, ",\n"+indent)
}

// maxBlocks is the most blocks along x.
const maxBlocks = 1<<31 - 1

// maxExtent bounds dimensions, as bound launches do.
const maxExtent = operand.MaxExtent
