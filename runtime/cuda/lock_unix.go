//go:build linux || darwin || freebsd || netbsd || openbsd

package cuda

import (
	"context"
	"os"
	"syscall"
	"time"
)

// lockFile takes an exclusive lock that ends with the process, waiting until the context ends.
func lockFile(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch err {
		case nil:
			return func() { f.Close() }, nil
		case syscall.EWOULDBLOCK, syscall.EINTR:
		default:
			f.Close()
			return nil, &os.PathError{Op: "lock", Path: name, Err: err}
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
