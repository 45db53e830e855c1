package types

import (
	"tilec/internal/diag"
	"tilec/lang/ast"
)

// constants works out the values of a unit's constants, in whatever order they use each other.
type constants struct {
	unit  *Unit
	rep   *diag.Reporter
	decls map[*Constant]*ast.Const
	state map[*Constant]constState
	path  []*Constant // being worked out, outermost first
}

type constState uint8

const (
	constOpen constState = iota + 1
	constDone
)

// evaluateConsts gives every constant of a unit its type and value; one with an error stays invalid.
func evaluateConsts(u *Unit, rep *diag.Reporter) {
	k := &constants{unit: u, rep: rep, decls: map[*Constant]*ast.Const{}, state: map[*Constant]constState{}}
	for _, d := range u.File.Decls {
		if d, ok := d.(*ast.Const); ok && d.Name != nil {
			if o, ok := u.scope.names[d.Name.Name].(*Constant); ok && o.Span == d.Name.Span() {
				k.decls[o] = d
			}
		}
	}
	for _, o := range u.own {
		if o, ok := o.(*Constant); ok {
			k.evaluate(o, nil)
		}
	}
}

// evaluate works out one constant; use is where it is needed, nil at top level.
func (k *constants) evaluate(o *Constant, use *ast.Ident) {
	d := k.decls[o]
	switch {
	case d == nil || k.state[o] == constDone:
		return
	case k.state[o] == constOpen:
		names := ""
		for i := len(k.path) - 1; i >= 0; i-- {
			names = k.path[i].Name + " → " + names
			if k.path[i] == o {
				break
			}
		}
		k.rep.Errorf(diag.Recursion, use.Span(), "%s is defined by itself: %s%s", o.Name, names, o.Name)
		return
	}
	k.state[o] = constOpen
	k.path = append(k.path, o)
	c := newChecker(newSession(k.rep), newScope(k.unit.scope), constPlace)
	c.consts = k
	t := c.expr(d.Value)
	v := c.constOf(d.Value)
	k.path = k.path[:len(k.path)-1]
	k.state[o] = constDone
	if !t.Valid() {
		return
	}
	if !v.Valid() {
		c.notConstant(d.Value, "the value of "+o.Name)
		return
	}
	o.Type, o.Value = t, v
}

// tileExtent is what notConstant calls an extent in the type of a tile.
const tileExtent = "an extent of a tile"

// notConstant reports an expression whose value is not known at compile time, and what in it is to blame.
func (c *checker) notConstant(e ast.Expr, what string) {
	d := c.errorf(diag.NotConstant, e.Span(), "%s must be known at compile time", what)
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && len(d.Notes) == 0 {
			if o, ok := c.info.Uses[id].(*Scalar); ok {
				d.Note(o.Span, "%s is %s, known only when the kernel %s", o.Name, o.Kind, when(o.Kind))
				if what == tileExtent {
					d.Hint("a tile holds a block of constant size, as of a tunable: go through %s in blocks, for k in 0 .. ceildiv(%s, BN)", o.Name, o.Name)
				}
			}
		}
		return len(d.Notes) == 0
	})
}

// when says at what time a scalar gets its value.
func when(k ScalarKind) string {
	if k == Dim || k == ParamScalar {
		return "is launched"
	}
	return "runs"
}
