package types

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tilec/internal/diag"
	"tilec/lang/ast"
)

// Tunable is one tunable of a kernel, for one choice of generics and one target.
type Tunable struct {
	Name       string
	Default    int64 // the value used when nothing better is known, if HasDefault
	HasDefault bool
	Candidates []int64 // in source order, each once
	decl       *ast.Tune
}

// tunables works out the candidates of a kernel's tunables. Targets are names such as "cuda", the most specific first.
func (c *checker) tunables(k *Kernel, targets []string) ([]Tunable, bool) {
	var all []Tunable
	ok := true
	for _, s := range k.Decl.Prologue {
		d, isTune := s.(*ast.Tune)
		if !isTune || d.Name == nil {
			continue
		}
		t := Tunable{Name: d.Name.Name, decl: d}
		lists := map[string][]int64{}
		t.Candidates, ok = c.candidates(d.Candidates, t.Name, ok)
		for _, on := range d.On {
			if on.Target != nil {
				lists[on.Target.Name], ok = c.candidates(on.Candidates, t.Name, ok)
			}
		}
		for _, target := range targets {
			if own := lists[target]; own != nil {
				t.Candidates = own
				break
			}
		}
		if d.Default != nil {
			n, fine := c.constInt(d.Default, "the default of "+t.Name)
			t.Default, t.HasDefault = n, fine && slices.Contains(t.Candidates, n)
			ok = ok && fine
			if fine && !slices.Contains(t.Candidates, n) && len(t.Candidates) > 0 && len(targets) == 0 {
				c.errorf(diag.NoCandidate, d.Default.Span(), "the default of %s is %d, which is not one of its candidates", t.Name, n).
					Hint("add it to the list")
				ok = false
			}
		}
		if ok && len(t.Candidates) == 0 {
			c.errorf(diag.NoCandidate, d.Span(), "%s has no candidates", t.Name).Hint("tune %s in [64, 128]", t.Name)
			ok = false
		}
		all = append(all, t)
	}
	return all, ok
}

func (c *checker) candidates(list []ast.Expr, name string, ok bool) ([]int64, bool) {
	var values []int64
	for _, e := range list {
		n, fine := c.constInt(e, "a candidate of "+name)
		if fine && (n < 0 || n > 1<<31) {
			c.errorf(diag.BadExtent, e.Span(), "a candidate of %s is %d, which is out of range", name, n)
			fine = false
		}
		if ok = ok && fine; fine && !slices.Contains(values, n) {
			values = append(values, n)
		}
	}
	return values, ok
}

// space walks the legal combinations of tunables, the last one fastest; fixed ones keep their value. Where conditions
// are decided as soon as all tunables in them are bound.
type space struct {
	c     *checker
	tunes []Tunable
	order [][]int64        // candidates in the order to try, for each tunable
	after [][]condition    // those that can be decided once tunable i is bound
	cache map[string]bool  // decided conditions
	value map[string]int64 // bound so far
}

// condition is the where of a tunable, and the tunables that it speaks of.
type condition struct {
	decl *ast.Tune
	uses []int
}

func (c *checker) space(tunes []Tunable, fixed map[string]int64) *space {
	s := &space{c: c, tunes: tunes, after: make([][]condition, len(tunes)), cache: map[string]bool{}, value: map[string]int64{}}
	for _, t := range tunes {
		order := slices.Clone(t.Candidates)
		if t.HasDefault {
			order = slices.DeleteFunc(order, func(n int64) bool { return n == t.Default })
			order = slices.Insert(order, 0, t.Default)
		}
		if n, ok := fixed[t.Name]; ok {
			order = []int64{n}
		}
		s.order = append(s.order, order)
		if t.decl.Where != nil {
			cond := condition{decl: t.decl}
			last := 0
			for i, u := range tunes {
				if usesName(t.decl.Where, u.Name) {
					cond.uses = append(cond.uses, i)
					last = i
				}
			}
			s.after[last] = append(s.after[last], cond)
		}
	}
	return s
}

