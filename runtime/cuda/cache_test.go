package cuda

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fault: A86
func TestCacheKey(t *testing.T) {
	base := Source{"k.cu", "text"}
	keys := map[string]string{}
	for _, c := range []struct {
		what, identity string
		source         Source
		options        Options
	}{
		{"base", "nvrtc 13.5 1", base, Options{Arch: "sm_80"}},
		{"identity", "nvrtc 13.5 2", base, Options{Arch: "sm_80"}},
		{"name", "nvrtc 13.5 1", Source{"l.cu", "text"}, Options{Arch: "sm_80"}},
		{"boundary", "nvrtc 13.5 1", Source{"k.cut", "ext"}, Options{Arch: "sm_80"}},
		{"text", "nvrtc 13.5 1", Source{"k.cu", "text "}, Options{Arch: "sm_80"}},
		{"arch", "nvrtc 13.5 1", base, Options{Arch: "sm_86"}},
		{"ptx", "nvrtc 13.5 1", base, Options{Arch: "sm_80", PTXOnly: true}},
		{"lines", "nvrtc 13.5 1", base, Options{Arch: "sm_80", LineInfo: true}},
		{"fma", "nvrtc 13.5 1", base, Options{Arch: "sm_80", NoFMA: true}},
		{"registers", "nvrtc 13.5 1", base, Options{Arch: "sm_80", MaxRegs: 32}},
		{"extra", "nvrtc 13.5 1", base, Options{Arch: "sm_80", Extra: []string{"-DX"}}},
	} {
		key, err := cacheKey(c.identity, c.source, c.options)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := keys[key]; ok {
			t.Errorf("%s has the key of %s", c.what, other)
		}
		keys[key] = c.what
	}
}

func openCache(t *testing.T, limit int64) *Cache {
	t.Helper()
	c, err := OpenCache(Search{CacheDir: t.TempDir()}, limit)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCacheCompile(t *testing.T) {
	tc, c := toolchain(t), openCache(t, 0)
	source, options := Source{"reverse.cu", reverseKernel}, Options{Arch: "sm_80"}
	first, err := c.Compile(t.Context(), tc, source, options)
	if err != nil {
		t.Fatal(err)
	}
	// A hit needs no compiler: this one cannot load.
	blind := &Toolchain{Version: tc.Version, size: tc.size, load: func() (*nvrtc, error) { return nil, os.ErrNotExist }}
	second, err := c.Compile(t.Context(), blind, source, options)
	if err != nil {
		t.Fatalf("no hit: %v", err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("remembered result (-compiled +remembered):\n%s", diff)
	}
	if n, bytes := c.Size(); n != 1 || bytes < int64(len(first.Cubin)) {
		t.Errorf("cache holds %d entries, %d bytes", n, bytes)
	}
	if _, err := c.Compile(t.Context(), tc, Source{"bad.cu", "?"}, options); err == nil {
		t.Error("a bad source compiles")
	}
	if n, _ := c.Size(); n != 1 {
		t.Errorf("an error was remembered: %d entries", n)
	}
}

func TestCacheSurvivesDamage(t *testing.T) {
	c := openCache(t, 0)
	result := &Result{PTX: []byte("ptx"), Cubin: []byte{1, 2, 3}, Usage: map[string]Usage{"k": {Registers: 7}}}
	name := "entry" + cacheSuffix
	path := filepath.Join(c.Dir(), name)
	c.put(name, result)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(result, c.get(name)); diff != "" {
		t.Fatalf("entry (-put +got):\n%s", diff)
	}
	flipped := append([]byte(nil), whole...)
	flipped[len(flipped)-2] ^= 1
	for what, data := range map[string][]byte{
		"empty": nil, "cut": whole[:len(whole)-1], "header only": whole[:len(cacheMagic)+5], "flipped": flipped, "other": []byte("x"),
	} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := c.get(name); got != nil {
			t.Errorf("%s entry gives %+v", what, got)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s entry stays", what)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := openCache(t, 10_000)
	if err := os.MkdirAll(c.Dir(), 0o755); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(c.Dir(), "left.tmp")
	if err := os.WriteFile(stale, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(stale, long, long); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		name := fmt.Sprintf("%02d%s", i, cacheSuffix)
		c.put(name, &Result{PTX: make([]byte, 1000)})
		at := time.Now().Add(time.Duration(i-100) * time.Minute)
		if err := os.Chtimes(filepath.Join(c.Dir(), name), at, at); err != nil {
			t.Fatal(err)
		}
		c.get("00" + cacheSuffix) // stays in use
	}
	n, bytes := c.Size()
	if bytes > 10_000 || n < 6 {
		t.Errorf("%d entries with %d bytes are left under a limit of 10000", n, bytes)
	}
	if c.get("00"+cacheSuffix) == nil || c.get("19"+cacheSuffix) == nil || c.get("01"+cacheSuffix) != nil {
		t.Error("entries in use went before unused ones")
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Error("a killed writer's file stays")
	}
	c.put("huge"+cacheSuffix, &Result{PTX: make([]byte, 20_000)})
	if c.get("huge"+cacheSuffix) != nil {
		t.Error("an entry beyond the limit was kept")
	}
}

func TestCacheNeedsNoDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := OpenCache(Search{CacheDir: file}, 0) // a file where the folder should be
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compile(context.Background(), toolchain(t), Source{"reverse.cu", reverseKernel}, Options{Arch: "sm_80"}); err != nil {
		t.Error(err)
	}
}
