package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tilec/internal/golden"
	"tilec/runtime/array"
	"tilec/runtime/cuda"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tilec": main})
}

// TestScripts runs the command as users type it. Beside testscript's own commands
// there are `npy FILE TYPE SHAPE VALUE…`, which makes an array, its values repeated
// as often as need be, and `shownpy FILE`, which prints one.
func TestScripts(t *testing.T) {
	cache := toolchain(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       golden.Update(),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv(cuda.CacheVariable, cache)
			env.Setenv(cuda.DirVariable, os.Getenv(cuda.DirVariable))
			env.Setenv("EXAMPLES", examples(t))
			env.Setenv("KERNELS", filepath.Join(examples(t), "..", "runtime", "ptx", "testdata"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"npy": makeNpy, "shownpy": showNpy},
	})
}

// toolchain makes sure that there is a compiler, and returns tilec's cache folder:
// scripts see none of the user's own environment.
func toolchain(t *testing.T) string {
	t.Helper()
	if _, err := cuda.Find(t.Context(), cuda.Search{}); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv(cuda.CacheVariable); dir != "" {
		return dir
	}
	base, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(base, "tilec")
}

func examples(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func makeNpy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: npy FILE TYPE SHAPE VALUE…")
	}
	dtype, ok := array.ParseDType(args[1])
	if !ok {
		ts.Fatalf("no type %s", args[1])
	}
	var shape []int
	for _, d := range strings.Split(args[2], ",") {
		n, err := strconv.Atoi(d)
		ts.Check(err)
		shape = append(shape, n)
	}
	a := array.New(dtype, shape...)
	for i := range a.Len() {
		x, err := strconv.ParseFloat(args[3+i%(len(args)-3)], 64)
		ts.Check(err)
		a.SetFloat(i, x)
	}
	ts.Check(array.SaveNpy(ts.MkAbs(args[0]), a))
}

func showNpy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shownpy FILE")
	}
	a, err := array.LoadNpy(ts.MkAbs(args[0]))
	ts.Check(err)
	var values []string
	for i := range a.Len() {
		values = append(values, fmt.Sprint(a.At(i)))
	}
	fmt.Fprintf(ts.Stdout(), "%s %s\n", a, strings.Join(values, " "))
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.tile"), filepath.Join(dir, "bad.tile")
	write(t, good, "kernel k(X: f32[N], Y: out f32[N]) {\n    grid (b: ceildiv(N, 32)) { Y[b*32 + i] = X[b*32 + i] over i: 32 }\n}\n")
	write(t, bad, "kernel k(X: f32[N], Y: out f32[N]) {\n    grid (b: N) { Y[b] = Z[b] }\n}\n")
	for _, c := range []struct {
		args string
		want int
	}{
		{"", exitOK},
		{"help", exitOK},
		{"-help", exitOK},
		{"version", exitOK},
		{"explain E0401", exitOK},
		{"explain e0401", exitOK},
		{"explain", exitOK},
		{"explain E9999", exitUsage},
		{"nonsense", exitUsage},
		{"--nonsense", exitUsage},
		{"build", exitUsage},
		{good + " -o=" + dir, exitOK},
		{"-target=cuda -arch=sm_80 -o " + dir + " " + good, exitOK},
		{"--target cuda --arch sm_80,sm_86 -o " + dir + " " + good, exitOK},
		{good + " -target=vax", exitUsage},
		{good + " -arch=sm_10", exitUsage},
		{good + " -arch=sm_100a", exitUsage},
		{good + " -arch=", exitUsage},
		{good + " -emit=obj", exitUsage},
		{good + " -D", exitUsage},
		{good + " -D BM", exitUsage},
		{good + " -D BM=1", exitUsage},
		{good + " --kernel=l", exitUsage},
		{bad, exitFailure},
		{filepath.Join(dir, "none.tile"), exitFailure},
		{"check " + bad, exitFailure},
		{"check " + good + " --run=(", exitUsage},
		{"check " + good + " --shapes=-1", exitUsage},
		{"check " + good + " --device=abacus", exitUsage},
		{"run " + good + " --set N", exitUsage},
		{"run " + good + " --set N=4,N=5", exitUsage},
		{"run", exitUsage},
		{"exec", exitUsage},
		{"exec " + filepath.Join(dir, "none.ptx") + " --block 1", exitFailure},
		{"exec " + good + " --block 1", exitFailure},
		{"exec " + good + " --block one", exitUsage},
		{"ir " + good, exitOK},
		{"ir " + good + " --form=cloud", exitUsage},
		{"ir " + good + " --after=lunch", exitUsage},
		{"ir " + good + " --after=lower --form=tile", exitUsage},
		{"fmt", exitUsage},
		{"fmt -w -d " + good, exitUsage},
		{"fmt --check " + good, exitOK},
		{"fmt " + filepath.Join(dir, "none.tile"), exitFailure},
		{"completion bash", exitOK},
		{"__complete build --ar", exitOK},
	} {
		var out, err bytes.Buffer
		got := execute(context.Background(), streams{in: strings.NewReader(""), out: &out, err: &err}, strings.Fields(c.args))
		if got != c.want {
			t.Errorf("tilec %s: exit code %d, want %d\n%s%s", c.args, got, c.want, out.String(), err.String())
		}
		if got != exitOK && err.Len() == 0 && out.Len() == 0 {
			t.Errorf("tilec %s: fails without a word", c.args)
		}
		if strings.Contains(err.String(), "panic") || strings.Contains(err.String(), "goroutine") {
			t.Errorf("tilec %s: %s", c.args, err.String())
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, err bytes.Buffer
	code := execute(ctx, streams{in: strings.NewReader(""), out: &out, err: &err}, []string{"check", filepath.Join(examples(t), "softmax.tile")})
	if code != exitFailure || !strings.Contains(err.String(), "interrupted") {
		t.Errorf("exit code %d, %s%s", code, out.String(), err.String())
	}
}
