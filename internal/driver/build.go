package driver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tilec/ir/machine"
	"tilec/lang/types"
)

// Kind is a kind of output of a build.
type Kind string

// Kinds of outputs.
const (
	Text  Kind = "src"   // the emitted text
	PTX   Kind = "ptx"   // the compiled kernel as PTX
	Cubin Kind = "cubin" // the compiled kernel as machine code
)

// Kinds lists the kinds of outputs.
func Kinds() []Kind { return []Kind{Text, PTX, Cubin} }

// suffixes are the endings of the files of each kind.
var suffixes = map[Kind]string{Text: ".cu", PTX: ".ptx", Cubin: ".cubin"}

// Output is a file to write.
type Output struct {
	Name string // without a folder
	Data []byte
}

// Build compiles a kernel for a machine, with the values that b leaves open chosen,
// and returns the files of the kinds asked for. Text alone needs no toolchain.
func (s *Session) Build(ctx context.Context, p *Program, k *types.Kernel, b types.Bindings, m *machine.Machine, kinds []Kind) ([]Output, *Unit, error) {
	_, u, err := s.choose(ctx, p, k, b, m)
	if err != nil {
		return nil, nil, err
	}
	var bin *Binary
	var out []Output
	for _, kind := range kinds {
		var data []byte
		switch kind {
		case Text:
			data = []byte(u.Text)
		case PTX, Cubin:
			if bin == nil {
				if bin, err = s.Compile(ctx, u, ForDevice); err != nil {
					return nil, nil, err
				}
			}
			data = bin.PTX
			if kind == Cubin {
				data = bin.Cubin
			}
		}
		out = append(out, Output{Name: k.Name + "." + m.Name + suffixes[kind], Data: data})
	}
	return out, u, nil
}

// WriteFiles writes outputs into a folder, which is made if need be, and returns
// the paths.
func WriteFiles(dir string, files []Output) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the output folder: %w", err)
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, fmt.Errorf("making the output folder: %w", err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
