package main

import (
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/internal/docgen"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite docs/cli.md")

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
	if *updateDocs {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("%s is out of date (-want +have); run with -update-docs\n%s", path, diff)
	}
}
