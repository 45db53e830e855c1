package exec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tilec/runtime/array"
	"tilec/runtime/ptx"
)

// ArgError says that an argument cannot be, whatever the kernel.
type ArgError struct{ Text, Reason string }

// Error gives the argument and the reason.
func (e *ArgError) Error() string { return fmt.Sprintf("argument %q: %s", e.Text, e.Reason) }

// bound is an array as the machine has it.
type bound struct {
	arg    *Arg
	values *array.Array
	buffer *ptx.Buffer
	save   string // file that it is written to, if any
}

// MismatchError says that arguments don't fit an entry.
type MismatchError struct {
	Entry  string
	Reason string
	Params []ptx.Param
	Args   []*Arg
}

// Error gives the reason and the list of parameters, each with the argument at its place.
func (e *MismatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; the parameters of %s are", e.Reason, e.Entry)
	if len(e.Params) == 0 {
		b.WriteString(" none")
	}
	for i := range max(len(e.Params), len(e.Args)) {
		given, want := "(nothing)", "(none)"
		if i < len(e.Args) {
			given = e.Args[i].Text
		}
		if i < len(e.Params) {
			want = describe(e.Params[i])
		}
		fmt.Fprintf(&b, "\n  %2d  %-28s %s", i, want, given)
	}
	return b.String()
}

// describe spells a parameter's type.
func describe(p ptx.Param) string {
	switch {
	case p.Pointer:
		return p.Type + " pointer"
	case p.Count != 1:
		return fmt.Sprintf("%d bytes", p.Size)
	}
	return p.Type
}

// pointerBytes is the size of an address.
const pointerBytes = 8

// check compares the arguments with the parameters.
func check(entry string, params []ptx.Param, args []*Arg) error {
	mismatch := func(format string, values ...any) error {
		return &MismatchError{Entry: entry, Reason: fmt.Sprintf(format, values...), Params: params, Args: args}
	}
	if n, want := len(args), len(params); n != want {
		hint := ""
		if want == n+2 && params[n].Size == pointerBytes && params[n+1].Size == pointerBytes && !isFloat(params[n]) && !isFloat(params[n+1]) {
			hint = " (kernels of Triton have two hidden pointers at the end: add --arg null --arg null)"
		}
		return mismatch("%s for %s%s", count(n, "argument"), count(want, "parameter"), hint)
	}
	for i, a := range args {
		p := params[i]
		switch {
		case a.Map != nil && p.Size != mapBytes && (p.Size != pointerBytes || isFloat(p)):
			return mismatch("argument %d is a tensor map of 128 bytes, the parameter is %s", i, describe(p))
		case a.Map != nil:
		case a.Kind == Workspace:
			return &ArgError{a.Text, "a workspace is for kernels of AI cores; an array that nobody fills is W=undefined:u8[BYTES]"}
		case a.IsPointer() && (p.Size != pointerBytes || isFloat(p) || p.Count != 1 && p.Count != p.Size):
			return mismatch("argument %d is an array, which is passed as its address of 8 bytes, the parameter is %s", i, describe(p))
		case a.Kind == Null && (p.Size != pointerBytes || isFloat(p)):
			return mismatch("argument %d is a null pointer of 8 bytes, the parameter is %s", i, describe(p))
		case a.Kind == Scalar && p.Pointer:
			return mismatch("argument %d is a number, the parameter is a pointer: give an array or null", i)
		case (a.Kind == Scalar || a.Kind == Bytes) && len(a.Value) != p.Size:
			return mismatch("argument %d has %s, the parameter has %d", i, count(len(a.Value), "byte"), p.Size)
		case a.Kind == Scalar && isFloat(p) && !a.Type.IsFloat():
			return mismatch("argument %d is %s, the parameter is %s", i, a.Type, p.Type)
		case a.Kind == Scalar && a.Type.IsFloat() && isInteger(p):
			return mismatch("argument %d is %s, the parameter is %s", i, a.Type, p.Type)
		}
	}
	return nil
}

func isFloat(p ptx.Param) bool { return strings.HasPrefix(p.Type, "f") && p.Count == 1 }

