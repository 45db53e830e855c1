package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tilec/internal/diag"
	"tilec/internal/driver"
)

func fmtCommand(io streams) *cobra.Command {
	var write, list bool
	c := &cobra.Command{
		Use:   "fmt FILE…",
		Short: "Format programs in the one canonical style",
		Long: "fmt prints the formatted text of .tile files, or of all such files below folders.\n" +
			"With -w it rewrites them in place; with -d (or --check) it lists those that are not formatted\n" +
			"and fails if there are any.",
		Args: args(someFiles),
		RunE: func(_ *cobra.Command, args []string) error {
			if write && list {
				return usagef("-w and -d exclude each other")
			}
			paths, err := sources(args)
			if err != nil {
				return err
			}
			rep := &diag.Reporter{}
			unformatted := false
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				formatted, ok := driver.Format(filepath.ToSlash(path), string(text), rep)
				switch {
				case !ok:
				case list:
					if formatted != string(text) {
						unformatted = true
						fmt.Fprintln(io.out, path)
					}
				case write:
					if formatted != string(text) {
						if err := os.WriteFile(path, []byte(formatted), 0o644); err != nil {
							return err
						}
					}
				default:
					fmt.Fprint(io.out, formatted)
				}
			}
			rep.WriteText(io.err, textOptions(io.err))
			if rep.HasErrors() || unformatted {
				return errFailed
			}
			return nil
		},
	}
	c.Flags().BoolVarP(&write, "write", "w", false, "rewrite the files")
	c.Flags().BoolVarP(&list, "check", "d", false, "list files that are not formatted, and fail")
	return c
}

// sources lists files, and the .tile files below folders.
func sources(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			paths = append(paths, arg)
			continue
		}
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".tile") {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
}
