package driver

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"tilec/runtime/launch"
)

// Device is a launcher.
var _ launch.Launcher = (*Device)(nil)

// functionKey tells kernels apart by content.
type functionKey struct {
	image [sha256.Size]byte
	entry string
}

// loadedFunction is loaded at first use, by whoever comes first.
type loadedFunction struct {
	once     sync.Once
	module   *Module
	function *Function
	err      error
}

// Launch runs a kernel on the GPU with host arrays: it copies them there, runs, and copies back those that are written. The
// context is looked at before the kernel starts; a running kernel cannot be stopped.
func (d *Device) Launch(ctx context.Context, k *launch.Kernel, grid [3]int64, block [3]int, shared int, args []launch.Arg) error {
	empty, err := launch.Check(k, grid, block, shared, args)
	if empty || err != nil {
		return err
	}
	for i, p := range k.Params {
		if args[i].Map != nil {
			return fmt.Errorf("%s: argument %s: tensor maps are not supported yet on a GPU, only on the PTX machine", k.Entry, p.Name)
		}
	}
	if k.Cluster[0] > 1 || k.Cluster[1] > 1 || k.Cluster[2] > 1 {
		return fmt.Errorf("%s: clusters that the kernel does not state itself are not supported yet on a GPU, only on the PTX machine", k.Entry)
	}
	buffers, of, err := launch.Buffers(args)
	if err != nil {
		return fmt.Errorf("%s: %w", k.Entry, err)
	}
	function, err := d.function(k)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	pointers := make([]Pointer, 0, len(buffers))
	defer func() {
		for _, p := range pointers {
			d.Free(p)
		}
	}()
	for _, b := range buffers {
		p, err := d.Alloc(len(b.Data))
		if err != nil {
			return fmt.Errorf("%s: %w", k.Entry, err)
		}
		pointers = append(pointers, p)
		if err := d.CopyIn(p, b.Data); err != nil { // written ones too: elements left alone keep their values
			return fmt.Errorf("%s: %w", k.Entry, err)
		}
	}
	params := make([][]byte, len(args))
	for i, a := range args {
		if of[i] < 0 {
			params[i] = a.Scalar()
			continue
		}
		params[i] = binary.LittleEndian.AppendUint64(nil, uint64(pointers[of[i]])+uint64(a.Offset))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := function.Start(grid, block, shared, params); err != nil {
		return err
	}
	if err := d.Synchronize(); err != nil {
		return fmt.Errorf("%s: %w", k.Entry, err)
	}
	for i, b := range buffers {
		if b.Access == launch.Read {
			continue
		}
		if err := d.CopyOut(b.Data, pointers[i]); err != nil {
			return fmt.Errorf("%s: %w", k.Entry, err)
		}
	}
	return nil
}

// function loads a kernel, or returns it loaded.
func (d *Device) function(k *launch.Kernel) (*Function, error) {
	image, err := d.image(k)
	if err != nil {
		return nil, err
	}
	key := functionKey{sha256.Sum256(image), k.Entry}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, fmt.Errorf("%s: the device was closed", k.Entry)
	}
	f := d.functions[key]
	if f == nil {
		f = new(loadedFunction)
		d.functions[key] = f
	}
	d.mu.Unlock()
	f.once.Do(func() {
		if f.module, f.err = d.Load(image); f.err == nil {
			f.function, f.err = f.module.Function(k.Entry)
		}
	})
	if f.err != nil {
		return nil, fmt.Errorf("%s: %w", k.Entry, f.err)
	}
	return f.function, nil
}

// image chooses what the GPU can run: the cubin within its major architecture, otherwise the PTX, which runs on later
// ones too. Code for an architecture-specific target, such as sm_90a, runs on that one only (CUDA C++ programming
// guide, compute capabilities).
func (d *Device) image(k *launch.Kernel) ([]byte, error) {
	var number int
	var suffix string
	if n, _ := fmt.Sscanf(k.Arch, "sm_%d%s", &number, &suffix); n < 1 {
		return nil, fmt.Errorf("%s: architecture %q is not of the form sm_80", k.Entry, k.Arch)
	}
	major, minor := number/10, number%10
	same := major == d.Info.major && minor == d.Info.minor
	specific := strings.HasSuffix(suffix, "a")
	family := major == d.Info.major && minor <= d.Info.minor
	older := major < d.Info.major || family
	switch {
	case len(k.Cubin) > 0 && (same || family && !specific):
		return k.Cubin, nil
	case len(k.PTX) > 0 && (same || older && suffix == "" || suffix == "f" && family):
		return k.PTX, nil
	}
	return nil, fmt.Errorf("%s was compiled for %s, which does not run on %s (%s)", k.Entry, k.Arch, d.Info.Name, d.Info.Arch)
}
