package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestDelayCollection(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	percent := func() int {
		p := debug.SetGCPercent(-1)
		debug.SetGCPercent(p)
		return p
	}
	delayCollection()
	if p := percent(); p != firstCollection {
		t.Errorf("%d percent before the first collection, not %d", p, firstCollection)
	}
	for start := time.Now(); percent() != 100; runtime.GC() {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("%d percent after collections", percent())
		}
		time.Sleep(time.Millisecond)
	}
}
