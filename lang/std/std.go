// Package std holds the standard library of the tile language, itself written in it: `import "std/activations.tile"`.
package std

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.tile
var files embed.FS

// Read returns the text of a library file, named without `std/`.
func Read(name string) (string, error) {
	text, err := files.ReadFile(name)
	return string(text), err
}

// Names lists the library's files.
func Names() []string {
	names, err := fs.Glob(files, "*.tile")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	return names
}

// Declaring returns the library file that declares a function, or "" if none does.
func Declaring(function string) string {
	for _, name := range Names() {
		text, err := Read(name)
		if err != nil {
			panic(err) // it is embedded
		}
		if strings.Contains(text, "\nfn "+function+"(") {
			return name
		}
	}
	return ""
}
