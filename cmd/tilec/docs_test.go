package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"tilec/internal/docgen"
	"tilec/internal/golden"
)

// TestManual compares docs/cli.md with the help of the commands.
func TestManual(t *testing.T) {
	const path = "../../docs/cli.md"
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	root := newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
	root.InitDefaultCompletionCmd()
	want, err := docgen.Fill(string(have), map[string]string{"commands": docgen.Commands(root)})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, path, want)
}
