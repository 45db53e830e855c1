package driver

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"tilec/runtime/cuda/internal/dl"
)

// ErrNoDriver says that this machine has no CUDA driver.
var ErrNoDriver = errors.New("no CUDA driver (libcuda.so.1) on this machine")

// ErrNoDevice says that the driver sees no GPU.
var ErrNoDevice = errors.New("the CUDA driver sees no GPU")

// Results of the driver that mean more than a failed call (CUresult in cuda.h).
const (
	resultStubLibrary = 34
	resultNoDevice    = 100
	resultFirstSticky = 700 // illegal address and later: the context is lost
	resultLastSticky  = 719
)

// Error is a failed call of the driver. Log is what its compiler said, when that failed.
type Error struct {
	Call, Name, Text string
	Code             int
	Log              string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("CUDA driver: %s: %s (%s)", e.Call, e.Text, e.Name)
	if e.Fatal() {
		text += "; the GPU cannot be used any further by this process"
	}
	if e.Log != "" {
		text += "\n" + e.Log
	}
	return text
}

// Fatal reports an error that ends all use of the device in this process, as an illegal address does.
func (e *Error) Fatal() bool { return e.Code >= resultFirstSticky && e.Code <= resultLastSticky }

// entryPoints are the driver's functions (cuda.h); each returns a CUresult. Handles are pointers of the driver's, kept as
// integers.
type entryPoints struct {
	init            func(flags uint32) int32
	version         func(version *int32) int32
	errorName       func(code int32, text **byte) int32
	errorString     func(code int32, text **byte) int32
	deviceCount     func(count *int32) int32
	deviceGet       func(device *int32, ordinal int32) int32
	deviceName      func(name unsafe.Pointer, length, device int32) int32
	deviceMemory    func(bytes *uint64, device int32) int32
	deviceAttribute func(value *int32, attribute, device int32) int32
	contextRetain   func(context *uintptr, device int32) int32
	contextRelease  func(device int32) int32
	contextSet      func(context uintptr) int32
	synchronize     func() int32
	moduleLoad      func(module *uintptr, image unsafe.Pointer, count uint32, options, values unsafe.Pointer) int32
	moduleUnload    func(module uintptr) int32
	moduleFunction  func(function *uintptr, module uintptr, name *byte) int32
	functionGet     func(value *int32, attribute int32, function uintptr) int32
	functionSet     func(function uintptr, attribute, value int32) int32
	alloc           func(p *uint64, bytes uint64) int32
	free            func(p uint64) int32
	copyIn          func(to uint64, from unsafe.Pointer, bytes uint64) int32
	copyOut         func(to unsafe.Pointer, from uint64, bytes uint64) int32
	fill            func(p uint64, value uint8, count uint64) int32
	launch          func(function uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream uintptr, params, extra unsafe.Pointer) int32
}

// Driver is the loaded CUDA driver.
type Driver struct{ entryPoints }

// libraries are the names under which the driver may be found; WSL keeps it apart.
var libraries = []string{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}

// Open loads and initialises the driver.
func Open() (*Driver, error) {
	var first error
	for _, name := range libraries {
		library, err := dl.Open(name)
		if err == nil {
			return open(library)
		}
		if first == nil {
			first = err
		}
	}
	return nil, fmt.Errorf("%w: %v", ErrNoDriver, first)
}

