// Command golaunch runs kernels compiled by tilec from a Go program.
//
// The kernels are in blas.tile; package blas beside it was made from them by
//
//	tilec build blas.tile -target=cuda -arch=sm_80 --emit=go -o .
//
// and has a typed function for each. The same call runs on a GPU, where there is one, or on the PTX machine.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"tilec/examples/golaunch/blas"
	"tilec/runtime/array"
	"tilec/runtime/cuda/driver"
	"tilec/runtime/launch"
	"tilec/runtime/ptx"
	"tilec/runtime/ptxlaunch"
)

func main() {
	on, name, err := launcher()
	if err == nil {
		fmt.Println("running on", name)
		err = run(context.Background(), on, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// launcher is the first GPU, or the PTX machine with all its checks.
func launcher() (launch.Launcher, string, error) {
	cuda, err := driver.Open()
	if errors.Is(err, driver.ErrNoDriver) || errors.Is(err, driver.ErrNoDevice) {
		return ptxlaunch.New(ptxlaunch.Config{Checks: ptx.CheckAll}), "the PTX machine", nil
	}
	if err != nil {
		return nil, "", err
	}
	gpu, err := cuda.Device(0)
	if err != nil {
		return nil, "", err
	}
	return gpu, gpu.Info.Name, nil
}

// run computes C = A · B and Y = 2 · C[0] + Y, checks both, and shows how a wrong call is refused.
func run(ctx context.Context, on launch.Launcher, out io.Writer) error {
	const m, n, k = 50, 40, 72
	a, b, c := array.New(array.F16, m, k), array.New(array.F16, k, n), array.New(array.F32, m, n)
	for i := range a.Len() {
		a.SetFloat(i, float64(i%7-3)/4)
	}
	for i := range b.Len() {
		b.SetFloat(i, float64(i%5-2)/2)
	}
	if err := blas.Matmul(ctx, on, a, b, c); err != nil {
		return err
	}
	for i := range m {
		for j := range n {
			want := 0.0
			for l := range k {
				want += a.At(i*k+l) * b.At(l*n+j)
			}
			if got := c.At(i*n + j); got != want { // the products are few and exact
				return fmt.Errorf("wrong product: C[%d, %d] = %g, want %g", i, j, got, want)
			}
		}
	}
	fmt.Fprintf(out, "C = A · B: C[0, 0] = %g, C[%d, %d] = %g\n", c.At(0), m-1, n-1, c.At(m*n-1))

	row, y := array.FromFloats32(array.F32, c.Floats32()[:n], n), array.New(array.F32, n)
	y.SetFloat(0, 1)
	if err := blas.Axpy(ctx, on, 2, row, y); err != nil {
		return err
	}
	if got, want := y.At(0), 2*c.At(0)+1; got != want {
		return fmt.Errorf("wrong sum: Y[0] = %g, want %g", got, want)
	}
	fmt.Fprintf(out, "Y = 2 · C[0] + Y: Y[0] = %g\n", y.At(0))

	err := blas.Matmul(ctx, on, a, row, c)
	if err == nil {
		return errors.New("a vector was taken for a matrix")
	}
	fmt.Fprintln(out, "refused:", err)
	return nil
}
