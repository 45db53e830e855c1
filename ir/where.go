package ir

// WhereWritten returns the conjuncts of Where that choose which elements of Dst are
// written, nil if all are: those that use no reduced index. The others choose what
// is combined.
func (op *Op) WhereWritten() *Expr {
	var where *Expr
	for _, c := range Conjuncts(op.Where) {
		reduced := false
		for _, it := range op.Red {
			reduced = reduced || c.Uses(it.Var)
		}
		if !reduced {
			where = Conj(where, c)
		}
	}
	return where
}
