package exec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"tilec/runtime/cuda"
)

// Source is a program as the machine takes it.
type Source struct {
	Path   string // the file that was asked for
	Name   string // of the PTX, for messages
	PTX    string
	Arch   string // that CUDA C++ was compiled for; else empty
	CUDA   string // CUDA C++, empty if the file holds PTX
	Log    string // warnings of the compiler
	origin string // what the PTX was taken from, for messages
}

// LoadOptions say how to find PTX in a file.
type LoadOptions struct {
	// Arch is what CUDA C++ is compiled for, and what is preferred of several texts. Empty is DefaultArch for CUDA C++.
	Arch string
	// Entry chooses among several texts in one binary.
	Entry   string
	Include []string // folders of headers
	Define  []string // macros, NAME or NAME=VALUE
	Search  cuda.Search
}

// DefaultArch is what CUDA C++ is compiled for.
const DefaultArch = "sm_80"

// Load reads a file of CUDA C++ (named *.cu), PTX, or a binary with PTX inside: a cubin with line or debug information,
// a fat binary, or an object, library or program for the host with fat binaries.
func Load(ctx context.Context, path string, o LoadOptions) (*Source, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &Source{Path: path, Name: filepath.Base(path)}
	switch {
	case isBinary(data):
		if s.PTX, err = extract(data, o.Arch, o.Entry); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		s.origin = s.Name
		s.Name += ".ptx"
		return s, nil
	case strings.HasSuffix(path, ".cu"):
		s.CUDA = string(data)
		return s, s.compile(ctx, o)
	}
	s.PTX = string(data)
	return s, nil
}

// localInclude finds headers whose content the cache of compilations would not see.
var localInclude = regexp.MustCompile(`(?m)^\s*#\s*include\s*"`)

func (s *Source) compile(ctx context.Context, o LoadOptions) error {
	s.Arch = o.Arch
	if s.Arch == "" {
		s.Arch = DefaultArch
	}
	options := cuda.Options{Arch: s.Arch, PTXOnly: true, LineInfo: true}
	for _, d := range o.Define {
		options.Extra = append(options.Extra, "--define-macro="+d)
	}
	t, err := cuda.Find(ctx, o.Search)
	if err != nil {
		return err
	}
	source := cuda.Source{Name: s.Name, Text: s.CUDA}
	var result *cuda.Result
	if len(o.Include) > 0 || localInclude.MatchString(s.CUDA) {
		for _, dir := range append([]string{filepath.Dir(s.Path)}, o.Include...) {
			options.Extra = append(options.Extra, "--include-path="+dir)
		}
		result, err = t.Compile(ctx, source, options)
	} else {
		var cache *cuda.Cache
		if cache, err = cuda.OpenCache(o.Search, 0); err != nil {
			return err
		}
		result, err = cache.Compile(ctx, t, source, options)
	}
	if err != nil {
		return err
	}
	s.PTX, s.Log = string(result.PTX), result.Log
	s.Name = strings.TrimSuffix(s.Name, ".cu") + ".ptx"
	return nil
}

// listing is the text that counts are written beside, and whether it is the CUDA C++.
func (s *Source) listing() (name, text string, isCUDA bool) {
	if s.CUDA != "" {
		return filepath.Base(s.Path), s.CUDA, true
	}
	return s.Name, s.PTX, false
}

// lines splits a text; the last line may lack its end.
func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
