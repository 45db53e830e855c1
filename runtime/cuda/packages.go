package cuda

import "fmt"

// Component is a part of the toolchain that is installed by itself.
type Component uint8

// Components.
const (
	Compiler     Component = iota + 1 // NVRTC and the headers
	Disassembler                      // nvdisasm and cuobjdump
	Assembler                         // ptxas
	numComponents
)

func (c Component) String() string { return components[c].name }

// release names the installed versions together; it changes whenever a row of the table does.
const release = "13.5.37"

// pinnedPackage is one package of NVIDIA's in the Python registry.
type pinnedPackage struct {
	name, version string
	bytes         int64    // of the download, for progress
	hashes        []string // of the wheels for x86-64 and arm64 Linux
}

// components is the table of what is installed; tools are the programs that a component brings.
var components = [numComponents]struct {
	name     string
	tools    []string
	packages []pinnedPackage
}{
	Compiler: {"compiler", nil, []pinnedPackage{
		{"nvidia-cuda-nvrtc", "13.5.37", 58185930, []string{
			"sha256:86b4d68058807988b7d9af5b44917a0601e9c337f35ccd657bfb3c759ff8d8bc",
			"sha256:36e4fa2a8ada293f5693d308e531c196ab6f91cf7a0ff479bf96a537d43a6096",
		}},
		{"nvidia-cuda-runtime", "13.5.37", 2504024, []string{
			"sha256:df2b79a8852f10d1fef8c848489c49eebb5754051bf870202a862831412b179d",
			"sha256:de2dc5a7367974228b0a69588a9acc9340d3768bef1bf38bf0801eb08497cd2d",
		}},
		{"nvidia-cuda-crt", "13.5.37", 166163, []string{
			"sha256:e898b7f73d3035fa89915a3f7bf3b54a73e90249746111aed295822c4729bb29",
			"sha256:9ed2c565fdf3244fa6719769a80a466b85bfd4b1467ea339353bc91c971d09e0",
		}},
		{"nvidia-cuda-cccl", "13.3.5.0.6", 4113651, []string{
			"sha256:d5230098fa2df5021e1a00c0c4eee41797671a91119d31e892463e5ccf3ee326",
			"sha256:6f30b8076b3e69951c459c94ae190bde51924b320076ebaec376d36848b4c76e",
		}},
	}},
	Disassembler: {"disassembler", []string{"nvdisasm", "cuobjdump"}, []pinnedPackage{
		{"nvidia-cuda-nvdisasm", "13.5.37", 5170654, []string{
			"sha256:d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca",
			"sha256:a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605",
		}},
		{"nvidia-cuda-cuobjdump", "13.5.37", 290354, []string{
			"sha256:38780fee50863252a0b8926357faa91615ca1c8346490563f33a06100cd73f58",
			"sha256:f48e3148535365161a268547b285fd01d92c80e4b457275375933825b5fc26b2",
		}},
	}},
	Assembler: {"assembler", []string{"ptxas"}, []pinnedPackage{
		{"nvidia-cuda-nvcc", "13.5.37", 47028279, []string{
			"sha256:f5c4f7ead5d964fb4af42bbf1e6d3ec3c1e6e9d83b53749f691d387e7fcaa3a7",
			"sha256:588eda18eb5076ae859fe272844b526459228af22df0b117f54eec3aa82bc9c8",
		}},
	}},
}

// componentOf returns the component that brings a program.
func componentOf(tool string) (Component, error) {
	for c := Compiler; c < numComponents; c++ {
		for _, name := range components[c].tools {
			if name == tool {
				return c, nil
			}
		}
	}
	return 0, fmt.Errorf("no component has the program %s", tool)
}

// bytes is the size of a component's download.
func (c Component) bytes() (total int64) {
	for _, p := range components[c].packages {
		total += p.bytes
	}
	return total
}
