package cuda

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Disassemble returns the machine code of a cubin as nvdisasm prints it, code sections only. The disassembler is
// installed at the first call unless it is there.
func (t *Toolchain) Disassemble(ctx context.Context, cubin []byte) (string, error) {
	tool, err := t.tool(ctx, "nvdisasm")
	if err != nil {
		return "", err
	}
	out, err := runOn(ctx, tool, "kernel.cubin", cubin, func(file, _ string) []string {
		return []string{"--print-code", file}
	})
	return string(out), err
}

// Assemble turns PTX into a cubin with ptxas, by itself and so without NVRTC, and returns what each kernel takes. A
// refusal is a *CompileError. The assembler is installed at the first call unless it is there.
func (t *Toolchain) Assemble(ctx context.Context, name string, ptx []byte, arch string) (*Result, error) {
	if !archPattern.MatchString(arch) {
		return nil, fmt.Errorf("architecture %q is not of the form sm_80", arch)
	}
	tool, err := t.tool(ctx, "ptxas")
	if err != nil {
		return nil, err
	}
	var cubin []byte
	log, err := runOn(ctx, tool, "kernel.ptx", ptx, func(file, dir string) []string {
		return []string{"--verbose", "--gpu-name=" + arch, "--output-file=" + filepath.Join(dir, "kernel.cubin"), file}
	}, func(dir string) (err error) {
		cubin, err = os.ReadFile(filepath.Join(dir, "kernel.cubin"))
		return err
	})
	if failed, ok := err.(*toolError); ok {
		return nil, &CompileError{Name: name, Arch: arch, Log: failed.output}
	}
	if err != nil {
		return nil, err
	}
	rest, usage := splitLog(string(log))
	return &Result{PTX: ptx, Cubin: cubin, Log: rest, Usage: usage}, nil
}

// toolError is a program's failure with what it said.
type toolError struct {
	tool, output string
}

func (e *toolError) Error() string { return fmt.Sprintf("%s: %s", e.tool, e.output) }

// runOn gives a program one file in a folder of its own, returns what it prints, and calls then on that folder.
func runOn(ctx context.Context, tool, name string, data []byte, args func(file, dir string) []string, then ...func(dir string) error) ([]byte, error) {
	dir, err := os.MkdirTemp("", "tilec-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	command := exec.CommandContext(ctx, tool, args(file, dir)...)
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		said := bytes.TrimSpace(bytes.ReplaceAll(out.Bytes(), []byte(file), []byte(name)))
		if len(said) == 0 {
			said = []byte(err.Error())
		}
		return nil, &toolError{filepath.Base(tool), string(said)}
	}
	for _, f := range then {
		if err := f(dir); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
