package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"tilec/internal/driver"
)

func checkCommand(io streams) *cobra.Command {
	var target targetFlags
	var device deviceFlag
	var pattern string
	var asJSON, report bool
	opts := driver.CheckOptions{}
	jobs := 0
	c := &cobra.Command{
		Use:   "check FILE.tile…",
		Short: "Run the tests of programs and compare with their specs",
		Long: "check runs every `test` of .tile files: the spec, the interpreter on every form of the IR, and the\n" +
			"compiled kernel on the PTX machine, or for AI cores on the host machine for Ascend C, which also watch\n" +
			"for races, unwritten and out-of-bounds memory, and missing waits; and on the GPU if there is one. It\n" +
			"prints a line a test with the largest error against its tolerance, and fails if any test does. A test\n" +
			"whose kernel has an element type that the chip can hold no values of is reported as unsupported, with\n" +
			"what would work, and fails under --strict alone.",
		Example: "  tilec check examples/matmul.tile -target=cuda -arch=sm_80,sm_90a --all-configs",
		Args:    args(someFiles),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if opts.Machines, opts.Define, err = target.resolve(); err != nil {
				return err
			}
			if pattern != "" {
				if opts.Run, err = regexp.Compile(pattern); err != nil {
					return usagef("--run: %v", err)
				}
			}
			if opts.Shapes < 0 {
				return usagef("--shapes %d: a number of shapes is 0 or more", opts.Shapes)
			}
			dopts := driver.Options{Search: search(io), Jobs: jobs, Verify: true}
			close, err := device.open(&dopts)
			if err != nil {
				return err
			}
			defer close()
			opts.DeviceOnly = device.name == deviceGPU
			s := driver.New(c.Context(), dopts)
			programs, ok := load(io, s, args, asJSON)
			if !ok {
				return errFailed
			}
			if len(opts.Define) > 0 {
				if _, err := pick(programs, "", opts.Define); err != nil {
					return err
				}
			}
			return check(c, io, s, programs, opts, asJSON, report)
		},
	}
	target.add(c)
	device.add(c)
	f := c.Flags()
	f.StringVar(&pattern, "run", "", "run the tests whose kernel and name, with a space between, match this regular expression")
	f.BoolVar(&asJSON, "json", false, "print a JSON object a line")
	f.BoolVar(&report, "report", false, "print what the host machine for Ascend C counted, for each configuration")
	f.Uint64Var(&opts.Seed, "seed", 1, "seed of the inputs")
	f.BoolVar(&opts.AllConfigs, "all-configs", false, "run every legal combination of the tunables' candidates")
	f.BoolVar(&opts.Strict, "strict", false, "fail tests of kernels that the target has no element type for")
	f.IntVar(&opts.Shapes, "shapes", 0, "add this many random shapes for each kernel, odd, tiny and empty ones among them")
	f.BoolVar(&opts.EveryPass, "every-pass", false, "run the interpreter after every pass, not only on each form")
	f.IntVarP(&jobs, "jobs", "j", 0, "how many tests run at once; 0 is one a core")
	return c
}

// check runs and prints.
func check(c *cobra.Command, io streams, s *driver.Session, programs []*driver.Program, opts driver.CheckOptions, asJSON, report bool) error {
	start := time.Now()
	bar := newBar(io)
	p := &resultPrinter{out: io.out, bar: bar, listed: map[string]bool{}, report: report}
	opts.Result = p.text
	if asJSON {
		opts.Result = p.json
	}
	opts.Progress = bar.set
	sum, err := s.Check(c.Context(), programs, opts)
	bar.clear()
	if err != nil {
		return err
	}
	if !asJSON {
		printSummary(io.out, sum, time.Since(start))
	}
	switch {
	case sum.Failed > 0:
		return errFailed
	case sum.Tests == 0 && opts.Run != nil:
		return fmt.Errorf("no test matches %s", opts.Run)
	}
	return nil
}

func printSummary(w io.Writer, sum driver.Summary, took time.Duration) {
	if sum.Tests == 0 {
		fmt.Fprintln(w, "no tests")
		return
	}
	fmt.Fprintf(w, "%d passed, %d failed", sum.Tests-sum.Failed-sum.Unsupported, sum.Failed)
	if sum.Unsupported > 0 {
		fmt.Fprintf(w, ", %d unsupported", sum.Unsupported)
	}
	if sum.Configs+sum.Unfit > sum.Tests {
		fmt.Fprintf(w, "; %d configurations ran", sum.Configs)
		if sum.Unfit > 0 {
			fmt.Fprintf(w, ", %d do not fit", sum.Unfit)
		}
	}
	fmt.Fprintf(w, " (%s)\n", seconds(took))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }

// resultPrinter prints results as they come.
type resultPrinter struct {
	out    io.Writer
	bar    *bar
	listed map[string]bool // configurations that do not fit, printed before
	report bool
}

