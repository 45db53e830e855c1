package ptx

import (
	"strconv"
	"strings"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// decodeBulk decodes what follows cp.async.bulk, or cp.reduce.async.bulk.
func (d *decoder) decodeBulk(r *raw, in instr, mods []string, reduce bool) (instr, error) {
	d.prog.hopper = true
	if !reduce && len(mods) > 0 {
		switch mods[0] {
		case "commit_group":
			in.exec = execBulkCommit
			return in, d.wantArgs(r, 0, 0)
		case "wait_group":
			return d.decodeBulkWait(r, in, mods[1:])
		case "prefetch":
			in.exec = execNothing
			return in, nil
		}
	}
	op := &bulkOp{size: none, mask: none}
	op.shared.space, op.other.space = shared, global
	var spaces []string
	var typ lanes.Type
	function, multicast, policy, barrier, group, noftz := "", false, false, false, false, false
	for _, m := range mods {
		sp, isSpace := parseSpace(m)
		switch {
		case m == "tensor":
			op.tensor = true
		case op.tensor && len(m) == 2 && m[1] == 'd':
			op.rank, _ = strconv.Atoi(m[:1])
		case isSpace && (sp == shared || sp == global):
			spaces = append(spaces, sp.String())
		case m == "tile":
		case m == "tile::gather4" || m == "tile::scatter4":
			op.picks = m[len("tile::"):]
		case m == "im2col" || m == "im2col_no_offs":
			op.im2col = true
		case m == "mbarrier::complete_tx::bytes":
			barrier = true
		case m == "bulk_group":
			group = true
		case m == "multicast::cluster":
			multicast = true
		case m == "L2::cache_hint":
			policy = true
		case m == "cta_group::1" || m == "cta_group::2":
			op.pair = m == "cta_group::2"
		case reduce && m == "noftz":
			noftz = true
		case reduce && lanes.ParseType(m) != lanes.NoType:
			typ = lanes.ParseType(m)
		case reduce && function == "" && !strings.Contains(m, "::"):
			function = m
		default:
			return in, d.unsupported(r)
		}
	}
	if len(spaces) != 2 || op.tensor && (op.rank < 1 || op.rank > 5 || op.im2col && op.rank < 3) || op.im2col && !op.tensor || barrier == group {
		return in, d.unsupported(r)
	}
	op.load = spaces[0] == "shared"
	op.local = op.load && spaces[1] == "shared"
	if op.load != barrier || !op.load && spaces[1] != "shared" || op.local && (op.tensor || multicast) || reduce && op.load || multicast && !op.load {
		return in, d.unsupported(r)
	}
	if op.local {
		op.other.space = shared
	}
	if want := map[bool]string{true: "gather4", false: "scatter4"}[op.load]; op.picks != "" && (op.picks != want || op.rank != 2 || op.im2col || reduce) {
		return in, d.unsupported(r)
	}
	if reduce && !op.tensor {
		if op.reduce, _ = atomicFunc(function, typ, noftz); op.reduce == nil || function == "exch" || function == "cas" {
			return in, d.unsupported(r)
		}
		op.elem = typ.Bytes()
	}
	if reduce && op.tensor {
		op.function = function
		if _, ok := tensorReduction(function, "", 4); !ok {
			return in, d.unsupported(r)
		}
	}
	in.x, in.exec = op, execBulk
	return in, d.bulkOperands(r, op, multicast, policy)
}

func (d *decoder) bulkOperands(r *raw, op *bulkOp, multicast, policy bool) error {
	ast := r.src.ast
	args := ast.Args
	n := 2
	if !op.tensor {
		n++
	}
	if op.load {
		n++
	}
	if multicast {
		n++
	}
	if policy {
		n++
	}
	if op.im2col && op.load {
		n++
	}
	if len(args) != n {
		return d.errorf(ast.Pos, "%s with %d operands", ast.Form(), len(args))
	}
	dst, src := args[0], args[1]
	args = args[2:]
	inShared, other := dst, src
	if !op.load {
		inShared, other = src, dst
	}
	if op.tensor {
		n := op.rank
		if op.picks != "" {
			n = 5 // the column and four rows
		}
		if len(other.Elems) != 1 || other.Elems[0].Kind != syntax.Vector || len(other.Elems[0].Elems) != n {
			return d.errorf(other.Pos, "%s needs [map, {%d coordinates}]", ast.Form(), n)
		}
		for _, c := range other.Elems[0].Elems {
			reg, err := d.value(r, c, lanes.S32)
			if err != nil {
				return err
			}
			op.coords = append(op.coords, reg)
		}
		other.Elems = nil
		op.other.space = generic
	}
	if err := d.memAddress(r, &op.shared, inShared); err != nil {
		return err
	}
	if err := d.memAddress(r, &op.other, other); err != nil {
		return err
	}
	var err error
	if !op.tensor {
		if op.size, err = d.value(r, args[0], lanes.U32); err != nil {
			return err
		}
		args = args[1:]
	}
	if op.load {
		op.bar = memOp{space: shared, size: 8, bytes: 8}
		if err := d.memAddress(r, &op.bar, args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	if op.im2col && op.load {
		o := args[0]
		if o.Kind != syntax.Vector || len(o.Elems) != op.rank-2 {
			return d.errorf(o.Pos, "%s needs {%d offsets}", ast.Form(), op.rank-2)
		}
		for _, e := range o.Elems {
			reg, err := d.value(r, e, lanes.U16)
			if err != nil {
				return err
			}
			op.offsets = append(op.offsets, reg)
		}
		args = args[1:]
	}
	if multicast {
		op.mask, err = d.value(r, args[0], lanes.U16)
	}
	return err
}

func (d *decoder) decodeBulkWait(r *raw, in instr, mods []string) (instr, error) {
	op := &bulkWaitOp{}
	for _, m := range mods {
		if m != "read" {
			return in, d.unsupported(r)
		}
		op.read = true
	}
	if err := d.wantArgs(r, 1, 1); err != nil {
		return in, err
	}
	n := r.src.ast.Args[0]
	if n.Kind != syntax.Lit || n.Lit.Kind != syntax.IntLit || n.Lit.Int > 1<<30 {
		return in, d.errorf(n.Pos, "the count of %s must be an immediate", r.src.ast.Form())
	}
	op.keep = int(n.Lit.Int)
	in.x, in.exec = op, execBulkWait
	return in, nil
}

// tensorReduction is the function of a tensor's reduction, whose element type the map
// tells: a float by name, or else an unsigned integer of that many bytes.
func tensorReduction(function, float string, bytes int) (func(old, b, c uint64) uint64, bool) {
	t := map[int]lanes.Type{4: lanes.U32, 8: lanes.U64}[bytes]
	noftz := false
	if float != "" {
		t = lanes.ParseType(float)
		noftz = t == lanes.F16 || t == lanes.BF16
	}
	if function == "and" || function == "or" || function == "xor" {
		t = map[int]lanes.Type{4: lanes.B32, 8: lanes.B64}[bytes]
	}
	if function == "exch" || function == "cas" {
		return nil, false
	}
	f, _ := atomicFunc(function, t, noftz)
	return f, f != nil
}
