package ir

// WhereWritten returns the part of Where that chooses which elements of Dst are
// written: all of it, but for a reduce or contract, whose Where chooses what is combined; there
// the guard of Dst chooses alone.
func (op *Op) WhereWritten() *Expr {
	if op.Code == OpReduce || op.Code == OpContract {
		return nil
	}
	return op.Where
}
