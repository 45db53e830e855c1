package lower

import "strconv"

// names hands out names that are unique within a function.
type names map[string]bool

// unique returns base, or base_2, base_3 … where that is taken.
func (n names) unique(base string) string {
	name := base
	for i := 2; n[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n[name] = true
	return name
}
