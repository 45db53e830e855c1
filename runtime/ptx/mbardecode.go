package ptx

import (
	"slices"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// decodeMbarrier decodes mbarrier (PTX ISA, "mbarrier").
func decodeMbarrier(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	op := &mbarOp{memOp: memOp{size: 8, bytes: 8}, count: none}
	name, expect, try := "", false, false
	typed := false
	for _, m := range ast.Mods {
		sp, isSpace := parseSpace(m)
		switch {
		case name == "":
			name = m
		case isSpace && sp == shared:
			op.space = shared
		case m == "expect_tx" && (name == "arrive" || name == "arrive_drop"):
			expect = true
		case m == "noComplete" && (name == "arrive" || name == "arrive_drop"):
			op.partial = true
		case m == "parity" && (name == "test_wait" || name == "try_wait"):
			op.parity = true
		case m == "release" || m == "acquire" || m == "cta" || m == "cluster":
		case m == "relaxed":
			op.relaxed = true
		case m == "b64":
			typed = true
		default:
			return in, d.unsupported(r)
		}
	}
	if !typed {
		return in, d.unsupported(r)
	}
	d.prog.hopper = true
	in.class, in.x, in.exec = classBarrier, op, execMbarrier
	args := ast.Args
	switch name {
	case "init":
		op.kind = mbarInit
	case "inval":
		op.kind = mbarInval
	case "expect_tx":
		op.kind = mbarExpect
	case "complete_tx":
		op.kind = mbarComplete
	case "arrive", "arrive_drop":
		op.kind, op.expect, op.drop = mbarArrive, expect, name == "arrive_drop"
		if len(args) < 2 {
			return in, d.wantArgs(r, 2, 3)
		}
		if args[0].Kind != syntax.Discard {
			if in.d, err = d.dest(r, args[0], lanes.B64); err != nil {
				return in, err
			}
		}
		args = args[1:]
	case "test_wait", "try_wait":
		op.kind, try = mbarTest, name == "try_wait"
		if len(args) < 3 {
			return in, d.wantArgs(r, 3, 4)
		}
		if in.p, err = d.destPred(r, args[0]); err != nil {
			return in, err
		}
		args = args[1:]
		if try && len(args) == 3 { // a hint of how long to wait
			args = args[:2]
		}
		in.kind, in.exec = opAwait, execMbarTest
	case "pending_count":
		return d.decodePendingCount(r, in)
	default:
		return in, d.unsupported(r)
	}
	lo, hi := 2, 2
	switch {
	case op.kind == mbarInval:
		lo, hi = 1, 1
	case op.kind == mbarArrive && !expect && !op.partial:
		lo = 1
	}
	if len(args) < lo || len(args) > hi {
		return in, d.errorf(ast.Pos, "%s with %d operands", ast.Form(), len(ast.Args))
	}
	if err := d.memAddress(r, &op.memOp, args[0]); err != nil {
		return in, err
	}
	if len(args) > 1 {
		t := lanes.U32
		if op.kind == mbarTest && !op.parity {
			t = lanes.B64
		}
		op.count, err = d.value(r, args[1], t)
	}
	return in, err
}

// decodePendingCount reads the arrivals out of the state that an arrive gave.
func (d *decoder) decodePendingCount(r *raw, in instr) (instr, error) {
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	var err error
	if in.d, err = d.dest(r, r.src.ast.Args[0], lanes.U32); err != nil {
		return in, err
	}
	in.a, err = d.value(r, r.src.ast.Args[1], lanes.B64)
	in.x = nil
	in.exec = func(w *warp, in *instr, m uint32) {
		var out lanes.V32
		for i, v := range lanes.Wide(&w.regs[in.a]) {
			out[i] = uint32(v & maxArrivals)
		}
		blend(&w.regs[in.d], &out, m)
	}
	return in, err
}

// decodeCopyArrive decodes cp.async.mbarrier.arrive: an arrival once the thread's copies so far have landed.
func (d *decoder) decodeCopyArrive(r *raw, in instr, mods []string) (instr, error) {
	op := &mbarOp{memOp: memOp{size: 8, bytes: 8}, kind: mbarCopies, count: none}
	for _, m := range mods {
		sp, isSpace := parseSpace(m)
		switch {
		case m == "noinc":
			op.noinc = true
		case isSpace && sp == shared:
			op.space = shared
		case m == "b64":
		default:
			return in, d.unsupported(r)
		}
	}
	if !slices.Contains(mods, "b64") {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 1, 1); err != nil {
		return in, err
	}
	d.prog.hopper = true
	in.class, in.x, in.exec = classAsync, op, execMbarrier
	return in, d.memAddress(r, &op.memOp, r.src.ast.Args[0])
}
