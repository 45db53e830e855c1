package docgen

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// module is the path of the Go module, which imports of its own packages start with.
const module = "tilec/"

// Packages is the table of the documented packages in some folders below root: what each is for, and which other
// packages of the module it imports.
func Packages(root string, folders ...string) (string, error) {
	var rows [][]string
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			p, err := readPackage(dir)
			if err != nil || p.doc == "" {
				return err
			}
			name, err := filepath.Rel(root, dir)
			if err != nil {
				return err
			}
			name = filepath.ToSlash(name)
			for i, im := range p.imports {
				p.imports[i] = code(im)
			}
			rows = append(rows, []string{code(name), synopsis(p.doc), strings.Join(p.imports, ", ")})
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return table([]string{"package", "", "imports"}, rows), nil
}

// goPackage is the package in a folder, without its tests.
type goPackage struct {
	doc     string
	imports []string // of the module's packages, sorted
}

func readPackage(dir string) (goPackage, error) {
	var p goPackage
	entries, err := os.ReadDir(dir)
	if err != nil {
		return p, err
	}
	imports := map[string]bool{}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return p, err
		}
		if ast.IsGenerated(file) {
			continue
		}
		if text := file.Doc.Text(); text != "" {
			p.doc = text
		}
		for _, i := range file.Imports {
			if name, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module); ok {
				imports[name] = true
			}
		}
	}
	p.imports = slices.Sorted(maps.Keys(imports))
	return p, nil
}

// synopsis is the first sentence of a package's documentation, without the `Package x` that it starts with.
func synopsis(text string) string {
	s := new(doc.Package).Synopsis(text)
	words := strings.SplitN(s, " ", 3)
	if len(words) == 3 && (words[0] == "Package" || words[0] == "Command") {
		s = words[2]
	}
	return strings.TrimSuffix(s, ".")
}
