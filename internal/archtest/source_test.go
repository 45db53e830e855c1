package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "tilec"
	root   = "../.."
)

// source is one Go file of the project.
type source struct {
	path string // from the root, with forward slashes
	file *ast.File
	text string
}

// pkg is the folder of the file, the package's path below the module's.
func (s *source) pkg() string { return path.Dir(s.path) }

func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// isGenerated reports the standard line of generated files.
func (s *source) isGenerated() bool { return ast.IsGenerated(s.file) }

// imports lists the packages of the project that the file imports.
func (s *source) imports() []string {
	var own []string
	for _, im := range s.file.Imports {
		name, _ := strconv.Unquote(im.Path.Value)
		if rest, ok := strings.CutPrefix(name, module+"/"); ok {
			own = append(own, rest)
		}
	}
	return own
}

// skipped are folders that hold no source of the project.
func skipped(name string) bool {
	return name == "testdata" || name == "scratch" || len(name) > 1 && name[0] == '.'
}

// sources parses all Go files of the project.
func sources(t *testing.T) []*source {
	t.Helper()
	var all []*source
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && skipped(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		all = append(all, &source{path: filepath.ToSlash(rel), file: f, text: string(text)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d files were found", len(all))
	}
	return all
}
