package array

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
)

// The .npy format: magic, version, header length, a Python dictionary literal, the elements
// (NumPy enhancement proposal 1 and numpy.lib.format).
const (
	npyMagic     = "\x93NUMPY"
	npyMaxHeader = 1 << 16
)

// npyTypes maps element types to NumPy's type codes, byte order left out.
var npyTypes = []struct {
	code  string
	dtype DType
}{
	{"b1", Bool}, {"i1", I8}, {"i2", I16}, {"i4", I32}, {"i8", I64},
	{"u1", U8}, {"u2", U16}, {"u4", U32}, {"u8", U64},
	{"f2", F16}, {"f4", F32}, {"f8", F64},
}

// NpyType returns the element type that WriteNpy saves type t as: t itself where NumPy has it, i8 and u8 for 4-bit
// integers, f32 for bf16 and floats of 8 bits and fewer. No value changes.
func NpyType(t DType) DType {
	switch t {
	case I4:
		return I8
	case U4:
		return U8
	case BF16, F8E4M3, F8E5M2, F8E8M0, F4E2M1:
		return F32
	}
	return t
}

// WriteNpy writes the array as a version 1.0 .npy file, row-major and little-endian, in the type that NpyType gives.
func WriteNpy(w io.Writer, a *Array) error {
	t := NpyType(a.DType)
	at := slices.IndexFunc(npyTypes, func(n struct {
		code  string
		dtype DType
	}) bool {
		return n.dtype == t
	})
	if at < 0 {
		return fmt.Errorf("npy: cannot save element type %s", a.DType)
	}
	if t != a.DType {
		a = a.Convert(t)
	}
	order := "<"
	if t.Bits() == 8 {
		order = "|"
	}
	var shape bytes.Buffer
	for i, d := range a.Shape {
		if i > 0 {
			shape.WriteByte(' ')
		}
		fmt.Fprintf(&shape, "%d,", d)
	}
	if n := shape.Len(); len(a.Shape) > 1 {
		shape.Truncate(n - 1)
	}
	header := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, npyTypes[at].code, shape.Bytes())
	const prefix = len(npyMagic) + 4
	total := (prefix + len(header) + 1 + 63) / 64 * 64 // the elements start on a multiple of 64 bytes
	if total-prefix > npyMaxHeader-1 {
		return fmt.Errorf("npy: %d dimensions do not fit a header", len(a.Shape))
	}
	var b bytes.Buffer
	b.WriteString(npyMagic + "\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(total-prefix)))
	fmt.Fprintf(&b, "%-*s\n", total-prefix-1, header)
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(a.Data)
	return err
}

// ReadNpy reads a .npy file of version 1, 2 or 3: bools, integers and floats of 16 to 64 bits, in either byte order
// and in C or Fortran order. The array is row-major and little-endian.
func ReadNpy(r io.Reader) (*Array, error) {
	h, err := readNpyHeader(r)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	size, err := Bytes(h.dtype, h.shape...)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	// Reading grows the buffer by what is there, so a header cannot ask for memory that no data backs.
	data, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if len(data) < size {
		return nil, fmt.Errorf("npy: file ends after %d of %d bytes of elements", len(data), size)
	}
	width := h.dtype.Bits() / 8
	if h.bigEndian {
		for i := 0; i < len(data); i += width {
			slices.Reverse(data[i : i+width])
		}
	}
	if h.dtype == Bool {
		for i, b := range data {
			if b != 0 {
				data[i] = 1
			}
		}
	}
	if h.fortran {
		data = rowMajor(data, h.shape, width)
	}
	return &Array{DType: h.dtype, Shape: h.shape, Data: data}, nil
}

// rowMajor reorders elements stored with the first dimension fastest.
func rowMajor(data []byte, shape []int, width int) []byte {
	if len(shape) < 2 || len(data) == 0 {
		return data
	}
	strides := make([]int, len(shape)) // of the source, in bytes
	step := width
	for d := range shape {
		strides[d] = step
		step *= shape[d]
	}
	out := make([]byte, len(data))
	index := make([]int, len(shape))
	from := 0
	for to := 0; to < len(out); to += width {
		copy(out[to:to+width], data[from:])
		for d := len(shape) - 1; d >= 0; d-- {
			index[d]++
			from += strides[d]
			if index[d] < shape[d] {
				break
			}
			from -= index[d] * strides[d]
			index[d] = 0
		}
	}
	return out
}

// LoadNpy reads the named .npy file.
func LoadNpy(name string) (*Array, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := ReadNpy(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// SaveNpy writes the array to the named .npy file, replacing it.
func SaveNpy(name string, a *Array) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := WriteNpy(f, a); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
