package cuda

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// pipCommands are the ways to call pip, best first.
var pipCommands = [][]string{
	{"python3", "-m", "pip"},
	{"python", "-m", "pip"},
	{"pip3"},
}

// findPip returns the first command that answers.
func findPip(ctx context.Context) ([]string, error) {
	for _, command := range pipCommands {
		if _, err := exec.LookPath(command[0]); err != nil {
			continue
		}
		if exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], "--version")...).Run() == nil {
			return command, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return nil, errNoPip
}

// pipInstall lets pip unpack a component's packages into files. Hashes are checked, nothing is built, and no
// installed package is touched.
func pipInstall(ctx context.Context, component Component, files, scratch string) error {
	pip, err := findPip(ctx)
	if err != nil {
		return fmt.Errorf("installing NVIDIA's %s: %w", component, err)
	}
	list := filepath.Join(filepath.Dir(files), "requirements.txt")
	if err := os.WriteFile(list, requirements(component), 0o644); err != nil {
		return fmt.Errorf("installing NVIDIA's %s: %w", component, err)
	}
	args := append(pip[1:len(pip):len(pip)], "install", "--no-deps", "--only-binary=:all:", "--require-hashes", "--no-compile",
		"--no-input", "--disable-pip-version-check", "--no-warn-script-location", "--progress-bar=off",
		"--target", files, "--requirement", list)
	command := exec.CommandContext(ctx, pip[0], args...)
	command.Env = append(os.Environ(), "TMPDIR="+scratch, "PIP_ROOT_USER_ACTION=ignore", "PIP_REQUIRE_VIRTUALENV=0", "PIP_USER=0")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 5 * time.Second
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("installing NVIDIA's %s: %w", component, ctx.Err())
		}
		return &InstallError{Component: component, Reason: reasonOf(output.String()), Output: lastLines(output.String(), 8)}
	}
	return nil
}

// requirements is the list for pip, versions and hashes pinned.
func requirements(component Component) []byte {
	var b bytes.Buffer
	for _, p := range components[component].packages {
		fmt.Fprintf(&b, "%s==%s", p.name, p.version)
		for _, hash := range p.hashes {
			fmt.Fprintf(&b, " --hash=%s", hash)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// lastLines keeps the end of an output, where the cause is.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
