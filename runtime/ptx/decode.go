package ptx

import (
	"fmt"

	"tilec/runtime/ptx/flow"
	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
	"tilec/runtime/ptx/syntax"
)

// Limits on what decoding may expand to.
const (
	maxInstrs    = shadow.MaxInstr
	maxCallDepth = 64
	maxLocal     = 512 << 10 // bytes a thread, the hardware's limit
)

// decoder turns a kernel into a program. Calls are expanded in place, so that
// one control-flow graph covers everything a thread can execute.
type decoder struct {
	mod      *syntax.Module
	prog     *program
	raw      []raw
	widths   []uint8 // V32 slots of each virtual register
	preds    int
	consts   []constant
	constIDs map[constant]int32
	specials map[specialReg]int32
	module   *scope
	localTop int
	shared   map[*syntax.Var]*symbol
	global   map[*syntax.Var]*symbol
	globals  []*syntax.Var
	loc      *syntax.Loc
	caller   *source
	depth    int
	file     string
}

// raw is an instruction before decoding, with the names that it sees.
type raw struct {
	src   *source
	scope *scope
	// made, if set, is an instruction that stands for no text, such as the passing of an argument.
	made func(d *decoder, r *raw) (instr, error)
	// ret is the index that a return jumps to; none ends the thread.
	ret *int
}

// decodeKernel decodes the entry of that name.
func decodeKernel(mod *syntax.Module, name string) (*program, error) {
	var entry *syntax.Func
	for _, f := range mod.Funcs {
		if f.Entry && f.Name == name && f.Body != nil {
			entry = f
		}
	}
	if entry == nil {
		return nil, fmt.Errorf("%s: no kernel named %s", mod.Name, name)
	}
	d := &decoder{
		mod: mod, prog: &program{name: name, mod: mod, entry: entry},
		constIDs: map[constant]int32{}, specials: map[specialReg]int32{},
		shared: map[*syntax.Var]*symbol{}, global: map[*syntax.Var]*symbol{},
		module: newScope(nil), file: mod.Name, preds: 1, // predicate 0 is always false
	}
	d.widths = append(d.widths, 2) // register 0 stands for operands that aren't there
	if err := d.declareModule(); err != nil {
		return nil, err
	}
	top := newScope(d.module)
	if err := d.declareParams(top, entry); err != nil {
		return nil, err
	}
	if err := d.block(top, entry.Body, nil); err != nil {
		return nil, err
	}
	if err := d.decodeAll(); err != nil {
		return nil, err
	}
	return d.prog, nil
}

