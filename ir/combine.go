package ir

import (
	"math"

	"tilec/runtime/array"
)

// Combine is an associative combination.
type Combine uint8

// Combinations. ArgMax and ArgMin give the index of Red (flattened, row-major)
// at which the value is greatest or least, the lowest on ties; nan never wins
// unless all are nan, which gives 0.
const (
	NoCombine Combine = iota
	Sum
	Prod
	MaxOf
	MinOf
	AnyOf
	AllOf
	OrOf
	AndOf
	XorOf
	ArgMax
	ArgMin
	Exchange
	numCombines
)

var combineNames = [numCombines]string{"none", "sum", "prod", "max", "min", "any", "all", "or", "and", "xor", "argmax", "argmin", "exchange"}

// String returns the combination's name in text form.
func (c Combine) String() string { return combineNames[c] }

// LookupCombine returns the combination of that name.
func LookupCombine(name string) (Combine, bool) {
	for c := Sum; c < numCombines; c++ {
		if combineNames[c] == name {
			return c, true
		}
	}
	return NoCombine, false
}

// Op returns the operation that combines two values. The combinations that give
// an index, and Exchange, have none.
func (c Combine) Op() (ExprOp, bool) {
	switch c {
	case Sum:
		return Add, true
	case Prod:
		return Mul, true
	case MaxOf:
		return Max, true
	case MinOf:
		return Min, true
	case AnyOf:
		return Or, true
	case AllOf:
		return And, true
	case OrOf:
		return BitOr, true
	case AndOf:
		return BitAnd, true
	case XorOf:
		return BitXor, true
	}
	return InvalidExpr, false
}

// Neutral returns what combining nothing gives: the value of type t that changes
// no other one. For ArgMax and ArgMin it is the value that nothing is beaten by.
func (c Combine) Neutral(t DType) *Expr {
	switch c {
	case Prod:
		return numberOf(t, 1)
	case AllOf:
		return BoolOf(true)
	case AndOf:
		return IntOf(t, array.WrapInt(t, -1))
	case MaxOf, ArgMax:
		return leastOf(t)
	case MinOf, ArgMin:
		return greatestOf(t)
	}
	return ZeroOf(t)
}

func numberOf(t DType, v int64) *Expr {
	if t.IsFloat() {
		return FloatOf(t, float64(v))
	}
	return IntOf(t, v)
}

func leastOf(t DType) *Expr {
	switch {
	case t.IsFloat():
		return FloatOf(t, math.Inf(-1))
	case t.IsSigned():
		return IntOf(t, -1<<(t.Bits()-1))
	}
	return IntOf(t, 0)
}

func greatestOf(t DType) *Expr {
	switch {
	case t.IsFloat():
		return FloatOf(t, math.Inf(1))
	case t == array.Bool:
		return BoolOf(true)
	case t.IsSigned():
		return IntOf(t, 1<<(t.Bits()-1)-1)
	}
	return IntOf(t, int64(uint64(math.MaxUint64)>>(64-t.Bits())))
}
