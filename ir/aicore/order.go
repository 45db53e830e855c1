package aicore

import (
	"errors"
	"fmt"
	"slices"

	"tilec/ir"
)

// Ordered proves that the flags and barriers of a function in scheduled form order its pipes on every path: branches taken or not, loops
// run never or any number of times. On each path, two accesses to the same memory, one of them a write, are ordered unless their pipe
// does that by itself; a flag that is awaited has been raised, none is raised twice before it is awaited, and none is left at the end.
//
// It follows the program over all values that slot counters take, so that the slots of a ring are told apart, and joins what the paths
// to a point know: of the work of every pipe, which other pipes may not know it to be complete.
func Ordered(f *ir.Func) error {
	var all []error
	for _, program := range Programs(f) {
		o := OrderOf(f, program, nil)
		all = append(all, o.Unordered...)
		for _, e := range o.Early {
			all = append(all, e)
		}
	}
	return errors.Join(all...)
}

// Programs are what the cores of a function run: the cube's program and that of the vector unit, or one for both.
func Programs(f *ir.Func) []*ir.Block {
	for _, op := range f.Body.Ops {
		if op.Code == ir.OpCores {
			return []*ir.Block{op.Body, op.Else}
		}
	}
	return []*ir.Block{f.Body}
}

// Flags are flags and barriers that a program does not hold yet: before everything, behind it, and around its operations.
type Flags struct {
	First, Last   []*ir.Op
	Before, After map[*ir.Op][]*ir.Op
	// Enough, if there is one, says of what has been found that more is of no interest.
	Enough func(unordered, early int) bool
}

// Order is what is wrong with the flags of a program.
type Order struct {
	Unordered []error // accesses and flags without their order
	Early     []*Early
}

// Early is a flag that may be raised again before the pipe that has waited for it got there: it would be up once instead of twice.
type Early struct {
	Set      *ir.Op
	From, To ir.Pipe
	ID       int64
}

// Error says so.
func (e *Early) Error() string {
	return fmt.Sprintf("flag %s may be raised again before pipe %s has seen it\n\tin %s", flagName{e.From, e.To, e.ID}, e.To, e.Set.Header())
}

// OrderOf checks the program of a core of a function, with flags that it does not hold yet: none for nil.
func OrderOf(f *ir.Func, program *ir.Block, flags *Flags) Order {
	if flags == nil {
		flags = &Flags{}
	}
	c := &orderChecker{flags: flags, written: map[*ir.Buffer]bool{}, numbers: map[*ir.Var]int{}, sites: map[site]int{}, flagNumbers: map[flagName]int{}, reported: map[string]bool{}, leaves: map[*ir.Op][]leaf{}}
	c.findCounters(program)
	program.Walk(func(op *ir.Op) {
		if op.Dst != nil {
			c.written[op.Dst.Buf] = true
		}
	})
	in := paths{}
	in.add(c, c.newKnowledge(f))
	for _, op := range flags.First {
		in = c.step(op, in)
	}
	in = c.block(program, in)
	for _, op := range flags.Last {
		in = c.step(op, in)
	}
	for _, end := range in {
		if c.ended {
			break
		}
		for flag := range end.up.all() {
			c.report(nil, "flag %s is up at the end of the program", c.names[flag])
		}
	}
	return c.found
}

// leaf is a piece of memory that an operation itself touches.
type leaf struct {
	pipe  ir.Pipe
	write bool
	buf   *ir.Buffer
	slot  *ir.Expr // of a ring, nil if all of the buffer may be touched
}

// site is a leaf with the slot that it touches, -1 for all.
type site struct {
	op   *ir.Op
	at   int // among the operation's leaves
	slot int64
}

// piece is where a site lies in memory.
type piece struct {
	leaf
	op     *ir.Op
	lo, hi int64
}

// flagName is a flag of two pipes.
type flagName struct {
	from, to ir.Pipe
	id       int64
}

func (n flagName) String() string { return fmt.Sprintf("%s to %s %d", n.from, n.to, n.id) }

type orderChecker struct {
	flags       *Flags
	counters    map[*ir.Var]bool
	numbers     map[*ir.Var]int // of the counters
	below       []string        // what the branches around say: "a < b"
	written     map[*ir.Buffer]bool
	leaves      map[*ir.Op][]leaf
	sites       map[site]int
	pieces      []piece
	meets       []bitset               // by site: those that must be ordered with it
	of          [ir.PipeAll + 1]bitset // by pipe: its sites
	flagNumbers map[flagName]int
	names       []flagName // of the flags, by number
	waits       []bitset   // by flag: the sites that await it
	reported    map[string]bool
	found       Order
	ended       bool // enough has been found
}

// mostProblems bounds what is reported of one program.
const mostProblems = 100

func (c *orderChecker) report(op *ir.Op, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if op != nil {
		text += "\n\tin " + op.Header()
	}
	if !c.reported[text] && len(c.found.Unordered) < mostProblems {
		c.found.Unordered = append(c.found.Unordered, errors.New(text))
	}
	c.reported[text] = true
	c.enough()
}

func (c *orderChecker) enough() {
	c.ended = c.flags.Enough != nil && c.flags.Enough(len(c.found.Unordered), len(c.found.Early))
}

