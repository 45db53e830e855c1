// Package flow finds where diverged threads come together again.
package flow

import "slices"

// None stands for a node that does not exist.
const None = -1

// Graph is a control-flow graph: node 0 is the entry.
type Graph struct {
	Succs [][]int // each node's successors
	// Leave marks nodes that do nothing but end a thread. May be nil.
	Leave []bool
}

// Reachable tells which nodes can be reached from the entry.
func (g Graph) Reachable() []bool {
	seen := make([]bool, len(g.Succs))
	if len(seen) == 0 {
		return seen
	}
	stack := []int{0}
	seen[0] = true
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range g.Succs[n] {
			if !seen[s] {
				seen[s] = true
				stack = append(stack, s)
			}
		}
	}
	return seen
}

// PostDominators returns for each node its immediate post-dominator: the first
// node that every path from it to the end passes; None for nodes without one.
//
// Threads that leave early don't come back, so they should not keep the others
// apart: a path to a node in Leave counts only where there is no other way to go.
func (g Graph) PostDominators() []int {
	n := len(g.Succs)
	succs := g.withoutEarlyExits()
	// The reverse graph from a virtual end, n.
	preds := make([][]int, n+1)
	for v, ss := range succs {
		if len(ss) == 0 {
			preds[n] = append(preds[n], v)
		}
		for _, s := range ss {
			preds[s] = append(preds[s], v)
		}
	}
	order := make([]int, 0, n+1) // post-order of the reverse graph
	state := make([]uint8, n+1)
	walk := func(root int) {
		type frame struct{ v, next int }
		stack := []frame{{root, 0}}
		state[root] = 1
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next < len(preds[f.v]) {
				p := preds[f.v][f.next]
				f.next++
				if state[p] == 0 {
					state[p] = 1
					stack = append(stack, frame{p, 0})
				}
				continue
			}
			order = append(order, f.v)
			stack = stack[:len(stack)-1]
		}
	}
	walk(n)
	// Of nodes that never reach the end, one of each loop hangs on it directly: best
	// the one that goes round again unless it leaves, or else one that may leave.
	leaves := func(v int) bool { return len(succs[v]) < len(g.Succs[v]) }
	latch := func(v int) bool {
		return leaves(v) && slices.ContainsFunc(succs[v], func(s int) bool { return s <= v })
	}
	for _, fits := range []func(int) bool{latch, leaves, func(int) bool { return true }} {
		for v := n - 1; v >= 0; v-- {
			if state[v] == 0 && fits(v) {
				preds[n] = append(preds[n], v)
				succs[v] = append(succs[v], n)
				walk(v)
			}
		}
	}
	order, state = order[:0], make([]uint8, n+1)
	walk(n)
	return dominators(n, succs, order)
}

// dominators is the algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast
// Dominance Algorithm") on the reverse graph, whose root is n.
func dominators(n int, succs [][]int, order []int) []int {
	num := make([]int, n+1)
	for i, v := range order {
		num[v] = i
	}
	idom := make([]int, n+1)
	for i := range idom {
		idom[i] = None
	}
	idom[n] = n
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			v := order[i]
			best := None
			ss := succs[v]
			if len(ss) == 0 {
				ss = []int{n}
			}
			for _, s := range ss {
				if idom[s] == None {
					continue
				}
				if best == None {
					best = s
					continue
				}
				a, b := best, s
				for a != b {
					for num[a] < num[b] {
						a = idom[a]
					}
					for num[b] < num[a] {
						b = idom[b]
					}
				}
				best = a
			}
			if best != idom[v] {
				idom[v] = best
				changed = true
			}
		}
	}
	for i, d := range idom {
		if d == n {
			idom[i] = None
		}
	}
	return idom[:n]
}

// withoutEarlyExits drops edges to nodes in Leave, where there is another way.
func (g Graph) withoutEarlyExits() [][]int {
	succs := make([][]int, len(g.Succs), len(g.Succs)+1)
	for v, ss := range g.Succs {
		kept := make([]int, 0, len(ss))
		for _, s := range ss {
			if g.Leave == nil || !g.Leave[s] {
				kept = append(kept, s)
			}
		}
		if len(kept) == 0 {
			kept = append(kept, ss...)
		}
		succs[v] = kept
	}
	return succs
}
