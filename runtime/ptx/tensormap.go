package ptx

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Swizzle is how a tensor map scatters the 16-byte pieces of rows over the banks of
// shared memory: address bits 4 and up are exclusive-ored with bits 7 and up.
type Swizzle uint8

// Swizzles, by the bytes of the row that they permute.
const (
	SwizzleNone Swizzle = iota
	Swizzle32B
	Swizzle64B
	Swizzle128B
)

// mask is the bits of the address's row that take part.
func (s Swizzle) mask() uint64 { return 1<<s - 1 }

// apply gives the place of the byte at address a.
func (s Swizzle) apply(a uint64) uint64 { return a ^ a>>7&s.mask()<<4 }

// Fill is what a copy gives for elements outside the tensor.
type Fill uint8

// Fills.
const (
	FillZero Fill = iota
	FillNaN       // a quiet NaN of the element type, which must be floating-point
)

// TensorMap describes a tensor in global memory and the box that one copy moves, as
// the driver's cuTensorMapEncodeTiled does. It is the argument for a parameter of 128
// bytes, or of a pointer to such. Lists are innermost first.
type TensorMap struct {
	Buffer *Buffer
	Offset int64 // bytes, of the first element
	// ElemBytes is 1, 2, 4 or 8.
	ElemBytes int
	Dims      []int64 // elements, each 1 to 2^32
	Strides   []int64 // bytes, of dimensions 1 and up: multiples of 16
	Box       []int   // elements, each 1 to 256
	// ElemStrides are steps of 1 to 8 through the dimensions; nil: ones. That of
	// dimension 0 is ignored.
	ElemStrides []int
	Swizzle     Swizzle
	Fill        Fill
	// Type names the elements for reductions and NaN: f16, bf16, f32, f64, or empty.
	Type string
	// Im2col, if set, makes a map of cuTensorMapEncodeIm2col: the box is not used.
	Im2col *Im2col
}

// Im2col describes the boxes of a convolution's input. The dimensions of the tensor are
// channels, then 1 to 3 of space, then the images; ElemStrides step through space.
type Im2col struct {
	// Lower and Upper are the corners of the bounding box, innermost first, added to the
	// first and last coordinates of the space.
	Lower, Upper []int
	Channels     int // of a pixel, 1 to 256
	Pixels       int // of a column, 1 to 1024
}

// tensorMap is a map as the machine uses it.
type tensorMap struct {
	base    uint64
	rank    int
	elem    int
	swizzle Swizzle
	fill    Fill
	float   byte // index in mapFloats
	dims    [5]int64
	strides [5]int64 // bytes
	box     [5]int
	steps   [5]int

	// picks is of one copy: coordinates 1 to 4 are four rows of the tensor.
	picks bool

	im2col       bool
	lower, upper [3]int64
	pixels       int
	offsets      [3]int64 // of one copy
}

var mapFloats = []string{"", "f16", "bf16", "f32", "f64"}

// mapBytes is the size of a map; mapMagic begins the machine's form of it.
const (
	mapBytes = 128
	mapMagic = 0x50414d5f58545054
)

// check verifies the rules of cuTensorMapEncodeTiled (CUDA Driver API).
func (m *TensorMap) check() error {
	n := len(m.Dims)
	switch {
	case n < 1 || n > 5:
		return fmt.Errorf("tensor map of %d dimensions, wants 1 to 5", n)
	case len(m.Strides) != n-1:
		return fmt.Errorf("tensor map of %d dimensions with %d strides, wants %d", n, len(m.Strides), n-1)
	case m.Im2col != nil && (n < 3 || len(m.Im2col.Lower) != n-2 || len(m.Im2col.Upper) != n-2):
		return fmt.Errorf("im2col tensor map of %d dimensions with %d and %d offsets of the corners, wants 3 to 5 and two fewer", n, len(m.Im2col.Lower), len(m.Im2col.Upper))
	case m.Im2col != nil && (m.Im2col.Channels < 1 || m.Im2col.Channels > 256 || m.Im2col.Pixels < 1 || m.Im2col.Pixels > 1024):
		return fmt.Errorf("im2col tensor map of %d channels by %d pixels, wants 1 to 256 and 1 to 1024", m.Im2col.Channels, m.Im2col.Pixels)
	case m.Im2col == nil && len(m.Box) != n || m.ElemStrides != nil && len(m.ElemStrides) != n:
		return fmt.Errorf("tensor map of %d dimensions with a box of %d and %d element strides", n, len(m.Box), len(m.ElemStrides))
	case m.ElemBytes != 1 && m.ElemBytes != 2 && m.ElemBytes != 4 && m.ElemBytes != 8:
		return fmt.Errorf("tensor map of elements of %d bytes", m.ElemBytes)
	case m.Swizzle > Swizzle128B || m.Fill > FillNaN:
		return fmt.Errorf("tensor map with an unknown swizzle or fill")
	case m.Buffer == nil:
		return fmt.Errorf("tensor map without a buffer")
	case (m.Offset+int64(m.Buffer.Misalign))%16 != 0:
		return fmt.Errorf("tensor map of an address that is no multiple of 16")
	}
	for i := range n {
		step := 1
		if m.ElemStrides != nil {
			step = m.ElemStrides[i]
		}
		switch {
		case m.Dims[i] < 1 || m.Dims[i] > 1<<32:
			return fmt.Errorf("dimension %d of a tensor map is %d, wants 1 to 2^32", i, m.Dims[i])
		case m.Im2col == nil && (m.Box[i] < 1 || m.Box[i] > 256):
			return fmt.Errorf("dimension %d of a tensor map's box is %d, wants 1 to 256", i, m.Box[i])
		case step < 1 || step > 8:
			return fmt.Errorf("element stride %d of a tensor map is %d, wants 1 to 8", i, step)
		case i > 0 && (m.Strides[i-1]%16 != 0 || m.Strides[i-1] < 0 || m.Strides[i-1] >= 1<<36):
			return fmt.Errorf("stride %d of a tensor map is %d bytes, wants a multiple of 16", i, m.Strides[i-1])
		}
	}
	inner := m.rowElems() * m.ElemBytes
	if wrong := wrongRow(inner, m.Swizzle); wrong != "" {
		return errors.New(wrong)
	}
	for i, name := range mapFloats {
		if name == m.Type && (i == 0 && m.Fill == FillZero || i > 0) {
			return nil
		}
	}
	return fmt.Errorf("tensor map of type %q: wants f16, bf16, f32, f64, or nothing if the fill is zero", m.Type)
}

