package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tilec/runtime/ptx/fp"
	"tilec/runtime/ptx/lanes"
)

// WGMMA is a form of wgmma.mma_async: D = A·B + D of 64 rows, for a warpgroup. Each
// of its warps computes 16 of them.
type WGMMA struct {
	N, K     int
	A, B, D  Type
	Saturate bool
	tile     MMA // of 16 rows and 8 columns
}

// groupK is the k of each operand type: 32 bytes of it (PTX ISA, "wgmma.mma_async").
var groupK = map[Type]int{F16: 16, BF16: 16, TF32: 8, E4M3: 32, E5M2: 32, S8: 32, U8: 32}

// ParseWGMMA reads the modifiers after wgmma.mma_async.
func ParseWGMMA(mods []string) (*WGMMA, error) {
	bad := fmt.Errorf("instruction form wgmma.%s is not supported", strings.Join(mods, "."))
	if len(mods) < 7 || !slices.Equal(mods[:3], []string{"mma_async", "sync", "aligned"}) {
		return nil, bad
	}
	f := &WGMMA{}
	list := slices.Clone(mods[3:])
	if i := slices.Index(list, "satfinite"); i >= 0 {
		f.Saturate = true
		list = slices.Delete(list, i, i+1)
	}
	if len(list) != 4 {
		return nil, bad
	}
	n, k, ok := strings.Cut(strings.TrimPrefix(list[0], "m64n"), "k")
	f.N, _ = strconv.Atoi(n)
	f.K, _ = strconv.Atoi(k)
	f.D, f.A, f.B = typeNames[list[1]], typeNames[list[2]], typeNames[list[3]]
	if !ok || !strings.HasPrefix(list[0], "m64n") || f.K == 0 || f.K != groupK[f.A] || !f.legal() {
		return nil, bad
	}
	f.tile = MMA{M: 16, N: 8, K: f.K, A: f.A, B: f.B, C: f.D, D: f.D, Saturate: f.Saturate}
	return f, nil
}

func (f *WGMMA) legal() bool {
	if f.N < 8 || f.N > 256 || f.N%8 != 0 || f.Saturate && !f.A.integer() {
		return false
	}
	switch f.A {
	case F16:
		return f.B == F16 && (f.D == F16 || f.D == F32)
	case BF16, TF32:
		return f.B == f.A && f.D == F32
	case E4M3, E5M2:
		return (f.B == E4M3 || f.B == E5M2) && (f.D == F16 || f.D == F32)
	case S8, U8:
		return (f.B == S8 || f.B == U8) && f.D == S32 && (f.N <= 24 || f.N%16 == 0)
	}
	return false
}

// Regs returns the number of registers of D and of A, if it is in registers, in a thread.
func (f *WGMMA) Regs() (d, a int) {
	d = f.N / 2
	if f.D == F16 {
		d /= 2
	}
	return d, 4
}

// Transposable tells that the form may read operands whose M or N is contiguous.
func (f *WGMMA) Transposable() bool { return f.A == F16 || f.A == BF16 }

// Scalable tells that the form takes factors for A and B.
func (f *WGMMA) Scalable() bool { return !f.A.integer() }

// Descriptor says where an operand lies in shared memory.
type Descriptor struct {
	Start   uint64 // bytes, in the first 256 KiB of the window
	Leading uint64 // bytes
	Stride  uint64 // bytes
	Base    uint64 // row of the swizzle's pattern at which it starts
	Swizzle uint   // 0 none; 1, 2, 3: 32, 64, 128 bytes
}

// ParseDescriptor takes a matrix descriptor apart (PTX ISA, "Matrix Descriptor Format").
func ParseDescriptor(x uint64) Descriptor {
	swizzle := [4]uint{0, 3, 2, 1}[x>>62]
	return Descriptor{x & 0x3fff << 4, x >> 16 & 0x3fff << 4, x >> 32 & 0x3fff << 4, x >> 49 & 7, swizzle}
}

// Chunk is the address of 16 bytes of an operand: of row or column i, chunk c of its
// k if k is contiguous; else of k-row i, chunk c of M or N.
//
// With k contiguous, 8 rows are Stride apart, and the two chunks adjoin, or without
// swizzle are Leading apart. Else the pattern is as wide as the swizzle: Leading from
// one to the next, and Stride between groups of 8 k; without swizzle the roles change.
func (d Descriptor) Chunk(i, c int, transposed bool) uint64 {
	width := 1 << d.Swizzle // chunks in a row of the pattern
	a := d.Start
	switch {
	case !transposed:
		a += uint64(i/8)*d.Stride + uint64(i%8*width)*16
		if d.Swizzle == 0 {
			a += uint64(c) * d.Leading
		} else {
			a += uint64(c) * 16
		}
	case d.Swizzle == 0:
		a += uint64(c)*d.Stride + uint64(i/8)*d.Leading + uint64(i%8)*16
	default:
		a += uint64(c/width)*d.Leading + uint64(c%width)*16 + uint64(i/8)*d.Stride + uint64(i%8*width)*16
	}
	row := a>>7 - d.Base
	return a ^ row&(1<<d.Swizzle-1)<<4
}

