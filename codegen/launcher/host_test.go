package launcher

import (
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/codegen/cuda"
	"tilec/runtime/array"
	nvidia "tilec/runtime/cuda"
	"tilec/runtime/launch/operand"
)

var update = flag.Bool("update", false, "renew the golden files")

// golden compares text with a file in testdata, or renews it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update renews it):\n%s", path, diff)
	}
}

// hostText prints the launcher of a program.
func hostText(t *testing.T, u *cuda.Unit) string {
	t.Helper()
	text, err := Host(u, "test.tile", "sm_80")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestHostText(t *testing.T) {
	golden(t, "matmul.host.cu", hostText(t, matmul.unit(t)))
	golden(t, "odd.host.cu", hostText(t, odd.unit(t)))
}

// buildC compiles C++ files against the CUDA headers with the host compiler, warnings being errors, and returns the program.
func buildC(t *testing.T, sources map[string]string, flags ...string) string {
	t.Helper()
	toolchain, err := nvidia.Find(context.Background(), nvidia.Search{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	args := []string{"-std=c++17", "-Wall", "-Wextra", "-Werror", "-fwrapv", "-o", program, "-x", "c++"}
	args = append(args, flags...)
	for _, folder := range toolchain.Include {
		args = append(args, "-isystem", folder)
	}
	for name, text := range sources {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}
	return program
}

// fakeRuntime stands in for the CUDA runtime: a launch prints what was asked for.
const fakeRuntime = `
#include <cstdio>
#include <cuda_runtime_api.h>
struct Entry { const char* name; const void* address; const char* sizes; };
extern const Entry entries[];
static int allowed = 48 * 1024;
extern "C" cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int bytes) { allowed = bytes; return cudaSuccess; }
extern "C" cudaError_t cudaGetDevice(int* device) { *device = 3; return cudaSuccess; }
extern "C" cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    *value = attribute == cudaDevAttrMultiProcessorCount && device == 3 ? 13 : -1;
    return cudaSuccess;
}
extern "C" cudaError_t cudaLaunchKernel(const void* f, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t) {
    for (const Entry* e = entries; e->name; ++e) {
        if (e->address != f) continue;
        if (grid.y != 1 || grid.z != 1 || block.y != 1 || block.z != 1 || shared > (size_t)allowed) std::printf("wrong ");
        std::printf("%s %u %u %zu", e->name, grid.x, block.x, shared);
        for (int i = 0; e->sizes[i]; ++i) {
            std::printf(" ");
            for (int b = 0; b < e->sizes[i] - '0'; ++b) std::printf("%02x", ((unsigned char*)args[i])[b]);
        }
        std::printf("\n");
    }
    return cudaSuccess;
}
`

// hostCase is a call of a launcher.
type hostCase struct {
	program program
	args    Args
	null    string // the tensor that gets a null pointer
}

// address is where a test pretends that a tensor lies.
func (c hostCase) address(name string, v operand.View) uint64 {
	if name == c.null {
		return 0
	}
	return uint64(name[0])<<32 + uint64(v.Offset)
}

// call is the C++ of the case.
func (c hostCase) call(u *cuda.Unit) string {
	f := u.Entries[1].Func
	var args []string
	list := func(values []int) string {
		text := make([]string, len(values))
		for i, v := range values {
			text[i] = fmt.Sprint(v)
		}
		return "Values{" + strings.Join(text, ", ") + "}.v"
	}
	for _, p := range f.Params {
		if p.Tensor != nil {
			v := c.args.Tensors[p.Tensor.Name]
			args = append(args, fmt.Sprintf("Pointer{%#x}", c.address(p.Tensor.Name, v)), list(v.Shape))
			switch {
			case v.Strides != nil:
				args = append(args, list(v.Strides))
			case p.Tensor.Strides != nil:
				args = append(args, "nullptr")
			}
			continue
		}
		if p.Scalar.Type.IsFloat() {
			args = append(args, fmt.Sprint(c.args.Floats[p.Scalar.Name]))
		} else {
			args = append(args, fmt.Sprint(c.args.Ints[p.Scalar.Name]))
		}
	}
	return fmt.Sprintf("outcome(launch_%s(%s, 0, &why));", f.Name, strings.Join(args, ", "))
}

var shapeInMessage = regexp.MustCompile(`shape \[[^]]*\]: `)

// want is what the case should print, by Bind and Choose.
func (c hostCase) want(t *testing.T, u *cuda.Unit) string {
	b, err := Bind(u.Entries[1].Func, c.args)
	if err != nil {
		return shapeInMessage.ReplaceAllString(err.Error(), "")
	}
	if c.null != "" {
		return u.Entries[1].Func.Name + ": " + c.null + ": a null pointer"
	}
	l, err := b.Choose(u.Entries, 13)
	if err != nil {
		t.Fatal(err)
	}
	if l.Grid == 0 {
		return "nothing"
	}
	text := fmt.Sprintf("%s %d %d %d", l.Entry.Name, l.Grid, l.Entry.Threads, l.Entry.Shared)
	for i, a := range l.Args {
		if p := l.Entry.Params[i]; p.Tensor != nil {
			text += " " + hex.EncodeToString([]byte{byte(a.Offset), byte(a.Offset >> 8), 0, 0, p.Tensor.Name[0], 0, 0, 0})
		} else {
			text += " " + hex.EncodeToString(a.Scalar())
		}
	}
	return text
}

// hostCases are calls of both programs.
func hostCases() []hostCase {
	var cases []hostCase
	for _, s := range [][3]int{{100, 72, 32}, {100, 70, 32}, {0, 64, 64}, {1, 0, 1}, {129, 128, 0}, {1, 1, 1}, {256, 256, 64}} {
		cases = append(cases, hostCase{program: matmul, args: matmulArgs(s[0], s[1], s[2])})
	}
	for _, edit := range []func(c *hostCase){
		func(c *hostCase) { c.args.Tensors["B"] = operand.Whole(array.New(array.F16, 33, 64)) },
		func(c *hostCase) { c.args.Tensors["C"] = operand.Whole(array.New(array.F16, 64, 65)) },
		func(c *hostCase) {
			c.args.Tensors["A"] = operand.View{Array: array.New(array.F16, 5000), Shape: []int{64, 64}, Offset: 8}
		},
		func(c *hostCase) { c.null = "B" },
	} {
		c := hostCase{program: matmul, args: matmulArgs(64, 64, 64)}
		edit(&c)
		cases = append(cases, c)
	}
	for m := range 9 {
		for _, n := range []int{0, 1, 4, 1001} {
			cases = append(cases, hostCase{program: odd, args: oddArgs(m, n)})
		}
	}
	for _, edit := range []func(a *Args){
		func(a *Args) { a.Floats["eps"] = -1 },
		func(a *Args) { a.Ints["big"] = 7 },
		func(a *Args) { a.Ints["big"] = 23 },
		func(a *Args) { a.Ints["big"] = -23 },
		func(a *Args) { a.Floats["eps"], a.Ints["on"] = -1, 1 },
		func(a *Args) {
			a.Tensors["X"] = operand.View{Array: array.New(array.F32, 9*8), Offset: 28, Shape: []int{8, 9}, Strides: []int{-1, 8}}
		},
		func(a *Args) { a.Tensors["Y"] = operand.Whole(array.New(array.I8, 4, 4)) },
		func(a *Args) { a.Tensors["Z"] = operand.Whole(array.New(array.I4, 4, 8)) },
	} {
		args := oddArgs(8, 4)
		edit(&args)
		cases = append(cases, hostCase{program: odd, args: args})
	}
	return cases
}

// TestHostBehaviour compiles launchers with the host's compiler and a runtime that only prints, and compares what they do
// with what Bind and Choose do.
func TestHostBehaviour(t *testing.T) {
	units := map[string]*cuda.Unit{matmul.head: matmul.unit(t), odd.head: odd.unit(t)}
	main := &strings.Builder{}
	main.WriteString("#include <cstdio>\n#include <cuda_runtime_api.h>\n")
	table := &strings.Builder{}
	sources := map[string]string{"runtime.cpp": fakeRuntime}
	stubs := &strings.Builder{}
	for _, p := range []program{matmul, odd} {
		u := units[p.head]
		text := hostText(t, u)
		name := u.Entries[0].Func.Name
		sources[name+".host.cpp"] = text
		declaration := text[strings.Index(text, "\nextern \"C\" cudaError_t"):]
		main.WriteString(declaration[:strings.Index(declaration, ")")+1] + ";\n")
		for _, e := range u.Entries {
			fmt.Fprintf(stubs, "extern \"C\" void %s() {}\n", e.Name)
			sizes := ""
			for _, p := range e.Params {
				if p.Tensor != nil {
					sizes += "8"
				} else {
					sizes += fmt.Sprint(p.Type.Bits() / 8)
				}
			}
			fmt.Fprintf(table, "    {\"%s\", (const void*)&%s, \"%s\"},\n", e.Name, e.Name, sizes)
		}
	}
	sources["entries.cpp"] = stubs.String() + "struct Entry { const char* name; const void* address; const char* sizes; };\nextern const Entry entries[];\n" +
		"const Entry entries[] = {\n" + table.String() + "    {nullptr, nullptr, nullptr}};\n"
	main.WriteString(`
static const char* why;
struct Values { long long v[2]; };
struct Pointer {
    unsigned long long address;
    template <class T> operator T*() const { return (T*)address; }
};
static void outcome(cudaError_t status) {
    if (status != cudaSuccess) std::printf("%s\n", why);
    std::printf("--\n");
}
int main() {
`)
	cases := hostCases()
	for _, c := range cases {
		main.WriteString("    " + c.call(units[c.program.head]) + "\n")
	}
	main.WriteString("}\n")
	sources["main.cpp"] = main.String()
	out, err := exec.Command(buildC(t, sources)).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(string(out), "--\n")
	if len(got) != len(cases)+1 {
		t.Fatalf("%d outcomes of %d calls:\n%s", len(got)-1, len(cases), out)
	}
	launched := map[string]int{}
	for i, c := range cases {
		want := c.want(t, units[c.program.head])
		if g := strings.TrimSpace(got[i]); g != want && (want != "nothing" || g != "") {
			t.Errorf("%s\n  does   %s\n  not    %s", c.call(units[c.program.head]), g, want)
		}
		launched[strings.Fields(want)[0]]++
	}
	for _, entry := range []string{"matmul", "matmul_any", "odd", "odd_any", "nothing", "matmul:", "odd:"} {
		if launched[entry] == 0 {
			t.Errorf("no case for %s: %v", entry, launched)
		}
	}
}
