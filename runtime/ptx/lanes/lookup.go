package lanes

import (
	"fmt"
	"slices"
	"strings"
)

// Lookup returns the operation of the opcode with its modifiers in any order but
// for types, whose order counts. An unknown form is an error that names it.
func Lookup(op string, modifiers []string) (Op, error) {
	form := op
	if len(modifiers) > 0 {
		form += "." + strings.Join(modifiers, ".")
	}
	family, ok := families[op]
	if !ok {
		return Op{}, fmt.Errorf("instruction %s is not supported", form)
	}
	m := mods{list: slices.Clone(modifiers)}
	o, ok := family(&m)
	if !ok || len(m.list) > 0 {
		return Op{}, fmt.Errorf("instruction form %s is not supported", form)
	}
	return o, nil
}

// Known tells whether the opcode is one of this package.
func Known(op string) bool {
	_, ok := families[op]
	return ok
}

// families maps an opcode to what reads its modifiers.
var families = map[string]func(*mods) (Op, bool){
	"add": addSub(false), "sub": addSub(true), "addc": carryIn(false), "subc": carryIn(true),
	"mul": mul, "mad": mad, "madc": madc, "mul24": mul24, "mad24": mad24, "sad": sad,
	"div": div, "rem": rem, "abs": abs, "neg": neg, "min": minMax(false), "max": minMax(true),
	"fma": fma, "rcp": rcp, "sqrt": sqrt, "rsqrt": rsqrt, "ex2": ex2, "lg2": lg2,
	"sin": sin, "cos": cos, "tanh": tanh, "copysign": copysign, "testp": testp,
	"and": logic(and32, and64), "or": logic(or32, or64), "xor": logic(xor32, xor64), "not": not, "cnot": cnot,
	"shl": shl, "shr": shr, "shf": shf, "lop3": lop3, "bfe": bfe, "bfi": bfi, "bfind": bfind, "brev": brev,
	"clz": clz, "popc": popc, "prmt": prmt, "bmsk": bmsk, "szext": szext, "fns": fns,
	"dp4a": dp4a, "dp2a": dp2a, "mov": mov, "selp": selp, "slct": slct, "set": set, "setp": setp, "cvt": cvt,
	"vadd4": video4(vadd4), "vsub4": video4(vsub4), "vabsdiff4": video4(vabsdiff4), "vavrg4": video4(vavrg4), "vmin4": video4(vmin4), "vmax4": video4(vmax4),
}

// mods is the list of modifiers not yet understood.
type mods struct{ list []string }

// flag takes the modifier if present.
func (m *mods) flag(name string) bool {
	i := slices.Index(m.list, name)
	if i < 0 {
		return false
	}
	m.list = slices.Delete(m.list, i, i+1)
	return true
}

// pick takes whichever of the names is present; "" if none is.
func (m *mods) pick(names ...string) string {
	for i, s := range m.list {
		if slices.Contains(names, s) {
			m.list = slices.Delete(m.list, i, i+1)
			return s
		}
	}
	return ""
}

// typ takes the first type.
func (m *mods) typ() Type {
	for i, s := range m.list {
		if t := ParseType(s); t != NoType {
			m.list = slices.Delete(m.list, i, i+1)
			return t
		}
	}
	return NoType
}

func op1(f Fn, d, a Type) (Op, bool)       { return Op{Fn: f, Res: d, Args: []Type{a}}, true }
func op2(f Fn, d, a, b Type) (Op, bool)    { return Op{Fn: f, Res: d, Args: []Type{a, b}}, true }
func op3(f Fn, d, a, b, c Type) (Op, bool) { return Op{Fn: f, Res: d, Args: []Type{a, b, c}}, true }
func float(o Op, ok bool) (Op, bool)       { o.Float = true; return o, ok }