// Chunks returns the rows and the chunks in each by which an operand of m rows or
// columns is read: m and 2, or transposed K and m/8.
func (f *WGMMA) Chunks(m int, transposed bool) (rows, chunks int) {
	if transposed {
		return f.K, m / 8
	}
	return m, 2
}

// Operand reads a matrix of m rows (or columns, of B) and K from shared memory, whose
// 16-byte pieces at gives, and puts element (r, k) where place says.
func (f *WGMMA) Operand(to []float64, t Type, m int, transposed bool, scale float64, at func(i, c int) []byte, place func(r, k int) int) {
	rows, chunks := f.Chunks(m, transposed)
	e := 128 / t.Bits()
	// where tells the place of element j of a chunk.
	where := func(i, c, j int) int {
		if transposed {
			return place(c*e+j, i)
		}
		return place(i, c*e+j)
	}
	var v [16]float64
	var reg lanes.V32 // eight chunks, as four lanes have them in a fragment
	for i := 0; i < rows; i += 8 {
		for c := range chunks {
			var eight [8][]byte
			for k := range eight {
				eight[k] = at(i+k, c)
				for n := range 4 {
					reg[4*k+n] = binary.LittleEndian.Uint32(eight[k][4*n:])
				}
			}
			first := where(i, c, 0)
			if scale == 1 && valuesFast(t, to[first:], where(i+1, c, 0)-first, where(i, c, 1)-first, &reg) {
				continue
			}
			for k, b := range eight {
				decodeChunk(t, &v, b, scale)
				for j := range e {
					to[where(i+k, c, j)] = v[j]
				}
			}
		}
	}
}

// decodeChunk gives the values of 16 bytes.
func decodeChunk(t Type, v *[16]float64, b []byte, scale float64) {
	_ = b[15]
	switch t {
	case F16:
		for j := range 8 {
			v[j] = scale * float64(fp.F16ToF32(uint16(b[2*j])|uint16(b[2*j+1])<<8))
		}
	case BF16:
		for j := range 8 {
			v[j] = scale * float64(math.Float32frombits(uint32(b[2*j])<<16|uint32(b[2*j+1])<<24))
		}
	case TF32:
		for j := range 4 {
			x := uint32(b[4*j]) | uint32(b[4*j+1])<<8 | uint32(b[4*j+2])<<16 | uint32(b[4*j+3])<<24
			v[j] = scale * float64(math.Float32frombits(x&^0x1fff))
		}
	case E4M3, E5M2:
		format := fp.E4M3()
		if t == E5M2 {
			format = fp.E5M2()
		}
		for j := range 16 {
			v[j] = scale * format.ToFloat64(uint32(b[j]))
		}
	case S8:
		for j := range 16 {
			v[j] = float64(int8(b[j]))
		}
	case U8:
		for j := range 16 {
			v[j] = float64(b[j])
		}
	}
}

// SizeA and SizeB are the numbers of values of a warp's 16 rows of A, and of B, which
// is kept as tiles of 8 columns.
func (f *WGMMA) SizeA() int { return 16 * f.K }

// SizeB is described at SizeA.
func (f *WGMMA) SizeB() int { return f.N * f.K }

// PlaceA is where element (row, k) of a warp's A goes.
func (f *WGMMA) PlaceA(r, k int) int { return r*f.K + k }

// PlaceB is where element (k, column) of B goes.
func (f *WGMMA) PlaceB(n, k int) int { return n/8*8*f.K + k*8 + n%8 }

// LoadA gives the values of a warp's A from its registers.
func (f *WGMMA) LoadA(to []float64, regs []*lanes.V32, scale float64) {
	f.tile.LoadA(to, regs)
	if scale != 1 {
		for i := range to {
			to[i] *= scale
		}
	}
}

// Multiply computes a warp's 16 rows: D = A·B + D, or without add A·B.
func (f *WGMMA) Multiply(d []*lanes.V32, a, b []float64, add bool) {
	per := 4
	if f.D == F16 {
		per = 2
	}
	var zero [4]lanes.V32
	zeros := [4]*lanes.V32{&zero[0], &zero[1], &zero[2], &zero[3]}
	for j := range f.N / 8 {
		regs := d[per*j : per*j+per]
		c := regs
		if !add {
			c = zeros[:per]
		}
		f.tile.Multiply(regs, a, b[j*8*f.K:(j+1)*8*f.K], c)
	}
}
