package driver

import (
	"context"
	"errors"
	"fmt"

	"tilec/ir"
	"tilec/runtime/ascend"
	"tilec/runtime/launch"
)

// compileForHost compiles a unit for the host machine for Ascend C.
func (s *Session) compileForHost(ctx context.Context, u *Unit) (*Binary, error) {
	tools, err := s.host()
	if err != nil {
		return nil, err
	}
	b := &Binary{Unit: u}
	b.program, err = tools.Compile(ctx, ascend.Source{Name: u.FileName(), Text: u.Text})
	var refused *ascend.CompileError
	if errors.As(err, &refused) {
		return nil, &ir.Bug{Pass: "codegen", Func: u.Name(), Message: "the host's compiler refuses the emitted text: " + refused.Error()}
	}
	return b, err
}

// onHost runs a launch on the host machine for Ascend C.
func (l *launchable) onHost(ctx context.Context, x execution) (*outcome, error) {
	args := ascend.Args(l.Args...)
	for i, p := range l.Entry.Params {
		if p.Tensor != nil && p.Tensor.Kind == ir.Out {
			args[i].Access = launch.Write
		}
	}
	if n := l.Entry.Workspace; n > 0 {
		args = append(args, ascend.Workspace(int(n*l.Grid)))
	}
	report, err := l.binary.program.Run(ctx, ascend.Config{Kernel: l.Entry.Name, Blocks: int(l.Grid), Workers: x.workers, CountOnly: x.countOnly}, args...)
	if err != nil {
		return nil, err
	}
	if x.print != nil && report.Printed != "" {
		x.print(report.Printed)
	}
	out := l.outcome()
	out.cores = report
	for i := range report.Findings {
		if i == maxFindings {
			out.faults = append(out.faults, fmt.Sprintf("and %d more", len(report.Findings)-i))
			break
		}
		f := &report.Findings[i]
		text := f.String()
		if number, _ := l.binary.comment(f.At.Line); number != "" {
			text = l.binary.Source + ":" + number + ": " + text
		}
		out.faults = append(out.faults, text)
	}
	return out, nil
}
