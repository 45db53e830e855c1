// Package ptxlaunch runs compiled kernels on the PTX machine by way of package launch, as package driver does on a GPU.
//
// What the machine finds wrong with a kernel is a [FindingsError].
package ptxlaunch
