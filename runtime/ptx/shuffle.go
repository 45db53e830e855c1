package ptx

import (
	"math/bits"
	"slices"

	"tilec/runtime/ptx/lanes"
)

// warpOp decodes what warp-wide operations have in common: the register of the member mask, operand i.
func (d *decoder) warpOp(r *raw, in *instr, i int) error {
	var err error
	in.c, err = d.value(r, r.src.ast.Args[i], lanes.B32)
	in.kind, in.class = opSync, classShuffle
	return err
}

// shuffle is how shfl chooses the lane to read.
type shuffle uint8

const (
	shuffleUp shuffle = iota
	shuffleDown
	shuffleBfly
	shuffleIdx
)

// shflOp is shfl.sync: d = value a of the lane that b and clamp choose.
type shflOp struct {
	mode  shuffle
	clamp int32
}

func (s *shflOp) eachReg(f func(r *int32, write bool)) { f(&s.clamp, false) }

func decodeShuffle(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if len(ast.Mods) != 3 || ast.Mods[0] != "sync" || ast.Mods[2] != "b32" {
		return in, d.unsupported(r)
	}
	mode := slices.Index([]string{"up", "down", "bfly", "idx"}, ast.Mods[1])
	if mode < 0 {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 5, 5); err != nil {
		return in, err
	}
	op := &shflOp{mode: shuffle(mode)}
	if in.d, err = d.dest(r, ast.Args[0], lanes.B32); err != nil {
		return in, err
	}
	if ast.Args[0].Pair != "" {
		if in.p, err = d.predName(r, ast.Args[0].Pair, ast.Args[0]); err != nil {
			return in, err
		}
	}
	if in.a, err = d.value(r, ast.Args[1], lanes.B32); err != nil {
		return in, err
	}
	if in.b, err = d.value(r, ast.Args[2], lanes.U32); err != nil {
		return in, err
	}
	if op.clamp, err = d.value(r, ast.Args[3], lanes.U32); err != nil {
		return in, err
	}
	in.x, in.exec = op, execShuffle
	return in, d.warpOp(r, &in, 4)
}

// execShuffle follows the ISA's pseudocode of shfl.sync. A lane that takes no
// part gives poison: its value is unpredictable.
func execShuffle(w *warp, in *instr, m uint32) {
	op := in.x.(*shflOp)
	src, sel, clamp := &w.regs[in.a], &w.regs[in.b], &w.regs[op.clamp]
	var out lanes.V32
	valid := uint32(0)
	for i := range uint32(lanes.Width) {
		c := clamp[i]
		seg, last := c>>8&31, c&31
		b := sel[i] & 31
		high := i&seg | last&^seg
		j, ok := i, false
		switch op.mode {
		case shuffleUp:
			j = i - b
			ok = int32(j) >= int32(high)
		case shuffleDown:
			j = i + b
			ok = j <= high
		case shuffleBfly:
			j = i ^ b
			ok = j <= high
		case shuffleIdx:
			j = i&seg | b&^seg
			ok = j <= high
		}
		if !ok {
			j = i
		} else {
			valid |= 1 << i
		}
		if m>>j&1 != 0 {
			out[i] = src[j]
		} else {
			out[i] = poison * 0x01010101
		}
	}
	blend(&w.regs[in.d], &out, m)
	w.setPred(in.p, valid, m)
}

// voteOp is vote.sync.
type voteOp struct {
	mode string
	p    pred
}

func (v *voteOp) eachPred(f func(p pred)) { f(v.p) }

func decodeVote(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if len(ast.Mods) != 3 || ast.Mods[0] != "sync" {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 3, 3); err != nil {
		return in, err
	}
	op := &voteOp{mode: ast.Mods[1]}
	switch {
	case op.mode == "ballot" && ast.Mods[2] == "b32":
		in.d, err = d.dest(r, ast.Args[0], lanes.B32)
	case (op.mode == "all" || op.mode == "any" || op.mode == "uni") && ast.Mods[2] == "pred":
		in.p, err = d.destPred(r, ast.Args[0])
	default:
		return in, d.unsupported(r)
	}
	if err != nil {
		return in, err
	}
	if op.p, err = d.predicate(r, ast.Args[1]); err != nil {
		return in, err
	}
	in.x, in.exec = op, execVote
	return in, d.warpOp(r, &in, 2)
}

func execVote(w *warp, in *instr, m uint32) {
	op := in.x.(*voteOp)
	v := w.predOf(op.p) & m
	yes := false
	switch op.mode {
	case "ballot":
		w.fill(in.d, v, m)
		return
	case "all":
		yes = v == m
	case "any":
		yes = v != 0
	case "uni":
		yes = v == 0 || v == m
	}
	if yes {
		v = m
	} else {
		v = 0
	}
	w.setPred(in.p, v, m)
}

// fill gives the active lanes of a register one value.
func (w *warp) fill(reg int32, v, m uint32) {
	d := &w.regs[reg]
	for i := range d {
		if m>>i&1 != 0 {
			d[i] = v
		}
	}
}

