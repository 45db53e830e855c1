package cuda

import (
	"regexp"
	"strconv"
	"strings"
)

// Usage is what the assembler says that a kernel takes: registers a thread, the rest in bytes (a thread's stack
// frame and spills; a block's static shared memory).
type Usage struct {
	Registers, Stack, SpillStores, SpillLoads, Shared, Barriers int
}

var (
	entryLine  = regexp.MustCompile(`^ptxas info\s*: (?:Compiling entry function '([^']*)' for|Function properties for (\S+))`)
	frameLine  = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	usedLine   = regexp.MustCompile(`^ptxas info\s*: Used (\d+) registers`)
	sharedItem = regexp.MustCompile(`(\d+)(?:\+\d+)? bytes smem`)
	noiseLine  = regexp.MustCompile(`^\s*$|^ptxas info\s*: (?:Compile time|\d+ bytes gmem)`)
	barItem    = regexp.MustCompile(`used (\d+) barriers`)
)

// splitLog takes the assembler's statistics (ptxas -v) out of a log and leaves what a person should read.
func splitLog(log string) (rest string, usage map[string]Usage) {
	usage = map[string]Usage{}
	var kept strings.Builder
	var entry, function string // the kernel being compiled; what the next frame line speaks of
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\r\n")
		if m := entryLine.FindStringSubmatch(line); m != nil {
			if m[1] != "" {
				entry = m[1]
			}
			function = m[1] + m[2]
			continue
		}
		if m := frameLine.FindStringSubmatch(line); m != nil {
			u := usage[function]
			u.Stack, u.SpillStores, u.SpillLoads = number(m[1]), number(m[2]), number(m[3])
			usage[function] = u
			continue
		}
		if m := usedLine.FindStringSubmatch(line); m != nil {
			u := usage[entry]
			u.Registers = number(m[1])
			if m := sharedItem.FindStringSubmatch(line); m != nil {
				u.Shared = number(m[1])
			}
			if m := barItem.FindStringSubmatch(line); m != nil {
				u.Barriers = number(m[1])
			}
			usage[entry] = u
			continue
		}
		if noiseLine.MatchString(line) {
			continue
		}
		kept.WriteString(line)
		kept.WriteByte('\n')
	}
	return strings.TrimRight(kept.String(), "\n"), usage
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the pattern matched digits only
	return n
}
