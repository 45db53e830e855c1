// Package driver runs compiled kernels on an NVIDIA GPU by way of the CUDA driver, without cgo.
//
// [Open] loads libcuda, which comes with the GPU's driver; where there is none the error is [ErrNoDriver], and [ErrNoDevice]
// where there is no GPU. A [Device] is a launch.Launcher; its other methods are the driver's own steps, for callers that
// keep data on the GPU.
package driver
