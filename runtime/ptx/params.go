package ptx

// Param is a parameter of a kernel as the PTX text declares it.
type Param struct {
	Name    string
	Type    string // of PTX, such as "u64"; "b8" for a struct
	Count   int    // how many of Type it holds: 1 but for structs and arrays
	Size    int    // bytes
	Pointer bool   // the text says .ptr; older compilers don't, and pass pointers as .u64
}

// Signature returns the parameters in order.
func (k *Kernel) Signature() []Param {
	var all []Param
	for _, p := range k.prog.params {
		all = append(all, Param{Name: p.v.Name, Type: p.v.Type, Count: int(p.v.Elems()), Size: p.size, Pointer: p.v.Pointer})
	}
	return all
}

// Targets returns what the text was compiled for, the architecture first, such as "sm_80".
func (m *Module) Targets() []string { return m.syntax.Targets }
