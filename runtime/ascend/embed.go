package ascend

import "embed"

// host is the machine: the headers that kernels are compiled with, and the program that runs them.
//
//go:embed host
var host embed.FS
