package ptx

import (
	"strconv"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// space is a state space.
type space uint8

const (
	generic space = iota
	global
	shared
	local
	constant_
	paramSpace
)

// String returns the space's name in PTX.
func (s space) String() string {
	return [...]string{"generic", "global", "shared", "local", "const", "param"}[s]
}

// binding is what a name stands for.
type binding struct {
	typ lanes.Type // of a register; Pred for predicates; NoType for variables
	id  int32      // register or predicate
	sym *symbol
}

// symbol is a variable in memory.
type symbol struct {
	space space
	off   uint64 // address in its space; of a module variable, known at launch
	size  int64
	v     *syntax.Var
}

// scope is a block's names. Registers get numbers when first used.
type scope struct {
	outer  *scope
	vars   []*syntax.Var
	names  map[string]*binding
	labels map[string]int
	// targets are the lists that indexed branches name.
	targets map[string]*syntax.Targets
}

func newScope(outer *scope) *scope {
	return &scope{outer: outer, names: map[string]*binding{}, labels: map[string]int{}, targets: map[string]*syntax.Targets{}}
}

// lookup finds a name, making registers as they are first met.
func (d *decoder) lookup(s *scope, name string) *binding {
	for ; s != nil; s = s.outer {
		if b := s.names[name]; b != nil {
			return b
		}
		if v := declaring(s.vars, name); v != nil {
			b := d.newBinding(v)
			s.names[name] = b
			return b
		}
	}
	return nil
}

// declaring finds the register declaration that covers the name.
func declaring(vars []*syntax.Var, name string) *syntax.Var {
	end := len(name)
	for end > 0 && name[end-1] >= '0' && name[end-1] <= '9' {
		end--
	}
	for _, v := range vars {
		if v.Space != "reg" {
			continue
		}
		if v.Range == 0 {
			if v.Name == name {
				return v
			}
			continue
		}
		// The prefix of a range may itself end in digits: try every split.
		if len(v.Name) < end || len(v.Name) >= len(name) || name[:len(v.Name)] != v.Name {
			continue
		}
		digits := name[len(v.Name):]
		if len(digits) > 1 && digits[0] == '0' {
			continue
		}
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n < v.Range {
			return v
		}
	}
	return nil
}

// newBinding makes a register of the declared type.
func (d *decoder) newBinding(v *syntax.Var) *binding {
	t := lanes.ParseType(v.Type)
	if t == lanes.Pred {
		d.preds++
		return &binding{typ: t, id: int32(d.preds - 1)}
	}
	if t == lanes.B128 { // two registers, the low half first
		id := d.newReg(lanes.B64)
		d.newReg(lanes.B64)
		return &binding{typ: t, id: id}
	}
	return &binding{typ: t, id: d.newReg(t)}
}

// newReg makes a virtual register.
func (d *decoder) newReg(t lanes.Type) int32 {
	d.widths = append(d.widths, uint8(t.Slots()))
	return int32(len(d.widths) - 1)
}

// constReg returns the register that holds the value.
func (d *decoder) constReg(value uint64, wide bool) int32 {
	return d.constant(constant{value: value, wide: wide})
}

func (d *decoder) constant(c constant) int32 {
	if r, ok := d.constIDs[c]; ok {
		return r
	}
	t := lanes.B32
	if c.wide {
		t = lanes.B64
	}
	r := d.newReg(t)
	d.constIDs[c] = r
	c.reg = r
	d.consts = append(d.consts, c)
	return r
}
