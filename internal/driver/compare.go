package driver

import (
	"fmt"
	"math"
	"strings"

	"tilec/ir"
	"tilec/runtime/array"
)

// Mismatch is an element that is not what it should be.
type Mismatch struct {
	Tensor    string  `json:"tensor"`
	Index     []int   `json:"index"`
	Got       float64 `json:"-"`
	Want      float64 `json:"-"`
	GotText   string  `json:"got"`
	WantText  string  `json:"want"`
	Unwritten bool    `json:"unwritten,omitempty"`
}

// String returns "C[0, 1] is 3, want 4".
func (m Mismatch) String() string {
	what := "is " + m.GotText
	if m.Unwritten {
		what = "was not written"
	}
	return fmt.Sprintf("%s%s %s, want %s", m.Tensor, shapeText(m.Index), what, m.WantText)
}

// Comparison is the outcome of comparing one tensor, or several.
type Comparison struct {
	// Error is the largest error measured as rtol is, and Tolerance the rtol of the
	// tensor that it is in: see the package documentation. Error is +Inf where a
	// value is nan or infinite and should not be, or where integers differ.
	Error, Tolerance float64
	Compared         int // elements
	Bad              int // elements beyond the tolerance
	First            []Mismatch
}

// OK reports that no element is beyond its tolerance.
func (c *Comparison) OK() bool { return c.Bad == 0 }

// maxMismatches is how many elements a failure shows.
const maxMismatches = 5

// merge takes in the outcome of another tensor or configuration; the error that is
// nearest to, or furthest beyond, its tolerance stays.
func (c *Comparison) merge(o Comparison) {
	if c.Compared == 0 && c.Bad == 0 || ratio(o) > ratio(*c) {
		c.Error, c.Tolerance = o.Error, o.Tolerance
	}
	c.Compared += o.Compared
	c.Bad += o.Bad
	c.First = append(c.First, o.First...)
	c.First = c.First[:min(len(c.First), maxMismatches)]
}

func ratio(c Comparison) float64 {
	if c.Tolerance == 0 {
		return c.Error
	}
	return c.Error / c.Tolerance
}

// reference is what a tensor should hold.
type reference struct {
	tensor *ir.Buffer
	want   *array.Array
	// assigned tells which elements count; nil is all.
	assigned func(i int) bool
	rtol     float64
	rms      float64
}

// newReference prepares the comparison with wanted values.
func newReference(t *ir.Buffer, want *array.Array, assigned func(i int) bool, rtol float64) *reference {
	r := &reference{tensor: t, want: want, assigned: assigned, rtol: rtol}
	if !t.Elem.IsFloat() {
		return r
	}
	sum, n := 0.0, 0
	for i, v := range want.Floats64() {
		if (assigned == nil || assigned(i)) && !math.IsNaN(v) && !math.IsInf(v, 0) {
			v = math.Min(math.Abs(v), 1e150) // squares must stay finite
			sum += v * v
			n++
		}
	}
	if n > 0 {
		r.rms = math.Sqrt(sum / float64(n))
	}
	return r
}

// compare compares a result. written tells which elements it has written; nil is
// all.
func (r *reference) compare(got *array.Array, written func(i int) bool) Comparison {
	c := Comparison{Tolerance: r.rtol}
	float := r.tensor.Elem.IsFloat()
	for i := range r.want.Len() {
		if r.assigned != nil && !r.assigned(i) {
			continue
		}
		c.Compared++
		missing := written != nil && !written(i)
		err := 0.0
		switch {
		case missing:
			err = math.Inf(1)
		case float:
			err = r.floatError(got.At(i), r.want.At(i))
		case got.Int(i) != r.want.Int(i):
			err = math.Abs(float64(got.Int(i)) - float64(r.want.Int(i)))
			if r.rtol == 0 || err == 0 {
				err = math.Inf(1)
			}
		}
		c.Error = max(c.Error, err)
		if err <= r.rtol {
			continue
		}
		c.Bad++
		if len(c.First) < maxMismatches {
			m := Mismatch{Tensor: r.tensor.Name, Index: indexOf(i, r.want.Shape), Unwritten: missing}
			m.Want, m.WantText = r.want.At(i), valueText(r.want, i, float)
			if !missing {
				m.Got, m.GotText = got.At(i), valueText(got, i, float)
			}
			c.First = append(c.First, m)
		}
	}
	return c
}

// floatError is |got - want| / max(|want|, rms). A value beyond the range of the
// tensor's type may be its infinity or its greatest value, whichever the type has.
func (r *reference) floatError(got, want float64) float64 {
	greatest := greatestFinite(r.tensor.Elem)
	beyond := math.Abs(want) > greatest*(1-roundoff(r.tensor.Elem))
	switch {
	case got == want:
		return 0
	case math.IsNaN(want):
		if math.IsNaN(got) || got == array.RoundFloat(r.tensor.Elem, want) { // a type without nan
			return 0
		}
		return math.Inf(1)
	case math.IsNaN(got):
		return math.Inf(1)
	case beyond && math.Abs(got) >= greatest && (got > 0) == (want > 0):
		return 0
	case math.IsInf(got, 0) || math.IsInf(want, 0):
		return math.Inf(1)
	}
	if scale := math.Max(math.Abs(want), r.rms); scale > 0 {
		return math.Abs(got-want) / scale
	}
	return math.Abs(got)
}

// greatestFinite is the greatest finite value of a float type.
func greatestFinite(t ir.DType) float64 {
	switch t {
	case array.F64:
		return math.MaxFloat64
	case array.F32:
		return math.MaxFloat32
	case array.F16:
		return 65504
	case array.BF16:
		return math.Ldexp(2-math.Ldexp(1, -7), 127)
	case array.F8E4M3:
		return 448
	case array.F8E5M2:
		return 57344
	case array.F4E2M1:
		return 6
	case array.F8E8M0:
		return math.Ldexp(1, 127)
	}
	return math.Inf(1)
}

func valueText(a *array.Array, i int, float bool) string {
	if float {
		return fmt.Sprintf("%.7g", a.At(i))
	}
	return fmt.Sprint(a.Int(i))
}

// indexOf turns a row-major number into an index.
func indexOf(i int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % shape[d]
		i /= shape[d]
	}
	return at
}

// shapeText spells a shape or index as [3, 4].
func shapeText(shape []int) string {
	return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ")
}
