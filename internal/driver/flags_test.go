package driver

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"tilec/ir"
	"tilec/ir/aicore"
)

// everyExample lists the programs of the examples, those in folders too.
func everyExample(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(filepath.Join("..", "..", "examples"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".tile" {
			all = append(all, path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	return all
}

// TestFlagsOfExamples proves of every kernel of the examples that its flags and barriers order it on all paths, and that each is needed:
// without it, that is no longer so. No loop holds a barrier over all pipes.
func TestFlagsOfExamples(t *testing.T) {
	for _, file := range everyExample(t) {
		s := New(context.Background(), Options{})
		p := s.Load(file)
		wantClean(t, p.Reporter)
		for _, k := range p.Pick("") {
			t.Run(k.Name, func(t *testing.T) {
				t.Parallel()
				_, units, err := s.Build(t.Context(), BuildRequest{Program: p, Kernels: []Kernel{k}, Machines: aiCores(t), Kinds: []Kind{Text}})
				if lacksType(err) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				f := units[0].Entries[0].Func
				if err := aicore.Ordered(f); err != nil {
					t.Fatal(err)
				}
				f.Body.Walk(func(op *ir.Op) {
					if op.Code != ir.OpFor && op.Code != ir.OpWhile {
						return
					}
					op.Body.Walk(func(o *ir.Op) {
						if o.Code == ir.OpPipeBarrier && o.Pipe == ir.PipeAll {
							t.Errorf("a barrier over all pipes in the loop over %s", op.Var.Name)
						}
					})
				})
				groups := flagsOf(f.Body)
				if len(groups) > mostGroups {
					return
				}
				for _, all := range groups {
					less := ir.Clone(f)
					if what := remove(less.Body, all); aicore.Ordered(less) == nil {
						t.Errorf("not needed: %s", what)
					}
				}
			})
		}
	}
}

// mostGroups is how many flags and barriers a kernel has at most of which each is looked at: with more, numbers run out, and flags that
// take turns with one number may make others needless.
const mostGroups = 60

// flagsOf lists the operations that make up each flag, and each barrier, by their number in program order.
func flagsOf(body *ir.Block) [][]int {
	slots := map[*ir.Var]int64{}
	body.Walk(func(op *ir.Op) {
		if op.Code == ir.OpAssign && op.X[0].Op == ir.Select {
			slots[op.Var] = op.X[0].Args[0].Args[1].Int
		}
	})
	type flag struct {
		program  int
		from, to ir.Pipe
		id       int64
	}
	var all [][]int
	at := map[flag]int{} // where in all
	n, program := -1, 0
	var walk func(b *ir.Block)
	walk = func(b *ir.Block) {
		if b == nil {
			return
		}
		for _, op := range b.Ops {
			n++
			switch op.Code {
			case ir.OpPipeBarrier:
				if op.Pipe == ir.PipeV || op.Pipe == ir.PipeMTE2 { // others order writes to the same elements of tensors, which the proof does not tell apart
					all = append(all, []int{n})
				}
			case ir.OpSetFlag, ir.OpWaitFlag:
				first, count := ids(op.X[0], slots)
				group := len(all)
				all = append(all, []int{n})
				for id := first; id < first+count; id++ { // those of a ring's slots are one
					name := flag{program, op.Pipe, op.To, id}
					if g, ok := at[name]; ok && g != group {
						all[group], all[g] = append(all[group], all[g]...), nil
						for other := range at {
							if at[other] == g {
								at[other] = group
							}
						}
					}
					at[name] = group
				}
			}
			walk(op.Body)
			if op.Code == ir.OpCores {
				program++
			}
			walk(op.Else)
		}
	}
	walk(body)
	return slices.DeleteFunc(all, func(group []int) bool { return len(group) == 0 })
}

// ids are the numbers that an operand of a flag takes.
func ids(x *ir.Expr, slots map[*ir.Var]int64) (first, count int64) {
	switch {
	case x.Op == ir.Ref:
		return 0, slots[x.Var]
	case x.Op == ir.Add:
		return x.Args[1].Int, slots[x.Args[0].Var]
	}
	return x.Int, 1
}

// remove takes operations out of a function by their numbers in program order, and says which.
func remove(body *ir.Block, which []int) string {
	n, what := -1, ""
	var walk func(b *ir.Block)
	walk = func(b *ir.Block) {
		if b == nil {
			return
		}
		var kept []*ir.Op
		for i, op := range b.Ops {
			n++
			if slices.Contains(which, n) {
				what += "\n" + op.Header()
				if i+1 < len(b.Ops) {
					what += "\n\tbefore " + b.Ops[i+1].Header()
				}
			} else {
				kept = append(kept, op)
			}
			walk(op.Body)
			walk(op.Else)
		}
		b.Ops = kept
	}
	walk(body)
	return what
}
