package driver

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tilec/codegen/launcher"
	"tilec/runtime/cuda"
)

// Kind is a kind of output of a build.
type Kind string

// Kinds of outputs.
const (
	Text      Kind = "src"   // the emitted text
	PTX       Kind = "ptx"   // the compiled kernel as PTX
	Cubin     Kind = "cubin" // the compiled kernel as machine code
	Host      Kind = "host"  // a launcher in C++ for the CUDA runtime, or for ACL
	GoPackage Kind = "go"    // a Go package that embeds the compiled kernels of a file
)

// Kinds lists the kinds of outputs.
func Kinds() []Kind { return []Kind{Text, PTX, Cubin, Host, GoPackage} }

// suffixes are the endings of the files that a kernel has for each architecture.
var suffixes = map[Kind]string{PTX: ".ptx", Cubin: ".cubin", Host: ".host.cu"}

// Output is a file to write.
type Output struct {
	Name string // with forward slashes, relative to the output folder
	Data []byte
}

// BuildRequest is what a build makes.
type BuildRequest struct {
	Program  *Program
	Kernels  []Kernel // of the program
	Machines []*Machine
	Kinds    []Kind
	// Define gives values to generics and tunables; what it leaves open is chosen.
	Define Definitions
}

// built is a kernel compiled for a machine.
type built struct {
	unit   *Unit
	binary *Binary // nil where only text is asked for
	err    error
}

// Build compiles kernels for machines. Text and host launchers need no toolchain.
// Where something fails the error joins the reasons, and what could be made is
// returned.
func (s *Session) Build(ctx context.Context, r BuildRequest) ([]Output, []*Unit, error) {
	if r.compiles() && slices.ContainsFunc(r.Machines, func(m *Machine) bool { return !m.HasCores() }) {
		go s.preload(ctx)
	}
	results := make([]built, len(r.Kernels)*len(r.Machines))
	slots := make(chan struct{}, s.opts.Jobs)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = s.buildOne(ctx, r, r.Kernels[i/len(r.Machines)], r.Machines[i%len(r.Machines)])
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var out []Output
	var units []*Unit
	var errs []error
	for _, b := range results {
		if b.err != nil {
			errs = append(errs, b.err)
			continue
		}
		units = append(units, b.unit)
		files, err := b.files(r.Kinds)
		if err != nil {
			errs = append(errs, err)
		}
		out = append(out, files...)
	}
	if slices.Contains(r.Kinds, GoPackage) && len(errs) == 0 {
		files, err := goPackage(r, results)
		if err != nil {
			errs = append(errs, err)
		}
		out = append(out, files...)
	}
	return out, units, errors.Join(errs...)
}

// compiles reports that text alone is not enough.
func (r BuildRequest) compiles() bool {
	return slices.ContainsFunc(r.Kinds, func(k Kind) bool { return k == PTX || k == Cubin || k == GoPackage })
}

// preload loads NVIDIA's compiler while there is no text for it yet, if it is there.
func (s *Session) preload(ctx context.Context) {
	search := s.opts.Search
	search.NoInstall = true
	if t, err := cuda.Find(ctx, search); err == nil {
		_ = t.Load() // whoever needs it hears of the error
	}
}

func (s *Session) buildOne(ctx context.Context, r BuildRequest, k Kernel, m *Machine) (b built) {
	bind, err := r.Define.bind(k.Kernel)
	if err != nil {
		return built{err: err}
	}
	if _, b.unit, b.err = s.choose(ctx, r.Program, k.Kernel, bind, m); b.err != nil {
		return b
	}
	if r.compiles() {
		b.binary, b.err = s.Compile(ctx, b.unit, ForDevice)
	}
	return b
}

// files are the outputs of one kernel on one machine.
func (b *built) files(kinds []Kind) ([]Output, error) {
	var out []Output
	for _, kind := range kinds {
		if kind != Text && kind != Host && b.unit.Machine.HasCores() {
			return out, fmt.Errorf("%s: output %s is not there for %s: there is %s and %s", b.unit.Name(), kind, b.unit.Machine.Name, Text, Host)
		}
		var data []byte
		switch kind {
		case Text:
			data = []byte(b.unit.Text)
		case PTX:
			data = b.binary.PTX
		case Cubin:
			data = b.binary.Cubin
		case Host:
			text, err := b.launcher()
			if err != nil {
				return out, err
			}
			data = []byte(text)
		default:
			continue
		}
		name := b.unit.Name() + "." + b.unit.Machine.Name + suffixes[kind]
		switch {
		case kind == Text:
			name = b.unit.FileName()
		case kind == Host && b.unit.Machine.HasCores():
			name = b.unit.Name() + "." + b.unit.Machine.Name + ".host.cpp"
		}
		out = append(out, Output{Name: name, Data: data})
	}
	return out, nil
}

// launcher prints the launcher of a kernel in C++.
func (b *built) launcher() (string, error) {
	if b.unit.Machine.HasCores() {
		return launcher.ACL(b.unit.Unit, b.unit.FileName(), b.unit.Source, b.unit.Machine.Name)
	}
	return launcher.Host(b.unit.Unit, b.unit.Source, b.unit.Machine.Name)
}

// goPackage makes the Go package of a file.
func goPackage(r BuildRequest, results []built) ([]Output, error) {
	var instances []launcher.Instance
	for i := range r.Kernels {
		var in launcher.Instance
		for _, b := range results[i*len(r.Machines) : (i+1)*len(r.Machines)] {
			in.Images = append(in.Images, launcher.Image{Arch: b.unit.Machine.Name, Unit: b.unit.Unit, PTX: b.binary.PTX, Cubin: b.binary.Cubin})
		}
		instances = append(instances, in)
	}
	pkg := packageName(r.Program.Path)
	files, err := launcher.Go(pkg, path.Base(r.Program.Path), instances)
	var out []Output
	for _, f := range files {
		out = append(out, Output{Name: path.Join(pkg, f.Name), Data: f.Data})
	}
	return out, err
}

// packageName makes a Go package's name of a file's: lower-case letters and digits.
func packageName(file string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSuffix(path.Base(file), ".tile")))
	if name == "" || name[0] <= '9' || token.IsKeyword(name) || name == "main" {
		return "kernels" + name
	}
	return name
}

// WriteFiles writes outputs into a folder, which is made if need be, and returns
// the paths.
func WriteFiles(dir string, files []Output) ([]string, error) {
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
