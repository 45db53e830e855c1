package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// quick runs a command line that must come to an end soon, whatever it is given, and
// without a panic, a trace, or the text of a C++ compiler.
func quick(t *testing.T, args ...string) int {
	t.Helper()
	var out, err bytes.Buffer
	start := time.Now()
	code := execute(t.Context(), streams{in: strings.NewReader(""), out: &out, err: &err}, args)
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("tilec %s takes %v", strings.Join(args, " "), took)
	}
	all := out.String() + err.String()
	for _, bad := range []string{"panic", "goroutine ", "compiler bug", "internal error", ".cu("} {
		if strings.Contains(all, bad) {
			t.Errorf("tilec %s:\n%.2000s", strings.Join(args, " "), all)
		}
	}
	if code != exitOK && all == "" {
		t.Errorf("tilec %s fails without a word", strings.Join(args, " "))
	}
	return code
}

// TestHostile builds programs that nobody would write.
func TestHostile(t *testing.T) {
	kernel := func(body string) string {
		return "kernel k(X: f32[N], Y: out f32[N]) {\n    grid (b: ceildiv(N, 32)) {\n        " + body + "\n    }\n}\n"
	}
	deep := func(open, x, close string, n int) string {
		return strings.Repeat(open, n) + x + strings.Repeat(close, n)
	}
	for name, text := range map[string]string{
		"no text":          "",
		"bytes":            "\x00\xff\xfe kernel \x80",
		"parentheses":      kernel("let a = " + deep("(", "1", ")", 100000)),
		"negations":        kernel("let a = " + deep("-", "1", "", 100000)),
		"blocks":           kernel(deep("if b > 0 { ", "", " }", 20000)),
		"conditionals":     kernel("let a = " + deep("if b > 0 then ", "1", " else 2", 5000)),
		"a long sum":       kernel("let a = 1" + strings.Repeat(" + 1", 50000)),
		"literal":          kernel("let a = " + strings.Repeat("9", 100000)),
		"float":            kernel("let a = 1e" + strings.Repeat("9", 1000)),
		"extent":           kernel("tile a: f32[9223372036854775807, 9223372036854775807]"),
		"large tile":       kernel("tile a: f32[1048576, 1048576] = 0\n        Y[b*32 + i] = a[i, 0] over i: 32"),
		"odd tile":         kernel("tile a: f32[33, 77] = 0\n        Y[b*32 + i] = a[i, 0] over i: 32"),
		"no tile":          kernel("tile a: f32[0] = 0\n        Y[b*32 + i] = a[i] over i: 32"),
		"negative tile":    kernel("tile a: f32[-4] = 0"),
		"division by zero": kernel("Y[b*32 + i] = X[b*32 + i / 0] over i: 32"),
		"long loop":        kernel("unroll for q in 0 .. 1000000000 { Y[b*32 + i] = X[b*32 + i] over i: 32 }"),
		"many statements":  kernel(strings.Repeat("Y[b*32 + i] = X[b*32 + i] over i: 32\n", 300)),
		"recursion":        "fn f(x: f32) -> f32 { return f(x) }\n" + kernel("Y[b] = f(1.0)"),
		"import":           "import \"cut.tile\"\n",
		"rank":             "kernel k(X: f32[" + strings.Repeat("1, ", 40) + "N], Y: out f32[N]) {\n    grid (b: N) { Y[b] = 0 }\n}\n",
		"many candidates": "kernel k(X: f32[N], Y: out f32[N]) {\n    tune " + manyTunes(8) +
			"\n    grid (b: ceildiv(N, T0)) { Y[b*T0 + i] = X[b*T0 + i] over i: T0 }\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "cut.tile")
			write(t, file, text)
			quick(t, "build", file, "-o", dir, "--emit=src")
			quick(t, "fmt", file)
			quick(t, "ir", file, "--form=tile")
		})
	}
}

// manyTunes declares tunables with so many combinations that not all can be tried.
func manyTunes(n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf("T%d in [16, 32, 64, 128, 256, 512, 1024, 2048]", i))
	}
	return strings.Join(parts, ", ")
}
