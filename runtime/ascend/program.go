package ascend

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Program is a compiled source. Its kernels may be run from several goroutines at once.
type Program struct {
	Kernels []Kernel
	HasMain bool // it is a host program, which RunMain runs

	runner, library string
}

// Kernel is a kernel of a program.
type Kernel struct {
	Name   string
	Task   TaskType
	Params []Param
}

// Param is a kernel parameter: an address in global memory, or a value of some bytes.
type Param struct {
	Pointer bool
	Bytes   int
}

// Kernel returns the kernel of that name, nil if there is none. An empty name stands for the only kernel.
func (p *Program) Kernel(name string) *Kernel {
	if name == "" && len(p.Kernels) == 1 {
		return &p.Kernels[0]
	}
	i := slices.IndexFunc(p.Kernels, func(k Kernel) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Kernels[i]
}

// Compile compiles a source for the host machine. Results are cached by content, unless the source brings headers of its own.
func (t *Toolchain) Compile(ctx context.Context, s Source) (*Program, error) {
	machine, err := t.Build(ctx)
	if err != nil {
		return nil, err
	}
	kernels := declarations(s.Text)
	for _, e := range s.Entries {
		name, _, _ := strings.Cut(e, "<")
		task := taskOf("", "", s.Text)
		if i := strings.Index(s.Text, name); i >= 0 {
			task = templateTask(s.Text, strings.TrimSpace(name))
		}
		kernels = append(kernels, declared{e, task})
	}
	hasMain := mainFunction.MatchString(blankComments(s.Text))
	if len(kernels) == 0 && !hasMain {
		return nil, fmt.Errorf("%s: no kernel: no function with __global__ and a body", s.Name)
	}
	unit := s.unit(kernels)
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s", machine, unit)
	dir := filepath.Join(t.Cache, "kernel-"+hex.EncodeToString(h.Sum(nil))[:24])
	p := &Program{HasMain: hasMain, runner: filepath.Join(machine, "runner"), library: filepath.Join(dir, "kernel.so")}
	if len(s.Include) > 0 || !exists(p.library) {
		if err := t.compileUnit(ctx, s, unit, machine, dir); err != nil {
			return nil, err
		}
	}
	if err := p.describe(ctx, kernels); err != nil {
		return nil, err
	}
	return p, nil
}

// templateTask is the task type of a kernel template.
func templateTask(text, name string) TaskType {
	clean := blankComments(text)
	for at := 0; ; {
		i := strings.Index(clean[at:], "__global__")
		if i < 0 {
			return taskOf("", "", clean)
		}
		at += i + len("__global__")
		start := strings.LastIndexAny(clean[:at], ";}#") + 1
		m := kernelName.FindStringSubmatch(blankQualifiers(clean[at:]))
		open := strings.IndexByte(clean[at:], '{')
		if m != nil && m[1] == name && open >= 0 {
			return taskOf(clean[start:at+open], clean[at+open:at+open+bodyLength(clean[at+open:])], clean)
		}
	}
}

func (t *Toolchain) compileUnit(ctx context.Context, s Source, unit, machine, dir string) error {
	tmp, err := os.MkdirTemp(t.Cache, "compiling-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	file := filepath.Join(tmp, "kernel.cc")
	if err := os.WriteFile(file, []byte(unit), 0o644); err != nil {
		return err
	}
	args := slices.Concat(kernelFlags, []string{"-D__NPU_ARCH__=2201", "-Dmain=tilec_host_main", "-I" + filepath.Join(machine, "include")})
	for _, i := range s.Include {
		args = append(args, "-I"+i)
	}
	args = append(args, "-shared", file, "-o", filepath.Join(tmp, "kernel.so"))
	if err := t.cxx(ctx, args); err != nil {
		return fmt.Errorf("%s does not compile for the host machine:\n%w", s.Name, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil && !exists(filepath.Join(dir, "kernel.so")) {
		return err
	}
	return nil
}

// describe asks the library for its kernels' parameters.
func (p *Program) describe(ctx context.Context, kernels []declared) error {
	cmd := exec.CommandContext(ctx, p.runner, p.library, "describe")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("the compiled kernels do not load: %w\n%s", err, strings.TrimSpace(stderr.String()))
	}
	params := map[string][]Param{}
	for line := range strings.Lines(string(out)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
		var list []Param
		for _, f := range strings.Fields(rest) {
			n, err := strconv.Atoi(f[1:])
			if err != nil {
				return fmt.Errorf("unexpected description %q", line)
			}
			list = append(list, Param{Pointer: f[0] == 'p', Bytes: n})
		}
		params[name] = list
	}
	for _, k := range kernels {
		p.Kernels = append(p.Kernels, Kernel{Name: k.name, Task: k.task, Params: params[k.name]})
	}
	return nil
}
