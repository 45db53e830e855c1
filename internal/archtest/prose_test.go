package archtest

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPackageDocs wants one essay a package, in doc.go or in the file named after
// the package.
func TestPackageDocs(t *testing.T) {
	documented := map[string]int{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		documented[s.pkg()] += 0
		if s.file.Doc == nil {
			continue
		}
		documented[s.pkg()]++
		first := strings.Fields(s.file.Doc.Text())
		want := []string{"Package", s.file.Name.Name}
		if s.file.Name.Name == "main" {
			want = []string{"Command", path.Base(s.pkg())}
		}
		if len(first) < 2 || first[0] != want[0] || first[1] != want[1] {
			t.Errorf("%s: the package comment starts with %q, not with %q", s.path, strings.Join(first[:min(2, len(first))], " "), strings.Join(want, " "))
		}
	}
	for pkg, n := range documented {
		if n != 1 {
			t.Errorf("package %s has %d package comments", pkg, n)
		}
	}
}

// TestExportedDocs wants a comment on every exported function, type and method, that
// starts with its name.
func TestExportedDocs(t *testing.T) {
	for _, s := range sources(t) {
		if s.isTest() || s.isGenerated() || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && !obvious(d) {
					wantDoc(t, s, d.Name.Name, d.Doc)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.IsExported() {
						doc := ts.Doc
						if doc == nil {
							doc = d.Doc
						}
						wantDoc(t, s, ts.Name.Name, doc)
					}
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// obvious are methods whose meaning an interface of the standard library fixes.
func obvious(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"String", "Error", "Unwrap", "MarshalJSON", "Len", "Less", "Swap"}, d.Name.Name)
}

func wantDoc(t *testing.T, s *source, name string, doc *ast.CommentGroup) {
	t.Helper()
	if doc == nil || strings.TrimSpace(doc.Text()) == "" {
		t.Errorf("%s: %s has no comment", s.path, name)
	}
}

// banned are words that no package, file or text of the project has.
var banned = []struct {
	pattern *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`/work` + `/main|/home/` + `\w+/|/root` + `/`), "a path of some machine"},
	{regexp.MustCompile(`\bpypi\.` + `org|files\.python` + `hosted|proxy\.golang` + `\.org|index-` + `url`), "the host of a package registry"},
	{regexp.MustCompile(`\bTODO\b|\bFIXME\b|\bXXX\b`), "work left undone"},
}

func TestWords(t *testing.T) {
	for _, s := range sources(t) {
		for _, folder := range strings.Split(s.pkg(), "/") {
			if slices.Contains([]string{"util", "utils", "helper", "helpers", "common", "misc", "base"}, folder) {
				t.Errorf("%s: a package is named after what it is about, not %s", s.path, folder)
			}
		}
		if strings.HasPrefix(s.path, "internal/archtest/") {
			continue
		}
		for _, b := range banned {
			if at := b.pattern.FindString(s.text); at != "" {
				t.Errorf("%s: %q is %s", s.path, at, b.why)
			}
		}
	}
}

// TestNoInit keeps packages free of init functions: tables are built where they are
// declared, and nothing registers itself.
func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: has an init function", s.path)
			}
		}
	}
}