// rowElems is the number of elements of a row of a copy.
func (m *TensorMap) rowElems() int {
	if m.Im2col != nil {
		return m.Im2col.Channels
	}
	return m.Box[0]
}

// wrongRow says what is wrong with rows of that many bytes.
func wrongRow(inner int, s Swizzle) string {
	span := 16 << s
	switch {
	case inner%16 != 0:
		return fmt.Sprintf("rows of a tensor map's box have %d bytes, wants a multiple of 16", inner)
	case s != SwizzleNone && inner < span:
		return fmt.Sprintf("rows of a tensor map's box have %d bytes, fewer than the swizzle's %d: not supported yet", inner, span)
	case s != SwizzleNone && inner > span:
		return fmt.Sprintf("rows of a tensor map's box have %d bytes, more than the swizzle's %d", inner, span)
	}
	return ""
}

// wrong says what is wrong with a map that instructions have made.
func (m *tensorMap) wrong() string {
	if m.base%16 != 0 {
		return "the address of the tensor is no multiple of 16"
	}
	return wrongRow(m.count(0)*m.elem, m.swizzle)
}

// encode gives the machine's form of the map over a tensor at base.
func (m *TensorMap) encode(base uint64) []byte {
	b := make([]byte, mapBytes)
	le := binary.LittleEndian
	le.PutUint64(b, mapMagic)
	le.PutUint64(b[8:], base)
	b[16], b[17], b[18], b[19] = byte(len(m.Dims)), byte(m.ElemBytes), byte(m.Swizzle), byte(m.Fill)
	for i, name := range mapFloats {
		if name == m.Type {
			b[20] = byte(i)
		}
	}
	for i := range m.Dims {
		le.PutUint32(b[24+4*i:], uint32(m.Dims[i]-1))
		if i > 0 {
			le.PutUint32(b[44+4*i:], uint32(m.Strides[i-1]/16))
		}
		b[69+i] = 1
		if m.Im2col == nil {
			b[64+i] = byte(m.Box[i] - 1)
		}
		if m.ElemStrides != nil && i > 0 {
			b[69+i] = byte(m.ElemStrides[i])
		}
	}
	if c := m.Im2col; c != nil {
		b[64], b[74] = byte(c.Channels-1), 1
		le.PutUint16(b[76:], uint16(c.Pixels))
		for i := range c.Lower {
			le.PutUint16(b[80+2*i:], uint16(c.Lower[i]))
			le.PutUint16(b[86+2*i:], uint16(c.Upper[i]))
		}
	}
	return b
}

// decodeMap reads the machine's form; false if the bytes are no tensor map.
func decodeMap(b []byte) (*tensorMap, bool) {
	le := binary.LittleEndian
	if len(b) < mapBytes || le.Uint64(b) != mapMagic {
		return nil, false
	}
	m := &tensorMap{base: le.Uint64(b[8:]), rank: int(b[16]), elem: int(b[17]), swizzle: Swizzle(b[18]), fill: Fill(b[19]), float: b[20]}
	if m.rank < 1 || m.rank > 5 || m.swizzle > Swizzle128B || m.elem < 1 || m.elem > 8 || m.elem&(m.elem-1) != 0 || int(m.float) >= len(mapFloats) {
		return nil, false
	}
	m.strides[0] = int64(m.elem)
	for i := range m.rank {
		m.dims[i] = int64(le.Uint32(b[24+4*i:])) + 1
		if i > 0 {
			m.strides[i] = int64(le.Uint32(b[44+4*i:])) * 16
		}
		m.box[i], m.steps[i] = int(b[64+i])+1, max(int(b[69+i]), 1)
	}
	if m.im2col = b[74] != 0; m.im2col {
		if m.rank < 3 {
			return nil, false
		}
		m.pixels = int(le.Uint16(b[76:]))
		for i := range m.rank - 2 {
			m.lower[i], m.upper[i] = int64(int16(le.Uint16(b[80+2*i:]))), int64(int16(le.Uint16(b[86+2*i:])))
		}
	}
	return m, true
}

