package sass

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Function is the code of a kernel or device function, without the padding behind it.
type Function struct {
	Name         string
	Instructions []Instruction
}

// Instruction is one machine instruction. Opcode has its modifiers, such as LDG.E.128; Target is the index in its
// function of the instruction that it may branch to, -1 for none.
type Instruction struct {
	Address   int
	Predicate string // such as !P0; empty when there is none
	Opcode    string
	Operands  string
	Target    int
}

// Base is the opcode without modifiers.
func (i Instruction) Base() string {
	base, _, _ := strings.Cut(i.Opcode, ".")
	return base
}

var (
	startLine       = regexp.MustCompile(`^\.text\.(.+):$`)
	labelLine       = regexp.MustCompile(`^([.$\w]+):$`)
	instructionLine = regexp.MustCompile(`^/\*([0-9a-f]+)\*/\s+(?:@(!?U?P[T0-9]+)\s+)?([A-Z][A-Z0-9_.a-z]*)\s*([^;]*?)\s*;`)
	labelOperand    = regexp.MustCompile(`\x60\(([.$\w]+)\)`)
)

// Parse reads the output of nvdisasm --print-code.
func Parse(text string) ([]Function, error) {
	var functions []Function
	var p *functionParser
	finish := func() {
		if p != nil {
			functions = append(functions, p.finish())
		}
	}
	for number, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if m := startLine.FindStringSubmatch(line); m != nil {
			finish()
			p = &functionParser{name: m[1], labels: map[string]int{}}
			continue
		}
		switch {
		case p == nil:
		case strings.HasPrefix(line, "/*"):
			m := instructionLine.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("line %d is no instruction: %s", number+1, line)
			}
			address, err := strconv.ParseUint(m[1], 16, 31)
			if err != nil {
				return nil, fmt.Errorf("line %d: address %s: %w", number+1, m[1], err)
			}
			p.instructions = append(p.instructions, Instruction{int(address), m[2], m[3], m[4], -1})
		default:
			if m := labelLine.FindStringSubmatch(line); m != nil {
				p.labels[m[1]] = len(p.instructions)
			}
		}
	}
	finish()
	return functions, nil
}

// functionParser gathers a function; labels maps to instruction indices.
type functionParser struct {
	name         string
	labels       map[string]int
	instructions []Instruction
}

func (p *functionParser) finish() Function {
	for i := range p.instructions {
		in := &p.instructions[i]
		if !jumps(in.Base()) {
			continue
		}
		if m := labelOperand.FindStringSubmatch(in.Operands); m != nil {
			if to, ok := p.labels[m[1]]; ok && to < len(p.instructions) {
				in.Target = to
			}
		}
	}
	return Function{p.name, trimPadding(p.instructions)}
}

// jumps reports opcodes whose label operand is a place in the function that control reaches.
func jumps(base string) bool {
	switch base {
	case "BRA", "JMP", "BSSY", "BREAK":
		return true
	}
	return false
}

// trimPadding drops the no-operations behind the code and the branch to itself before them.
func trimPadding(all []Instruction) []Instruction {
	n := len(all)
	for n > 0 && all[n-1].Base() == "NOP" {
		n--
	}
	if n > 0 && all[n-1].Base() == "BRA" && all[n-1].Target == n-1 {
		n--
	}
	return all[:n]
}
