package cuda

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"tilec/ir"
)

// comparison spells a comparison of indices at the points of an operation with what
// registers add on the left, and what the thread knows on the right: that is computed
// once for all of its registers, where neither compiler would rearrange sums that might
// overflow.
func (k *kernel) comparison(e *ir.Expr, at *env) (string, bool) {
	if at == nil || at.thread == nil || e.Args[0].Type != ir.Index {
		return "", false
	}
	rest := ir.Bin(ir.Sub, e.Args[1], e.Args[0])
	if reads(rest) || k.r.of(e.Args[0]).fits32() && k.r.of(e.Args[1]).fits32() && !k.r.of(rest).fits32() {
		return "", false
	}
	var left, right []string
	for v, own := range inOrder(at.own) {
		if own == "0" || !rest.Uses(v) {
			continue
		}
		c, ok := coefficient(rest, v)
		switch {
		case !ok:
			return "", false
		case c < 0:
			left = append(left, scaledIndex(own, int(-c)))
		case c > 0:
			right = append(right, scaledIndex(own, int(c)))
		}
	}
	if left == nil && right == nil {
		return "", false
	}
	right = append([]string{within(sumLevel, k.expr(rest, at.thread))}, right...)
	return fmt.Sprintf("(%s %s %s)", sum(left...), e.Op.Info().Infix, sum(right...)), true
}

// inOrder goes through what registers add in the order of the variables' names.
func inOrder(own map[*ir.Var]string) iter.Seq2[*ir.Var, string] {
	vars := slices.SortedFunc(maps.Keys(own), func(a, b *ir.Var) int { return strings.Compare(a.Name, b.Name) })
	return func(yield func(*ir.Var, string) bool) {
		for _, v := range vars {
			if !yield(v, own[v]) {
				return
			}
		}
	}
}
