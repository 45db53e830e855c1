package cuda

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Report tells what of NVIDIA's tools this machine has. Nothing is installed or loaded to make one.
type Report struct {
	Places     []Place     // where a compiler was looked for, in order; the first usable one is taken
	Components []Installed // what is in tilec's cache
	CacheDir   string      // of all that tilec keeps; empty when there is no such folder
	Entries    int         // compiled kernels remembered, and their bytes
	Bytes      int64
	Installer  string // the command that would install, empty when there is none
}

// Place is one place of the search. Toolchain is nil when Err says why it cannot be used.
type Place struct {
	Origin    Origin
	Path      string
	Toolchain *Toolchain
	Err       error
}

// Installed says whether a component is in the cache.
type Installed struct {
	Component Component
	Path      string
	Present   bool
}

// NewReport looks around.
func NewReport(ctx context.Context, search Search) Report {
	var r Report
	if dir := search.dir(); dir != "" {
		t, err := inspectAny(dir)
		r.add(search, FromVariable, dir, t, err)
	}
	for _, c := range toolkitCandidates() {
		t, err := c.inspect()
		if c.loader && errors.Is(err, errNotToolkit) {
			continue // an ordinary library folder is no news
		}
		r.add(search, FromToolkit, c.root, t, err)
	}
	for c := Compiler; c < numComponents; c++ {
		dir, err := search.componentDir(c)
		if err != nil {
			break
		}
		r.Components = append(r.Components, Installed{c, dir, installed(dir)})
		if c == Compiler {
			t, err := inspectAny(dir)
			r.add(search, FromCache, dir, t, err)
		}
	}
	if root, err := search.cacheRoot(); err == nil {
		r.CacheDir = root
	}
	if cache, err := OpenCache(search, 0); err == nil {
		r.Entries, r.Bytes = cache.Size()
	}
	if pip, err := findPip(ctx); err == nil {
		r.Installer = strings.Join(pip, " ")
	}
	return r
}

func (r *Report) add(search Search, origin Origin, path string, t *Toolchain, err error) {
	if t != nil {
		t = search.found(t, origin)
	}
	r.Places = append(r.Places, Place{origin, path, t, err})
}

// Chosen is the toolchain that Find would return without installing, nil when there is none.
func (r Report) Chosen() *Toolchain {
	for _, p := range r.Places {
		if p.Toolchain != nil {
			return p.Toolchain
		}
		if p.Origin == FromVariable {
			return nil // Find does not pass over it
		}
	}
	return nil
}

// String writes the report for a person, a line a fact.
func (r Report) String() string {
	var b strings.Builder
	for _, p := range r.Places {
		if p.Toolchain != nil {
			fmt.Fprintf(&b, "compiler   %s: NVRTC %s, %s\n", p.Origin, p.Toolchain.Version, p.Toolchain.Library)
		} else {
			fmt.Fprintf(&b, "           %s: %v\n", p.Origin, p.Err)
		}
	}
	for _, c := range r.Components {
		state := "not installed"
		if c.Present {
			state = "installed, " + c.Path
		}
		fmt.Fprintf(&b, "component  %s %s: %s\n", c.Component, release, state)
	}
	if r.CacheDir != "" {
		fmt.Fprintf(&b, "cache      %s: %d compiled kernels, %.1f MB\n", r.CacheDir, r.Entries, float64(r.Bytes)/1e6)
	}
	installer := r.Installer
	if installer == "" {
		installer = "none: " + errNoPip.Error()
	}
	fmt.Fprintf(&b, "installer  %s\n", installer)
	return b.String()
}
