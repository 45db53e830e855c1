package operand

import (
	"fmt"
	"strings"

	"tilec/runtime/launch"
)

// defaultProcessors is for launchers that do not say.
const defaultProcessors = 16

// Processors returns how many blocks a launcher runs at once, a persistent grid's size: what its method Processors says,
// otherwise a small number.
func Processors(l launch.Launcher) int {
	if p, ok := l.(interface{ Processors() int }); ok {
		return max(p.Processors(), 1)
	}
	return defaultProcessors
}

// Best returns the index of the architecture, out of those that a kernel was compiled for, that runs best on a launcher
// whose method Arch names its own: the same one, else the newest of the same major version, else the newest older one.
// It is 0 where the launcher does not say or none fits; the launcher itself refuses what it cannot run.
func Best(l launch.Launcher, archs ...string) int {
	a, ok := l.(interface{ Arch() string })
	if !ok {
		return 0
	}
	own, _ := archNumber(a.Arch())
	best, bestNumber := 0, -1
	for i, name := range archs {
		number, specific := archNumber(name)
		switch {
		case number == own:
			return i
		case specific || number > own: // code for sm_90a runs on that one only
		case number > bestNumber:
			best, bestNumber = i, number
		}
	}
	return best
}

// archNumber reads sm_90a as 90, for that architecture only.
func archNumber(name string) (number int, specific bool) {
	var suffix string
	if n, _ := fmt.Sscanf(name, "sm_%d%s", &number, &suffix); n < 1 {
		return 0, false
	}
	return number, strings.HasPrefix(suffix, "a")
}
