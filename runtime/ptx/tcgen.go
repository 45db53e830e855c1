package ptx

import (
	"slices"
	"strings"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
	"tilec/runtime/ptx/tensor"
)

// decodeTcgen decodes tcgen05, the tensor cores of the 5th generation. Sparse products,
// those with stationary weights (.ws) and conversions on the way are refused.
func decodeTcgen(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if len(ast.Mods) == 0 {
		return in, d.unsupported(r)
	}
	d.prog.hopper = true
	in.class, in.exec = classTensor, execNothing
	switch ast.Mods[0] {
	case "fence::before_thread_sync", "fence::after_thread_sync", "wait::ld", "wait::st":
		return in, d.wantArgs(r, 0, 0)
	case "alloc", "dealloc", "relinquish_alloc_permit":
		return d.decodeTmemAlloc(r, in)
	case "ld", "st":
		return d.decodeTmemAccess(r, in)
	case "commit":
		return d.decodeTcCommit(r, in)
	case "cp":
		return d.decodeTcCopy(r, in)
	case "shift":
		return d.decodeTcShift(r, in)
	case "mma":
		return d.decodeTcMMA(r, in)
	}
	return in, d.unsupported(r)
}

// takeGroup removes the modifier that tells whether the pair of blocks takes part.
func takeGroup(mods []string) (rest []string, pair, ok bool) {
	i := slices.IndexFunc(mods, func(s string) bool { return s == "cta_group::1" || s == "cta_group::2" })
	if i < 0 {
		return nil, false, false
	}
	return slices.Delete(slices.Clone(mods), i, i+1), mods[i] == "cta_group::2", true
}

