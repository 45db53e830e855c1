package docgen

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed faults.tsv
var faultRows string

// fault is a kind of mistake that another tile compiler made.
type fault struct {
	kind, id, what string
	// absent is why no program can show it here; empty where tests do.
	absent string
}

func faults() []fault {
	var all []fault
	kind := ""
	for line := range strings.Lines(faultRows) {
		line = strings.TrimRight(line, "\n")
		if title, ok := strings.CutPrefix(line, "# "); ok {
			kind = title
			continue
		}
		f := strings.Split(line, "\t")
		one := fault{kind: kind, id: f[0], what: f[1]}
		if len(f) > 2 {
			one.absent = f[2]
		}
		all = append(all, one)
	}
	return all
}

var (
	faultMark  = regexp.MustCompile(`fault: ([A-Z][0-9]{2}(?: [A-Z][0-9]{2})*)`)
	kernelName = regexp.MustCompile(`^kernel ([a-zA-Z_0-9]+)`)
	kernelTest = regexp.MustCompile(`(?m)^test "[^"]*"\s+(\w+)`)
	goTest     = regexp.MustCompile(`^func (Test[A-Za-z0-9_]+)`)
)

// Faults is the table of known faults: each with the tests that show that it is not made here, found by the remark
// `fault: ID` in front of a kernel, a Go test or a part of a script below the folders of root. An error names marks
// without a row, rows without either a test or a reason, and rows that have both.
func Faults(root string, folders ...string) (string, error) {
	tests := map[string][]string{}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !marked(path) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			findMarks(filepath.ToSlash(name), string(text), tests)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	var page strings.Builder
	var rows [][]string
	all := faults()
	for i, f := range all {
		found := tests[f.id]
		delete(tests, f.id)
		switch {
		case len(found) == 0 && f.absent == "":
			return "", fmt.Errorf("fault %s has neither a test nor a reason to have none", f.id)
		case len(found) > 0 && f.absent != "":
			return "", fmt.Errorf("fault %s has tests, %s, and a reason to have none", f.id, strings.Join(found, ", "))
		case len(found) == 0:
			rows = append(rows, []string{f.id, f.what, "", "not expressible: " + f.absent})
		default:
			rows = append(rows, []string{f.id, f.what, strings.Join(found, "<br>"), "right"})
		}
		if i == len(all)-1 || all[i+1].kind != f.kind {
			fmt.Fprintf(&page, "### %s\n\n%s\n", f.kind, table([]string{"fault", "what went wrong", "tests", "status"}, rows))
			rows = nil
		}
	}
	for id, where := range tests {
		return "", fmt.Errorf("%s: fault %s is not in the table", where[0], id)
	}
	return page.String(), nil
}

func marked(path string) bool {
	ext := filepath.Ext(path)
	return ext == ".tile" || ext == ".txtar" || strings.HasSuffix(path, "_test.go")
}

// findMarks adds the tests that remarks in a file stand in front of.
func findMarks(file, text string, tests map[string][]string) {
	var open []string
	add := func(name string) {
		for _, id := range open {
			if !slices.Contains(tests[id], name) {
				tests[id] = append(tests[id], name)
			}
		}
		open = nil
	}
	for line := range strings.Lines(text) {
		if m := faultMark.FindStringSubmatch(line); m != nil {
			open = append(open, strings.Fields(m[1])...)
			if filepath.Ext(file) == ".txtar" {
				add(code(file))
			}
			continue
		}
		if m := goTest.FindStringSubmatch(line); m != nil {
			add(code(m[1]) + " in " + code(file))
		}
		if m := kernelName.FindStringSubmatch(line); m != nil {
			add(fmt.Sprintf("%s in %s: %d", code(m[1]), code(file), testsOf(text, m[1])))
		}
	}
}

// testsOf counts the tests of a kernel.
func testsOf(text, kernel string) int {
	n := 0
	for _, m := range kernelTest.FindAllStringSubmatch(text, -1) {
		if m[1] == kernel {
			n++
		}
	}
	return n
}
