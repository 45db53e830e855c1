package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilec/internal/driver"
	"tilec/internal/fuzz"
)

func fuzzCommand(io streams) *cobra.Command {
	var target targetFlags
	var minutes float64
	opts := fuzz.Options{}
	c := &cobra.Command{
		Use:   "fuzz",
		Short: "Run random programs through every stage, and shrink those that differ",
		Long: "fuzz makes random well-typed programs with random shapes, and runs each in the interpreter after every\n" +
			"pass and as the compiled kernel on the PTX machine, or for AI cores on the host machine for Ascend C,\n" +
			"which also watch for races and stray accesses.\n" +
			"Integers, copies and selections must agree to the bit, floats within what follows from their types,\n" +
			"ranges and lengths. A program that differs is shrunk and written to a .tile file that names the stage.\n\n" +
			"Programs are numbered: a seed and a number always give the same program, and --from goes on where a run\n" +
			"was stopped. With several architectures, programs take them in turn; what one cannot do is counted.",
		Example: "  tilec fuzz --minutes 10 --seed 7 --out faults\n  tilec fuzz --seed 7 --from 1234 --count 1 --arch sm_90a\n  tilec fuzz --minutes 10 --target all --arch sm_80,sm_120,910b",
		Args: args(func(_ *cobra.Command, list []string) error {
			if len(list) > 0 {
				return usagef("fuzz makes its own programs; it takes no file")
			}
			return nil
		}),
		RunE: func(c *cobra.Command, _ []string) error {
			machines, _, err := target.resolve()
			if err != nil {
				return err
			}
			if minutes < 0 {
				return usagef("--minutes %g: a time is 0 or more", minutes)
			}
			opts.Duration = time.Duration(minutes * float64(time.Minute))
			if opts.Duration == 0 && opts.Count == 0 {
				return usagef("say how long to go on: --minutes or --count")
			}
			opts.Machines = machines
			opts.Session = driver.New(c.Context(), driver.Options{Search: search(io), Verify: true})
			return runFuzz(c.Context(), io, opts)
		},
	}
	target.addMachines(c)
	f := c.Flags()
	f.Float64Var(&minutes, "minutes", 0, "stop after this time; 0 is no limit")
	f.Uint64Var(&opts.Seed, "seed", 1, "seed of the programs and their inputs")
	f.Uint64Var(&opts.From, "from", 0, "number of the first program")
	f.Uint64Var(&opts.Count, "count", 0, "stop after this many programs; 0 is no limit")
	f.StringVar(&opts.Dir, "out", "", "folder to write shrunk programs to")
	f.IntVarP(&opts.Jobs, "jobs", "j", 0, "how many programs run at once; 0 is one a core")
	return c
}

// runFuzz runs a campaign and prints what it finds.
func runFuzz(ctx context.Context, io streams, opts fuzz.Options) error {
	live := isTerminal(io.err)
	last := time.Time{}
	clear := func() {
		if live {
			fmt.Fprint(io.err, "\r\x1b[K")
		}
	}
	opts.Progress = func(s fuzz.Summary) {
		if live && time.Since(last) > 200*time.Millisecond {
			last = time.Now()
			clear()
			fmt.Fprintf(io.err, "%d programs, %.0f a minute, %d faults", s.Programs, rate(s), s.Faults)
		}
	}
	opts.Found = func(r *fuzz.Report) {
		clear()
		fmt.Fprintf(io.out, "FAIL  program %d on %s: %s: %s\n", r.Number, r.Arch, r.Stage, r.Kind)
		for line := range strings.Lines(r.Source(opts.Seed)) {
			fmt.Fprintf(io.out, "      %s", line)
		}
		if r.File != "" {
			fmt.Fprintf(io.out, "      written to %s\n", r.File)
		}
	}
	sum, err := fuzz.Run(ctx, opts)
	clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(io.out, "%d programs with %d launches, %.0f a minute; %d declined, %d faults\n", sum.Programs, sum.Launches, rate(sum), sum.Refused, sum.Faults)
	for _, arch := range slices.Sorted(maps.Keys(sum.On)) {
		fmt.Fprintf(io.out, "%6d  on %s\n", sum.On[arch], arch)
	}
	for _, reason := range slices.Sorted(maps.Keys(sum.Refusal)) {
		fmt.Fprintf(io.out, "%6d  declined on %s\n", sum.Refusal[reason], reason)
	}
	for _, kind := range slices.Sorted(maps.Keys(sum.Kinds)) {
		fmt.Fprintf(io.out, "%6d  %s\n", sum.Kinds[kind], strings.ReplaceAll(kind, "|", ": "))
	}
	if opts.Count == 0 || sum.Next < opts.From+opts.Count {
		fmt.Fprintf(io.out, "go on with --seed %d --from %d\n", opts.Seed, sum.Next)
	}
	if sum.Faults > 0 {
		return errFailed
	}
	return nil
}

// rate is how many programs ran in a minute.
func rate(s fuzz.Summary) float64 { return float64(s.Programs) / max(s.Took.Minutes(), 1e-3) }
