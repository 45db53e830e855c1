package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tilec/internal/exec"
	"tilec/runtime/ascend"
)

// ascendFlags are the flags that mean something for Ascend C.
var ascendFlags = map[string]bool{
	"target": true, "blocks": true, "tiling-key": true, "entry": true, "arg": true, "save": true, "include": true, "data-seed": true,
	"report": true, "json": true, "timeout": true, "jobs": true,
}

// runAscend runs an Ascend C kernel on the host machine.
func (f *execFlags) runAscend(c *cobra.Command, io streams, path string) error {
	var other error
	c.Flags().Visit(func(l *pflag.Flag) {
		if !ascendFlags[l.Name] && other == nil {
			other = usagef("--%s is for CUDA kernels", l.Name)
		}
	})
	if other != nil {
		return other
	}
	if f.blocks < 1 || f.timeout < 0 || f.workers < 0 {
		return usagef("--blocks is 1 or more, --timeout and --jobs are 0 or more")
	}
	var printed strings.Builder
	r := exec.AscendRequest{
		Path: path, Include: f.include, Entry: f.entry, Seed: f.dataSeed, Timeout: f.timeout, Print: io.out,
		Config: ascend.Config{Blocks: f.blocks, TilingKey: f.tilingKey, Workers: f.workers},
	}
	if f.asJSON {
		r.Print = &printed
	}
	var err error
	if r.Args, err = f.arguments(); err != nil {
		return err
	}
	if r.Save, err = pairs("--save", f.save); err != nil {
		return err
	}
	out, err := exec.RunAscend(c.Context(), r)
	var refusal *ascend.CompileError
	switch {
	case errors.As(err, &refusal):
		fmt.Fprintln(io.err, strings.TrimSpace(refusal.Error()))
		return errFailed
	case out == nil || out.Report == nil:
		return execError(err)
	}
	if shown := f.showAscend(io, out, printed.String()); shown != nil {
		return shown
	}
	switch {
	case err != nil:
		return err
	case len(out.Report.Faults()) > 0:
		return errFailed
	}
	return nil
}

// ascendJSON is the JSON form of an outcome.
type ascendJSON struct {
	File     string           `json:"file"`
	Kernel   string           `json:"kernel,omitempty"`
	Blocks   int              `json:"blocks"`
	OK       bool             `json:"ok"`
	Printed  string           `json:"printed,omitempty"`
	Findings []ascend.Finding `json:"findings"`
	Profile  *ascend.Profile  `json:"profile"`
	Saved    []exec.Saved     `json:"saved,omitempty"`
}

// showAscend writes the outcome.
func (f *execFlags) showAscend(io streams, out *exec.AscendOutcome, printed string) error {
	if f.asJSON {
		enc := json.NewEncoder(io.out)
		enc.SetEscapeHTML(false)
		findings := out.Report.Findings
		if findings == nil {
			findings = []ascend.Finding{}
		}
		return enc.Encode(ascendJSON{out.File, out.Entry, out.Blocks, len(out.Report.Faults()) == 0, printed, findings, out.Report.Profile(), out.Saved})
	}
	if f.report {
		name := out.Entry
		if name == "" {
			name = "main"
		}
		fmt.Fprintf(io.out, "%s of %s\n", name, out.File)
		if err := out.Report.Profile().WriteTable(io.out); err != nil {
			return err
		}
	}
	for i := range out.Report.Findings {
		fmt.Fprintln(io.err, out.Report.Findings[i].String())
	}
	return nil
}
