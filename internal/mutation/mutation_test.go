package mutation

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tilec/internal/golden"
)

var every = flag.Bool("all", false, "put in every fault, not a sample; with -update the page is renewed")

const page = "docs/faults-of-the-compiler.md"

// kernels are the files that the faults' victims are in.
var kernels = []string{"testdata/kernels/*.tile", "examples/attention/*.tile"}

// TestFaultsAreCaught puts in one fault after the other, and compares what catches it with the page.
func TestFaultsAreCaught(t *testing.T) {
	program := build(t)
	t.Run("none", func(t *testing.T) {
		for _, target := range []string{"cuda", "ascend"} {
			for _, f := range check(t, program, "", target, allVictims(target)) {
				t.Errorf("%s %q on %s: %s without any fault", f.kernel, f.test, target, f.how)
			}
		}
	})
	checks := readPage(t)
	for i, f := range faults() {
		if !*every && i%sampleOf != 0 {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			found := check(t, program, f.name, f.on.target, f.on.test)
			if len(found) == 0 {
				t.Fatalf("not caught by %s on %s", f.on.test, f.on.target)
			}
			if was := checks[f.name]; was != found[0].how && !golden.Update() {
				t.Errorf("caught by %s; the page says %q (-all -update renews it)", found[0].how, was)
			}
			checks[f.name] = found[0].how
		})
	}
	if *every && golden.Update() && !t.Failed() {
		golden.Compare(t, filepath.Join(root, page), pageText(checks))
	}
}

// sampleOf is how many faults there are for each one that is put in without -all.
const sampleOf = 30

// TestPage compares the page with the list of faults.
func TestPage(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range faults() {
		if seen[f.name] {
			t.Errorf("two faults are named %q", f.name)
		}
		seen[f.name] = true
		if n := strings.Count(source(t, f.file), f.old); n != 1 {
			t.Errorf("%s: %d places in %s to put it: the line that it changes has changed itself", f.name, n, f.file)
		}
	}
	checks := readPage(t)
	for name := range checks {
		if !seen[name] {
			t.Errorf("the page has %q, which is no fault of the list", name)
		}
	}
	if !golden.Update() {
		golden.Compare(t, filepath.Join(root, page), pageText(checks))
	}
}

// caught is a test that fails.
type caught struct{ kernel, test, how string }

// check runs tests with a fault, and returns those that fail.
func check(t *testing.T, program, fault, target, tests string) []caught {
	t.Helper()
	args := []string{"check", "--json", "--every-pass", "--device=ptx", "--target=" + target, "--run=^(" + tests + ")$"}
	for _, pattern := range kernels {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		args = append(args, files...)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "TILEC_FAULT="+fault)
	var messages strings.Builder
	cmd.Stderr = &messages
	out, err := cmd.Output()
	var failed []caught
	ran := 0
	for line := range strings.Lines(string(out)) {
		var r struct {
			Kernel, Test, Unsupported string
			OK                        bool
			Failures                  []failure
		}
		if e := json.Unmarshal([]byte(line), &r); e != nil || r.Kernel == "" {
			continue
		}
		ran++
		switch {
		case r.Unsupported != "":
			t.Errorf("%s %q on %s: %s", r.Kernel, r.Test, target, r.Unsupported)
		case !r.OK:
			failed = append(failed, caught{r.Kernel, r.Test, r.Failures[0].how(target)})
		}
	}
	if ran == 0 || (err != nil) != (len(failed) > 0) {
		t.Fatalf("%d tests ran, %d failed, and check says %v\n%s", ran, len(failed), err, messages.String())
	}
	return failed
}

// failure is a failure as check prints it.
type failure struct {
	Stage, Text string
	Findings    []string
}

var (
	ofPass    = regexp.MustCompile(`bug in pass ([\w-]+) on`)
	malformed = regexp.MustCompile(`malformed`)
	ruleSaid  = []struct{ says, rule string }{
		{"races with", "a race"}, {"is outside its shape", "out of bounds"}, {"nothing has written", "an unwritten element"},
		{"has taken over", "bytes of two tiles"}, {"in flight", "a copy in flight"},
	}
	// findings begin with the line of the program and the kind.
	ofFinding = regexp.MustCompile(`^(?:[^:]*:\d+: )?([a-z 0-9-]+):`)
)

// how says which check a failure comes from.
func (f failure) how(target string) string {
	machine := map[string]string{"cuda": "PTX machine: ", "ascend": "host machine: "}[target]
	switch {
	case len(f.Findings) > 0:
		kind := f.Findings[0]
		if m := ofFinding.FindStringSubmatch(kind); m != nil {
			kind = m[1]
		}
		return machine + kind
	case malformed.MatchString(f.Text):
		return "verifier after " + ofPass.FindStringSubmatch(f.Text)[1]
	case ofPass.MatchString(f.Text):
		return "the compiler itself, in " + ofPass.FindStringSubmatch(f.Text)[1]
	}
	stage := "interpreter after " + strings.TrimPrefix(f.Stage, "pass ")
	switch {
	case strings.HasPrefix(f.Stage, "compiled kernel"):
		return machine + "results"
	case !strings.HasPrefix(f.Stage, "pass "):
		stage = "interpreter on the " + f.Stage
	}
	for _, r := range ruleSaid {
		if strings.Contains(f.Text, r.says) {
			return stage + ": " + r.rule
		}
	}
	return stage + ": results"
}

// allVictims is the tests of all faults for a target.
func allVictims(target string) string {
	var all []string
	for _, f := range faults() {
		if f.on.target == target && !slices.Contains(all, f.on.test) {
			all = append(all, f.on.test)
		}
	}
	return strings.Join(all, "|")
}

// run runs a program in the module's folder, which must succeed.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

const pageHead = `# What catches a fault of the compiler

Each row is a slip of the hand in a pass or a code generator: an edit of a line or two, made in a build of its own. With it
` + "`tilec check --every-pass`" + ` must fail on the kernel of the row, and the last column says which of
its checks is the first to see it. ` + "`go test ./internal/mutation -all -update`" + ` makes all of them and writes this page; without
` + "`-all`" + ` the test makes a few, and compares the others' names and places with the source.
`

func pageText(checks map[string]string) string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, s := range stages() {
		fmt.Fprintf(&b, "\n## %s\n\n| fault | in | kernel | caught by |\n|---|---|---|---|\n", s.title)
		for _, f := range s.faults {
			fmt.Fprintf(&b, "| %s | `%s` | `%s`, %s | %s |\n", f.name, f.file, f.on.kernel(), f.on.target, checks[f.name])
		}
	}
	return b.String()
}

var row = regexp.MustCompile("^\\| (.*?) \\| `.*` \\| `.*`, \\w+ \\| (.*) \\|$")

// readPage returns what the page says that each fault was caught by.
func readPage(t *testing.T) map[string]string {
	t.Helper()
	checks := map[string]string{}
	if *every && golden.Update() {
		return checks
	}
	for line := range strings.Lines(source(t, page)) {
		if m := row.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			checks[m[1]] = m[2]
		}
	}
	return checks
}