func usesName(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// walk calls yield for each legal combination until it returns false.
func (s *space) walk(i int, yield func(map[string]int64) bool) bool {
	if i == len(s.tunes) {
		return yield(maps.Clone(s.value))
	}
	for _, n := range s.order[i] {
		s.value[s.tunes[i].Name] = n
		if s.legal(i) && !s.walk(i+1, yield) {
			return false
		}
	}
	delete(s.value, s.tunes[i].Name)
	return true
}

// legal decides the conditions that tunable i completes.
func (s *space) legal(i int) bool {
	for _, cond := range s.after[i] {
		key := cond.decl.Name.Name
		for _, u := range cond.uses {
			key += "," + strconv.FormatInt(s.value[s.tunes[u].Name], 10)
		}
		holds, known := s.cache[key]
		if !known {
			holds = s.holds(cond.decl, i)
			s.cache[key] = holds
		}
		if !holds {
			return false
		}
	}
	return true
}

// holds evaluates one condition.
func (s *space) holds(d *ast.Tune, i int) bool {
	c := newChecker(s.c.session, newScope(s.c.scope), constPlace)
	for _, t := range s.tunes[:i+1] {
		c.scope.names[t.Name] = &Constant{named: named{Name: t.Name, Span: t.decl.Name.Span()}, Type: indexType, Value: IntOf(s.value[t.Name]), Tune: true}
	}
	if !c.boolExpr(d.Where, "the condition of where").Valid() {
		return false
	}
	v := c.constOf(d.Where)
	if !v.Valid() {
		c.notConstant(d.Where, "the condition of where")
	}
	return v.Bool
}

// chooseTunes completes the given values to a legal combination: defaults and first candidates where possible.
func (c *checker) chooseTunes(k *Kernel, tunes []Tunable, given map[string]int64) (map[string]int64, bool) {
	for name := range given {
		if !slices.ContainsFunc(tunes, func(t Tunable) bool { return t.Name == name }) {
			c.errorf(diag.NoCandidate, k.Span, "%s has no tunable named %s", k.Name, name)
			return nil, false
		}
	}
	var chosen map[string]int64
	before := c.rep.ErrorCount()
	c.space(tunes, given).walk(0, func(m map[string]int64) bool {
		chosen = m
		return false
	})
	if chosen != nil {
		return chosen, true
	}
	if c.rep.ErrorCount() == before {
		c.noCombination(tunes, given)
	}
	return nil, false
}

// legalOn checks that a target's own candidates leave some legal combination.
func (c *checker) legalOn(k *Kernel, generics map[string]Value, on *ast.TuneOn) {
	if _, ok := c.generics(k, generics); !ok {
		return
	}
	tunes, ok := c.tunables(k, []string{on.Target.Name})
	if !ok {
		return
	}
	some := false
	c.space(tunes, nil).walk(0, func(map[string]int64) bool {
		some = true
		return false
	})
	if !some {
		c.errorf(diag.NoCandidate, on.Span(), "no combination of candidates is legal on %s", on.Target.Name)
	}
}

// noCombination reports that the conditions of the tunables leave nothing.
func (c *checker) noCombination(tunes []Tunable, given map[string]int64) {
	for _, t := range tunes {
		if t.decl.Where == nil {
			continue
		}
		what := "no candidate of " + t.Name + " is legal"
		if n, ok := given[t.Name]; ok {
			what = t.Name + " = " + IntOf(n).String() + " is not legal"
		}
		d := c.errorf(diag.NoCandidate, t.decl.Where.Span(), "%s: %s never holds", what, sourceText(t.decl.Where))
		var notes []string
		ast.Inspect(t.decl.Where, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o, ok := c.scope.lookup(id.Name).(*Constant); ok && o.Generic {
					notes = append(notes, id.Name+" is "+o.Value.String())
				}
			}
			return true
		})
		slices.Sort(notes)
		if notes = slices.Compact(notes); len(notes) > 0 {
			d.Note(t.decl.Span(), "here %s", strings.Join(notes, ", "))
		}
		return
	}
}

// Tunables lists a kernel's tunables with their candidates for a choice of generics. Targets are names such as
// "sm_80", "cuda", the most specific first. It is nil after an error, which Check reports.
func Tunables(k *Kernel, generics map[string]Value, targets ...string) []Tunable {
	c := headChecker(k, &diag.Reporter{})
	if _, ok := c.generics(k, generics); !ok {
		return nil
	}
	tunes, ok := c.tunables(k, targets)
	if !ok {
		return nil
	}
	return tunes
}

// TuneSpace yields every legal combination of the candidates of a kernel's tunables: defaults first, the last tunable
// fastest. Values in fixed, which may be nil, are kept. A kernel without tunables has one, empty, combination.
func TuneSpace(k *Kernel, generics map[string]Value, fixed map[string]int64, targets ...string) iter.Seq[map[string]int64] {
	return func(yield func(map[string]int64) bool) {
		c := headChecker(k, &diag.Reporter{})
		if _, ok := c.generics(k, generics); !ok {
			return
		}
		tunes, ok := c.tunables(k, targets)
		if !ok {
			return
		}
		c.space(tunes, fixed).walk(0, yield)
	}
}

// StageTunables lists the tunables of a kernel that nothing but the numbers of
// stages of its pipelines depend on.
func StageTunables(k *Kernel) []string {
	uses, stages := map[string]int{}, map[string]int{}
	ast.Inspect(k.Decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			uses[n.Name]++
		case *ast.Pipeline:
			if id, ok := n.Stages.(*ast.Ident); ok {
				stages[id.Name]++
			}
		case *ast.Tune: // says what values there are
			if n.Name != nil {
				stages[n.Name.Name]++
			}
			if n.Where != nil {
				ast.Inspect(n.Where, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						stages[id.Name]++
					}
					return true
				})
			}
		}
		return true
	})
	var names []string
	for _, s := range k.Decl.Prologue {
		if t, ok := s.(*ast.Tune); ok && t.Name != nil && uses[t.Name.Name] == stages[t.Name.Name] {
			names = append(names, t.Name.Name)
		}
	}
	return names
}
