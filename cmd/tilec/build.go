package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tilec/internal/diag"
	"tilec/internal/driver"
)

func buildCommand(io streams) *cobra.Command {
	var target targetFlags
	var dir, kernel, suffix string
	var emit []string
	var remarks bool
	c := &cobra.Command{
		Use:   "build FILE.tile…",
		Short: "Compile kernels",
		Long: "build compiles the kernels of .tile files and writes DIR/<kernel>.<arch>.cu, or .cpp for AI cores, and what else\n" +
			"--emit names: src, the text; host, a launcher in C++ for the CUDA runtime, or for ACL; for GPUs ptx and cubin,\n" +
			"compiled, and go, a Go package of a whole file.\n" +
			"Tunables that -D does not pin are chosen for the architecture. Each build has one instance of a kernel; several that\n" +
			"are to be linked into one program, as for f16 and bf16, are told apart by --suffix.",
		Example: "  tilec build matmul.tile -target=cuda -arch=sm_80 -o out -D T=bf16 --emit=src,ptx,cubin",
		Args:    args(someFiles),
		RunE: func(c *cobra.Command, args []string) error {
			machines, defines, err := target.resolve()
			if err != nil {
				return err
			}
			kinds, err := kindsOf(emit)
			if err != nil {
				return err
			}
			if strings.IndexFunc(suffix, func(r rune) bool {
				return r != '_' && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
			}) >= 0 {
				return usagef("--suffix=%s: a suffix is made of ASCII letters, digits and _", suffix)
			}
			s := driver.New(c.Context(), driver.Options{Search: search(io), Suffix: suffix})
			programs, ok := load(io, s, args, false)
			if !ok {
				return errFailed
			}
			kernels, err := pick(programs, kernel, defines)
			if err != nil {
				return err
			}
			var failure error
			for _, p := range programs {
				r := driver.BuildRequest{Program: p, Machines: machines, Kinds: kinds, Define: defines}
				for _, k := range kernels {
					if k.Program == p {
						r.Kernels = append(r.Kernels, k)
					}
				}
				files, units, err := s.Build(c.Context(), r)
				failure = errors.Join(failure, err)
				if remarks {
					printRemarks(io, units)
				}
				paths, err := driver.WriteFiles(dir, files)
				if err != nil {
					return err
				}
				for _, path := range paths {
					fmt.Fprintln(io.out, path)
				}
			}
			return failure
		},
	}
	target.add(c)
	f := c.Flags()
	f.StringVarP(&dir, "output", "o", ".", "folder to write to")
	f.StringVar(&kernel, "kernel", "", "compile this kernel only")
	f.StringSliceVar(&emit, "emit", []string{string(driver.Text), string(driver.Host)}, "what to write: "+kindNames())
	f.StringVar(&suffix, "suffix", "", "end the names of what is emitted with this, as in _bf16: instances of one kernel can then be linked together")
	f.BoolVar(&remarks, "remarks", false, "say what the compiler did and declined to do")
	complete(c, "emit", strings.Split(kindNames(), ", "))
	return c
}

// printRemarks prints what the compiler has to say about units.
func printRemarks(io streams, units []*driver.Unit) {
	rep := &diag.Reporter{}
	for _, u := range units {
		for _, d := range u.Remarks {
			rep.Add(d)
		}
	}
	rep.WriteText(io.err, textOptions(io.err))
}

func kindNames() string {
	var names []string
	for _, k := range driver.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

func kindsOf(names []string) ([]driver.Kind, error) {
	var kinds []driver.Kind
	for _, name := range names {
		k := driver.Kind(name)
		if !slices.Contains(driver.Kinds(), k) {
			return nil, usagef("--emit=%s: there is %s", name, kindNames())
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}
