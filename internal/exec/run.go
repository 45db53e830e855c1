package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tilec/runtime/array"
	"tilec/runtime/ptx"
)

// Request is one launch.
type Request struct {
	Source *Source
	Entry  string // may be empty if there is one only
	// Config is the launch without Print, which Run sets.
	Config ptx.Config
	Args   []*Arg
	Seed   uint64            // of generated arrays
	Save   map[string]string // files of arrays beside those that arguments name
	// Timeout stops the launch; 0 is no limit.
	Timeout time.Duration
	Print   func(string) // what the kernel prints; may be nil
}

// Outcome is what a launch left. Outputs have been saved.
type Outcome struct {
	Source *Source
	Entry  string
	Config ptx.Config
	Report *ptx.Report
	Saved  []Saved
}

// Saved is an array that was written to a file.
type Saved struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Type  string `json:"type"` // on the device
	Shape []int  `json:"shape"`
}

// EntryError says that an entry is not there, or that one must be chosen.
type EntryError struct {
	Entry   string // empty: none was asked for
	File    string
	Entries []string
}

// Error lists the entries.
func (e *EntryError) Error() string {
	there := strings.Join(e.Entries, ", ")
	switch {
	case len(e.Entries) == 0:
		return e.File + " has no entry"
	case e.Entry == "":
		return fmt.Sprintf("%s has %d entries; choose one with --entry: %s", e.File, len(e.Entries), there)
	}
	return fmt.Sprintf("%s has no entry %s, or several of that name; there is %s", e.File, e.Entry, there)
}

// TimeoutError says that a launch was stopped.
type TimeoutError struct {
	Entry string
	After time.Duration
}

// Error names the entry and the time.
func (e *TimeoutError) Error() string { return fmt.Sprintf("%s: stopped after %s", e.Entry, e.After) }

// Run launches a kernel. Arguments that don't fit are a *MismatchError, a wrong entry an *EntryError, and a launch that
// took too long a *TimeoutError, which comes with an outcome of what was found until then. What the kernel does wrong
// is in the outcome.
func Run(ctx context.Context, r Request) (*Outcome, error) {
	m, err := ptx.Parse(r.Source.Name, r.Source.PTX)
	if err != nil {
		return nil, err
	}
	entry, err := chooseEntry(r.Source, m.Kernels(), r.Entry)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(entry)
	if err != nil {
		return nil, err
	}
	if err := check(entry, k.Signature(), r.Args); err != nil {
		return nil, err
	}
	arrays, values, err := bind(r.Args, r.Seed, r.Save)
	if err != nil {
		return nil, err
	}
	if r.Config.Arch == "" && r.Source.Arch != "" {
		r.Config.Arch = r.Source.Arch
	} else if t := m.Targets(); r.Config.Arch == "" && len(t) > 0 {
		r.Config.Arch = t[0]
	}
	r.Config.Print = r.Print
	launch := ctx
	if r.Timeout > 0 {
		var stop context.CancelFunc
		launch, stop = context.WithTimeout(ctx, r.Timeout)
		defer stop()
	}
	out := &Outcome{Source: r.Source, Entry: entry, Config: r.Config}
	out.Report, err = k.Launch(launch, r.Config, values...)
	switch {
	case err != nil && out.Report != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return out, &TimeoutError{entry, r.Timeout}
	case err != nil:
		return nil, err
	}
	out.Saved, err = saveAll(arrays)
	return out, err
}

// saveAll writes the arrays that have a file to go to.
func saveAll(arrays []*bound) (saved []Saved, err error) {
	for _, b := range arrays {
		if b.save == "" {
			continue
		}
		if err := saveNpy(b.save, b.values); err != nil {
			return saved, err
		}
		saved = append(saved, Saved{b.arg.Name, b.save, b.values.DType.String(), b.values.Shape})
	}
	return saved, nil
}

// chooseEntry returns the entry that is meant.
func chooseEntry(s *Source, entries []string, name string) (string, error) {
	found := entries
	if name != "" {
		found = matching(entries, name)
	}
	if len(found) != 1 {
		return "", &EntryError{name, filepath.Base(s.Path), entries}
	}
	return found[0], nil
}

// saveNpy writes an array to a file that is there whole or as it was before.
func saveNpy(path string, a *array.Array) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".*"+filepath.Base(path))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // of no effect once it is renamed
	err = array.WriteNpy(f, a)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("saving %s: %w", path, err)
	}
	return nil
}
