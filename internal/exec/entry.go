package exec

import (
	"slices"
	"strconv"
	"strings"
)

// matching returns the entries that a name means: the one of exactly that name, or those whose C++ name it is, as
// saxpy is that of _Z5saxpyifPKfPf.
func matching(entries []string, name string) []string {
	if slices.Contains(entries, name) {
		return []string{name}
	}
	var found []string
	for _, e := range entries {
		if plainName(e) == name {
			found = append(found, e)
		}
	}
	return found
}

// plainName takes the function's own name out of a mangled one (Itanium C++ ABI, "Mangling"): _Z, then the name with
// its length, or N and the names of the scopes before it. What is not mangled comes back as it is.
func plainName(mangled string) string {
	rest, ok := strings.CutPrefix(mangled, "_Z")
	if !ok {
		return mangled
	}
	rest, nested := strings.CutPrefix(rest, "N")
	name := ""
	for {
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > len(rest)-digits {
			break
		}
		name, rest = rest[digits:digits+n], rest[digits+n:]
		if !nested {
			break
		}
	}
	if name == "" {
		return mangled
	}
	return name
}
