package mutation

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the module's folder.
const root = "../.."

// fault is a mistake in the compiler's source.
type fault struct {
	name string
	file string // below root
	// old stands in the file once, and new takes its place. In new, FAULT is whether the fault is on.
	old, new string
	on       victim
}

// victim is a kernel that a fault shows in.
type victim struct {
	target string
	test   string // the kernel and its test, as for check's --run
}

func cuda(test string) victim { return victim{"cuda", test} }

func ascend(test string) victim { return victim{"ascend", test} }

func (v victim) kernel() string {
	name, _, _ := strings.Cut(v.test, " ")
	return name
}

// stage is a part of the compiler with its faults.
type stage struct {
	title  string
	faults []fault
}

// stages are in the order in which a program goes through them.
func stages() []stage {
	return []stage{
		{"Lowering", lowering},
		{"Passes that all targets share, and those for GPUs", gpuPasses},
		{"CUDA C++", cudaText},
		{"Passes for AI cores", corePasses},
		{"Ascend C", ascendText},
	}
}

// faults are those of all stages.
func faults() []fault {
	var all []fault
	for _, s := range stages() {
		all = append(all, s.faults...)
	}
	return all
}

var packageClause = regexp.MustCompile(`(?m)^package (\w+)$`)

// hook goes into each package that has faults.
const hook = `package %s

import "os"

var chosenFault = os.Getenv("TILEC_FAULT")

func faulty(name string) bool { return chosenFault == name }
`

// build puts all faults into the compiler, and returns the program.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	abs := func(name string) string {
		p, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	replace := map[string]string{}
	add := func(name, text string) {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[abs(name)] = to
	}
	texts := map[string]string{}
	for _, f := range faults() {
		if texts[f.file] == "" {
			texts[f.file] = source(t, f.file)
			clause := packageClause.FindStringSubmatch(texts[f.file])
			add(path.Join(path.Dir(f.file), "faulty.go"), fmt.Sprintf(hook, clause[1]))
		}
		if n := strings.Count(texts[f.file], f.old); n != 1 {
			t.Fatalf("%s: %d places in %s to put it", f.name, n, f.file)
		}
		with := strings.ReplaceAll(f.new, "FAULT", fmt.Sprintf("faulty(%q)", f.name))
		texts[f.file] = strings.Replace(texts[f.file], f.old, with, 1)
	}
	for name, text := range texts {
		add(name, text)
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "tilec")
	run(t, "go", "build", "-overlay", overlay, "-o", program, "./cmd/tilec")
	return program
}

func source(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
