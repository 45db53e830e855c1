package exec

import (
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"tilec/runtime/array"
)

// Kind is a kind of argument.
type Kind uint8

// Kinds of arguments. The zero value is invalid on purpose.
const (
	Null      Kind = iota + 1 // a null pointer
	Scalar                    // a number by value
	Bytes                     // bytes by value, for structs
	In                        // an array that the kernel may only read
	InOut                     // an array with values that the kernel may change
	Out                       // an array without values, which the kernel writes
	Again                     // the address of an earlier array
	Workspace                 // so many bytes that nobody has written, for AI cores
)

// Arg is an argument as spelled.
type Arg struct {
	Text string // as given
	Kind Kind

	Value []byte      // Scalar, Bytes: little-endian
	Type  array.DType // Scalar; arrays: the type to have, Invalid for that of the file

	Name     string     // of an array, for findings
	Path     string     // file that is read (In, InOut) or written (Out); may be empty
	Generate *Generator // what fills the array if no file does
	Shape    []int      // nil: that of the file
	Offset   int64      // bytes from the array's start to where the pointer points; of a Workspace, its size
	Misalign int        // bytes from a multiple of 256 to the array's start
	// Map, if set, passes a tensor map over the array in place of its address.
	Map *MapOptions
}

// IsPointer reports arguments that pass an array.
func (a *Arg) IsPointer() bool { return a.Kind >= In && a.Kind <= Again }

// maxArrayBytes bounds an array that a command line asks for.
const maxArrayBytes = 8 << 30

var (
	suffixes = regexp.MustCompile(`^(.*?)(?:%(\d+))?(?:@(\d+))?$`)
	typeTail = regexp.MustCompile(`^(.*):([A-Za-z0-9_]+)(?:\[([^\[\]]*)\])?$`)
	nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)
	modes    = map[string]Kind{"in": In, "io": InOut, "out": Out}
)

// ParseArg reads an argument:
//
//	null                    a null pointer
//	i32:5  f32:1.5          a number of that type
//	bytes:0001ff            bytes, in hexadecimal
//	A=a.npy  A=a.npy:f16    an array from a file, converted; the kernel may only read it
//	A=normal(0,1):f16[8,8]  the same, generated
//	C=c.npy:f32[8,8]        an output: no values before, saved to the file after
//	io:X=x.npy              an array that the kernel may change, saved to the same file
//	io:X=zeros:i32[4]       the same, not saved
//	A                       the address of the array A once more
//	workspace:4096          so many bytes without values, gone after the launch
//	map:A=a.npy,box=64x32   a tensor map over an array; also swizzle=, fill=, step=
//
// %N behind an array puts it N bytes past an aligned address; @N passes the address N bytes into it.
func ParseArg(text string) (*Arg, error) {
	a := &Arg{Text: text}
	if err := a.parse(text); err != nil {
		return nil, &ArgError{text, err.Error()}
	}
	return a, nil
}

func (a *Arg) parse(text string) error {
	if text == "null" {
		a.Kind = Null
		return nil
	}
	if of, ok := strings.CutPrefix(text, "map:"); ok {
		return a.parseMap(of)
	}
	if name, _, isArray := strings.Cut(text, "="); isArray {
		if mode, rest, ok := strings.Cut(name, ":"); ok {
			if a.Kind = modes[mode]; a.Kind == 0 {
				return fmt.Errorf("%q before an array: there is in, io, out and map", mode+":")
			}
			name, text = rest, strings.TrimPrefix(text, mode+":")
		}
		if !nameForm.MatchString(name) {
			return fmt.Errorf("%q is no name for an array", name)
		}
		a.Name = name
		return a.parseArray(strings.TrimPrefix(text, name+"="))
	}
	if kind, value, ok := strings.Cut(text, ":"); ok {
		return a.parseValue(kind, value)
	}
	rest, err := a.parsePlace(text)
	if err != nil {
		return err
	}
	if !nameForm.MatchString(rest) || a.Misalign != 0 {
		return fmt.Errorf("an argument is null, TYPE:NUMBER, bytes:HEX, NAME=FILE, NAME=FILE:TYPE[SHAPE], or the name of an earlier array")
	}
	a.Kind, a.Name = Again, rest
	return nil
}

// parsePlace takes %N and @N off the end.
func (a *Arg) parsePlace(text string) (string, error) {
	m := suffixes.FindStringSubmatch(text)
	if m == nil {
		return text, nil
	}
	if m[2] != "" {
		n, err := strconv.Atoi(m[2])
		if err != nil || n > 255 {
			return "", fmt.Errorf("%%%s: an array is put 0 to 255 bytes past an aligned address", m[2])
		}
		a.Misalign = n
	}
	if m[3] != "" {
		n, err := strconv.ParseInt(m[3], 10, 64)
		if err != nil {
			return "", fmt.Errorf("@%s: no such offset", m[3])
		}
		a.Offset = n
	}
	return m[1], nil
}

