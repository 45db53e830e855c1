package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilec/internal/exec"
	"tilec/runtime/cuda"
	"tilec/runtime/ptx"
)

// execFlags are those of exec.
type execFlags struct {
	target                                              string
	blocks                                              int
	tilingKey                                           uint64
	entry, arch, grid, block, cluster, checks, schedule string
	args, save, include, define                         []string
	shared, workers, maxFindings                        int
	seed, dataSeed                                      uint64
	report, asJSON                                      bool
	annotate                                            string
	timeout                                             time.Duration
}

func execCommand(io streams) *cobra.Command {
	var f execFlags
	c := &cobra.Command{
		Use:   "exec FILE.ptx|FILE.cu|FILE.cubin|FILE.cpp",
		Short: "Run anybody's kernel on the PTX machine, or on the host machine for Ascend C, and report its faults",
		Long: "exec runs one kernel of any compiler's PTX, or of CUDA C++, without a GPU, and watches for what a sanitizer\n" +
			"on the chip would find. There is an --arg for each parameter, in order:\n\n" +
			"  A=a.npy                  an array that the kernel reads; A=a.npy:f16 converts it\n" +
			"  A=normal(0,1):f16[8,8]   the same, generated: zeros, ones, full(v), arange(from,step), normal(mean,dev),\n" +
			"                           uniform(low,high), randint(low,high)\n" +
			"  C=c.npy:f32[8,8]         an output, saved after the run; W=undefined:f32[64] is not saved\n" +
			"  io:X=x.npy               an array that the kernel changes, saved to its file; io:X=zeros:i32[4] is not saved\n" +
			"  X                        the address of the array X again\n" +
			"  i32:5  f32:1.5  u8:0xff  a number of any element type\n" +
			"  bytes:0500000000c03f00   a struct, in hexadecimal\n" +
			"  null                     a null pointer\n" +
			"  workspace:4096           memory without values for AI cores\n" +
			"  map:A=a.npy,box=64x32    a tensor map over an array; swizzle=none|32|64|128, fill=zero|nan, step=1x1\n\n" +
			"A=a.npy@8 passes the address 8 bytes into the array, A=a.npy%8 puts the array itself 8 bytes past a multiple of 256.\n" +
			"With -target=ascend FILE.cpp is Ascend C: exec compiles it for the host machine and runs it with --blocks blocks, core by\n" +
			"core, watching flags, memories, alignment and layouts. A source with a main of its own runs that where neither an\n" +
			"--entry nor an --arg is given.\n\n" +
			"The exit code is 1 when anything is found.",
		Example: "  tilec exec saxpy.cu --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg X=x.npy --arg io:Y=y.npy\n" +
			"  tilec exec add_custom.cpp -target=ascend --entry add_custom --blocks 8 --arg X=x.npy --arg Y=y.npy --arg 'Z=z.npy:f16[8,2048]'\n" +
			"  tilec exec attention.ptx --entry attn_fwd --grid 8,4 --block 128 --shared 49152 --arg Q=q.npy:f16 … --report",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			switch f.target {
			case targetCUDA:
				return f.run(c, io, args[0])
			case targetAscend:
				return f.runAscend(c, io, args[0])
			}
			return usagef("-target=%s: there is %s, %s", f.target, targetCUDA, targetAscend)
		},
	}
	l := c.Flags()
	l.StringVar(&f.target, "target", targetCUDA, "what the kernel is for: cuda, or ascend")
	l.IntVar(&f.blocks, "blocks", 1, "blocks of an Ascend C kernel")
	l.Uint64Var(&f.tilingKey, "tiling-key", 0, "what TILING_KEY_IS compares with in an Ascend C kernel")
	l.StringVar(&f.entry, "entry", "", "the kernel to run, if there are several; a C++ name will do for a mangled one")
	l.StringVar(&f.grid, "grid", "1", "blocks, as X, X,Y or X,Y,Z")
	l.StringVar(&f.block, "block", "", "threads of a block, as X, X,Y or X,Y,Z")
	l.StringVar(&f.cluster, "cluster", "", "blocks of a cluster, as X, X,Y or X,Y,Z; otherwise as the kernel says")
	l.IntVar(&f.shared, "shared", 0, "bytes of dynamic shared memory")
	l.StringArrayVar(&f.args, "arg", nil, "an argument")
	l.StringArrayVar(&f.save, "save", nil, "where an array goes after the run, as in X=after.npy")
	l.StringVar(&f.arch, "arch", "", "architecture that CUDA C++ is compiled for ("+exec.DefaultArch+" if none is given) and whose limits hold")
	l.StringArrayVarP(&f.include, "include", "I", nil, "a folder of headers for CUDA C++")
	l.StringArrayVarP(&f.define, "define", "D", nil, "a macro for CUDA C++, as in -D N=4")
	l.StringVar(&f.checks, "checks", "all", "what to watch for besides bounds and alignment: all, none, or some of "+strings.Join(checkNames(), ", "))
	l.StringVar(&f.schedule, "schedule", scheduleFixed, "order of blocks and warps: fixed or random")
	l.Uint64Var(&f.seed, "seed", 0, "seed of a random schedule")
	l.Uint64Var(&f.dataSeed, "data-seed", 1, "seed of generated arrays")
	l.BoolVar(&f.report, "report", false, "print what the machine counted")
	l.BoolVar(&f.asJSON, "json", false, "print findings and counters as a JSON object")
	l.StringVar(&f.annotate, "annotate", "", "write the source with what each line cost to this file; - is the standard output")
	l.IntVar(&f.maxFindings, "max-findings", 100, "stop after this many different findings")
	l.DurationVar(&f.timeout, "timeout", 0, "stop a kernel that runs longer, as in 30s")
	l.IntVarP(&f.workers, "jobs", "j", 0, "how many blocks run at once; 0 is one a core")
	complete(c, "target", []string{targetCUDA, targetAscend})
	complete(c, "schedule", []string{scheduleFixed, scheduleRandom})
	complete(c, "checks", append([]string{"all", "none"}, checkNames()...))
	return c
}

