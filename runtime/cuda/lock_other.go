//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package cuda

import (
	"context"
	"errors"
)

// lockFile is for installations, which other systems don't have.
func lockFile(context.Context, string) (unlock func(), err error) {
	return nil, errors.ErrUnsupported
}
