package types

import (
	"path"
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
	"tilec/lang/std"
)

// stdPrefix marks the paths of the embedded standard library.
const stdPrefix = "std/"

// Load reads the file at a path, and all that it imports, with read, which is given paths with forward slashes,
// relative ones as the importing files have them. Errors go to rep; what could be read is returned, never nil.
func Load(root string, read func(path string) (string, error), parse Parse, rep *diag.Reporter) *Program {
	l := &loader{read: read, parse: parse, rep: rep, units: map[string]*Unit{}, universe: universe()}
	p := &Program{}
	u := l.load(path.Clean(strings.ReplaceAll(root, `\`, "/")), nil)
	p.Root, p.Units = u, l.order
	for _, o := range u.own {
		if k, ok := o.(*Kernel); ok {
			p.Kernels = append(p.Kernels, k)
		}
	}
	for _, d := range u.File.Decls {
		if t, ok := d.(*ast.Test); ok {
			p.Tests = append(p.Tests, t)
		}
	}
	return p
}

type loader struct {
	read     func(path string) (string, error)
	parse    Parse
	rep      *diag.Reporter
	universe *scope
	units    map[string]*Unit
	stack    []string // files being loaded, outermost first
	order    []*Unit
}

func (l *loader) load(name string, from *ast.Import) *Unit {
	if u := l.units[name]; u != nil {
		return u
	}
	u := &Unit{Path: name, File: &ast.File{}, scope: newScope(l.universe)}
	l.units[name] = u
	text, err := l.text(name)
	if err != nil {
		span := diag.Span{}
		if from != nil {
			span = from.Path.Span()
		}
		l.rep.Errorf(diag.BadImport, span, "cannot read %s: %v", name, err)
		l.order = append(l.order, u)
		return u
	}
	u.File = l.parse(diag.NewFile(name, text), l.rep)
	l.stack = append(l.stack, name)
	l.declare(u)
	for _, d := range u.File.Decls {
		if imp, ok := d.(*ast.Import); ok {
			l.importInto(u, imp)
		}
	}
	l.stack = l.stack[:len(l.stack)-1]
	evaluateConsts(u, l.rep)
	l.order = append(l.order, u)
	return u
}

func (l *loader) text(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, stdPrefix); ok {
		text, err := std.Read(rest)
		if err != nil {
			return "", &unknownLibrary{names: std.Names()}
		}
		return text, nil
	}
	return l.read(name)
}

// unknownLibrary is the error of an import below std/ which does not exist.
type unknownLibrary struct{ names []string }

func (e *unknownLibrary) Error() string {
	return "the standard library has " + strings.Join(e.names, ", ")
}

// importInto brings the items that a file declares itself into the scope of another.
func (l *loader) importInto(u *Unit, imp *ast.Import) {
	if imp.Path == nil {
		return
	}
	name := imp.Path.Value
	if name == "" {
		l.rep.Errorf(diag.BadImport, imp.Path.Span(), "an import needs the path of a file").
			Hint(`import "norms.tile"`)
		return
	}
	if !strings.HasPrefix(name, stdPrefix) && !path.IsAbs(name) {
		name = path.Join(path.Dir(u.Path), name)
	}
	for i, loading := range l.stack {
		if loading == name {
			cycle := append(append([]string(nil), l.stack[i:]...), name)
			l.rep.Errorf(diag.ImportCycle, imp.Path.Span(), "%s imports itself: %s", name, strings.Join(cycle, " → ")).
				Hint("move what both files need into a third file")
			return
		}
	}
	for _, o := range l.load(name, imp).own {
		if before := u.scope.names[o.ObjectName()]; before != nil && before != o {
			l.rep.Errorf(diag.Redeclared, imp.Path.Span(), "%s brings %s into scope, which is already declared", name, o.ObjectName()).
				Note(before.Declared(), "%s is declared here", o.ObjectName()).
				Note(o.Declared(), "and here")
			continue
		}
		u.scope.names[o.ObjectName()] = o
	}
}

// declare gives the file's own items to its scope.
func (l *loader) declare(u *Unit) {
	for _, d := range u.File.Decls {
		id := ast.DeclName(d)
		if id == nil || id.Name == "" {
			continue
		}
		n := named{Name: id.Name, Span: id.Span()}
		var o Object
		switch d := d.(type) {
		case *ast.Const:
			o = &Constant{named: n}
		case *ast.Fn:
			o = &Fn{named: n, Decl: d, unit: u}
		case *ast.Kernel:
			o = &Kernel{named: n, Decl: d, unit: u}
		default:
			o = &other{named: n, what: "an op"}
		}
		if before := u.scope.names[id.Name]; before != nil {
			redeclared(l.rep, id, before)
			continue
		}
		if _, isType := l.universe.names[id.Name].(*TypeName); isType {
			l.rep.Errorf(diag.Redeclared, id.Span(), "%s is a type of the language", id.Name)
			continue
		}
		u.scope.names[id.Name] = o
		u.own = append(u.own, o)
	}
}

func redeclared(rep *diag.Reporter, id *ast.Ident, before Object) {
	rep.Errorf(diag.Redeclared, id.Span(), "%s is already declared", id.Name).
		Note(before.Declared(), "%s is declared here", id.Name)
}