func (p *resultPrinter) text(r *driver.Result) {
	p.bar.clear()
	status := "ok  "
	switch {
	case !r.OK():
		status = "FAIL"
	case r.Unsupported != "":
		fmt.Fprintf(p.out, "unsupported  %s %q %s  %s\n", r.Kernel, r.Test, r.Arch, r.Unsupported)
		return
	}
	fmt.Fprintf(p.out, "%s  %s %q %s", status, r.Kernel, r.Test, r.Arch)
	if bound := strings.Join(nonEmpty(r.Generics, r.Config), "; "); bound != "" {
		fmt.Fprintf(p.out, "  [%s]", bound)
	}
	if r.Config == "" && r.Configs+len(r.Unfit) > 1 {
		fmt.Fprintf(p.out, "  %d configurations", r.Configs)
	}
	fmt.Fprintf(p.out, "  %s  %s\n", errorText(r.Comparison), seconds(r.Took))
	for _, u := range r.Unfit {
		line := fmt.Sprintf("      does not fit: %s: %s", u.Config, u.Reason)
		if key := r.File + r.Kernel + r.Arch + r.Generics + line; !p.listed[key] {
			p.listed[key] = true
			fmt.Fprintln(p.out, line)
		}
	}
	for i, f := range r.Failures {
		if i == maxFailures {
			fmt.Fprintf(p.out, "      and %d more configurations (--json lists all)\n", len(r.Failures)-i)
			break
		}
		p.failure(f)
	}
	if p.report {
		p.reports(r)
	}
}

// reports prints the reports of a test's configurations.
func (p *resultPrinter) reports(r *driver.Result) {
	for _, rep := range r.Reports {
		if len(r.Reports) > 1 {
			fmt.Fprintf(p.out, "      %s\n", rep.Config)
		}
		var text strings.Builder
		if rep.WriteTable(&text) != nil {
			continue // a Builder takes all
		}
		for line := range strings.Lines(text.String()) {
			fmt.Fprintf(p.out, "      %s", line)
		}
	}
}

// maxFailures is how many failing configurations of a test are shown.
const maxFailures = 5

func (p *resultPrinter) failure(f *driver.Failure) {
	where := strings.Join(nonEmpty(f.Dims, f.Config, f.Stage), ": ")
	if f.Bug != nil {
		fmt.Fprintf(p.out, "      %s:\n", where)
		printBug(p.out, f.Bug)
		return
	}
	fmt.Fprintf(p.out, "      %s: %s\n", where, strings.ReplaceAll(f.Text, "\n", "\n        "))
	for _, m := range f.Mismatches {
		fmt.Fprintf(p.out, "        %s\n", m)
	}
	for _, finding := range f.Findings {
		fmt.Fprintf(p.out, "        %s\n", strings.ReplaceAll(finding, "\n", "\n          "))
	}
}

// errorText spells the largest error against its tolerance.
func errorText(c driver.Comparison) string {
	switch {
	case c.Compared == 0 && c.Bad == 0:
		return "nothing to compare"
	case c.Tolerance == 0 && c.Error == 0:
		return "exact"
	case math.IsInf(c.Error, 0):
		return "wrong values"
	}
	return fmt.Sprintf("error %.1e of %.1e", c.Error, c.Tolerance)
}

func nonEmpty(texts ...string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// jsonResult is the JSON form of a result. Errors that are no numbers are null.
type jsonResult struct {
	File           string                `json:"file"`
	Kernel         string                `json:"kernel"`
	Test           string                `json:"test"`
	Arch           string                `json:"arch"`
	OK             bool                  `json:"ok"` // false for an unsupported one
	Generics       string                `json:"generics,omitempty"`
	Config         string                `json:"config,omitempty"`
	Configurations int                   `json:"configurations"`
	Unfit          []driver.Unfit        `json:"doesNotFit,omitempty"`
	Unsupported    string                `json:"unsupported,omitempty"`
	Error          *float64              `json:"error"`
	Tolerance      float64               `json:"tolerance"`
	Compared       int                   `json:"compared"`
	Seconds        float64               `json:"seconds"`
	Failures       []*driver.Failure     `json:"failures,omitempty"`
	Reports        []driver.ConfigReport `json:"reports,omitempty"`
}

func (p *resultPrinter) json(r *driver.Result) {
	p.bar.clear()
	j := jsonResult{
		File: r.File, Kernel: r.Kernel, Test: r.Test, Arch: r.Arch, OK: r.OK() && r.Unsupported == "", Generics: r.Generics, Config: r.Config,
		Configurations: r.Configs, Unfit: r.Unfit, Unsupported: r.Unsupported, Tolerance: r.Comparison.Tolerance, Compared: r.Comparison.Compared,
		Seconds: r.Took.Seconds(), Failures: r.Failures,
	}
	if e := r.Comparison.Error; !math.IsInf(e, 0) && !math.IsNaN(e) {
		j.Error = &e
	}
	if p.report {
		j.Reports = r.Reports
	}
	writeJSON(p.out, j)
}

// writeJSON writes a value as a line.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// bar is a progress bar on a terminal, and nothing elsewhere.
type bar struct{ shown *progressbar.ProgressBar }

func newBar(io streams) *bar {
	if !isTerminal(io.err) {
		return &bar{}
	}
	return &bar{progressbar.NewOptions(1, progressbar.OptionSetWriter(io.err), progressbar.OptionShowCount(),
		progressbar.OptionSetDescription("checking"), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false))}
}

func (b *bar) set(done, total int) {
	if b.shown != nil {
		b.shown.ChangeMax(total)
		b.shown.Set(done)
	}
}

func (b *bar) clear() {
	if b.shown != nil {
		b.shown.Clear()
	}
}