// parseArray reads what stands behind "NAME=".
func (a *Arg) parseArray(text string) error {
	text, err := a.parsePlace(text)
	if err != nil {
		return err
	}
	source := text
	shaped := false
	if m := typeTail.FindStringSubmatch(text); m != nil {
		var ok bool
		if a.Type, ok = array.ParseDType(m[2]); !ok {
			return fmt.Errorf("%q is no element type; there is %s", m[2], typeNames())
		}
		source = m[1]
		if shaped = strings.HasSuffix(text, "]"); shaped {
			if a.Shape, err = parseShape(m[3]); err != nil {
				return err
			}
			if n, err := array.Bytes(a.Type, a.Shape...); err != nil || n > maxArrayBytes {
				return fmt.Errorf("an array of %s[%s] is too large", a.Type, m[3])
			}
		}
	}
	if a.Generate, err = parseGenerator(source); err != nil {
		return err
	}
	switch {
	case source == "":
		return fmt.Errorf("no file and no generator")
	case a.Generate == nil:
		a.Path = source
	case !shaped:
		return fmt.Errorf("%s needs a type and a shape, as in %s:f32[128,256]", source, source)
	}
	switch {
	case a.Kind != 0:
	case a.Generate == nil && shaped || a.Generate != nil && a.Generate.name == undefined:
		a.Kind = Out
	default:
		a.Kind = In
	}
	switch {
	case a.Kind == Out && !shaped:
		return fmt.Errorf("an output needs a type and a shape, as in %s=%s:f32[128,256]", a.Name, source)
	case a.Kind == Out && a.Generate != nil && a.Generate.name != undefined:
		return fmt.Errorf("an output has no values before; io:%s=%s has", a.Name, source)
	case a.Kind != Out && a.Generate != nil && a.Generate.name == undefined:
		return fmt.Errorf("an undefined array is an output")
	}
	return nil
}

func parseShape(text string) ([]int, error) {
	shape := []int{}
	if strings.TrimSpace(text) == "" {
		return shape, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("[%s] is no shape: extents are numbers with commas between", text)
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// parseValue reads a scalar or bytes.
func (a *Arg) parseValue(kind, value string) error {
	if kind == "workspace" {
		n, err := strconv.ParseInt(value, 0, 64)
		if err != nil || n < 1 || n > maxArrayBytes {
			return fmt.Errorf("%q is no size of a workspace in bytes", value)
		}
		a.Kind, a.Offset = Workspace, n
		return nil
	}
	if kind == "bytes" {
		b, err := hex.DecodeString(strings.NewReplacer("_", "", " ", "").Replace(value))
		if err != nil || len(b) == 0 {
			return fmt.Errorf("bytes are hexadecimal, two digits each")
		}
		a.Kind, a.Value = Bytes, b
		return nil
	}
	t, ok := array.ParseDType(kind)
	if !ok {
		return fmt.Errorf("%q is no type; there is %s", kind, typeNames())
	}
	if t.Bits() < 8 {
		return fmt.Errorf("no parameter has %d bits", t.Bits())
	}
	bits, err := parseNumber(t, value)
	if err != nil {
		return err
	}
	a.Kind, a.Type = Scalar, t
	for i := range t.Bits() / 8 {
		a.Value = append(a.Value, byte(bits>>(8*i)))
	}
	return nil
}

// parseNumber returns the pattern of a number in a type that holds it.
func parseNumber(t array.DType, text string) (uint64, error) {
	switch {
	case t.IsFloat():
		x, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(x, 0) {
			return 0, fmt.Errorf("%q is not a number", text)
		}
		return array.EncodeFloat(t, x), nil
	case t == array.Bool:
		x, err := strconv.ParseBool(text)
		if err != nil {
			return 0, fmt.Errorf("%q is neither true nor false", text)
		}
		if x {
			return 1, nil
		}
		return 0, nil
	case t.IsUnsigned():
		n, err := strconv.ParseUint(text, 0, t.Bits())
		if err != nil {
			return 0, fmt.Errorf("%q is no %s", text, t)
		}
		return n, nil
	}
	n, err := strconv.ParseInt(text, 0, t.Bits())
	if err != nil {
		return 0, fmt.Errorf("%q is no %s", text, t)
	}
	return array.EncodeInt(t, n), nil
}

func typeNames() string {
	var names []string
	for _, t := range array.DTypes() {
		names = append(names, t.String())
	}
	return strings.Join(names, ", ")
}