const (
	scheduleFixed  = "fixed"
	scheduleRandom = "random"
)

func (f *execFlags) run(c *cobra.Command, io streams, path string) error {
	r, err := f.request(c)
	if err != nil {
		return err
	}
	var printed strings.Builder
	r.Print = func(s string) { fmt.Fprint(io.out, s) }
	if f.asJSON {
		r.Print = func(s string) { printed.WriteString(s) }
	}
	r.Source, err = exec.Load(c.Context(), path, exec.LoadOptions{
		Arch: f.arch, Entry: f.entry, Include: f.include, Define: f.define, Search: search(io),
	})
	if err != nil {
		return compileError(io, err)
	}
	if r.Source.Log != "" {
		fmt.Fprintln(io.err, strings.TrimSpace(r.Source.Log))
	}
	out, err := exec.Run(c.Context(), r)
	if out == nil {
		return execError(err)
	}
	stopped := ""
	if err != nil {
		stopped = err.Error()
	}
	if shown := f.show(io, out, printed.String(), stopped); shown != nil {
		return shown
	}
	switch {
	case err != nil:
		return err
	case len(out.Report.Findings) > 0:
		return errFailed
	}
	return nil
}

// request reads the flags.
func (f *execFlags) request(c *cobra.Command) (r exec.Request, err error) {
	r = exec.Request{Entry: f.entry, Seed: f.dataSeed, Timeout: f.timeout}
	r.Config = ptx.Config{
		SharedBytes: f.shared, Arch: f.arch, Counters: f.report || f.asJSON || f.annotate != "", Workers: f.workers, MaxFindings: f.maxFindings,
	}
	if f.arch != "" && !archForm.MatchString(f.arch) {
		return r, usagef("--arch=%s: an architecture is written sm_80", f.arch)
	}
	if f.shared < 0 || f.maxFindings < 1 || f.timeout < 0 || f.workers < 0 {
		return r, usagef("--shared, --timeout and --jobs are 0 or more, --max-findings 1 or more")
	}
	if f.block == "" {
		return r, usagef("--block is needed: the threads of a block, as in --block 128")
	}
	if r.Config.Grid, err = extents("--grid", f.grid); err != nil {
		return r, err
	}
	if r.Config.Block, err = extents("--block", f.block); err != nil {
		return r, err
	}
	if f.cluster != "" {
		if r.Config.Cluster, err = extents("--cluster", f.cluster); err != nil {
			return r, err
		}
	}
	if r.Config.Checks, err = checksOf(f.checks); err != nil {
		return r, err
	}
	switch {
	case f.schedule == scheduleRandom || f.schedule == scheduleFixed && c.Flags().Changed("seed") && !c.Flags().Changed("schedule"):
		r.Config.Seed = max(f.seed, 1)
	case f.schedule != scheduleFixed:
		return r, usagef("--schedule=%s: there is fixed and random", f.schedule)
	case c.Flags().Changed("seed"):
		return r, usagef("--seed is of a random schedule")
	}
	if r.Args, err = f.arguments(); err != nil {
		return r, err
	}
	if r.Save, err = pairs("--save", f.save); err != nil {
		return r, err
	}
	return r, nil
}