// count is the number of elements that a copy moves along dimension i.
func (m *tensorMap) count(i int) int { return (m.box[i] + m.steps[i] - 1) / m.steps[i] }

// bytes is the size of the box in shared memory.
func (m *tensorMap) bytes() int {
	if m.im2col {
		return m.elem * m.count(0) * m.pixels
	}
	n := m.elem
	for i := range m.rank {
		n *= m.count(i)
	}
	if m.picks {
		n *= 4
	}
	return n
}

// rows visits the rows of the box at the coordinates: the offset in the box before
// swizzling, the address in global memory, and the elements from lo to hi of the row
// that lie in the tensor; none if the row lies outside.
func (m *tensorMap) rows(at [5]int64, visit func(off int, addr uint64, lo, hi int)) {
	if m.im2col {
		m.columns(at, visit)
		return
	}
	if m.picks {
		m.picked(at, visit)
		return
	}
	var k [5]int
	width := m.count(0)
	lo := int(min(max(-at[0], 0), int64(width)))
	hi := int(max(min(m.dims[0]-at[0], int64(width)), int64(lo)))
	for off := 0; ; off += width * m.elem {
		addr, inside := m.base+uint64(at[0])*uint64(m.elem), true
		for i := 1; i < m.rank; i++ {
			c := at[i] + int64(k[i]*m.steps[i])
			inside = inside && c >= 0 && c < m.dims[i]
			addr += uint64(c) * uint64(m.strides[i])
		}
		if inside {
			visit(off, addr, lo, hi)
		} else {
			visit(off, addr, 0, 0)
		}
		i := 1
		for ; i < m.rank; i++ {
			if k[i]++; k[i] < m.count(i) {
				break
			}
			k[i] = 0
		}
		if i >= m.rank {
			return
		}
	}
}

// picked is rows for four rows of a matrix by number, which follow each other in the
// box (PTX ISA, "Tiled::gather4/scatter4 modes").
func (m *tensorMap) picked(at [5]int64, visit func(off int, addr uint64, lo, hi int)) {
	width := m.count(0)
	lo := int(min(max(-at[0], 0), int64(width)))
	hi := int(max(min(m.dims[0]-at[0], int64(width)), int64(lo)))
	for i, row := range at[1:] {
		if row < 0 || row >= m.dims[1] {
			visit(i*width*m.elem, 0, 0, 0)
			continue
		}
		visit(i*width*m.elem, m.base+uint64(at[0])*uint64(m.elem)+uint64(row)*uint64(m.strides[1]), lo, hi)
	}
}

// columns is rows in im2col mode: pixel after pixel through the bounding box, from the
// one at the coordinates on, each read at the filter's offsets (PTX ISA, "Im2col mode").
func (m *tensorMap) columns(at [5]int64, visit func(off int, addr uint64, lo, hi int)) {
	width := m.count(0)
	lo := int(min(max(-at[0], 0), int64(width)))
	hi := int(max(min(m.dims[0]-at[0], int64(width)), int64(lo)))
	for p := range m.pixels {
		addr, inside := m.base+uint64(at[0])*uint64(m.elem), true
		for i := 1; i < m.rank; i++ {
			c := at[i]
			if i < m.rank-1 {
				c += m.offsets[i-1]
			}
			inside = inside && c >= 0 && c < m.dims[i]
			addr += uint64(c) * uint64(m.strides[i])
		}
		if inside {
			visit(p*width*m.elem, addr, lo, hi)
		} else {
			visit(p*width*m.elem, addr, 0, 0)
		}
		i := 1
		for ; i < m.rank-1; i++ {
			if at[i] += int64(m.steps[i]); at[i] <= m.dims[i]-1+m.upper[i-1] {
				break
			}
			at[i] = m.lower[i-1]
		}
		if i == m.rank-1 {
			at[i]++
		}
	}
}

// fillRow gives a row the values of elements outside the tensor.
func (m *tensorMap) fillRow(row []byte) {
	clear(row)
	if m.fill != FillNaN {
		return
	}
	nan := map[string]uint64{"f16": 0x7fff, "bf16": 0x7fff, "f32": 0x7fffffff, "f64": 0x7fffffffffffffff}[mapFloats[m.float]]
	for i := 0; i+m.elem <= len(row); i += m.elem {
		putLE(row[i:i+m.elem], nan)
	}
}

// bindMap turns a map into an argument of that size: its bytes, or a pointer to them.
func (l *launch) bindMap(m *TensorMap, bases map[*Buffer]uint64, i, size int) any {
	if err := m.check(); err != nil {
		return err
	}
	bytes := m.encode(l.bind(m.Buffer, bases, i) + uint64(m.Offset))
	if size != 8 {
		return bytes
	}
	return &Buffer{Name: "tensor map " + itoa(i), Data: bytes, ReadOnly: true}
}
