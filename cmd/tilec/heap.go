package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is, in percent of the least heap of 4 MB, where the first garbage
// collection starts: most runs end before they have used 64 MB.
const firstCollection = 1600

// delayCollection puts off the first garbage collection; later ones come as usual. Go's
// own compiler starts in this way (cmd/compile/internal/base.AdjustStartingHeap).
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(firstCollection)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
