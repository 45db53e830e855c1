package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// packageRoot is where NVIDIA's Python packages put a toolkit, below their installation folder.
var packageRoot = filepath.Join("nvidia", "cu13")

// minVersion is the oldest NVRTC that knows every architecture of ours (sm_100a and sm_120 came with 12.8).
var minVersion = version{12, 8}

type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) before(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

// candidate is a place that may hold a toolkit: a root, or the library's and the headers' folders apart.
type candidate struct {
	root              string
	libraries, header []string
	loader            bool // one of the dynamic loader's folders, not a toolkit's own
}

// candidateAt names the folders below a toolkit's root. Installers differ in where they put libraries.
func candidateAt(root string) candidate {
	target := filepath.Join(root, "targets", targetTriple())
	return candidate{
		root:      root,
		libraries: []string{filepath.Join(root, "lib64"), filepath.Join(target, "lib"), filepath.Join(root, "lib")},
		header:    []string{filepath.Join(root, "include"), filepath.Join(target, "include")},
	}
}

// targetTriple is NVIDIA's name for this machine.
func targetTriple() string {
	if runtime.GOARCH == "arm64" {
		return "sbsa-linux"
	}
	return "x86_64-linux"
}

// toolkitCandidates lists the places of an installed toolkit: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, the one whose nvcc
// is on the path, then the loader's own folders.
func toolkitCandidates() []candidate {
	var roots []string
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if dir := os.Getenv(name); dir != "" {
			roots = append(roots, dir)
		}
	}
	roots = append(roots, "/usr/local/cuda", "/opt/cuda")
	if nvcc, err := exec.LookPath("nvcc"); err == nil {
		if real, err := filepath.EvalSymlinks(nvcc); err == nil {
			roots = append(roots, filepath.Dir(filepath.Dir(real)))
		}
	}
	var all []candidate
	for _, root := range roots {
		all = append(all, candidateAt(root))
	}
	for _, dir := range loaderDirs() {
		all = append(all, candidate{
			root:      filepath.Dir(dir),
			loader:    true,
			libraries: []string{dir},
			header:    []string{filepath.Join(dir, "..", "include"), "/usr/include", "/usr/local/cuda/include"},
		})
	}
	return all
}

// loaderDirs are the folders where the dynamic loader looks, as far as they have customary names.
func loaderDirs() []string {
	multiarch := "/usr/lib/x86_64-linux-gnu"
	if runtime.GOARCH == "arm64" {
		multiarch = "/usr/lib/aarch64-linux-gnu"
	}
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), func(s string) bool { return s == "" })
	return append(dirs, multiarch, "/usr/lib64", "/usr/local/lib", "/usr/lib")
}

// inspectAny looks at a toolkit's root, or at a folder that the packages were installed into.
func inspectAny(dir string) (*Toolchain, error) {
	t, err := candidateAt(filepath.Join(dir, packageRoot)).inspect()
	if err == nil {
		return t, nil
	}
	return candidateAt(dir).inspect()
}

// inspect makes a toolchain of the candidate, or says what it lacks.
func (c candidate) inspect() (*Toolchain, error) {
	library, dir := findLibrary(c.libraries)
	if library == "" {
		return nil, fmt.Errorf("%s: %w (libnvrtc.so is missing)", c.root, errNotToolkit)
	}
	v, ok := builtinsVersion(dir)
	if !ok {
		return nil, fmt.Errorf("%s: libnvrtc-builtins.so is missing beside %s", c.root, library)
	}
	if v.before(minVersion) {
		return nil, fmt.Errorf("%s: NVRTC %s is too old, %s or later is needed", c.root, v, minVersion)
	}
	info, err := os.Stat(library)
	if err != nil {
		return nil, err
	}
	t := &Toolchain{Root: c.root, Library: library, Version: v.String(), size: info.Size()}
	for _, dir := range c.header {
		if _, err := os.Stat(filepath.Join(dir, "cuda_fp16.h")); err == nil {
			t.Include = []string{filepath.Clean(dir)}
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s: the headers are missing (cuda_fp16.h in %s)", c.root, strings.Join(c.header, ", "))
}

var (
	libraryName  = regexp.MustCompile(`^libnvrtc\.so\.(\d+)$`)
	builtinsName = regexp.MustCompile(`^libnvrtc-builtins\.so\.(\d+)\.(\d+)$`)
)

// findLibrary returns the newest libnvrtc.so.N of the first folder that has one.
func findLibrary(dirs []string) (path, dir string) {
	for _, dir := range dirs {
		best := 0
		for _, name := range names(dir) {
			if m := libraryName.FindStringSubmatch(name); m != nil {
				if major, _ := strconv.Atoi(m[1]); major > best {
					best, path = major, filepath.Join(dir, name)
				}
			}
		}
		if best > 0 {
			return path, dir
		}
	}
	return "", ""
}

// builtinsVersion reads NVRTC's version off the name of its companion, which carries major and minor.
func builtinsVersion(dir string) (best version, ok bool) {
	for _, name := range names(dir) {
		if m := builtinsName.FindStringSubmatch(name); m != nil {
			major, _ := strconv.Atoi(m[1])
			minor, _ := strconv.Atoi(m[2])
			if v := (version{major, minor}); best.before(v) {
				best, ok = v, true
			}
		}
	}
	return best, ok
}

// names lists a folder; one that cannot be read is empty.
func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Name()
	}
	return all
}
