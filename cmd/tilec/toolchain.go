package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"tilec/runtime/cuda"
	"tilec/runtime/cuda/driver"
)

// search is where NVIDIA's compiler is looked for; an installation is shown.
func search(io streams) cuda.Search { return cuda.Search{Progress: installProgress(io)} }

// installProgress shows a bar on a terminal, and a line for each part elsewhere.
func installProgress(io streams) func(cuda.Progress) {
	if !isTerminal(io.err) {
		return func(p cuda.Progress) {
			if p.Done {
				fmt.Fprintf(io.err, "installed NVIDIA's %s\n", p.Component)
			}
		}
	}
	var bar *progressbar.ProgressBar
	var of cuda.Component
	return func(p cuda.Progress) {
		if bar == nil || p.Component != of {
			of = p.Component
			bar = progressbar.NewOptions64(p.Total, progressbar.OptionSetWriter(io.err), progressbar.OptionShowBytes(true),
				progressbar.OptionSetDescription("installing NVIDIA's "+p.Component.String()), progressbar.OptionClearOnFinish())
		}
		bar.Set64(p.Bytes)
		if p.Done {
			bar.Finish()
			fmt.Fprintf(io.err, "installed NVIDIA's %s\n", p.Component)
			bar = nil
		}
	}
}

func setupCommand(io streams) *cobra.Command {
	var tools bool
	c := &cobra.Command{
		Use:   "setup",
		Short: "Install NVIDIA's compiler ahead of its first use",
		Long: "setup makes sure that there is a CUDA compiler: the one in $TILEC_CUDA, an installed toolkit, or\n" +
			"one from NVIDIA's Python packages, which it installs into tilec's cache. No GPU is needed.",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			t, err := cuda.Find(c.Context(), search(io))
			if err != nil {
				return err
			}
			if tools {
				for _, component := range []cuda.Component{cuda.Disassembler, cuda.Assembler} {
					if err := cuda.Install(c.Context(), search(io), component); err != nil {
						return err
					}
				}
			}
			fmt.Fprintln(io.out, t.Describe())
			return nil
		},
	}
	c.Flags().BoolVar(&tools, "tools", false, "also NVIDIA's disassembler and assembler")
	return c
}

func doctorCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what tilec finds on this machine",
		Args:  args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			r := cuda.NewReport(c.Context(), cuda.Search{})
			fmt.Fprintf(io.out, "tilec      %s%s\n%s", version, revision(), r)
			gpus(c.Context(), io)
			if r.Chosen() == nil {
				fmt.Fprintln(io.out, "\nThere is no CUDA compiler yet; `tilec setup` installs one.")
				return errFailed
			}
			return nil
		},
	}
}

// gpus lists the GPUs of this machine.
func gpus(_ context.Context, io streams) {
	d, err := driver.Open()
	if err != nil {
		reason := err.Error()
		if errors.Is(err, driver.ErrNoDriver) {
			reason = driver.ErrNoDriver.Error()
		}
		fmt.Fprintf(io.out, "GPU        none: %s; compiled kernels run on the PTX machine\n", reason)
		return
	}
	infos, err := d.Devices()
	if err != nil {
		fmt.Fprintf(io.out, "GPU        %v\n", err)
		return
	}
	for _, i := range infos {
		fmt.Fprintf(io.out, "GPU        %d: %s, %s, %d MiB, %d multiprocessors\n", i.Index, i.Name, i.Arch, i.Memory>>20, i.Processors)
	}
}
