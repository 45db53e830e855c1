package driver

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Pointer is an address in a GPU's memory.
type Pointer uint64

// Device is a GPU in use. Its methods may be called from many goroutines.
type Device struct {
	Info    Info
	driver  *Driver
	handle  int32
	context uintptr

	mu        sync.Mutex
	functions map[functionKey]*loadedFunction // of Launch, loaded once each
	closed    bool
}

// Device starts to use a GPU. Close ends that.
func (d *Driver) Device(index int) (*Device, error) {
	info, handle, err := d.device(index)
	if err != nil {
		return nil, err
	}
	var context uintptr
	if err := d.check("retain context", d.contextRetain(&context, handle)); err != nil {
		return nil, err
	}
	return &Device{Info: info, driver: d, handle: handle, context: context, functions: map[functionKey]*loadedFunction{}}, nil
}

// Arch is the GPU's architecture, such as sm_90.
func (d *Device) Arch() string { return d.Info.Arch }

// Processors is how many streaming multiprocessors the GPU has.
func (d *Device) Processors() int { return d.Info.Processors }

// Close unloads what Launch loaded and lets go of the GPU.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	var first error
	for _, f := range d.functions {
		if f.module == nil {
			continue
		}
		if err := f.module.Unload(); err != nil && first == nil {
			first = err
		}
	}
	if err := d.driver.check("release context", d.driver.contextRelease(d.handle)); err != nil && first == nil {
		first = err
	}
	return first
}

func (d *Device) do(call string, f func() int32) error {
	return d.driver.onThread(d.context, func() error { return d.driver.check(call, f()) })
}

// Alloc reserves bytes of GPU memory, aligned to 256 bytes at least. Its contents are undefined.
func (d *Device) Alloc(bytes int) (Pointer, error) {
	var p uint64
	err := d.do("allocate", func() int32 { return d.driver.alloc(&p, uint64(max(bytes, 1))) })
	if err != nil {
		return 0, fmt.Errorf("%d bytes: %w", bytes, err)
	}
	return Pointer(p), nil
}

// Free gives memory back.
func (d *Device) Free(p Pointer) error {
	return d.do("free", func() int32 { return d.driver.free(uint64(p)) })
}

// CopyIn copies from the host to the GPU, and returns when that is done.
func (d *Device) CopyIn(to Pointer, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return d.do("copy to the device", func() int32 {
		return d.driver.copyIn(uint64(to), unsafe.Pointer(&from[0]), uint64(len(from)))
	})
}

// CopyOut copies from the GPU to the host, after all that was launched before.
func (d *Device) CopyOut(to []byte, from Pointer) error {
	if len(to) == 0 {
		return nil
	}
	return d.do("copy from the device", func() int32 {
		return d.driver.copyOut(unsafe.Pointer(&to[0]), uint64(from), uint64(len(to)))
	})
}

// Fill sets bytes of GPU memory.
func (d *Device) Fill(p Pointer, value byte, count int) error {
	if count == 0 {
		return nil
	}
	return d.do("fill", func() int32 { return d.driver.fill(uint64(p), value, uint64(count)) })
}

// Synchronize waits for all that was launched; errors of kernels show up here.
func (d *Device) Synchronize() error { return d.do("run kernel", d.driver.synchronize) }

// Module is loaded code.
type Module struct {
	device *Device
	handle uintptr
}

// JIT options (CUjit_option in cuda.h).
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
)

// Load loads a cubin, or PTX text, which the driver then compiles. An error has the driver's log.
func (d *Device) Load(image []byte) (*Module, error) {
	image = append(bytes.Clone(image), 0) // PTX is C text; a cubin carries its own size
	log := make([]byte, 8192)
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&log[0])
	options := [2]int32{jitErrorLog, jitErrorLogSize}
	values := [2]uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log) - 1)}
	m := &Module{device: d}
	err := d.do("load module", func() int32 {
		return d.driver.moduleLoad(&m.handle, unsafe.Pointer(&image[0]), uint32(len(options)), unsafe.Pointer(&options), unsafe.Pointer(&values))
	})
	if e, ok := err.(*Error); ok {
		e.Log = goString(&log[0])
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Unload drops the module and its functions.
func (m *Module) Unload() error {
	return m.device.do("unload module", func() int32 { return m.device.driver.moduleUnload(m.handle) })
}

// Function is a kernel of a module.
type Function struct {
	module *Module
	handle uintptr
	name   string

	mu     sync.Mutex
	shared int // dynamic shared memory opted into
}

// Function looks up a kernel.
func (m *Module) Function(name string) (*Function, error) {
	f := &Function{module: m, name: name}
	symbol := append([]byte(name), 0)
	err := m.device.do("find kernel "+name, func() int32 {
		return m.device.driver.moduleFunction(&f.handle, m.handle, &symbol[0])
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Function attributes (CUfunction_attribute in cuda.h).
const (
	attributeLocal         = 3
	attributeRegisters     = 4
	attributeDynamicShared = 8
)

// Registers returns the registers that a thread takes, and its local memory in bytes.
func (f *Function) Registers() (registers, local int, err error) {
	d := f.module.device
	for _, a := range []struct {
		to        *int
		attribute int32
	}{{&registers, attributeRegisters}, {&local, attributeLocal}} {
		var v int32
		if err := d.do("get function attribute", func() int32 { return d.driver.functionGet(&v, a.attribute, f.handle) }); err != nil {
			return 0, 0, err
		}
		*a.to = int(v)
	}
	return registers, local, nil
}

// defaultShared is the dynamic shared memory that needs no opting in.
const defaultShared = 48 << 10

// allowShared opts into a size of dynamic shared memory, once.
func (f *Function) allowShared(bytes int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if bytes <= max(f.shared, defaultShared) {
		return nil
	}
	d := f.module.device
	err := d.do("allow shared memory", func() int32 {
		return d.driver.functionSet(f.handle, attributeDynamicShared, int32(bytes))
	})
	if err != nil {
		return fmt.Errorf("%s needs %d bytes of shared memory, %s allows %d: %w", f.name, bytes, d.Info.Name, d.Info.SharedPerBlock, err)
	}
	f.shared = bytes
	return nil
}

// Start launches a kernel and does not wait. Each parameter is its little-endian bytes, in declaration order.
func (f *Function) Start(grid [3]int64, block [3]int, shared int, params [][]byte) error {
	if err := f.allowShared(shared); err != nil {
		return err
	}
	packed := packParams(params)
	var pinner runtime.Pinner
	defer pinner.Unpin()
	list := make([]unsafe.Pointer, len(params)+1) // never empty, so that it has an address
	for i, p := range packed {
		pinner.Pin(&p[0])
		list[i] = unsafe.Pointer(&p[0])
	}
	d := f.module.device
	err := d.do("launch "+f.name, func() int32 {
		return d.driver.launch(f.handle, uint32(grid[0]), uint32(grid[1]), uint32(grid[2]),
			uint32(block[0]), uint32(block[1]), uint32(block[2]), uint32(shared), 0, unsafe.Pointer(&list[0]), nil)
	})
	runtime.KeepAlive(packed)
	return err
}

// packParams copies each parameter into storage of its own that is aligned to 8 bytes, as the driver reads values of
// up to 8 bytes there.
func packParams(params [][]byte) [][]byte {
	packed := make([][]byte, len(params))
	for i, p := range params {
		words := make([]uint64, (len(p)+7)/8+1)
		packed[i] = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
		copy(packed[i], p)
	}
	return packed
}
