package array

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPackedRows(t *testing.T) {
	a := New(I4, 2, 3)
	for i := range a.Len() {
		a.SetInt(i, int64(i-3))
	}
	// Rows of three nibbles take two bytes; the last nibble of each is padding.
	if diff := cmp.Diff([]byte{0xed, 0x0f, 0x10, 0x02}, a.Data); diff != "" {
		t.Errorf("packing (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{-3, -2, -1, 0, 1, 2}, a.Ints()); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	b := a.Clone()
	b.Data[1] |= 0xf0
	if !a.Equal(b) {
		t.Error("padding counts in Equal")
	}
	b.SetInt(2, 5)
	if a.Equal(b) || a.Int(2) != -1 {
		t.Error("a clone shares data, or Equal misses a difference")
	}
}

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		t     DType
		shape []int
		want  int // -1: an error
	}{
		{F32, nil, 4}, {F32, []int{3, 5}, 60}, {U4, []int{3, 5}, 9}, {U4, nil, 1}, {F16, []int{4, 0, 7}, 0},
		{Invalid, []int{1}, -1}, {F64, []int{-1}, -1}, {F64, []int{math.MaxInt, 2}, -1}, {I8, []int{math.MaxInt, 2}, -1},
		{I8, []int{0, -1}, -1}, {F64, []int{1 << 31, 1 << 31}, -1}, {F64, []int{math.MaxInt, 0}, 0},
	} {
		got, err := Bytes(c.t, c.shape...)
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("Bytes(%s, %v) = %d, %v, want %d", c.t, c.shape, got, err, c.want)
		}
	}
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		name     string
		from     *Array
		to       DType
		want     []float64
		wantBits []uint64
	}{
		{name: "f32 to f16", from: FromFloats32(F32, []float32{1, 2049, 1e6}, 3), to: F16, want: []float64{1, 2048, math.Inf(1)}},
		{name: "f64 to bf16 once", from: FromFloats64(F64, []float64{1 + 0x1p-8 + 0x1p-40}, 1), to: BF16, want: []float64{1 + 0x1p-7}},
		{name: "f16 to f8", from: FromFloats32(F16, []float32{500, -0.0009, 1.0625}, 3), to: F8E4M3, want: []float64{448, math.Copysign(0, -1), 1}},
		{name: "i32 to i8 wraps", from: FromInts(I32, []int64{-129, 300}, 2), to: I8, want: []float64{127, 44}},
		{name: "f32 to i8 clamps", from: FromFloats32(F32, []float32{-129, 300}, 2), to: I8, want: []float64{-128, 127}},
		{name: "u64 to f32", from: FromInts(U64, []int64{-1}, 1), to: F32, want: []float64{0x1p64}},
		{name: "u64 to bf16 once", from: FromInts(U64, []int64{math.MinInt64 + 1<<55 + 1}, 1), to: BF16, want: []float64{0x1p63 + 0x1p56}},
		{name: "u64 to i64", from: FromInts(U64, []int64{-1}, 1), to: I64, wantBits: []uint64{math.MaxUint64}},
		{name: "i64 to f32 once", from: FromInts(I64, []int64{1<<54 + 1<<30 + 1}, 1), to: F32, want: []float64{1<<54 + 1<<31}},
		{name: "bool", from: FromFloats32(F32, []float32{0, 0.5}, 2), to: Bool, want: []float64{0, 1}},
		{name: "i4 to f4", from: FromInts(I4, []int64{-8, 5, 1}, 1, 3), to: F4E2M1, want: []float64{-6, 4, 1}},
	} {
		got := c.from.Convert(c.to)
		if got.DType != c.to {
			t.Errorf("%s: type %s", c.name, got.DType)
		}
		if c.want != nil {
			for i, v := range got.Floats64() {
				if !same(v, c.want[i]) {
					t.Errorf("%s: element %d is %v, want %v", c.name, i, v, c.want[i])
				}
			}
		}
		for i, bits := range c.wantBits {
			if got.Bits(i) != bits {
				t.Errorf("%s: element %d is %#x, want %#x", c.name, i, got.Bits(i), bits)
			}
		}
	}
}

// TestBulkAgreesWithElements compares the loops over whole arrays with the access by element.
func TestBulkAgreesWithElements(t *testing.T) {
	values := []float64{0, 1, -2, 3.5, 100, -0.125, 6e4}
	for _, dtype := range DTypes() {
		a := FromFloats64(dtype, values, 1, len(values))
		narrow := make([]float32, len(values))
		for i, v := range values {
			narrow[i] = float32(v)
		}
		if b := FromFloats32(dtype, narrow, 1, len(values)); !a.Equal(b) {
			t.Errorf("%s: FromFloats32 %v differs from FromFloats64 %v", dtype, b.Floats64(), a.Floats64())
		}
		f32, f64, ints := a.Floats32(), a.Floats64(), a.Ints()
		for i := range values {
			if f64[i] != a.At(i) || f32[i] != float32(a.At(i)) || ints[i] != a.Int(i) {
				t.Errorf("%s: element %d decodes differently in bulk", dtype, i)
			}
		}
	}
}

func TestScalar(t *testing.T) {
	a := New(F32)
	a.SetFloat(0, 2.5)
	if a.Len() != 1 || a.At(0) != 2.5 || a.String() != "f32[]" {
		t.Errorf("scalar array: %s, %d elements, %v", a, a.Len(), a.Floats64())
	}
}

func BenchmarkF16ToF32(b *testing.B) {
	a := New(F16, 1<<16)
	for i := range a.Len() {
		a.SetBits(i, uint64(i))
	}
	b.SetBytes(int64(a.Len()) * 2)
	for b.Loop() {
		a.Floats32()
	}
}

func BenchmarkF32ToF16(b *testing.B) {
	values := make([]float32, 1<<16)
	for i := range values {
		values[i] = float32(i-1<<15) / 37
	}
	b.SetBytes(int64(len(values)) * 2)
	for b.Loop() {
		FromFloats32(F16, values, len(values))
	}
}

func BenchmarkRoundFloatF16(b *testing.B) {
	x, sum := 0.1, 0.0
	for b.Loop() {
		sum += RoundFloat(F16, x)
		x += 0.37
	}
	_ = sum
}
