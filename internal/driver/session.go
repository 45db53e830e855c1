package driver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"tilec/internal/diag"
	"tilec/lang/parser"
	"tilec/lang/types"
	"tilec/runtime/ascend"
	"tilec/runtime/cuda"
	"tilec/runtime/launch"
)

// Options are what a session does in all its work. The zero value is usable.
type Options struct {
	// Jobs is how many things are done at once; 0 is one a core.
	Jobs int
	// Search says where NVIDIA's compiler is looked for.
	Search cuda.Search
	// Read returns the text of a source file; nil reads the disk.
	Read func(path string) (string, error)
	// Device, if set, is a GPU, or whatever else runs cubins: checks run kernels on
	// it too, runs only there.
	Device *Device
	// Verify checks the IR after every pass.
	Verify bool
	// NoCache keeps no compiled kernels on disk.
	NoCache bool
	// Suffix follows the names of kernels in what is emitted, so that several instances of
	// one can be linked together. It is part of an identifier.
	Suffix string
}

// Device runs cubins.
type Device struct {
	launch.Launcher
	Arch       string // such as sm_90
	Processors int    // how many blocks of a persistent grid it runs at once
}

// runs reports that a device runs code for an architecture: the PTX of an older one
// without a suffix, or exactly its own.
func (d *Device) runs(arch string) bool {
	if strings.TrimSuffix(arch, "a") == d.Arch {
		return true
	}
	var own, other int
	if n, _ := fmt.Sscanf(d.Arch, "sm_%d", &own); n < 1 {
		return false
	}
	n, _ := fmt.Sscanf(arch, "sm_%d", &other)
	return n == 1 && arch == fmt.Sprintf("sm_%d", other) && other < own
}

// Session holds what compilations share: parsed programs, the compiler, and what
// has been compiled. It may be used from many goroutines at once.
type Session struct {
	opts      Options
	toolchain func() (*cuda.Toolchain, error)
	cache     func() (*cuda.Cache, error)
	host      func() (*ascend.Toolchain, error) // for Ascend C
	programs  memo[string, *Program]
	instances memo[instanceKey, *Instance]
	units     memo[unitKey, *Unit]
	binaries  memo[binaryKey, *Binary]
}

// New returns a session. The compiler is looked for when it is first needed; that
// may install it, within ctx.
func New(ctx context.Context, opts Options) *Session {
	if opts.Jobs <= 0 {
		opts.Jobs = runtime.GOMAXPROCS(0)
	}
	if opts.Read == nil {
		opts.Read = readFile
	}
	return &Session{
		opts:      opts,
		toolchain: sync.OnceValues(func() (*cuda.Toolchain, error) { return cuda.Find(ctx, opts.Search) }),
		host:      sync.OnceValues(func() (*ascend.Toolchain, error) { return ascend.Find(ascend.Search{}) }),
		cache:     sync.OnceValues(func() (*cuda.Cache, error) { return cuda.OpenCache(opts.Search, 0) }),
	}
}

func readFile(path string) (string, error) {
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		if pe, ok := err.(*os.PathError); ok {
			err = pe.Err
		}
		return "", err
	}
	if len(text) > maxSource {
		return "", fmt.Errorf("the file has %d bytes, more than a program may have (%d)", len(text), maxSource)
	}
	return string(text), nil
}

// maxSource bounds what is read as a program; offsets of a file must stay small.
const maxSource = 16 << 20

// Program is a file with all that it imports, checked.
type Program struct {
	*types.Program
	// Path is the file's, with forward slashes.
	Path string
	// Reporter holds what was found wrong, warnings included.
	Reporter *diag.Reporter
	// Bug is a mistake of the compiler that ended the check, also in the reporter.
	Bug *Bug
}

// Load reads and checks a file, once in a session. A file that cannot be read has
// an error in its reporter.
func (s *Session) Load(path string) *Program {
	path = strings.ReplaceAll(path, `\`, "/")
	p, _ := s.programs.get(context.Background(), path, func() (*Program, error) {
		rep := &diag.Reporter{}
		p := &Program{Path: path, Reporter: rep}
		err := guard("checking", path, func() {
			p.Program = types.Load(path, s.opts.Read, parser.Parse, rep)
			if !rep.HasErrors() {
				types.Check(p.Program, rep)
			}
		})
		if err != nil {
			p.Bug, _ = err.(*Bug)
			rep.Errorf("", diag.Span{}, "%v", err)
		}
		return p, nil
	})
	return p
}

// memo computes each value once, by whoever asks first; others wait for it.
type memo[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*memoEntry[V]
}

type memoEntry[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// get returns the value of a key. An error is not kept.
func (m *memo[K, V]) get(ctx context.Context, key K, compute func() (V, error)) (V, error) {
	m.mu.Lock()
	if e := m.entries[key]; e != nil {
		m.mu.Unlock()
		select {
		case <-e.done:
			return e.value, e.err
		case <-ctx.Done():
			var zero V
			return zero, ctx.Err()
		}
	}
	if m.entries == nil {
		m.entries = map[K]*memoEntry[V]{}
	}
	e := &memoEntry[V]{done: make(chan struct{})}
	m.entries[key] = e
	m.mu.Unlock()
	defer close(e.done)
	if e.value, e.err = compute(); e.err != nil {
		m.mu.Lock()
		delete(m.entries, key)
		m.mu.Unlock()
	}
	return e.value, e.err
}
