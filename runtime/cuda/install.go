package cuda

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Progress tells how far an installation is. Bytes counts what was downloaded of Total.
type Progress struct {
	Component Component
	Bytes     int64
	Total     int64
	Done      bool // the component is in place
}

// Install installs a component into the cache unless it is there. It needs Python's pip. Two processes that install at
// the same time do so one after the other; a component appears whole or not at all.
func Install(ctx context.Context, search Search, component Component) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("NVIDIA's packages can be installed on Linux only; set $%s to a CUDA toolkit", DirVariable)
	}
	target, err := search.componentDir(component)
	if err != nil {
		return err
	}
	if installed(target) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return fmt.Errorf("installing NVIDIA's %s: %w", component, err)
	}
	unlock, err := lockFile(ctx, target+".lock")
	if err != nil {
		return fmt.Errorf("installing NVIDIA's %s: %w", component, err)
	}
	defer unlock()
	if installed(target) {
		return nil
	}
	return search.install(ctx, component, target)
}

// installed reports a component in place; the rename that puts it there is the last step of an installation.
func installed(target string) bool {
	info, err := os.Stat(target)
	return err == nil && info.IsDir()
}

// componentDir is where a component lies in the cache.
func (s Search) componentDir(component Component) (string, error) {
	root, err := s.cacheRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "cuda", release, component.String()), nil
}

// install fills a temporary folder beside the target and renames it. The caller holds the lock.
func (s Search) install(ctx context.Context, component Component, target string) error {
	work, err := os.MkdirTemp(filepath.Dir(target), component.String()+"-*.tmp")
	if err != nil {
		return fmt.Errorf("installing NVIDIA's %s: %w", component, err)
	}
	defer os.RemoveAll(work)
	files := filepath.Join(work, "files")
	scratch := filepath.Join(work, "scratch")
	for _, dir := range []string{files, scratch} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return fmt.Errorf("installing NVIDIA's %s: %w", component, err)
		}
	}
	stop := s.watch(component, scratch)
	err = pipInstall(ctx, component, files, scratch)
	stop()
	if err != nil {
		return err
	}
	if err := os.Rename(files, target); err != nil {
		return fmt.Errorf("installing NVIDIA's %s: %w", component, err)
	}
	s.report(Progress{Component: component, Bytes: component.bytes(), Total: component.bytes(), Done: true})
	return nil
}

func (s Search) report(p Progress) {
	if s.Progress != nil {
		s.Progress(p)
	}
}

// watch reports a growing folder until stopped: pip downloads into it, and prints no figures of its own to a pipe.
func (s Search) watch(component Component, scratch string) (stop func()) {
	if s.Progress == nil {
		return func() {}
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		total := component.bytes()
		var most int64
		for {
			most = max(most, min(folderBytes(scratch), total))
			s.report(Progress{Component: component, Bytes: most, Total: total})
			select {
			case <-quit:
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// folderBytes adds up the files of a folder, while they come and go.
func folderBytes(dir string) (total int64) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}

// InstallError says why pip could not install; Output is the end of what it printed.
type InstallError struct {
	Component Component
	Reason    string
	Output    string
}

func (e *InstallError) Error() string {
	text := fmt.Sprintf("installing NVIDIA's %s: %s", e.Component, e.Reason)
	if e.Output != "" {
		text += "\n" + e.Output
	}
	return text
}

// errNoPip is the reason when there is no installer to run.
var errNoPip = errors.New("pip, of Python 3, is needed and was not found: install it (Debian: apt install python3-pip; " +
	"elsewhere: python3 -m ensurepip --user), or set $" + DirVariable + " to a CUDA toolkit")

// offlineSigns are what pip prints when it reaches no registry.
var offlineSigns = []string{
	"NewConnectionError", "name resolution", "Network is unreachable", "Connection refused", "ConnectTimeoutError",
	"ReadTimeoutError", "ProxyError", "Max retries exceeded",
}

// reasonOf reads the cause off pip's output.
func reasonOf(output string) string {
	for _, sign := range offlineSigns {
		if strings.Contains(output, sign) {
			return "the Python package registry cannot be reached; once online, `tilec setup` installs it ahead of time, or set $" + DirVariable + " to a CUDA toolkit"
		}
	}
	switch {
	case strings.Contains(output, "No space left"):
		return "the disk is full"
	case strings.Contains(output, "DO NOT MATCH THE HASHES"):
		return "the registry's package is not the pinned one (its hash differs)"
	case strings.Contains(output, "No matching distribution"):
		return "the registry has no such package for this machine"
	}
	return "pip failed"
}
