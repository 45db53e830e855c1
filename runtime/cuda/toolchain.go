package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Origin says where a toolchain was found.
type Origin uint8

// Origins, in the order of the search.
const (
	FromVariable Origin = iota + 1 // $TILEC_CUDA, or Search.Dir
	FromToolkit                    // an installed CUDA toolkit
	FromCache                      // installed by tilec
)

func (o Origin) String() string {
	switch o {
	case FromVariable:
		return "$" + DirVariable
	case FromToolkit:
		return "installed toolkit"
	case FromCache:
		return "tilec's cache"
	}
	return "unknown origin"
}

// Environment variables that steer the search.
const (
	DirVariable   = "TILEC_CUDA"  // the root of a toolkit, or of the packages' nvidia/cu13
	CacheVariable = "TILEC_CACHE" // replaces the tilec folder in the user's cache
)

// Search says where to look for a toolchain. The zero value follows the environment.
type Search struct {
	Dir       string         // instead of $TILEC_CUDA
	CacheDir  string         // instead of $TILEC_CACHE
	NoInstall bool           // fail rather than install
	Progress  func(Progress) // hears of an installation; may be nil
}

// Toolchain is NVIDIA's compiler as found. It may be used from many goroutines at once.
type Toolchain struct {
	Origin  Origin
	Root    string   // of the toolkit
	Library string   // the NVRTC shared library
	Include []string // folders with cuda_fp16.h and its like
	Version string   // of NVRTC, such as 13.5

	search Search
	size   int64 // of the library, which tells builds of one version apart
	load   func() (*nvrtc, error)
}

// nvrtc loads the library at the first call.
func (t *Toolchain) nvrtc() (*nvrtc, error) { return t.load() }

// Load loads the library, as the first compilation would: to have it done while something else is.
func (t *Toolchain) Load() error {
	_, err := t.nvrtc()
	return err
}

// Identity names the compiler in cache keys: equal identities compile alike.
func (t *Toolchain) Identity() string { return fmt.Sprintf("nvrtc %s %d", t.Version, t.size) }

// Find returns the first toolchain of: the directory in $TILEC_CUDA (an unusable one is an error, not passed over), an
// installed CUDA toolkit, and tilec's cache, installing into the last if need be. Nothing is loaded yet.
func Find(ctx context.Context, search Search) (*Toolchain, error) {
	if dir := search.dir(); dir != "" {
		t, err := inspectAny(dir)
		if err != nil {
			return nil, fmt.Errorf("$%s: %w", DirVariable, err)
		}
		return search.found(t, FromVariable), nil
	}
	for _, c := range toolkitCandidates() {
		if t, err := c.inspect(); err == nil {
			return search.found(t, FromToolkit), nil
		}
	}
	cached, err := search.cached()
	if err == nil {
		return cached, nil
	}
	if search.NoInstall {
		return nil, fmt.Errorf("NVIDIA's compiler was not found: `tilec setup` installs it, or set $%s to a CUDA toolkit (%s or later)", DirVariable, minVersion)
	}
	if err := Install(ctx, search, Compiler); err != nil {
		return nil, err
	}
	return search.cached()
}

// cached inspects what an earlier installation left.
func (s Search) cached() (*Toolchain, error) {
	dir, err := s.componentDir(Compiler)
	if err != nil {
		return nil, err
	}
	t, err := inspectAny(dir)
	if err != nil {
		return nil, err
	}
	return s.found(t, FromCache), nil
}

func (s Search) found(t *Toolchain, origin Origin) *Toolchain {
	t.Origin = origin
	t.search = s
	t.load = sync.OnceValues(func() (*nvrtc, error) { return openNVRTC(t.Library) })
	return t
}

func (s Search) dir() string {
	if s.Dir != "" {
		return s.Dir
	}
	return os.Getenv(DirVariable)
}

// cacheRoot is the folder that holds all that tilec keeps on this machine.
func (s Search) cacheRoot() (string, error) {
	if s.CacheDir != "" {
		return s.CacheDir, nil
	}
	if dir := os.Getenv(CacheVariable); dir != "" {
		return dir, nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for tilec's cache (set $%s): %w", CacheVariable, err)
	}
	return filepath.Join(base, "tilec"), nil
}

// tool returns the path of one of NVIDIA's programs: beside the toolchain, in the cache, or on the path; failing all, it
// is installed into the cache.
func (t *Toolchain) tool(ctx context.Context, name string) (string, error) {
	component, err := componentOf(name)
	if err != nil {
		return "", err
	}
	path, err := t.findTool(name, component)
	if err == nil || t.search.NoInstall {
		return path, err
	}
	if err := Install(ctx, t.search, component); err != nil {
		return "", err
	}
	return t.findTool(name, component)
}

func (t *Toolchain) findTool(name string, component Component) (string, error) {
	dirs := []string{filepath.Join(t.Root, "bin")}
	if dir, err := t.search.componentDir(component); err == nil {
		dirs = append(dirs, filepath.Join(dir, packageRoot, "bin"))
	}
	dirs = append(dirs, filepath.SplitList(os.Getenv("PATH"))...) // last, as its version may be any
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s was not found: `tilec setup --tools` installs it", name)
}

// errNotToolkit is the base of what inspect says of a folder without a compiler.
var errNotToolkit = errors.New("no CUDA compiler there")

// Describe gives the toolchain in a line, for reports.
func (t *Toolchain) Describe() string {
	return strings.Join([]string{"NVRTC " + t.Version, t.Library, t.Origin.String()}, ", ")
}
