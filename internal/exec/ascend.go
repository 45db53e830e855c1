package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tilec/runtime/ascend"
	"tilec/runtime/launch"
)

// AscendRequest is one launch of an Ascend C kernel on the host machine.
type AscendRequest struct {
	Path    string   // of the source
	Include []string // folders of headers, beside the source's own
	Entry   string   // may be empty if there is one only; add<float, 64> for an instance of a template
	Config  ascend.Config
	Args    []*Arg
	Seed    uint64            // of generated arrays
	Save    map[string]string // files of arrays beside those that arguments name
	Timeout time.Duration     // stops the launch; 0 is no limit
	// Print takes what the kernel, or the source's own main, prints.
	Print io.Writer
}

// AscendOutcome is what a launch left. Outputs have been saved.
type AscendOutcome struct {
	File, Entry string // no entry: the source's main ran
	Blocks      int
	Report      *ascend.Report
	Saved       []Saved
}

// RunAscend compiles a source for the host machine and launches a kernel; a source with a main of its own runs that where neither an entry
// nor arguments are given. Errors are those of Run, and an *ascend.CompileError.
func RunAscend(ctx context.Context, r AscendRequest) (*AscendOutcome, error) {
	text, err := os.ReadFile(r.Path)
	if err != nil {
		return nil, err
	}
	tools, err := ascend.Find(ascend.Search{})
	if err != nil {
		return nil, err
	}
	source := ascend.Source{Name: filepath.Base(r.Path), Text: string(text), Include: r.Include}
	if strings.Contains(string(text), "#include \"") { // of files beside it
		source.Include = append([]string{filepath.Dir(r.Path)}, r.Include...)
	}
	if strings.Contains(r.Entry, "<") {
		source.Entries = []string{r.Entry}
	}
	program, err := tools.Compile(ctx, source)
	if err != nil {
		return nil, err
	}
	launched := ctx
	if r.Timeout > 0 {
		var stop context.CancelFunc
		launched, stop = context.WithTimeout(ctx, r.Timeout)
		defer stop()
	}
	out := &AscendOutcome{File: source.Name, Blocks: max(r.Config.Blocks, 1)}
	if program.HasMain && r.Entry == "" && len(r.Args) == 0 {
		out.Report, err = program.RunMain(launched, r.Config, ".", r.Print)
		return out, stopped(ctx, err, "main", r.Timeout)
	}
	k, err := kernelOf(program, source.Name, r.Entry)
	if err != nil {
		return nil, err
	}
	out.Entry = k.Name
	if err := checkAscend(k, r.Args); err != nil {
		return nil, err
	}
	arrays, args, err := bindAscend(r.Args, r.Seed, r.Save)
	if err != nil {
		return nil, err
	}
	r.Config.Kernel = k.Name
	if out.Report, err = program.Run(launched, r.Config, args...); err != nil {
		return nil, stopped(ctx, err, k.Name, r.Timeout)
	}
	if r.Print != nil && out.Report.Printed != "" {
		io.WriteString(r.Print, out.Report.Printed)
	}
	out.Saved, err = saveAll(arrays)
	return out, err
}

// stopped makes the end of a launch's time a *TimeoutError.
func stopped(ctx context.Context, err error, entry string, after time.Duration) error {
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return &TimeoutError{entry, after}
	}
	return err
}

// kernelOf returns the kernel that is meant.
func kernelOf(p *ascend.Program, file, name string) (*ascend.Kernel, error) {
	if k := p.Kernel(name); k != nil {
		return k, nil
	}
	var names []string
	for _, k := range p.Kernels {
		names = append(names, k.Name)
	}
	return nil, &EntryError{name, file, names}
}

// AscendMismatchError says that arguments don't fit an Ascend C kernel.
type AscendMismatchError struct {
	Entry  string
	Reason string
	Params []ascend.Param
	Args   []*Arg
}

// Error gives the reason and the list of parameters, each with the argument at its place.
func (e *AscendMismatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; the parameters of %s are", e.Reason, e.Entry)
	if len(e.Params) == 0 {
		b.WriteString(" none")
	}
	for i := range max(len(e.Params), len(e.Args)) {
		given, want := "(nothing)", "(none)"
		if i < len(e.Args) {
			given = e.Args[i].Text
		}
		if i < len(e.Params) {
			want = describeAscend(e.Params[i])
		}
		fmt.Fprintf(&b, "\n  %2d  %-28s %s", i, want, given)
	}
	return b.String()
}

func describeAscend(p ascend.Param) string {
	if p.Pointer {
		return "address in global memory"
	}
	return count(p.Bytes, "byte")
}

// checkAscend compares the arguments with the parameters.
func checkAscend(k *ascend.Kernel, args []*Arg) error {
	mismatch := func(format string, values ...any) error {
		return &AscendMismatchError{Entry: k.Name, Reason: fmt.Sprintf(format, values...), Params: k.Params, Args: args}
	}
	if len(args) != len(k.Params) {
		return mismatch("%s for %s", count(len(args), "argument"), count(len(k.Params), "parameter"))
	}
	for i, a := range args {
		p := k.Params[i]
		address := a.IsPointer() || a.Kind == Null || a.Kind == Workspace
		switch {
		case a.Map != nil:
			return &ArgError{a.Text, "AI cores have no tensor maps"}
		case a.Misalign != 0:
			return &ArgError{a.Text, "an array lies on a multiple of 512 bytes; @N passes an address within it"}
		case address && !p.Pointer:
			return mismatch("argument %d is an address, the parameter is %s by value", i, describeAscend(p))
		case !address && p.Pointer:
			return mismatch("argument %d is a value, the parameter is an address: give an array, workspace:BYTES or null", i)
		case !address && len(a.Value) != p.Bytes:
			return mismatch("argument %d has %s, the parameter has %d", i, count(len(a.Value), "byte"), p.Bytes)
		}
	}
	return nil
}

// bindAscend makes the arrays and the machine's arguments.
func bindAscend(args []*Arg, seed uint64, save map[string]string) (arrays []*bound, values []ascend.Arg, err error) {
	for _, a := range args {
		switch a.Kind {
		case Null:
			values = append(values, ascend.Struct(make([]byte, pointerBytes)))
			continue
		case Scalar, Bytes:
			values = append(values, ascend.Struct(a.Value))
			continue
		case Workspace:
			values = append(values, ascend.Workspace(int(a.Offset)))
			continue
		}
		var b *bound
		if arrays, b, err = arrayOf(arrays, a, seed); err != nil {
			return nil, nil, err
		}
		access := map[Kind]launch.Access{In: launch.Read, Out: launch.Write, InOut: launch.ReadWrite}[b.arg.Kind]
		values = append(values, ascend.Args(launch.Arg{Array: b.values, Access: access, Offset: int(a.Offset)})...)
	}
	return arrays, values, saveTo(arrays, save)
}
