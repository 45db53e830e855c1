package fuzz

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"tilec/internal/driver"
)

// Options of a campaign.
type Options struct {
	Session  *driver.Session
	Machines []*driver.Machine // programs take them in turn
	Seed     uint64
	From     uint64        // the first program's number
	Count    uint64        // programs to run; 0: no limit
	Duration time.Duration // 0: no limit
	Jobs     int           // programs at once; 0: one a core
	Limit    time.Duration // of one launch; 0: three minutes
	// Dir is where shrunk programs are written; empty: nowhere.
	Dir string
	// Keep is how many faults of one kind are shrunk; 0: two.
	Keep int
	// Progress is called after every program, Found for each fault that was shrunk.
	// Neither is called twice at once.
	Progress func(Summary)
	Found    func(*Report)
}

// Report is a fault of a campaign.
type Report struct {
	*Fault
	Number uint64
	Arch   string
	File   string // that the program was written to
}

// Summary counts what a campaign has done.
type Summary struct {
	Programs, Launches, Refused, Faults int
	// Next is the number to resume from: all programs before it are done.
	Next uint64
	// Kinds counts faults by what they have in common.
	Kinds   map[string]int
	Refusal map[string]int // by the architecture and the reason
	On      map[string]int // programs by architecture
	Took    time.Duration
}

// campaign is one under way.
type campaign struct {
	opts  Options
	start time.Time

	mu      sync.Mutex
	next    uint64 // to hand out
	pending map[uint64]bool
	sum     Summary
}

// Run runs programs until the count or time is reached or ctx ends; then the
// summary says where to go on. The error is one of the toolchain.
func Run(ctx context.Context, opts Options) (Summary, error) {
	if opts.Jobs <= 0 {
		opts.Jobs = runtime.GOMAXPROCS(0)
	}
	if opts.Keep <= 0 {
		opts.Keep = 2
	}
	c := &campaign{opts: opts, start: time.Now(), next: opts.From, pending: map[uint64]bool{}}
	c.sum = Summary{Next: opts.From, Kinds: map[string]int{}, Refusal: map[string]int{}, On: map[string]int{}}
	if opts.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Duration)
		defer cancel()
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range opts.Jobs {
		wg.Go(func() {
			for {
				n, ok := c.take(inner)
				if !ok {
					return
				}
				if err := c.program(inner, n); err != nil && inner.Err() == nil {
					cancel(fmt.Errorf("program %d: %w", n, err))
					return
				}
			}
		})
	}
	wg.Wait()
	c.sum.Took = time.Since(c.start)
	if err := context.Cause(inner); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return c.sum, err
	}
	return c.sum, nil
}

// take hands out the next program's number.
func (c *campaign) take(ctx context.Context) (uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil || c.opts.Count > 0 && c.next >= c.opts.From+c.opts.Count {
		return 0, false
	}
	n := c.next
	c.next++
	c.pending[n] = true
	return n, true
}

// tester runs programs of a number, on the machine whose turn it is.
func (c *campaign) tester(n uint64) *Tester {
	return &Tester{Session: c.opts.Session, Machine: c.opts.Machines[n%uint64(len(c.opts.Machines))], Seed: c.opts.Seed, Limit: c.opts.Limit}
}

func (c *campaign) program(ctx context.Context, n uint64) error {
	p := Generate(c.opts.Seed, n)
	t := c.tester(n)
	out, err := t.Test(ctx, p)
	if err != nil {
		return err
	}
	if out.Fault != nil && c.first(out.Fault) {
		if err := c.shrink(ctx, t, n, out.Fault); err != nil {
			return err
		}
	}
	c.done(n, p, out)
	return nil
}

// first counts a fault, and reports whether it is one of the first of its kind.
func (c *campaign) first(f *Fault) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum.Faults++
	c.sum.Kinds[f.signature()]++
	return c.sum.Kinds[f.signature()] <= c.opts.Keep
}

func (c *campaign) shrink(ctx context.Context, t *Tester, n uint64, f *Fault) error {
	small, err := t.Shrink(ctx, f)
	if small == nil {
		return err
	}
	r := &Report{Fault: small, Number: n, Arch: t.Machine.Name}
	if c.opts.Dir != "" {
		name := filepath.Join(c.opts.Dir, fmt.Sprintf("seed%d-%d.tile", c.opts.Seed, n))
		if err := os.MkdirAll(c.opts.Dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(r.Source(c.opts.Seed)), 0o644); err != nil {
			return err
		}
		r.File = name
	}
	if c.opts.Found != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.opts.Found(r)
	}
	return nil
}

// Source is the program with a comment that says what is wrong with it.
func (r *Report) Source(seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Program %d of seed %d on %s: %s, %s.\n", r.Number, seed, r.Arch, r.Stage, r.Kind)
	for line := range strings.Lines(r.Text) {
		if strings.HasPrefix(line, "goroutine ") {
			break
		}
		b.WriteString("// " + strings.TrimRight(line, "\n") + "\n")
	}
	b.WriteString("\n" + r.Program.Text())
	return b.String()
}

func (c *campaign) done(n uint64, p *Program, out Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, n)
	arch := c.tester(n).Machine.Name
	c.sum.Programs++
	c.sum.On[arch]++
	c.sum.Launches += len(p.Launches)
	if out.Refused != "" {
		c.sum.Refused++
		c.sum.Refusal[arch+": "+shape(out.Refused)]++
	}
	c.sum.Next = c.next
	for m := range c.pending {
		c.sum.Next = min(c.sum.Next, m)
	}
	c.sum.Took = time.Since(c.start)
	if c.opts.Progress != nil {
		c.opts.Progress(c.sum)
	}
}