// block follows a block from all that may be known before it to all that may be known behind it.
func (c *orderChecker) block(b *ir.Block, in paths) paths {
	if b == nil {
		return in
	}
	for _, op := range b.Ops {
		if c.ended {
			break
		}
		for _, o := range c.flags.Before[op] {
			in = c.step(o, in)
		}
		switch op.Code {
		case ir.OpIf:
			c.touch(op, in)
			out := paths{}
			for _, end := range []paths{c.block(op.Body, in.clone()), c.otherwise(op, in)} {
				for _, k := range end {
					out.add(c, k)
				}
			}
			in = out
		case ir.OpFor, ir.OpWhile:
			in = c.loop(op, in)
		default:
			in = c.step(op, in)
		}
		for _, o := range c.flags.After[op] {
			in = c.step(o, in)
		}
	}
	return in
}

// loop follows a loop until further iterations bring nothing new.
func (c *orderChecker) loop(op *ir.Op, in paths) paths {
	all, behind := paths{}, paths{}
	for _, k := range in {
		all.add(c, k)
	}
	if !c.runs(op) {
		behind = all.clone()
	}
	for next := in; len(next) > 0 && !c.ended; {
		next = next.clone()
		c.touch(op, next)
		ends := c.block(op.Body, next)
		next = paths{}
		for _, k := range ends {
			behind.add(c, k)
			if at, grown := all.add(c, k); grown {
				next[at] = all[at]
			}
		}
	}
	return behind
}

// runs reports a loop that has an iteration for certain: by its bounds, or as a branch around it says.
func (c *orderChecker) runs(op *ir.Op) bool {
	if op.Code != ir.OpFor {
		return false
	}
	from, to := op.X[0], op.X[1]
	return from.IsConst() && to.IsConst() && from.Int < to.Int || slices.Contains(c.below, from.String()+" < "+to.String())
}

// otherwise follows the other branch of an if.
func (c *orderChecker) otherwise(op *ir.Op, in paths) paths {
	if x := op.X[0]; x.Op == ir.Ge {
		c.below = append(c.below, x.Args[0].String()+" < "+x.Args[1].String())
		defer func() { c.below = c.below[:len(c.below)-1] }()
	}
	return c.block(op.Else, in)
}

// step follows an operation without blocks. Counters may send paths that were apart to the same values.
func (c *orderChecker) step(op *ir.Op, in paths) paths {
	switch op.Code {
	case ir.OpVar, ir.OpAssign, ir.OpLet:
		c.touch(op, in)
		if !c.counters[op.Var] {
			return in
		}
		out := paths{}
		for _, k := range in {
			v, ok := k.value(c, op.X[0])
			k.counters[c.numbers[op.Var]] = counter{v, ok}
			out.add(c, k)
		}
		return out
	case ir.OpSetFlag, ir.OpWaitFlag:
		for _, k := range in {
			id, ok := k.value(c, op.X[0])
			if !ok {
				c.report(op, "the number of a flag is no constant and follows from no slot")
				continue
			}
			c.flag(op, k, flagName{op.Pipe, op.To, id})
		}
	case ir.OpPipeBarrier:
		for _, k := range in {
			k.barrier(c, op.Pipe)
		}
	default:
		c.touch(op, in)
	}
	return in
}

// flag raises or awaits a flag.
func (c *orderChecker) flag(op *ir.Op, k *knowledge, n flagName) {
	flag := c.number(n)
	ok := k.up.has(flag)
	switch {
	case op.Code == ir.OpSetFlag && ok:
		c.report(op, "flag %s is raised again before it is awaited", n)
	case op.Code == ir.OpSetFlag:
		if k.pending[n.from].first(c.waits[flag]) >= 0 {
			c.early(op, n)
		}
		k.raise(flag, k.pending[n.from].without(c.of[n.from]))
	case !ok:
		c.report(op, "flag %s is awaited and has not been raised", n)
	default:
		up := k.raised[flag]
		k.up.clear(flag)
		k.pending[n.to] = k.pending[n.to].and(up)
		if n.to == ir.PipeS { // what is given to pipes from here on comes after it
			for p := range k.pending {
				k.pending[p] = k.pending[p].and(up)
			}
		}
		k.done(c.wait(op, n))
	}
}

// early notes a flag that is raised too early.
func (c *orderChecker) early(op *ir.Op, n flagName) {
	e := &Early{op, n.from, n.to, n.id}
	if text := e.Error(); !c.reported[text] {
		c.found.Early = append(c.found.Early, e)
		c.reported[text] = true
		c.enough()
	}
}

// touch checks the accesses of an operation, and has other pipes know nothing of them.
func (c *orderChecker) touch(op *ir.Op, in paths) {
	all, ok := c.leaves[op]
	if !ok {
		all = c.leavesOf(op)
		c.leaves[op] = all
	}
	if len(all) == 0 {
		return
	}
	for _, k := range in {
		var mine []int
		for i, l := range all {
			mine = append(mine, c.site(op, i, l, k))
		}
		for _, s := range mine {
			p := c.pieces[s].pipe
			if bad := k.pending[p].first(c.meets[s]); bad >= 0 {
				c.unordered(s, bad)
			}
		}
		for _, s := range mine {
			k.done(s)
		}
	}
}

func (c *orderChecker) unordered(now, before int) {
	does := func(p piece) string {
		if p.write {
			return "writes"
		}
		return "reads"
	}
	a, b := c.pieces[now], c.pieces[before]
	shared := ""
	if a.buf != b.buf {
		shared = ", in bytes of " + b.buf.Name
	}
	c.report(a.op, "pipe %s %s %s%s, and may not come after pipe %s, which %s it\n\tin %s", a.pipe, does(a), a.buf.Name, shared, b.pipe, does(b), b.op.Header())
}