func open(library *dl.Library) (*Driver, error) {
	d := new(Driver)
	for _, f := range []struct {
		fn     any
		symbol string
	}{
		{&d.init, "cuInit"},
		{&d.version, "cuDriverGetVersion"},
		{&d.errorName, "cuGetErrorName"},
		{&d.errorString, "cuGetErrorString"},
		{&d.deviceCount, "cuDeviceGetCount"},
		{&d.deviceGet, "cuDeviceGet"},
		{&d.deviceName, "cuDeviceGetName"},
		{&d.deviceMemory, "cuDeviceTotalMem_v2"},
		{&d.deviceAttribute, "cuDeviceGetAttribute"},
		{&d.contextRetain, "cuDevicePrimaryCtxRetain"},
		{&d.contextRelease, "cuDevicePrimaryCtxRelease_v2"},
		{&d.contextSet, "cuCtxSetCurrent"},
		{&d.synchronize, "cuCtxSynchronize"},
		{&d.moduleLoad, "cuModuleLoadDataEx"},
		{&d.moduleUnload, "cuModuleUnload"},
		{&d.moduleFunction, "cuModuleGetFunction"},
		{&d.functionGet, "cuFuncGetAttribute"},
		{&d.functionSet, "cuFuncSetAttribute"},
		{&d.alloc, "cuMemAlloc_v2"},
		{&d.free, "cuMemFree_v2"},
		{&d.copyIn, "cuMemcpyHtoD_v2"},
		{&d.copyOut, "cuMemcpyDtoH_v2"},
		{&d.fill, "cuMemsetD8_v2"},
		{&d.launch, "cuLaunchKernel"},
	} {
		if err := library.Bind(f.fn, f.symbol); err != nil {
			return nil, fmt.Errorf("%w: it is too old: %v", ErrNoDriver, err)
		}
	}
	switch code := d.init(0); code {
	case 0:
		return d, nil
	case resultStubLibrary:
		return nil, fmt.Errorf("%w: libcuda is a stub, for linking only", ErrNoDriver)
	case resultNoDevice:
		return nil, ErrNoDevice
	default:
		return nil, d.check("initialise", code)
	}
}

// check turns a result into an *Error.
func (d *Driver) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	e := &Error{Call: call, Code: int(code), Name: fmt.Sprint(code), Text: "unknown error"}
	var text *byte
	if d.errorName(code, &text) == 0 && text != nil {
		e.Name = goString(text)
	}
	if d.errorString(code, &text) == 0 && text != nil {
		e.Text = goString(text)
	}
	return e
}

// goString copies C text.
func goString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// Version is the newest CUDA version that the driver serves, such as 13.0.
func (d *Driver) Version() (string, error) {
	var v int32
	if err := d.check("get version", d.version(&v)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10), nil
}

// Info describes a GPU.
type Info struct {
	Index          int
	Name           string
	Arch           string // such as sm_90
	Memory         uint64 // bytes
	Processors     int    // streaming multiprocessors
	SharedPerBlock int    // most shared memory of a block, bytes, by opt-in

	major, minor int
}

// Device attributes (CUdevice_attribute in cuda.h).
const (
	attributeProcessors     = 16
	attributeMajor          = 75
	attributeMinor          = 76
	attributeSharedPerBlock = 97
)

// Devices lists the GPUs.
func (d *Driver) Devices() ([]Info, error) {
	var count int32
	if err := d.check("count devices", d.deviceCount(&count)); err != nil {
		return nil, err
	}
	var all []Info
	for i := range count {
		info, _, err := d.device(int(i))
		if err != nil {
			return nil, err
		}
		all = append(all, info)
	}
	return all, nil
}

// device looks up one GPU and its handle.
func (d *Driver) device(index int) (Info, int32, error) {
	info := Info{Index: index}
	var handle int32
	if err := d.check("get device", d.deviceGet(&handle, int32(index))); err != nil {
		return info, 0, err
	}
	var name [256]byte
	if err := d.check("get device name", d.deviceName(unsafe.Pointer(&name), int32(len(name)-1), handle)); err != nil {
		return info, 0, err
	}
	info.Name = goString(&name[0])
	if err := d.check("get device memory", d.deviceMemory(&info.Memory, handle)); err != nil {
		return info, 0, err
	}
	for _, a := range []struct {
		to        *int
		attribute int32
	}{
		{&info.major, attributeMajor}, {&info.minor, attributeMinor},
		{&info.Processors, attributeProcessors}, {&info.SharedPerBlock, attributeSharedPerBlock},
	} {
		var v int32
		if err := d.check("get device attribute", d.deviceAttribute(&v, a.attribute, handle)); err != nil {
			return info, 0, err
		}
		*a.to = int(v)
	}
	info.Arch = fmt.Sprintf("sm_%d%d", info.major, info.minor)
	return info, handle, nil
}

// onThread runs f on a thread whose current context is the given one. The driver keeps that per thread, and goroutines
// move between threads.
func (d *Driver) onThread(context uintptr, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.check("set context", d.contextSet(context)); err != nil {
		return err
	}
	return f()
}
