package ascend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// RunMain runs a source that is a host program: its main, which allocates device memory and launches its kernels by way of ACL, in
// the folder dir. What it prints goes to out. The configuration's kernel and blocks are the program's own. An exit code other than
// 0 is an error, and the report is returned with it.
func (p *Program) RunMain(ctx context.Context, cfg Config, dir string, out io.Writer) (*Report, error) {
	if !p.HasMain {
		return nil, errors.New("the source has no main")
	}
	r := request{cfg: cfg}
	if err := r.encodeConfig(Unspecified); err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	cmd := exec.CommandContext(ctx, p.runner, p.library, "main")
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, &r.wire, out, &stderr
	cmd.ExtraFiles = []*os.File{write}
	err = cmd.Start()
	write.Close()
	if err != nil {
		return nil, err
	}
	text, readErr := io.ReadAll(read)
	if err := cmd.Wait(); err != nil && len(text) == 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	} else if err != nil {
		readErr = fmt.Errorf("the host program ended with %w", err)
	}
	report := &Report{}
	if err := json.Unmarshal(text, report); err != nil {
		return nil, fmt.Errorf("the host machine's report: %w", err)
	}
	return report, readErr
}
