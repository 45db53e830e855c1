package driver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	faultRemark = regexp.MustCompile(`^// fault: `)
	kernelLine  = regexp.MustCompile(`^kernel (\w+)`)
)

// faultKernels names the kernels of a file that stand against known faults.
func faultKernels(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	marked := false
	for line := range strings.Lines(string(text)) {
		switch m := kernelLine.FindStringSubmatch(line); {
		case faultRemark.MatchString(line):
			marked = true
		case m != nil:
			if marked {
				names = append(names, m[1])
			}
			marked = false
		}
	}
	return names
}

// TestKnownFaultsEverywhere proves the kernels that stand against known faults on the
// architectures besides sm_80, where TestPrograms proves all of their tests: the first
// test of each kernel, and those for which another architecture's choices make another
// text.
func TestKnownFaultsEverywhere(t *testing.T) {
	first := machines(t, "sm_80")[0]
	kernels := 0
	for _, dir := range []string{filepath.Join("testdata", "kernels"), filepath.Join("examples", "*")} {
		for _, file := range programs(t, dir) {
			names := faultKernels(t, file)
			if len(names) == 0 {
				continue
			}
			kernels += len(names)
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				s := New(context.Background(), Options{})
				p := s.Load(file)
				wantClean(t, p.Reporter)
				ran := map[string]bool{}
				for _, c := range p.cases(1) {
					if !slices.Contains(names, c.Kernel.Name) {
						continue
					}
					again := ran[c.Kernel.Name]
					ran[c.Kernel.Name] = true
					for _, m := range machines(t, AllArchs) {
						if m == first {
							continue
						}
						if body := bodyOf(t, s, c, m); body == "" || again && body == bodyOf(t, s, c, first) {
							continue
						}
						only := regexp.MustCompile("^" + regexp.QuoteMeta(c.Kernel.Name+" "+c.name) + "$")
						wantOK(t, check(t, s, file, CheckOptions{Machines: []*Machine{m}, Seed: 1, Run: only}))
					}
				}
			})
		}
	}
	if kernels < 80 {
		t.Errorf("only %d kernels are marked", kernels)
	}
}

// bodyOf is the text of a test's kernel without the line that names the architecture;
// "" if the kernel does not fit the architecture's memory.
func bodyOf(t *testing.T, s *Session, c *testCase, m *Machine) string {
	t.Helper()
	b, err := c.bindings(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, u, err := s.choose(t.Context(), c.program, c.Kernel, b, m)
	var refused *Refusal
	if errors.As(err, &refused) {
		if _, limit := refused.Limit(); limit {
			return ""
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(u.Text, "\n")
	return body
}
