package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tilec/internal/driver"
	gpu "tilec/runtime/cuda/driver"
)

// deviceFlag is --device.
type deviceFlag struct{ name string }

const (
	deviceAuto = "auto"
	deviceGPU  = "gpu"
	devicePTX  = "ptx"
)

func (d *deviceFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&d.name, "device", deviceAuto, "what runs compiled kernels: ptx (the PTX machine), gpu, or auto (with a GPU if there is one)")
	complete(c, "device", []string{deviceAuto, deviceGPU, devicePTX})
}

// open gives the options the device that is asked for.
func (d *deviceFlag) open(opts *driver.Options) (close func(), err error) {
	none := func() {}
	switch d.name {
	case devicePTX:
		return none, nil
	case deviceAuto, deviceGPU:
	default:
		return nil, usagef("--device=%s: there is auto, gpu and ptx", d.name)
	}
	dev, err := firstGPU()
	if err != nil {
		if d.name == deviceAuto && (errors.Is(err, gpu.ErrNoDriver) || errors.Is(err, gpu.ErrNoDevice)) {
			return none, nil
		}
		return nil, fmt.Errorf("--device=%s: %w", d.name, err)
	}
	opts.Device = &driver.Device{Launcher: dev, Arch: dev.Info.Arch, Processors: dev.Info.Processors}
	return func() { dev.Close() }, nil
}

func firstGPU() (*gpu.Device, error) {
	d, err := gpu.Open()
	if err != nil {
		return nil, err
	}
	return d.Device(0)
}