func decodeMatch(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if len(ast.Mods) != 3 || ast.Mods[1] != "sync" {
		return in, d.unsupported(r)
	}
	all, t := ast.Mods[0] == "all", lanes.ParseType(ast.Mods[2])
	if !all && ast.Mods[0] != "any" || t != lanes.B32 && t != lanes.B64 {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 3, 3); err != nil {
		return in, err
	}
	if in.d, err = d.dest(r, ast.Args[0], lanes.B32); err != nil {
		return in, err
	}
	if ast.Args[0].Pair != "" {
		if in.p, err = d.predName(r, ast.Args[0].Pair, ast.Args[0]); err != nil {
			return in, err
		}
	}
	if in.a, err = d.value(r, ast.Args[1], t); err != nil {
		return in, err
	}
	wide := t == lanes.B64
	in.exec = func(w *warp, in *instr, m uint32) {
		value := func(i int) uint64 {
			if wide {
				return lanes.Wide(&w.regs[in.a])[i]
			}
			return uint64(w.regs[in.a][i])
		}
		var same lanes.V32
		for i := range lanes.Width {
			for j := range lanes.Width {
				if m>>i&(m>>j)&1 != 0 && value(i) == value(j) {
					same[i] |= 1 << j
				}
			}
		}
		if all {
			v, p := uint32(0), uint32(0)
			if same[bits.TrailingZeros32(m)] == m {
				v, p = m, m
			}
			w.fill(in.d, v, m)
			w.setPred(in.p, p, m)
			return
		}
		blend(&w.regs[in.d], &same, m)
	}
	return in, d.warpOp(r, &in, 2)
}

func decodeRedux(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if len(ast.Mods) < 3 || ast.Mods[0] != "sync" {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 3, 3); err != nil {
		return in, err
	}
	name, rest := ast.Mods[1], ast.Mods[2:]
	abs := len(rest) > 0 && rest[0] == "abs"
	if abs {
		rest = rest[1:]
	}
	nan := len(rest) > 0 && rest[0] == "NaN"
	if nan {
		rest = rest[1:]
	}
	if len(rest) != 1 {
		return in, d.unsupported(r)
	}
	f := reduction(name, rest[0], abs, nan)
	if f == nil {
		return in, d.unsupported(r)
	}
	if in.d, err = d.dest(r, ast.Args[0], lanes.B32); err != nil {
		return in, err
	}
	if in.a, err = d.value(r, ast.Args[1], lanes.ParseType(rest[0])); err != nil {
		return in, err
	}
	in.exec = func(w *warp, in *instr, m uint32) {
		src := &w.regs[in.a]
		first := bits.TrailingZeros32(m)
		acc := src[first]
		if abs {
			acc &^= 1 << 31
		}
		for i := first + 1; i < lanes.Width; i++ {
			if m>>i&1 != 0 {
				acc = f(acc, src[i])
			}
		}
		w.fill(in.d, acc, m)
	}
	return in, d.warpOp(r, &in, 2)
}

// reduction returns the function of a redux, nil if there is none of that type.
func reduction(name, typ string, abs, nan bool) func(a, b uint32) uint32 {
	if typ == "f32" {
		if name != "min" && name != "max" {
			return nil
		}
		mods := []string{"f32"}
		if nan {
			mods = append(mods, "NaN")
		}
		op, err := lanes.Lookup(name, mods)
		if err != nil {
			return nil
		}
		return func(a, b uint32) uint32 {
			if abs {
				a, b = a&^(1<<31), b&^(1<<31)
			}
			var d, x, y, z lanes.V32
			x[0], y[0] = a, b
			op.Fn(&d, &x, &y, &z)
			return d[0]
		}
	}
	if abs || nan {
		return nil
	}
	switch name + "." + typ {
	case "add.u32", "add.s32":
		return func(a, b uint32) uint32 { return a + b }
	case "min.u32":
		return func(a, b uint32) uint32 { return min(a, b) }
	case "max.u32":
		return func(a, b uint32) uint32 { return max(a, b) }
	case "min.s32":
		return func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }
	case "max.s32":
		return func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }
	case "and.b32":
		return func(a, b uint32) uint32 { return a & b }
	case "or.b32":
		return func(a, b uint32) uint32 { return a | b }
	case "xor.b32":
		return func(a, b uint32) uint32 { return a ^ b }
	}
	return nil
}

func decodeActiveMask(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	if err := d.wantArgs(r, 1, 1); err != nil {
		return in, err
	}
	if len(r.src.ast.Mods) != 1 || r.src.ast.Mods[0] != "b32" {
		return in, d.unsupported(r)
	}
	in.d, err = d.dest(r, r.src.ast.Args[0], lanes.B32)
	in.class = classShuffle
	in.exec = func(w *warp, in *instr, m uint32) { w.fill(in.d, m, m) }
	return in, err
}

// decodeElect decodes elect.sync: the lowest lane is the leader.
func decodeElect(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if len(ast.Mods) != 1 || ast.Mods[0] != "sync" {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	if in.d, err = d.dest(r, ast.Args[0], lanes.B32); err != nil {
		return in, err
	}
	if in.p, err = d.predName(r, ast.Args[0].Pair, ast.Args[0]); err != nil {
		return in, err
	}
	in.exec = func(w *warp, in *instr, m uint32) {
		leader := bits.TrailingZeros32(m)
		w.fill(in.d, uint32(leader), m)
		w.setPred(in.p, 1<<leader, m)
	}
	return in, d.warpOp(r, &in, 1)
}
