package ascend

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// ErrNoCompiler says that no C++ compiler was found.
var ErrNoCompiler = errors.New("no C++ compiler: the host machine for Ascend C needs g++ or clang++ with C++17 (set CXX to name another)")

// Toolchain compiles Ascend C for the host machine. It may be used from several goroutines at once.
type Toolchain struct {
	// CXX is the C++ compiler, Version its first line about itself.
	CXX, Version string
	// CANN is the root of an installed CANN, empty if there is none. The host machine does not need it.
	CANN string
	// Cache is the folder of built machines and kernels.
	Cache string

	mu     sync.Mutex
	runner string // the built machine; empty until the first use
}

// Search says where to look. Zero values stand for the process's own environment.
type Search struct {
	Getenv func(string) string
	Cache  string // folder for what is built; empty: below the user's cache folder
}

// Find locates a compiler: what CXX names, then g++, then clang++.
func Find(s Search) (*Toolchain, error) {
	getenv := s.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	t := &Toolchain{Cache: s.Cache}
	for _, name := range []string{getenv("CXX"), "g++", "clang++"} {
		if name == "" {
			continue
		}
		path, err := exec.LookPath(name)
		if err != nil {
			if name == getenv("CXX") {
				return nil, fmt.Errorf("CXX=%s: %w", name, err)
			}
			continue
		}
		t.CXX = path
		break
	}
	if t.CXX == "" {
		return nil, ErrNoCompiler
	}
	out, err := exec.Command(t.CXX, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", t.CXX, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	t.Version = strings.TrimSpace(line)
	t.CANN = findCANN(getenv("ASCEND_HOME_PATH"))
	if t.Cache == "" {
		root, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no cache folder: %w", err)
		}
		t.Cache = filepath.Join(root, "tilec", "ascend")
	}
	return t, nil
}

// findCANN returns the root if a device compiler is below it.
func findCANN(root string) string {
	if root == "" {
		return ""
	}
	for _, sub := range []string{"bin", "compiler/ccec_compiler/bin", "tools/bisheng_compiler/bin"} {
		if _, err := os.Stat(filepath.Join(root, sub, "bisheng")); err == nil {
			return root
		}
	}
	return ""
}

// flags of the compiler for the machine and for kernels. Kernels keep their asserts.
var (
	machineFlags = []string{"-std=c++17", "-O1", "-fPIC", "-fno-strict-aliasing", "-ffp-contract=off"}
	kernelFlags  = []string{"-std=c++17", "-O1", "-fPIC", "-fno-strict-aliasing", "-ffp-contract=off", "-fvisibility-inlines-hidden", "-w"}
)

// machineKey identifies the machine: its sources, the compiler and its flags.
func (t *Toolchain) machineKey() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%s\n%s\n", t.CXX, t.Version, runtime.GOARCH, machineFlags, kernelFlags)
	err := fs.WalkDir(host, "host", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := host.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(data), data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil))[:20], err
}

// Build makes sure that the machine is built, which takes some seconds the first time, and returns its folder: the headers in
// include, the runner beside them.
func (t *Toolchain) Build(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runner != "" {
		return t.runner, nil
	}
	key, err := t.machineKey()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(t.Cache, "machine-"+key)
	if exists(filepath.Join(dir, "runner")) {
		t.runner = dir
		return dir, nil
	}
	unlock, err := lockFolder(t.Cache)
	if err != nil {
		return "", err
	}
	defer unlock()
	if !exists(filepath.Join(dir, "runner")) { // another process may have built it meanwhile
		if err := t.build(ctx, dir); err != nil {
			return "", err
		}
	}
	t.runner = dir
	return dir, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// build compiles the machine in a folder beside dir, which it then becomes.
func (t *Toolchain) build(ctx context.Context, dir string) error {
	tmp, err := os.MkdirTemp(t.Cache, "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	root, err := fs.Sub(host, "host")
	if err != nil {
		return err
	}
	if err := os.CopyFS(tmp, root); err != nil {
		return err
	}
	units, err := gather(tmp, min(runtime.NumCPU(), 4))
	if err != nil {
		return err
	}
	errs := make([]error, len(units))
	var wg sync.WaitGroup
	var objects []string
	for i, unit := range units {
		object := strings.TrimSuffix(unit, ".cc") + ".o"
		objects = append(objects, object)
		wg.Go(func() {
			errs[i] = t.cxx(ctx, slices.Concat(machineFlags, []string{"-I" + filepath.Join(tmp, "include"), "-I" + filepath.Join(tmp, "src"), "-c", unit, "-o", object}))
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("building the host machine: %w", err)
	}
	link := append([]string{"-rdynamic", "-o", filepath.Join(tmp, "runner")}, objects...)
	if err := t.cxx(ctx, append(link, "-ldl", "-lpthread")); err != nil {
		return fmt.Errorf("linking the host machine: %w", err)
	}
	for _, object := range objects {
		os.Remove(object)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(tmp, dir)
}

// gather writes n translation units of about the same size that include the machine's sources: the standard library's headers,
// which are most of the work, are then read n times only.
func gather(dir string, n int) ([]string, error) {
	sources, err := filepath.Glob(filepath.Join(dir, "src", "*.cc"))
	if err != nil {
		return nil, err
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	slices.SortFunc(sources, func(a, b string) int { return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a, b)) })
	texts, sizes := make([]string, n), make([]int64, n)
	for _, s := range sources {
		i := slices.Index(sizes, slices.Min(sizes))
		texts[i] += fmt.Sprintf("#include %q\n", filepath.Base(s))
		sizes[i] += size(s)
	}
	var units []string
	for i, text := range texts {
		unit := filepath.Join(dir, fmt.Sprintf("unit%d.cc", i))
		if err := os.WriteFile(unit, []byte(text), 0o644); err != nil {
			return nil, err
		}
		units = append(units, unit)
	}
	return units, nil
}

// cxx runs the compiler. Its messages are the error.
func (t *Toolchain) cxx(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, t.CXX, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &CompileError{Output: strings.TrimSpace(out.String()), err: err}
	}
	return nil
}

// CompileError is what the compiler said about a source.
type CompileError struct {
	Output string
	err    error
}

// Error returns the compiler's messages.
func (e *CompileError) Error() string {
	if e.Output == "" {
		return e.err.Error()
	}
	return e.Output
}

// Unwrap returns the failure of the compiler's process.
func (e *CompileError) Unwrap() error { return e.err }
