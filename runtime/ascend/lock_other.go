//go:build !unix

package ascend

import "os"

// lockFolder makes the folder. Two processes may build at once; the last one's result stays.
func lockFolder(dir string) (func(), error) {
	return func() {}, os.MkdirAll(dir, 0o755)
}
