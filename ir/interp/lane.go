package interp

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// lane is a type that values are held in.
type lane interface {
	float32 | float64 | int64 | bool
}

// number is a lane with arithmetic.
type number interface {
	float32 | float64 | int64
}

// kind names a lane.
type kind uint8

const (
	invalidKind kind = iota
	kindF            // float32
	kindD            // float64
	kindI            // int64
	kindB            // bool
)

// kindOf returns the lane that holds values of type t.
func kindOf(t ir.DType) kind {
	switch {
	case t == array.F64:
		return kindD
	case t.IsFloat():
		return kindF
	case t == array.Bool:
		return kindB
	case t.IsInt():
		return kindI
	}
	return invalidKind
}

// traits says where a frame and a store keep values of one lane.
type traits[T lane] struct {
	arena func(*frame) *arena[T]
	vars  func(*frame) []T
	cells func(*store) []T
}

// The four lanes. These are constants in all but Go's sense.
var (
	laneF = &traits[float32]{
		func(fr *frame) *arena[float32] { return &fr.tmpF },
		func(fr *frame) []float32 { return fr.varF },
		func(s *store) []float32 { return s.f },
	}
	laneD = &traits[float64]{
		func(fr *frame) *arena[float64] { return &fr.tmpD },
		func(fr *frame) []float64 { return fr.varD },
		func(s *store) []float64 { return s.d },
	}
	laneI = &traits[int64]{
		func(fr *frame) *arena[int64] { return &fr.tmpI },
		func(fr *frame) []int64 { return fr.varI },
		func(s *store) []int64 { return s.i },
	}
	laneB = &traits[bool]{
		func(fr *frame) *arena[bool] { return &fr.tmpB },
		func(fr *frame) []bool { return fr.varB },
		func(s *store) []bool { return s.b },
	}
)

// mask says which lanes of a row are active: those in [lo, hi) for which bits,
// unless nil, holds. Rows are evaluated with at least one active lane; what is
// left in the others is unspecified.
type mask struct {
	lo, hi int
	bits   []bool
}

func (m mask) empty() bool { return m.lo >= m.hi }

func (m mask) active(l int) bool { return m.bits == nil || m.bits[l] }

// node is a compiled expression: one when it has the same value in all lanes of
// a row, else row, which fills the active lanes of a slice of the row's length.
type node[T lane] struct {
	one func(*frame) T
	row func(*frame, mask, []T)
}

// fill evaluates n into the active lanes of out whether or not it varies.
func (n node[T]) fill(fr *frame, m mask, out []T) {
	if n.row != nil {
		n.row(fr, m, out)
		return
	}
	v := n.one(fr)
	out = out[m.lo:m.hi]
	for l := range out {
		out[l] = v
	}
}

// arena hands out scratch slices in stack order.
type arena[T lane] struct {
	buf []T
	top int
}

// take returns n elements of unspecified contents; setting top back frees them.
func (a *arena[T]) take(n int) []T {
	if a.top+n > len(a.buf) {
		// Slices handed out before keep the old array alive.
		a.buf = make([]T, max(2*len(a.buf), a.top+n, 1024))
	}
	s := a.buf[a.top : a.top+n : a.top+n]
	a.top += n
	return s
}

// marks is a state of all arenas of a frame.
type marks struct{ f, d, i, b int }

func (fr *frame) mark() marks {
	return marks{fr.tmpF.top, fr.tmpD.top, fr.tmpI.top, fr.tmpB.top}
}

func (fr *frame) release(m marks) {
	fr.tmpF.top, fr.tmpD.top, fr.tmpI.top, fr.tmpB.top = m.f, m.d, m.i, m.b
}
