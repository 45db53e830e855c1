package codegen

import (
	"strings"

	"tilec/ir"
	"tilec/runtime/array"
)

// Words are the words of C++20, its alternative tokens, and macros that compilers
// define without any header.
const Words = `alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
	concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
	dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept
	not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof
	static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union
	unsigned using virtual void volatile wchar_t while xor xor_eq NULL NAN INFINITY linux unix`

// Dialect says which names the text of a target keeps for itself.
type Dialect struct {
	reserved   map[string]bool
	identifier func(name string) string
}

// NewDialect returns a dialect that reserves the words of lists, separated by
// spaces, beside those of C++; identifier moves names out of spaces that are
// reserved as a whole.
func NewDialect(identifier func(name string) string, lists ...string) *Dialect {
	d := &Dialect{reserved: map[string]bool{}, identifier: identifier}
	for _, list := range append(lists, Words) {
		for _, w := range strings.Fields(list) {
			d.reserved[w] = true
		}
	}
	return d
}

// Entry is the symbol of a kernel's entry function: its own name, unless that is taken.
func (d *Dialect) Entry(kernel string) string {
	if d.reserved[kernel] {
		return kernel + "_kernel"
	}
	return d.identifier(kernel)
}

// Symbols names what an entry function speaks of.
type Symbols struct {
	Names
	dialect *Dialect
	vars    map[*ir.Var]string
	bufs    map[*ir.Buffer]string
}

// Symbols returns a scope in which the dialect's words and the entry's name are taken.
func (d *Dialect) Symbols(entry string) *Symbols {
	return &Symbols{
		Names:   Names{reserved: d.reserved, used: map[string]bool{entry: true}},
		dialect: d, vars: map[*ir.Var]string{}, bufs: map[*ir.Buffer]string{},
	}
}

// Local returns a unique identifier for something that the program calls name.
func (s *Symbols) Local(name string) string { return s.Take(s.dialect.identifier(name)) }

// Var returns the identifier of a scalar.
func (s *Symbols) Var(v *ir.Var) string {
	n, ok := s.vars[v]
	if !ok {
		n = s.Local(v.Name)
		s.vars[v] = n
	}
	return n
}

// Buf returns the identifier of a tensor or tile.
func (s *Symbols) Buf(b *ir.Buffer) string {
	n, ok := s.bufs[b]
	if !ok {
		n = s.Local(b.Name)
		s.bufs[b] = n
	}
	return n
}

// Params lists the arguments of f's entry function: the program's parameters in
// order, then the dimensions, passed as dim, then the strides of strided tensors.
func (s *Symbols) Params(f *ir.Func, dim ir.DType) []Param {
	var ps []Param
	for _, p := range f.Params {
		if p.Tensor != nil {
			ps = append(ps, Param{Name: s.Buf(p.Tensor), Tensor: p.Tensor})
		} else {
			ps = append(ps, Param{Name: s.Var(p.Scalar), Scalar: p.Scalar, Type: p.Scalar.Type})
		}
	}
	for _, d := range f.Dims {
		ps = append(ps, Param{Name: s.Var(d.Var), Scalar: d.Var, Type: dim})
	}
	for _, t := range f.Tensors() {
		for _, v := range t.Strides {
			ps = append(ps, Param{Name: s.Var(v), Scalar: v, Type: array.I64})
		}
	}
	return ps
}
