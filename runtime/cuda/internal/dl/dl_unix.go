//go:build linux || darwin || freebsd || netbsd

package dl

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// Library is an open shared library. It stays open for the life of the process.
type Library struct{ handle uintptr }

// Open loads a library by path, or by bare name from the loader's path.
func Open(name string) (*Library, error) {
	handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	return &Library{handle}, nil
}

// Bind points *fn, a variable of function type, at the library's symbol.
func (l *Library) Bind(fn any, symbol string) error {
	address, err := purego.Dlsym(l.handle, symbol)
	if err != nil {
		return fmt.Errorf("symbol %s is missing: %w", symbol, err)
	}
	purego.RegisterFunc(fn, address)
	return nil
}
