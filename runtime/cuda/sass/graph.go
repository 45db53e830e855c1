package sass

import (
	"slices"
	"strings"
)

// successors lists the instructions that may follow instruction i. A call comes back; the way that BRA.DIV takes when
// a warp has diverged is left out, as it is a rare way round an instruction.
func (f *Function) successors(i int) []int {
	in := f.Instructions[i]
	var next []int
	add := func(j int) {
		if j >= 0 && j < len(f.Instructions) {
			next = append(next, j)
		}
	}
	conditional := in.Predicate != "" && in.Predicate != "PT"
	switch in.Base() {
	case "EXIT", "RET", "KILL":
		if conditional {
			add(i + 1)
		}
	case "BRA", "JMP":
		if strings.Contains(in.Opcode, ".DIV") {
			add(i + 1)
			break
		}
		// A branch on a predicate operand, as in BRA.U !UP0, falls through as well.
		if conditional || strings.Contains(strings.Split(in.Operands, "`")[0], "P") {
			add(i + 1)
		}
		add(in.Target)
	case "BSYNC":
		if conditional {
			add(i + 1)
		}
		add(f.convergence(i))
	default:
		add(i + 1)
	}
	return next
}

// convergence is where the nearest BSSY before i, on the same barrier, has the warp meet again; by default it is
// right behind.
func (f *Function) convergence(i int) int {
	barrier := operand(f.Instructions[i].Operands)
	for j := i - 1; j >= 0; j-- {
		in := f.Instructions[j]
		if in.Base() == "BSSY" && operand(in.Operands) == barrier && in.Target >= 0 {
			return in.Target
		}
	}
	return i + 1
}

// operand is the first of a list.
func operand(list string) string {
	first, _, _ := strings.Cut(list, ",")
	return strings.TrimSpace(first)
}

// Loop is a natural loop: the indices of its instructions, in order of address.
type Loop struct {
	Head int
	Body []int
}

// Loops returns the loops of the function, by address of their heads. Loops with one head are one loop.
func (f *Function) Loops() []Loop {
	order, previous := f.walk()
	if len(order) == 0 {
		return nil
	}
	dominator := dominators(order, previous)
	bodies := map[int]map[int]bool{}
	for _, from := range order {
		for _, to := range f.successors(from) {
			if dominates(dominator, to, from) {
				if bodies[to] == nil {
					bodies[to] = map[int]bool{to: true}
				}
				gather(bodies[to], from, previous)
			}
		}
	}
	var loops []Loop
	for head, body := range bodies {
		l := Loop{Head: head}
		for i := range body {
			l.Body = append(l.Body, i)
		}
		slices.Sort(l.Body)
		loops = append(loops, l)
	}
	slices.SortFunc(loops, func(a, b Loop) int { return a.Head - b.Head })
	return loops
}

// gather adds what reaches from without passing the loop's head, which is in the body already.
func gather(body map[int]bool, from int, previous [][]int) {
	work := []int{from}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if body[i] {
			continue
		}
		body[i] = true
		work = append(work, previous[i]...)
	}
}

// walk returns the reachable instructions in reverse postorder, and the predecessors of each.
func (f *Function) walk() (order []int, previous [][]int) {
	n := len(f.Instructions)
	previous = make([][]int, n)
	if n == 0 {
		return nil, previous
	}
	type frame struct {
		at   int
		next []int
	}
	seen := make([]bool, n)
	seen[0] = true
	stack := []frame{{0, f.successors(0)}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.next) == 0 {
			order = append(order, top.at)
			stack = stack[:len(stack)-1]
			continue
		}
		to := top.next[0]
		top.next = top.next[1:]
		previous[to] = append(previous[to], top.at)
		if !seen[to] {
			seen[to] = true
			stack = append(stack, frame{to, f.successors(to)})
		}
	}
	slices.Reverse(order)
	return order, previous
}

// dominators computes immediate dominators by the iteration of Cooper, Harvey and Kennedy; -1 is unreachable.
func dominators(order []int, previous [][]int) []int {
	rank := make([]int, len(previous))
	dominator := make([]int, len(previous))
	for i := range dominator {
		dominator[i] = -1
	}
	for r, i := range order {
		rank[i] = r
	}
	dominator[order[0]] = order[0]
	meet := func(a, b int) int {
		for a != b {
			for rank[a] > rank[b] {
				a = dominator[a]
			}
			for rank[b] > rank[a] {
				b = dominator[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for _, i := range order[1:] {
			best := -1
			for _, p := range previous[i] {
				switch {
				case dominator[p] < 0:
				case best < 0:
					best = p
				default:
					best = meet(best, p)
				}
			}
			if dominator[i] != best {
				dominator[i], changed = best, true
			}
		}
	}
	return dominator
}

// dominates reports whether every way to b passes a.
func dominates(dominator []int, a, b int) bool {
	for a != b {
		up := dominator[b]
		if up == b || up < 0 {
			return false
		}
		b = up
	}
	return true
}
