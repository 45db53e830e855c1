package archtest

import (
	"slices"
	"strings"
	"testing"
)

// arrows says what the packages below a folder may import of the project. The
// longest folder counts; "x/…" is x and what is below it.
var arrows = map[string][]string{
	"internal/diag": {},

	// The IR knows elements and places, nothing of the language.
	"ir":         {"internal/diag", "runtime/array", "ir/layout"},
	"ir/layout":  {},
	"ir/machine": {"ir", "ir/layout", "runtime/array"},
	"ir/aicore":  {"ir", "runtime/array"},
	"ir/interp":  {"internal/diag", "ir", "ir/layout", "runtime/array"},

	"passes":        {"internal/diag", "ir", "ir/layout", "ir/machine", "passes/…", "runtime/array"},
	"passes/ascend": {"internal/diag", "ir", "ir/aicore", "ir/machine", "passes", "passes/affine", "passes/live", "runtime/array"},

	// The language; lower is the only package that sees it and the IR.
	"lang/ast":    {"internal/diag"},
	"lang/parser": {"internal/diag", "lang/ast"},
	"lang/format": {"internal/diag", "lang/ast", "lang/parser"},
	"lang/std":    {},
	"lang/types":  {"internal/diag", "lang/ast", "lang/std", "runtime/array"},
	"lang/lower":  {"internal/diag", "ir", "lang/ast", "lang/types", "runtime/array"},

	"codegen":          {"internal/diag", "ir", "runtime/array"},
	"codegen/cuda":     {"codegen", "internal/diag", "ir", "ir/layout", "ir/machine", "runtime/array"},
	"codegen/ascend":   {"codegen", "ir", "ir/aicore", "ir/machine", "runtime/array"},
	"codegen/launcher": {"codegen", "codegen/cuda", "ir", "runtime/array", "runtime/launch/…"},

	// What runs compiled kernels is an island.
	"runtime": {"runtime/…"},

	"internal/driver":   {"codegen/…", "internal/diag", "ir/…", "lang/…", "passes/…", "runtime/…"},
	"internal/exec":     {"runtime/…"},
	"internal/docgen":   {"internal/diag", "ir/…", "passes/…"},
	"internal/fuzz":     {"internal/diag", "internal/driver", "ir/…", "lang/…", "runtime/…"},
	"internal/golden":   {},
	"internal/mutation": {},
	"internal/archtest": {},

	"cmd/tilec": {"internal/diag", "internal/driver", "internal/exec", "internal/fuzz", "runtime/…"},
	"examples":  {"examples/…", "runtime/…"},
}

// allowed returns the arrows of a package.
func allowed(pkg string) ([]string, bool) {
	for at := pkg; ; {
		if list, ok := arrows[at]; ok {
			return list, true
		}
		i := strings.LastIndexByte(at, '/')
		if i < 0 {
			return nil, false
		}
		at = at[:i]
	}
}

func covers(pattern, pkg string) bool {
	if below, ok := strings.CutSuffix(pattern, "/…"); ok {
		return pkg == below || strings.HasPrefix(pkg, below+"/")
	}
	return pkg == pattern
}

func TestImports(t *testing.T) {
	seen := 0
	for _, s := range sources(t) {
		list, ok := allowed(s.pkg())
		if !ok {
			t.Errorf("%s: package %s has no row in the table of arrows", s.path, s.pkg())
			continue
		}
		for _, im := range s.imports() {
			seen++
			if im == s.pkg() || s.isTest() && testMay(s.pkg(), im) {
				continue
			}
			if !slices.ContainsFunc(list, func(p string) bool { return covers(p, im) }) {
				t.Errorf("%s imports %s: %s may import %v", s.path, im, s.pkg(), list)
			}
		}
	}
	if seen == 0 {
		t.Error("no import was seen")
	}
}

// testMay lets tests make what they feed their package with by other stages; those of
// the runtime stay on their island.
func testMay(pkg, im string) bool {
	return im == "internal/golden" || !strings.HasPrefix(pkg, "runtime/") && !strings.HasPrefix(im, "cmd/")
}
