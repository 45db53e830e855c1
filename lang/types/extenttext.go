package types

import (
	"math"
	"strconv"
	"strings"
)

// String spells the extent as a program would.
func (e Extent) String() string {
	if e.unknown {
		return "?"
	}
	if len(e.terms) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range e.terms {
		coef := t.Coef
		if i > 0 {
			if coef < 0 && coef != math.MinInt64 {
				b.WriteString(" - ")
				coef = -coef
			} else {
				b.WriteString(" + ")
			}
		}
		b.WriteString(t.text(coef, len(e.terms) > 1 || len(t.Factors) > 1 || coef != 1))
	}
	return b.String()
}

func (t Term) text(coef int64, inner bool) string {
	var parts []string
	if coef != 1 && coef != -1 || len(t.Factors) == 0 {
		parts = append(parts, strconv.FormatInt(coef, 10))
	}
	for _, f := range t.Factors {
		parts = append(parts, f.text(inner))
	}
	text := strings.Join(parts, "*")
	if coef == -1 && len(t.Factors) > 0 {
		text = "-" + text
	}
	return text
}

func (f Factor) text(inner bool) string {
	switch f.Op {
	case ScalarFactor:
		return f.Var.Name
	case CeilDiv, MinOf, MaxOf:
		return extentOpText[f.Op] + "(" + f.X.String() + ", " + f.Y.String() + ")"
	}
	text := f.X.operand() + " " + extentOpText[f.Op] + " " + f.Y.operand()
	if inner {
		return "(" + text + ")"
	}
	return text
}

// operand spells the extent as an operand of a division.
func (e Extent) operand() string {
	if s := e.String(); len(e.terms) < 2 && !strings.Contains(s, " ") && !strings.Contains(s, "*") {
		return s
	}
	return "(" + e.String() + ")"
}
