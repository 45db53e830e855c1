//go:build !(linux || darwin || freebsd || netbsd)

package dl

import (
	"fmt"
	"runtime"
)

// Library is an open shared library; on this system there is none.
type Library struct{}

// Open reports that shared libraries cannot be opened here.
func Open(name string) (*Library, error) {
	return nil, fmt.Errorf("%s: loading shared libraries is not supported on %s", name, runtime.GOOS)
}

// Bind is never reached, as Open fails.
func (*Library) Bind(any, string) error { return fmt.Errorf("no library") }
