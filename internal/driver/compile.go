package driver

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"tilec/ir"
	"tilec/runtime/ascend"
	nvrtc "tilec/runtime/cuda"
	"tilec/runtime/ptx"
)

// Binary is a unit compiled by NVIDIA's compiler, its entries ready to run.
type Binary struct {
	*Unit
	PTX, Cubin []byte
	Usage      map[string]nvrtc.Usage // by entry
	kernels    []*ptx.Kernel          // by entry, if it is made for the PTX machine
	program    *ascend.Program        // if it is made for the host machine for Ascend C
}

// Artifact says what a compilation is for.
type Artifact uint8

const (
	// ForDevice makes PTX and a cubin.
	ForDevice Artifact = iota + 1
	// ForMachine makes PTX alone, the same, with its instructions related to lines
	// of the text: what the PTX machine takes, without the work of the assembler.
	ForMachine
)

type binaryKey struct {
	arch, text string
	artifact   Artifact
}

// Compile compiles a unit, or returns what an earlier run compiled.
func (s *Session) Compile(ctx context.Context, u *Unit, a Artifact) (*Binary, error) {
	return s.binaries.get(ctx, binaryKey{u.Machine.Name, u.Text, a}, func() (*Binary, error) { return s.compile(ctx, u, a) })
}

func (s *Session) compile(ctx context.Context, u *Unit, a Artifact) (*Binary, error) {
	if u.Machine.HasCores() {
		return s.compileForHost(ctx, u)
	}
	tools, err := s.toolchain()
	if err != nil {
		return nil, err
	}
	compile := tools.Compile
	if !s.opts.NoCache {
		cache, err := s.cache()
		if err != nil {
			return nil, err
		}
		compile = func(ctx context.Context, source nvrtc.Source, options nvrtc.Options) (*nvrtc.Result, error) {
			return cache.Compile(ctx, tools, source, options)
		}
	}
	source := nvrtc.Source{Name: u.FileName(), Text: u.Text}
	res, err := compile(ctx, source, nvrtc.Options{Arch: u.Machine.Name, PTXOnly: a == ForMachine, LineInfo: a == ForMachine})
	var refused *nvrtc.CompileError
	if errors.As(err, &refused) {
		return nil, &ir.Bug{Pass: "codegen", Func: u.Name(), Message: "NVIDIA's compiler refuses the emitted text: " + refused.Error(), Stack: refused.Log}
	}
	if err != nil {
		return nil, err
	}
	b := &Binary{Unit: u, PTX: res.PTX, Cubin: res.Cubin, Usage: res.Usage}
	if a == ForMachine {
		err = b.decode()
	}
	return b, err
}

// decode prepares the entries for the PTX machine.
func (b *Binary) decode() error {
	name := strings.TrimSuffix(path.Base(b.Source), ".tile") + ".ptx"
	mod, err := ptx.Parse(name, string(b.PTX))
	if err != nil {
		return fmt.Errorf("reading the compiled PTX: %w", err)
	}
	for _, e := range b.Entries {
		k, err := mod.Kernel(e.Name)
		if err != nil {
			return fmt.Errorf("reading the compiled PTX: %w", err)
		}
		b.kernels = append(b.kernels, k)
	}
	return nil
}
