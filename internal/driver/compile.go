package driver

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"tilec/ir"
	nvrtc "tilec/runtime/cuda"
	"tilec/runtime/ptx"
)

// Binary is a unit compiled by NVIDIA's compiler, its entries ready to run.
type Binary struct {
	*Unit
	PTX, Cubin []byte
	Usage      map[string]nvrtc.Usage // by entry
	kernels    []*ptx.Kernel          // for the PTX machine, by entry
}

type binaryKey struct {
	arch, text string
	lines      bool
}

// Compile compiles a unit, or returns what an earlier run compiled. With lines the
// PTX relates instructions to lines of the text.
func (s *Session) Compile(ctx context.Context, u *Unit, lines bool) (*Binary, error) {
	return s.binaries.get(ctx, binaryKey{u.Machine.Name, u.Text, lines}, func() (*Binary, error) { return s.compile(ctx, u, lines) })
}

func (s *Session) compile(ctx context.Context, u *Unit, lines bool) (*Binary, error) {
	tools, err := s.toolchain()
	if err != nil {
		return nil, err
	}
	cache, err := s.cache()
	if err != nil {
		return nil, err
	}
	source := nvrtc.Source{Name: u.Name() + "." + u.Machine.Name + ".cu", Text: u.Text}
	res, err := cache.Compile(ctx, tools, source, nvrtc.Options{Arch: u.Machine.Name, LineInfo: lines})
	var refused *nvrtc.CompileError
	if errors.As(err, &refused) {
		return nil, &ir.Bug{Pass: "codegen", Func: u.Name(), Message: "NVIDIA's compiler refuses the emitted text: " + refused.Error(), Stack: refused.Log}
	}
	if err != nil {
		return nil, err
	}
	b := &Binary{Unit: u, PTX: res.PTX, Cubin: res.Cubin, Usage: res.Usage}
	return b, b.decode()
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
