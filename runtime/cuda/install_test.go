package cuda

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakePython puts a python3 of our own, a shell script, first and last on the path, and returns a folder that the
// script may write to as $STATE.
func fakePython(t *testing.T, script string) (state string) {
	t.Helper()
	bin, state := t.TempDir(), t.TempDir()
	if script != "" {
		text := "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script
		if err := os.WriteFile(filepath.Join(bin, "python3"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("STATE", state)
	t.Setenv(DirVariable, "")
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"} {
		t.Setenv(name, "")
	}
	return state
}

// pipScript answers --version, counts its installations, and unpacks files that look like the compiler.
const pipScript = `
case "$*" in *--version*) exit 0;; esac
echo x >> "$STATE/calls"
while [ "$1" != --target ]; do shift; done
root="$2/nvidia/cu13"
mkdir -p "$root/lib" "$root/include"
: > "$root/lib/libnvrtc.so.13"
: > "$root/lib/libnvrtc-builtins.so.13.5"
head -c 100000 /dev/zero > "$TMPDIR/download"
sleep 0.5
: > "$root/include/cuda_fp16.h"
`

func TestInstallOnce(t *testing.T) {
	state := fakePython(t, pipScript)
	dir := t.TempDir()
	var mu sync.Mutex
	var events []Progress
	search := Search{CacheDir: dir, Progress: func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, p)
	}}
	var group sync.WaitGroup
	for range 3 { // as three processes would, each with its own lock
		group.Go(func() {
			if err := Install(t.Context(), search, Compiler); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	calls, err := os.ReadFile(filepath.Join(state, "calls"))
	if err != nil || strings.Count(string(calls), "x") != 1 {
		t.Errorf("pip ran %d times, %v", strings.Count(string(calls), "x"), err)
	}
	tc, err := Find(t.Context(), Search{CacheDir: dir, NoInstall: true})
	if err != nil {
		t.Fatal(err)
	}
	if tc.Origin != FromCache || tc.Version != "13.5" || !strings.HasPrefix(tc.Library, dir) {
		t.Errorf("found %+v", tc)
	}
	last := events[len(events)-1]
	if !last.Done || last.Bytes != last.Total || last.Total < 1<<20 {
		t.Errorf("last progress is %+v", last)
	}
	var seen bool
	for i, p := range events {
		seen = seen || p.Bytes >= 100000 && !p.Done
		if i > 0 && p.Bytes < events[i-1].Bytes {
			t.Errorf("progress goes back: %+v", events)
		}
	}
	if !seen {
		t.Errorf("the download does not show in %+v", events)
	}
}

func TestInstallFailures(t *testing.T) {
	fail := func(message string) string {
		return "case \"$*\" in *--version*) exit 0;; esac\necho '" + message + "' >&2\nexit 1\n"
	}
	for _, c := range []struct{ name, script, want string }{
		{"no Python", "", "is needed and was not found"},
		{"no pip", "echo 'No module named pip' >&2; exit 1", "python3-pip"},
		{"offline", fail("NewConnectionError: Failed to establish a new connection"), "registry cannot be reached"},
		{"full disk", fail("OSError: [Errno 28] No space left on device"), "disk is full"},
		{"other hash", fail("THESE PACKAGES DO NOT MATCH THE HASHES"), "hash differs"},
		{"other machine", fail("ERROR: No matching distribution found for x"), "no such package for this machine"},
		{"anything else", fail("Segmentation fault"), "Segmentation fault"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakePython(t, c.script)
			dir := t.TempDir()
			_, err := Find(t.Context(), Search{CacheDir: dir})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if left := leftovers(t, dir); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

func TestInstallCancelled(t *testing.T) {
	fakePython(t, "case \"$*\" in *--version*) exit 0;; esac\nexec sleep 60\n")
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	err := Install(ctx, Search{CacheDir: dir}, Compiler)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 4*time.Second {
		t.Errorf("cancelled after %v: %v", time.Since(begin), err)
	}
	if left := leftovers(t, dir); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// leftovers lists what a failed installation should have removed.
func leftovers(t *testing.T, dir string) string {
	t.Helper()
	var left []string
	for _, name := range names(filepath.Join(dir, "cuda", release)) {
		if !strings.HasSuffix(name, ".lock") {
			left = append(left, name)
		}
	}
	return strings.Join(left, " ")
}

func TestFindWithoutInstalling(t *testing.T) {
	fakePython(t, "")
	_, err := Find(t.Context(), Search{CacheDir: t.TempDir(), NoInstall: true})
	if err == nil || !strings.Contains(err.Error(), "tilec setup") || !strings.Contains(err.Error(), DirVariable) {
		t.Errorf("error %v should say how to get the compiler", err)
	}
}

// toolkit lays out the files that a search looks for.
func toolkit(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestInspect(t *testing.T) {
	triple := targetTriple()
	for _, c := range []struct {
		name  string
		files []string
		want  string // version, or a part of the error
	}{
		{"toolkit", []string{"lib64/libnvrtc.so.13", "lib64/libnvrtc-builtins.so.13.1", "include/cuda_fp16.h"}, "13.1"},
		{"targets", []string{"targets/" + triple + "/lib/libnvrtc.so.12", "targets/" + triple + "/lib/libnvrtc-builtins.so.12.9", "targets/" + triple + "/include/cuda_fp16.h"}, "12.9"},
		{"packages", []string{"nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cu13/lib/libnvrtc-builtins.so.13.5", "nvidia/cu13/include/cuda_fp16.h"}, "13.5"},
		{"two versions", []string{"lib/libnvrtc.so.12", "lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.12.9", "lib/libnvrtc-builtins.so.13.0", "include/cuda_fp16.h"}, "13.0"},
		{"old", []string{"lib64/libnvrtc.so.12", "lib64/libnvrtc-builtins.so.12.4", "include/cuda_fp16.h"}, "NVRTC 12.4 is too old, 12.8"},
		{"no headers", []string{"lib64/libnvrtc.so.13", "lib64/libnvrtc-builtins.so.13.1"}, "headers are missing"},
		{"no builtins", []string{"lib64/libnvrtc.so.13", "include/cuda_fp16.h"}, "libnvrtc-builtins.so is missing"},
		{"alternative build", []string{"lib64/libnvrtc.alt.so.13", "include/cuda_fp16.h"}, "libnvrtc.so is missing"},
		{"empty", nil, "no CUDA compiler there"},
	} {
		tc, err := inspectAny(toolkit(t, c.files...))
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = tc.Version
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestSearchOrder(t *testing.T) {
	fakePython(t, pipScript)
	whole := []string{"lib64/libnvrtc.so.13", "lib64/libnvrtc-builtins.so.13.1", "include/cuda_fp16.h"}
	variable, home := toolkit(t, whole...), toolkit(t, whole...)
	cache := t.TempDir()
	search := Search{CacheDir: cache}
	find := func(want Origin, root string) {
		t.Helper()
		tc, err := Find(t.Context(), search)
		if err != nil {
			t.Fatal(err)
		}
		if tc.Origin != want || !strings.HasPrefix(tc.Root, root) {
			t.Errorf("found %s, want %s below %s", tc.Describe(), want, root)
		}
	}
	find(FromCache, cache)
	t.Setenv("CUDA_HOME", home)
	find(FromToolkit, home)
	t.Setenv(DirVariable, variable)
	find(FromVariable, variable)
	t.Setenv(DirVariable, t.TempDir())
	if _, err := Find(t.Context(), search); err == nil || !strings.Contains(err.Error(), DirVariable) {
		t.Errorf("a useless $%s is passed over: %v", DirVariable, err)
	}
	t.Setenv(DirVariable, "")
	t.Setenv("CUDA_HOME", "")
	t.Setenv("LD_LIBRARY_PATH", filepath.Join(home, "lib64"))
	find(FromToolkit, home)
}