func (d *decoder) decodeTmemAlloc(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	op := &tmemAlloc{addr: none, columns: none}
	mods, _, ok := takeGroup(ast.Mods[1:])
	for _, m := range mods {
		sp, isSpace := parseSpace(m)
		switch {
		case isSpace && sp == shared && ast.Mods[0] == "alloc":
			op.dst.space = shared
		case m == "sync" || m == "aligned" || m == "b32":
		default:
			ok = false
		}
	}
	if !ok {
		return in, d.unsupported(r)
	}
	in.kind, in.c, in.x, in.exec = opSync, wholeWarp, op, execTmemAlloc
	if ast.Mods[0] == "relinquish_alloc_permit" {
		return in, d.wantArgs(r, 0, 0)
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	var err error
	if op.columns, err = d.value(r, ast.Args[1], lanes.U32); err != nil {
		return in, err
	}
	if ast.Mods[0] == "alloc" {
		op.dst.bytes = 4
		return in, d.memAddress(r, &op.dst, ast.Args[0])
	}
	op.addr, err = d.value(r, ast.Args[0], lanes.B32)
	return in, err
}

func (d *decoder) decodeTcCommit(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	op := &tcCommit{bar: memOp{size: 8, bytes: 8}, mask: none}
	mods, _, ok := takeGroup(ast.Mods[1:])
	arrive, multicast := false, false
	for _, m := range mods {
		sp, isSpace := parseSpace(m)
		switch {
		case m == "mbarrier::arrive::one":
			arrive = true
		case isSpace && sp == shared:
			op.bar.space = shared
		case m == "multicast::cluster":
			multicast = true
		case m == "b64":
		default:
			ok = false
		}
	}
	if !ok || !arrive {
		return in, d.unsupported(r)
	}
	n := 1
	if multicast {
		n = 2
	}
	if err := d.wantArgs(r, n, n); err != nil {
		return in, err
	}
	if multicast {
		var err error
		if op.mask, err = d.value(r, ast.Args[1], lanes.U16); err != nil {
			return in, err
		}
	}
	in.x, in.exec = op, execTcCommit
	return in, d.memAddress(r, &op.bar, ast.Args[0])
}

func (d *decoder) decodeTcCopy(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	op := &tcCopy{}
	mods, pair, ok := takeGroup(ast.Mods[1:])
	op.pair = pair
	switch strings.Join(mods, ".") {
	case "128x256b":
		op.rows, op.columns = 128, 8
	case "4x256b":
		op.rows, op.columns = 4, 8
	case "128x128b":
		op.rows, op.columns = 128, 4
	case "64x128b.warpx2::02_13":
		op.rows, op.columns, op.copies = 64, 4, []int{0, 64}
	case "64x128b.warpx2::01_23":
		op.rows, op.columns, op.copies = 64, 4, []int{0, 32}
	case "32x128b.warpx4":
		op.rows, op.columns, op.copies = 32, 4, []int{0, 32, 64, 96}
	default:
		ok = false
	}
	if !ok {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	var err error
	if op.addr, op.off, err = d.tmemAddress(r, ast.Args[0]); err != nil {
		return in, err
	}
	in.x, in.exec = op, execTcCopy
	op.desc, err = d.value(r, ast.Args[1], lanes.B64)
	return in, err
}

func (d *decoder) decodeTcShift(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	op := &tcShift{}
	mods, pair, ok := takeGroup(ast.Mods[1:])
	if !ok || !slices.Equal(mods, []string{"down"}) {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 1, 1); err != nil {
		return in, err
	}
	var err error
	op.pair = pair
	op.addr, op.off, err = d.tmemAddress(r, ast.Args[0])
	in.x, in.exec = op, execTcShift
	return in, err
}

func (d *decoder) decodeTcMMA(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	op := &tcMMA{descA: none}
	mods, pair, ok := takeGroup(ast.Mods[1:])
	scaled := false
	for _, m := range mods {
		switch {
		case strings.HasPrefix(m, "kind::") && tensor.KnownKind(m[6:]):
			op.kind = m[6:]
		case m == "block_scale":
			scaled = true
		case strings.HasPrefix(m, "scale_vec::"):
			op.vector = m[11:]
		case m == "block16":
			op.vector = "4X"
		case m == "block32":
			op.vector = ""
		case strings.HasPrefix(m, "collector::a::"):
		default:
			ok = false
		}
	}
	if slices.Contains(mods, "block32") && op.kind == "mxf4nvf4" {
		op.vector = "2X"
	}
	if !ok || op.kind == "" || scaled != tensor.Scaled(op.kind) {
		return in, d.unsupported(r)
	}
	op.pair = pair
	args := ast.Args
	if len(args) < 5 {
		return in, d.wantArgs(r, 5, 7)
	}
	var err error
	if op.addr, op.off, err = d.tmemAddress(r, args[0]); err != nil {
		return in, err
	}
	if args[1].Kind == syntax.Addr {
		op.addrA, op.offA, err = d.tmemAddress(r, args[1])
	} else {
		op.descA, err = d.value(r, args[1], lanes.B64)
	}
	if err != nil {
		return in, err
	}
	if op.descB, err = d.value(r, args[2], lanes.B64); err != nil {
		return in, err
	}
	if op.idesc, err = d.value(r, args[3], lanes.B32); err != nil {
		return in, err
	}
	args = args[4:]
	if scaled {
		for i := range 2 {
			if len(args) < 3 {
				return in, d.wantArgs(r, 7, 7)
			}
			s := tcFactors{}
			if s.addr, s.off, err = d.tmemAddress(r, args[i]); err != nil {
				return in, err
			}
			op.factors = append(op.factors, s)
		}
		args = args[2:]
	}
	if args[0].Kind == syntax.Vector { // lanes of D that stay as they are
		if n := len(args[0].Elems); scaled || n != 4 && !pair || n != 8 && pair {
			return in, d.unsupported(r)
		}
		for _, e := range args[0].Elems {
			reg, err := d.value(r, e, lanes.B32)
			if err != nil {
				return in, err
			}
			op.skip = append(op.skip, reg)
		}
		args = args[1:]
	}
	if len(args) < 1 || len(args) > 2 || len(args) == 2 && (scaled || args[1].Kind != syntax.Lit || args[1].Lit.Int > 15) {
		return in, d.errorf(ast.Pos, "%s with %d operands", ast.Form(), len(ast.Args))
	}
	if len(args) == 2 {
		op.scaleD = int(args[1].Lit.Int)
	}
	in.x, in.exec = op, execTcMMA
	op.add, err = d.predicate(r, args[0])
	return in, err
}