// errorf is an error at the instruction.
func (d *decoder) errorf(pos syntax.Pos, format string, args ...any) error {
	return &syntax.Error{File: d.file, Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

func (d *decoder) declareModule() error {
	for _, v := range d.mod.Vars {
		if err := d.declareVar(d.module, v); err != nil {
			return err
		}
	}
	return nil
}

func elemBytes(v *syntax.Var) int64 { return int64(lanes.ParseType(v.Type).Bytes()) }

func align(v *syntax.Var) int {
	return max(v.Align, int(elemBytes(v))*v.Vector, 1)
}

// declareVar gives a variable a place. Shared and global ones have one place
// whatever the number of times that the text is expanded.
func (d *decoder) declareVar(s *scope, v *syntax.Var) error {
	if v.Space == "reg" {
		t := lanes.ParseType(v.Type)
		if t == lanes.NoType || t.Bits() > 128 || v.Vector != 1 {
			return d.errorf(v.Pos, "registers of type .%s are not supported", v.Type)
		}
		s.vars = append(s.vars, v)
		return nil
	}
	if elemBytes(v) == 0 {
		return d.errorf(v.Pos, "variables of type .%s are not supported", v.Type)
	}
	size := v.Elems() * elemBytes(v)
	sym := &symbol{size: size, v: v}
	switch v.Space {
	case "shared":
		if old := d.shared[v]; old != nil {
			sym = old
			break
		}
		sym.space = shared
		d.shared[v] = sym
		l := &d.prog.shared
		if v.Extern || v.Open {
			l.dynamic = true
			l.align = max(l.align, align(v))
			sym.off = ^uint64(0) // after all static variables: see placeDynamic
			sym.size = -1
			break
		}
		off := roundUp(sharedBase+l.static, align(v))
		if int64(off)+size > 1<<24 {
			return d.errorf(v.Pos, "shared variable %s is too large", v.Name)
		}
		sym.off = uint64(off)
		l.static = off + int(size) - sharedBase
		l.vars = append(l.vars, sharedVar{v.Name, off, int(size)})
	case "global", "const":
		if old := d.global[v]; old != nil {
			sym = old
			break
		}
		sym.space = global
		if v.Space == "const" {
			sym.space = constant_
		}
		d.global[v] = sym
		if !v.Extern {
			d.globals = append(d.globals, v)
		}
	case "local", "param":
		sym.space = local
		off := roundUp(d.localTop, align(v))
		if int64(off)+size > maxLocal {
			return d.errorf(v.Pos, "a thread needs more than %d bytes of local memory", maxLocal)
		}
		sym.off = uint64(off)
		d.localTop = off + int(size)
	default:
		return d.errorf(v.Pos, ".%s variables are not supported", v.Space)
	}
	s.names[v.Name] = &binding{sym: sym}
	return nil
}

func (d *decoder) declareParams(s *scope, entry *syntax.Func) error {
	off := 0
	for _, v := range entry.Params {
		if elemBytes(v) == 0 {
			return d.errorf(v.Pos, "parameters of type .%s are not supported", v.Type)
		}
		size := v.Elems() * elemBytes(v)
		off = roundUp(off, align(v))
		if int64(off)+size > 32764 {
			return d.errorf(v.Pos, "kernel parameters need more than 32764 bytes")
		}
		d.prog.params = append(d.prog.params, param{v, off, int(size)})
		s.names[v.Name] = &binding{sym: &symbol{space: paramSpace, off: uint64(off), size: size, v: v}}
		off += int(size)
	}
	return nil
}

// block expands the statements of a block into the list of raw instructions.
func (d *decoder) block(s *scope, b *syntax.Block, ret *int) error {
	for _, v := range b.Vars {
		if err := d.declareVar(s, v); err != nil {
			return err
		}
	}
	for _, st := range b.Stmts {
		if len(d.raw) > maxInstrs {
			return fmt.Errorf("%s: kernel %s expands to more than %d instructions", d.file, d.prog.name, maxInstrs)
		}
		switch st := st.(type) {
		case *syntax.Loc:
			d.loc = st
		case *syntax.Label:
			if _, dup := s.labels[st.Name]; dup {
				return d.errorf(st.Pos, "label %s is defined twice", st.Name)
			}
			s.labels[st.Name] = len(d.raw)
		case *syntax.Targets:
			s.targets[st.Name] = st
		case *syntax.Block:
			if err := d.block(newScope(s), st, ret); err != nil {
				return err
			}
		case *syntax.Instr:
			if st.Op == "call" {
				if err := d.call(s, st, ret); err != nil {
					return err
				}
				continue
			}
			d.raw = append(d.raw, raw{src: d.source(st), scope: s, ret: ret})
		}
	}
	return nil
}

func (d *decoder) source(in *syntax.Instr) *source {
	return &source{ast: in, loc: d.loc, caller: d.caller}
}

// label finds where a label leads: in the scope of its use or one around it.
func (s *scope) label(name string) (int, bool) {
	for ; s != nil; s = s.outer {
		if i, ok := s.labels[name]; ok {
			return i, true
		}
	}
	return 0, false
}

// decodeAll decodes what the entry can reach and links branches.
func (d *decoder) decodeAll() error {
	// A thread that runs off the end of the text ends.
	d.raw = append(d.raw, raw{src: &source{ast: &syntax.Instr{Op: "ret", Pos: d.prog.entry.Pos}}, scope: newScope(nil)})
	code := make([]instr, len(d.raw))
	done := make([]bool, len(d.raw))
	work := []int{0}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if done[i] {
			continue
		}
		done[i] = true
		in, err := d.decode(&d.raw[i])
		if err != nil {
			return err
		}
		code[i] = in
		work = append(work, successors(code, i)...)
	}
	// What can't be reached goes, and branches count what is left.
	place := make([]int32, len(code)+1)
	kept := code[:0:0]
	for i := range code {
		place[i] = int32(len(kept))
		if done[i] {
			kept = append(kept, code[i])
		}
	}
	for i := range kept {
		in := &kept[i]
		if in.kind == opBranch {
			in.target = place[in.target]
		}
		if in.kind == opIndex {
			t := in.x.([]int32)
			moved := make([]int32, len(t))
			for k := range t {
				moved[k] = place[t[k]]
			}
			in.x = moved
		}
	}
	d.prog.code = kept
	for i := range kept {
		kept[i].pc = int32(i)
		kept[i].site = siteAt(kept[i].src, d.mod.Files)
	}
	link(kept)
	d.finish()
	return nil
}

// successors lists what may follow instruction i.
func successors(code []instr, i int) []int {
	in := &code[i]
	switch in.kind {
	case opBranch:
		if in.guard == none {
			return []int{int(in.target)}
		}
		return []int{i + 1, int(in.target)}
	case opIndex:
		var next []int
		if in.guard != none {
			next = append(next, i+1)
		}
		for _, t := range in.x.([]int32) {
			next = append(next, int(t))
		}
		return next
	case opExit:
		if in.guard == none {
			return nil
		}
	}
	return []int{i + 1}
}

// leaders marks the instructions that begin a basic block.
func leaders(code []instr) []bool {
	leader := make([]bool, len(code)+1)
	leader[0] = true
	for i := range code {
		switch code[i].kind {
		case opBranch, opIndex, opExit:
			leader[i+1] = true
			for _, s := range successors(code, i) {
				leader[s] = true
			}
		}
	}
	return leader
}

// link finds for each branch where diverging lanes come together again.
func link(code []instr) {
	leader := leaders(code)
	block := make([]int, len(code)+1) // of each instruction
	var starts []int
	for i := range code {
		if leader[i] {
			starts = append(starts, i)
		}
		block[i] = len(starts) - 1
	}
	g := flow.Graph{Succs: make([][]int, len(starts)), Leave: make([]bool, len(starts))}
	for b, start := range starts {
		last := len(code) - 1
		if b+1 < len(starts) {
			last = starts[b+1] - 1
		}
		for _, s := range successors(code, last) {
			g.Succs[b] = append(g.Succs[b], block[s])
		}
		in := &code[last]
		g.Leave[b] = in.kind == opExit && in.guard == none && (last == start || in.src.ast.Op == "trap")
	}
	post := g.PostDominators()
	for i := range code {
		code[i].rejoin = none
		if k := code[i].kind; k == opBranch || k == opIndex {
			if p := post[block[i]]; p != flow.None {
				code[i].rejoin = int32(starts[p])
			}
		}
	}
}