// arguments reads --arg.
func (f *execFlags) arguments() (args []*exec.Arg, err error) {
	for _, text := range f.args {
		a, err := exec.ParseArg(text)
		if err != nil {
			return nil, usagef("%v", err)
		}
		args = append(args, a)
	}
	return args, nil
}

// targets of kernels that exec runs.
const (
	targetCUDA   = "cuda"
	targetAscend = "ascend"
)

// show writes the outcome.
func (f *execFlags) show(io streams, out *exec.Outcome, printed, stopped string) error {
	if f.asJSON {
		if err := out.WriteJSON(io.out, printed, stopped); err != nil {
			return err
		}
	} else {
		if f.report {
			fmt.Fprintf(io.out, "%s %s, grid %s, block %s\n", out.Entry, out.Config.Arch, extentsText(out.Config.Grid), extentsText(out.Config.Block))
			if err := out.Report.Counters.WriteTable(io.out); err != nil {
				return err
			}
		}
		if err := out.WriteFindings(io.err); err != nil {
			return err
		}
	}
	switch f.annotate {
	case "":
		return nil
	case "-":
		return out.Annotate(io.out)
	}
	var text strings.Builder
	if err := out.Annotate(&text); err != nil {
		return err
	}
	return os.WriteFile(f.annotate, []byte(text.String()), 0o644)
}

// execError makes mistakes in the command line usage errors.
func execError(err error) error {
	var mismatch *exec.MismatchError
	var misfit *exec.AscendMismatchError
	var entry *exec.EntryError
	var spelling *exec.ArgError
	if errors.As(err, &mismatch) || errors.As(err, &misfit) || errors.As(err, &entry) || errors.As(err, &spelling) {
		return &usageError{err.Error()}
	}
	return err
}

// compileError prints all that the compiler has to say.
func compileError(io streams, err error) error {
	var refusal *cuda.CompileError
	if errors.As(err, &refusal) {
		fmt.Fprintln(io.err, strings.TrimSpace(refusal.Log))
		return errFailed
	}
	return execError(err)
}

var archForm = regexp.MustCompile(`^sm_[0-9]{2,3}[af]?$`)

// extents reads X, X,Y or X,Y,Z.
func extents(flag, text string) ([3]int, error) {
	all := [3]int{1, 1, 1}
	parts := strings.Split(text, ",")
	for i, p := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil || n < 1 || i >= len(all) {
			return all, usagef("%s %s: it is written X, X,Y or X,Y,Z with numbers of 1 or more", flag, text)
		}
		all[i] = n
	}
	return all, nil
}

func extentsText(v [3]int) string { return fmt.Sprintf("%d x %d x %d", v[0], v[1], v[2]) }

// checks names the machine's checks.
var checks = []struct {
	name string
	bit  ptx.Check
}{
	{"shared", ptx.CheckShared}, {"unwritten", ptx.CheckUnwritten}, {"registers", ptx.CheckRegisters}, {"global", ptx.CheckGlobal},
}

func checkNames() []string {
	var names []string
	for _, k := range checks {
		names = append(names, k.name)
	}
	return names
}

func checksOf(text string) (ptx.Check, error) {
	switch text {
	case "all":
		return ptx.CheckAll, nil
	case "none":
		return 0, nil
	}
	var all ptx.Check
	for part := range strings.SplitSeq(text, ",") {
		i := slices.Index(checkNames(), strings.TrimSpace(part))
		if i < 0 {
			return 0, usagef("--checks=%s: there is all, none, %s", text, strings.Join(checkNames(), ", "))
		}
		all |= checks[i].bit
	}
	return all, nil
}
