package sass

import (
	"fmt"
	"strings"
)

// LoopStats counts the instructions of a loop, once each. ByOpcode is by opcode without modifiers.
type LoopStats struct {
	Total, Tensor int
	ByOpcode      map[string]int
	Instructions  []Instruction // in order of address
}

// IsTensor reports an instruction for a tensor core, of any generation.
func (i Instruction) IsTensor() bool {
	switch base := i.Base(); base {
	case "HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "QGMMA", "BGMMA":
		return true
	default:
		return strings.HasPrefix(base, "UTC") && strings.HasSuffix(base, "MMA")
	}
}

// HotLoop parses a disassembly and counts the loop of the kernel where its tensor instructions are: of the loops
// that hold no other loop with such instructions, the one with the most of them; without any, the innermost loop
// with the most instructions. A kernel without a loop is an error.
func HotLoop(text, kernel string) (LoopStats, error) {
	f, err := Kernel(text, kernel)
	if err != nil {
		return LoopStats{}, err
	}
	var best LoopStats
	loops := f.Loops()
	for i, l := range loops {
		s := f.stats(l.Body)
		inner := true
		for j, m := range loops {
			if i != j && contains(l, m) && (s.Tensor == 0 || f.stats(m.Body).Tensor > 0) {
				inner = false
			}
		}
		if inner && (s.Tensor > best.Tensor || s.Tensor == best.Tensor && s.Total > best.Total) {
			best = s
		}
	}
	if best.Total == 0 {
		return best, fmt.Errorf("kernel %s has no loop", kernel)
	}
	return best, nil
}

// Kernel parses a disassembly and returns one function of it.
func Kernel(text, kernel string) (*Function, error) {
	functions, err := Parse(text)
	if err != nil {
		return nil, err
	}
	var have []string
	for i := range functions {
		if functions[i].Name == kernel {
			return &functions[i], nil
		}
		have = append(have, functions[i].Name)
	}
	return nil, fmt.Errorf("kernel %s is not in the disassembly, which has %v", kernel, have)
}

// Stats counts all of a function.
func (f *Function) Stats() LoopStats {
	all := make([]int, len(f.Instructions))
	for i := range all {
		all[i] = i
	}
	return f.stats(all)
}

func (f *Function) stats(body []int) LoopStats {
	s := LoopStats{ByOpcode: map[string]int{}}
	for _, i := range body {
		in := f.Instructions[i]
		s.Total++
		s.ByOpcode[in.Base()]++
		if in.IsTensor() {
			s.Tensor++
		}
		s.Instructions = append(s.Instructions, in)
	}
	return s
}

// contains reports that loop b lies within a.
func contains(a, b Loop) bool {
	if len(b.Body) >= len(a.Body) {
		return false
	}
	in := make(map[int]bool, len(a.Body))
	for _, i := range a.Body {
		in[i] = true
	}
	return in[b.Head]
}
