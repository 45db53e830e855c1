package lower_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tilec/ir"
)

// TestText lowers the programs of testdata/text and compares the IR in text
// form. A file holds a program whose first test chooses the instance, the
// kernel's tile form and, if it has a spec, its spec form.
func TestText(t *testing.T) {
	paths, _ := filepath.Glob("testdata/text/*.txtar")
	if len(paths) == 0 {
		t.Fatal("no programs")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in := archive.Files[0]
			p := load(t, path+"/"+in.Name, string(in.Data))
			f, spec := lowered(t, instantiate(t, p, testCase(t, p, p.Tests[0]), nil))
			files := []txtar.File{in, {Name: "tile.tir", Data: []byte(ir.Print(f))}}
			if spec != nil {
				files = append(files, txtar.File{Name: "spec.tir", Data: []byte(ir.Print(spec))})
			}
			got := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: files})
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
