package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tilec/internal/docgen"
	"tilec/internal/golden"
)

// TestExecPage runs the commands of docs/exec.md on its sources, and compares what they print. Numbers may differ, as
// another release of NVIDIA's compiler may choose other instructions.
func TestExecPage(t *testing.T) {
	const path = "../../docs/exec.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	softmax, err := os.ReadFile("../../runtime/ptx/testdata/triton_softmax.ptx")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "triton_softmax.ptx", string(softmax))
	text := string(page)
	ran := 0
	for _, b := range docgen.Blocks(text) {
		switch b.Language {
		case "cuda":
			write(t, b.Words[0], b.Text)
		case "console":
			ran++
			line, _, _ := strings.Cut(b.Text, "\n")
			var out bytes.Buffer
			execute(t.Context(), streams{in: strings.NewReader(""), out: &out, err: &out}, words(strings.TrimPrefix(line, "$ tilec ")))
			text = strings.Replace(text, "```console\n"+b.Text, "```console\n"+line+"\n"+strings.TrimRight(out.String(), "\n")+"\n", 1)
		}
	}
	if ran == 0 {
		t.Error("no command on the page")
	}
	if masked(text) != masked(string(page)) || golden.Update() {
		golden.Compare(t, file, text)
	}
}

var numbers = regexp.MustCompile(`[ ]*[0-9]+`)

func masked(text string) string { return numbers.ReplaceAllString(text, " 0") }

// words splits a command line; single quotes hold words together.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}

func TestExecCancel(t *testing.T) {
	dir := t.TempDir()
	path, saved := filepath.Join(dir, "forever.ptx"), filepath.Join(dir, "x.npy")
	write(t, path, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry forever(.param .u64 x) {\nagain:\n bra again;\n}\n")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var out, err bytes.Buffer
	args := []string{"exec", path, "--block", "32", "--arg", "X=" + saved + ":f32[1]"}
	code := execute(ctx, streams{in: strings.NewReader(""), out: &out, err: &err}, args)
	if code != exitFailure || !strings.Contains(err.String(), "interrupted") {
		t.Errorf("exit code %d, %s%s", code, out.String(), err.String())
	}
	if _, err := os.Stat(saved); err == nil {
		t.Error("an output was saved")
	}
}
