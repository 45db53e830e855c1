package docgen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"tilec/ir"
)

// Statements is the table of statement operations.
func Statements() string {
	var rows [][]string
	for c := ir.InvalidOp + 1; c.String() != ir.InvalidOp.String(); c++ {
		info := c.Info()
		rows = append(rows, []string{code(info.Name), operands(info), effects(info.Effect), info.Since.String(), info.Doc})
	}
	return table([]string{"operation", "has", "effect", "from form", "what it does"}, rows)
}

var fieldNames = []struct {
	field ir.Fields
	name  string
}{
	{ir.HasVar, "a scalar"}, {ir.HasDom, "a domain"}, {ir.HasRed, "reduced indices"}, {ir.HasDst, "a destination"},
	{ir.HasWhere, "`where`"}, {ir.HasCombine, "a combination"}, {ir.HasBody, "a body"}, {ir.HasElse, "`else`"},
	{ir.HasBuf, "a buffer"}, {ir.HasText, "texts"}, {ir.HasN, "a count"},
}

// operands names what an operation consists of.
func operands(info ir.OpInfo) string {
	var parts []string
	count := func(n int, what string) {
		switch {
		case n < 0:
			parts = append(parts, "any number of "+what+"s")
		case n == 1:
			parts = append(parts, "1 "+what)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, what))
		}
	}
	count(info.X, "value")
	count(info.Src, "source")
	for _, f := range fieldNames {
		if info.Fields&f.field != 0 {
			parts = append(parts, f.name)
		}
	}
	return strings.Join(parts, ", ")
}

var effectNames = []struct {
	effect ir.Effect
	name   string
}{
	{ir.Pure, "pure"}, {ir.Reads, "reads"}, {ir.Writes, "writes"}, {ir.Control, "control"}, {ir.Orders, "orders"}, {ir.Outside, "seen outside"},
}

func effects(e ir.Effect) string {
	var parts []string
	for _, n := range effectNames {
		if e&n.effect != 0 {
			parts = append(parts, n.name)
		}
	}
	return strings.Join(parts, ", ")
}

// Combinations lists what a reduce, scan or atomic may combine with.
func Combinations() string {
	var names []string
	for c := ir.Sum; ; c++ {
		name := c.String()
		names = append(names, code(name))
		if c == ir.Exchange {
			return strings.Join(names, ", ") + "."
		}
	}
}

// Scalars is the table of scalar operations. Source is the text of the file that declares them, whose comments say what
// each one does at the edges of its domain.
func Scalars(source []byte) (string, error) {
	comments, err := constComments(source, "ExprOp")
	if err != nil {
		return "", err
	}
	var rows [][]string
	for op := ir.InvalidExpr + 1; op.String() != ir.InvalidExpr.String(); op++ {
		info := op.Info()
		rows = append(rows, []string{code(info.Name), code(info.Infix), fmt.Sprint(info.Arity), types(info), comments[int(op)]})
	}
	return table([]string{"operation", "infix", "operands", "types", "meaning"}, rows), nil
}

// types says what an operation is defined on.
func types(info ir.ExprInfo) string {
	var parts []string
	for _, f := range []struct {
		flag ir.ExprFlags
		name string
	}{{ir.Floats, "floats"}, {ir.Ints, "integers, bools"}, {ir.Bools, "bools"}, {ir.Compares, "any → bool"}, {ir.Commutes, "commutes"}} {
		if info.Flags&f.flag != 0 {
			parts = append(parts, f.name)
		}
	}
	return strings.Join(parts, ", ")
}

// constComments returns the line comments of a list of constants that counts up from 0, by value.
func constComments(source []byte, typ string) (map[int]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST || !slices.ContainsFunc(gen.Specs, func(s ast.Spec) bool {
			id, ok := s.(*ast.ValueSpec).Type.(*ast.Ident)
			return ok && id.Name == typ
		}) {
			continue
		}
		comments := map[int]string{}
		for i, s := range gen.Specs {
			comments[i] = argumentNames.Replace(strings.TrimSpace(s.(*ast.ValueSpec).Comment.Text()))
		}
		return comments, nil
	}
	return nil, fmt.Errorf("no constants of type %s", typ)
}

// argumentNames turns operands as the source names them into x, y and z.
var argumentNames = strings.NewReplacer("Args[0]", "x", "Args[1]", "y", "Args[2]", "z")
