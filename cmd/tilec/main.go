// Command tilec compiles .tile programs, checks them and runs them.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run()) }

// run is main with an exit code: 0 for success, 1 for errors of the program and
// failed tests, 2 for a wrong command line.
func run() int {
	delayCollection()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	io := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	return execute(ctx, io, os.Args[1:])
}