// isInteger reports parameters that no compiler uses for a float; halves come as u16 or b16, so these are let through.
func isInteger(p ptx.Param) bool {
	return p.Count == 1 && p.Size >= 4 && (p.Type[0] == 'u' || p.Type[0] == 's')
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// bind makes the arrays and the machine's arguments.
func bind(args []*Arg, seed uint64, save map[string]string) (arrays []*bound, values []any, err error) {
	for _, a := range args {
		switch a.Kind {
		case Null:
			values = append(values, nil)
			continue
		case Scalar, Bytes:
			values = append(values, a.Value)
			continue
		}
		var b *bound
		if arrays, b, err = arrayOf(arrays, a, seed); err != nil {
			return nil, nil, err
		}
		if a.Map != nil {
			m, err := a.Map.tensorMap(b)
			if err != nil {
				return nil, nil, &ArgError{a.Text, err.Error()}
			}
			values = append(values, m)
			continue
		}
		values = append(values, ptx.Pointer{Buffer: b.buffer, Offset: a.Offset})
	}
	return arrays, values, saveTo(arrays, save)
}

// arrayOf returns the array of an argument, one more than those before unless it is one of them.
func arrayOf(arrays []*bound, a *Arg, seed uint64) ([]*bound, *bound, error) {
	b := find(arrays, a.Name)
	switch {
	case a.Kind == Again && b == nil:
		return nil, nil, &ArgError{a.Text, "no earlier array has that name"}
	case a.Kind != Again && b != nil:
		return nil, nil, &ArgError{a.Text, "there is an array of that name already; the name alone passes it again"}
	case b != nil:
		return arrays, b, nil
	}
	b, err := a.make(seed)
	if err != nil {
		return nil, nil, fmt.Errorf("argument %q: %w", a.Text, err)
	}
	return append(arrays, b), b, nil
}

// find returns the array of a name, nil if there is none.
func find(arrays []*bound, name string) *bound {
	i := slices.IndexFunc(arrays, func(b *bound) bool { return b.arg.Name == name })
	if i < 0 {
		return nil
	}
	return arrays[i]
}

// saveTo says where arrays go after the run, beside those whose arguments do.
func saveTo(arrays []*bound, save map[string]string) error {
	for name, path := range save {
		b := find(arrays, name)
		if b == nil || b.arg.Kind == In {
			return &ArgError{"--save " + name + "=" + path, "no argument of that name which the kernel may write"}
		}
		b.save = path
	}
	return nil
}

// make reads or generates an array.
func (a *Arg) make(seed uint64) (*bound, error) {
	b := &bound{arg: a}
	switch {
	case a.Kind == Out:
		b.values, b.save = array.New(a.Type, a.Shape...), a.Path
		poison(b.values)
	case a.Generate != nil:
		b.values = array.New(a.Type, a.Shape...)
		a.Generate.fill(b.values, a.Name, seed)
	default:
		v, err := array.LoadNpy(a.Path)
		if err != nil {
			return nil, err
		}
		if a.Shape != nil && !slices.Equal(v.Shape, a.Shape) {
			return nil, fmt.Errorf("%s has shape %v, not %v", filepath.Base(a.Path), v.Shape, a.Shape)
		}
		if b.values, err = convert(v, a.Type); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(a.Path), err)
		}
		if a.Kind == InOut {
			b.save = a.Path
		}
	}
	b.buffer = &ptx.Buffer{Name: a.Name, Data: b.values.Data, ReadOnly: a.Kind == In, Undefined: a.Kind == Out, Misalign: a.Misalign}
	return b, nil
}

// poison makes elements that the kernel leaves out stand out: every bit set is a NaN or -1.
func poison(a *array.Array) {
	if a.DType == array.Bool {
		return
	}
	for i := range a.Data {
		a.Data[i] = 0xff
	}
}

// convert gives an array from a file the type that is asked for: floats round, integers must fit.
func convert(a *array.Array, t array.DType) (*array.Array, error) {
	switch {
	case t == array.Invalid || a.DType == t:
		return a, nil
	case t.IsFloat():
		return a.Convert(t), nil
	case a.DType.IsFloat():
		return nil, fmt.Errorf("it holds %s, which is not converted to %s", a.DType, t)
	}
	b := a.Convert(t)
	for i := range a.Len() {
		v := a.Int(i)
		high := a.DType == array.U64 && v < 0 // 2^63 and above
		if v != b.Int(i) || high && t != array.U64 || !high && v < 0 && t.IsUnsigned() {
			return nil, fmt.Errorf("it holds %d, which is no %s", v, t)
		}
	}
	return b, nil
}
