package cuda

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Source is one self-contained CUDA C++ source.
type Source struct {
	Name string // as messages give it, such as matmul.cu
	Text string
}

// Options say how to compile. The zero value but for Arch makes both PTX and a cubin with the compiler's defaults.
type Options struct {
	Arch     string   // a real architecture, such as sm_80 or sm_90a
	PTXOnly  bool     // stop at PTX: no assembly, and so no cubin and no usage
	LineInfo bool     // relate instructions to source lines; names in #line should be absolute, as /matmul.tile
	NoFMA    bool     // never contract a multiplication and an addition
	MaxRegs  int      // cap on registers a thread; 0 leaves it to launch bounds
	Extra    []string // further NVRTC options, last
}

// Result is what a compilation makes.
type Result struct {
	PTX   []byte           // text, without a terminating zero
	Cubin []byte           // an ELF image for the one architecture
	Log   string           // warnings; empty mostly
	Usage map[string]Usage // what each kernel and device function takes, by entry name
}

// CompileError says that the source or the options were refused. Log is the compiler's text, with
// "name(line): error: …" lines.
type CompileError struct {
	Name, Arch, Log string
}

// Error gives the first error of the log.
func (e *CompileError) Error() string {
	first, _, _ := strings.Cut(e.Log, "\n")
	for line := range strings.Lines(e.Log) {
		if strings.Contains(line, "error") {
			first = strings.TrimSpace(line)
			break
		}
	}
	return fmt.Sprintf("compiling %s for %s: %s", e.Name, e.Arch, first)
}

var archPattern = regexp.MustCompile(`^sm_[0-9]{2,3}[af]?$`)

// arguments are NVRTC's command line for the options. The include paths come apart, as they don't belong to a
// result's identity.
func (o Options) arguments() ([]string, error) {
	if !archPattern.MatchString(o.Arch) {
		return nil, fmt.Errorf("architecture %q is not of the form sm_80", o.Arch)
	}
	arch := o.Arch
	if o.PTXOnly {
		arch = "compute_" + strings.TrimPrefix(arch, "sm_")
	}
	args := []string{"--gpu-architecture=" + arch, "--std=c++17", "--device-as-default-execution-space"}
	if !o.PTXOnly {
		args = append(args, "--ptxas-options=-v")
	}
	if o.LineInfo {
		args = append(args, "--generate-line-info")
	}
	if o.NoFMA {
		args = append(args, "--fmad=false")
	}
	if o.MaxRegs > 0 {
		args = append(args, "--maxrregcount="+strconv.Itoa(o.MaxRegs))
	}
	return append(args, o.Extra...), nil
}

// Compile compiles one source. An error in the source is a *CompileError. When the context ends first,
// its error is returned and the compilation, which cannot be stopped, ends unseen.
func (t *Toolchain) Compile(ctx context.Context, source Source, options Options) (*Result, error) {
	args, err := options.arguments()
	if err != nil {
		return nil, err
	}
	for _, dir := range t.Include {
		args = append(args, "--include-path="+dir)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type outcome struct {
		result *Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := t.compile(source, options, args)
		done <- outcome{result, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case o := <-done:
		return o.result, o.err
	}
}

func (t *Toolchain) compile(source Source, options Options, args []string) (*Result, error) {
	n, err := t.nvrtc()
	if err != nil {
		return nil, err
	}
	name := source.Name
	if options.LineInfo && !strings.HasPrefix(name, "/") {
		name = "/" + name // NVRTC would put the working folder before it, into the outputs
	}
	var program uintptr
	created := n.create(&program, cString(source.Text), cString(name), 0, nil, nil)
	if err := n.check("create program", created); err != nil {
		return nil, err
	}
	defer n.destroy(&program)
	list := newCStrings(args)
	defer list.release()
	status := n.compile(program, int32(len(args)), list.array())
	raw, err := n.read("get log", n.log, program)
	if err != nil {
		return nil, err
	}
	log, usage := splitLog(strings.ReplaceAll(string(trimZero(raw)), name+"(", source.Name+"("))
	switch {
	case status == nvrtcCompilation || status != 0 && log != "":
		return nil, &CompileError{Name: source.Name, Arch: options.Arch, Log: log}
	case status != 0:
		return nil, fmt.Errorf("compiling %s for %s: %w", source.Name, options.Arch, n.check("compile", status))
	}
	result := &Result{Log: log, Usage: usage}
	if result.PTX, err = n.read("get PTX", n.ptx, program); err != nil {
		return nil, err
	}
	result.PTX = trimZero(result.PTX)
	if options.PTXOnly {
		return result, nil
	}
	if result.Cubin, err = n.read("get cubin", n.cubin, program); err != nil {
		return nil, err
	}
	if len(result.Cubin) == 0 {
		return nil, fmt.Errorf("compiling %s: NVRTC made no cubin for %s", source.Name, options.Arch)
	}
	return result, nil
}

// trimZero drops what ends C text; NVRTC's logs end in more than one zero.
func trimZero(b []byte) []byte { return bytes.TrimRight(b, "\x00") }
