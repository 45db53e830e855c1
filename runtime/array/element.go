package array

import "encoding/binary"

// Bits returns the stored pattern of element i, counted row-major over all elements.
func (a *Array) Bits(i int) uint64 {
	switch a.DType.Bits() {
	case 8:
		return uint64(a.Data[i])
	case 16:
		return uint64(binary.LittleEndian.Uint16(a.Data[2*i:]))
	case 32:
		return uint64(binary.LittleEndian.Uint32(a.Data[4*i:]))
	case 64:
		return binary.LittleEndian.Uint64(a.Data[8*i:])
	}
	at, shift := a.nibble(i)
	return uint64(a.Data[at]>>shift) & 0xf
}

// SetBits stores a pattern in element i; bits above the type's width are dropped.
func (a *Array) SetBits(i int, bits uint64) {
	switch a.DType.Bits() {
	case 8:
		a.Data[i] = byte(bits)
	case 16:
		binary.LittleEndian.PutUint16(a.Data[2*i:], uint16(bits))
	case 32:
		binary.LittleEndian.PutUint32(a.Data[4*i:], uint32(bits))
	case 64:
		binary.LittleEndian.PutUint64(a.Data[8*i:], bits)
	default:
		at, shift := a.nibble(i)
		a.Data[at] = a.Data[at]&^(0xf<<shift) | byte(bits&0xf)<<shift
	}
}

// nibble locates 4-bit element i: its byte and the shift within.
func (a *Array) nibble(i int) (at int, shift uint) {
	n := a.row()
	column := i % n
	return i/n*a.DType.RowBytes(n) + column/2, uint(column%2) * 4
}

// At returns element i as DecodeFloat gives it.
func (a *Array) At(i int) float64 { return DecodeFloat(a.DType, a.Bits(i)) }

// Int returns element i as DecodeInt gives it.
func (a *Array) Int(i int) int64 { return DecodeInt(a.DType, a.Bits(i)) }

// SetFloat stores x in element i by the rules of EncodeFloat.
func (a *Array) SetFloat(i int, x float64) { a.SetBits(i, EncodeFloat(a.DType, x)) }

// SetInt stores v in element i by the rules of EncodeInt.
func (a *Array) SetInt(i int, v int64) { a.SetBits(i, EncodeInt(a.DType, v)) }
