package cuda

import (
	"fmt"
	"runtime"
	"unsafe"

	"tilec/runtime/cuda/internal/dl"
)

// nvrtcCompilation is NVRTC_ERROR_COMPILATION: the source is at fault (nvrtc.h).
const nvrtcCompilation = 6

// nvrtc holds the entry points of libnvrtc (nvrtc.h); each but errorString returns an nvrtcResult.
type nvrtc struct {
	errorString func(result int32) string
	create      func(program *uintptr, source, name *byte, headers int32, texts, names unsafe.Pointer) int32
	destroy     func(program *uintptr) int32
	compile     func(program uintptr, count int32, options unsafe.Pointer) int32
	ptx, cubin  nvrtcOutput
	log         nvrtcOutput
}

// nvrtcOutput is a pair of calls that tell an output's size and fill a buffer with it.
type nvrtcOutput struct {
	size func(program uintptr, n *uint) int32
	get  func(program uintptr, buffer unsafe.Pointer) int32
}

func openNVRTC(path string) (*nvrtc, error) {
	library, err := dl.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot load NVRTC: %w", err)
	}
	var n nvrtc
	for _, f := range []struct {
		fn     any
		symbol string
	}{
		{&n.errorString, "nvrtcGetErrorString"},
		{&n.create, "nvrtcCreateProgram"},
		{&n.destroy, "nvrtcDestroyProgram"},
		{&n.compile, "nvrtcCompileProgram"},
		{&n.ptx.size, "nvrtcGetPTXSize"},
		{&n.ptx.get, "nvrtcGetPTX"},
		{&n.cubin.size, "nvrtcGetCUBINSize"},
		{&n.cubin.get, "nvrtcGetCUBIN"},
		{&n.log.size, "nvrtcGetProgramLogSize"},
		{&n.log.get, "nvrtcGetProgramLog"},
	} {
		if err := library.Bind(f.fn, f.symbol); err != nil {
			return nil, fmt.Errorf("cannot use NVRTC at %s: %w", path, err)
		}
	}
	return &n, nil
}

// check turns a result code into an error.
func (n *nvrtc) check(call string, result int32) error {
	if result == 0 {
		return nil
	}
	return fmt.Errorf("NVRTC: %s: %s", call, n.errorString(result))
}

// read returns one output of a program.
func (n *nvrtc) read(call string, o nvrtcOutput, program uintptr) ([]byte, error) {
	var size uint
	if err := n.check(call, o.size(program, &size)); err != nil || size == 0 {
		return nil, err
	}
	buffer := make([]byte, size)
	err := n.check(call, o.get(program, unsafe.Pointer(&buffer[0])))
	return buffer, err
}

// cStrings is an array of C strings, kept in place while C holds it.
type cStrings struct {
	pointers []*byte
	pinner   runtime.Pinner
}

func newCStrings(values []string) *cStrings {
	var c cStrings
	for _, v := range values {
		p := cString(v)
		c.pinner.Pin(p)
		c.pointers = append(c.pointers, p)
	}
	return &c
}

// array is the address of the pointers, nil when there are none.
func (c *cStrings) array() unsafe.Pointer {
	if len(c.pointers) == 0 {
		return nil
	}
	return unsafe.Pointer(&c.pointers[0])
}

func (c *cStrings) release() { c.pinner.Unpin() }

func cString(s string) *byte { return &append([]byte(s), 0)[0] }
