package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// errFailed ends a command whose failures have been printed.
var errFailed = errors.New("failed")

// usageError is a wrong command line.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// execute runs a command line and returns its exit code.
func execute(ctx context.Context, io streams, args []string) int {
	root := newRoot(io)
	root.SetArgs(normalize(root, args))
	command, err := root.ExecuteContextC(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFailed):
		return exitFailure
	case ctx.Err() != nil:
		fmt.Fprintln(io.err, "tilec: interrupted")
		return exitFailure
	case errors.As(err, &usage):
		fmt.Fprintf(io.err, "tilec: %s\nRun `%s --help` for usage.\n", usage.message, command.CommandPath())
		return exitUsage
	}
	printError(io.err, err)
	return exitFailure
}

func newRoot(io streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "tilec [command] FILE.tile",
		Short: "tilec compiles tile-level kernel programs",
		Long: "tilec compiles .tile programs to CUDA C++, PTX and cubins, and proves them: it runs the compiled\n" +
			"PTX, the compiler's intermediate forms and the program's own spec, and compares.\n\n" +
			"`tilec FILE.tile …` is short for `tilec build FILE.tile …`. Long flags take one dash or two.",
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			return usagef("unknown command %q", args[0])
		},
		Args: cobra.ArbitraryArgs,
	}
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err.Error()} })
	root.AddCommand(
		buildCommand(io), checkCommand(io), runCommand(io), execCommand(io), irCommand(io), fmtCommand(io),
		setupCommand(io), doctorCommand(io), versionCommand(io), explainCommand(io), fuzzCommand(io),
	)
	return root
}

// args is cobra's check of arguments with our kind of error.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &usageError{err.Error()}
		}
		return nil
	}
}

// someFiles wants one argument or more.
func someFiles(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("no file is given")
	}
	return nil
}

// normalize turns `-target=cuda` into `--target=cuda`, and puts `build` before a
// line that names a file but no command.
func normalize(root *cobra.Command, args []string) []string {
	long := map[string]bool{"help": true}
	var commands []string
	for _, c := range root.Commands() {
		commands = append(commands, c.Name())
		c.Flags().VisitAll(func(f *pflag.Flag) { long[f.Name] = len(f.Name) > 1 })
	}
	commands = append(commands, "help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd)
	out := slices.Clone(args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if len(a) < 3 || a[0] != '-' || a[1] == '-' {
			continue
		}
		if name, _, _ := strings.Cut(a[1:], "="); long[name] {
			out[i] = "-" + a
		}
	}
	if len(out) > 0 && !slices.Contains(commands, out[0]) && slices.ContainsFunc(out, isSource) {
		out = slices.Insert(out, 0, "build")
	}
	return out
}

func isSource(arg string) bool {
	return strings.HasSuffix(arg, ".tile") && !strings.HasPrefix(arg, "-")
}

// isTerminal reports whether a stream is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
