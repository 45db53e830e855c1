package ptx

import (
	"slices"
	"strings"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/syntax"
)

// decodeFunc decodes the instructions of one opcode.
type decodeFunc func(d *decoder, r *raw) (instr, error)

// opcodes are the instructions that need more of the machine than its registers.
func opcode(name string) decodeFunc {
	switch name {
	case "mov":
		return decodeMove
	case "and", "or", "xor", "not":
		return decodeLogic
	case "bra":
		return decodeBranch
	case "brx":
		return decodeIndexed
	case "ret", "exit":
		return decodeReturn
	case "trap", "brkpt":
		return decodeTrap
	case "ld", "ldu", "st":
		return decodeAccess
	case "cvta":
		return decodeCvta
	case "isspacep":
		return decodeIsSpace
	case "atom", "red":
		return decodeAtomic
	case "bar", "barrier":
		return decodeBarrier
	case "membar", "fence":
		return decodeFence
	case "shfl":
		return decodeShuffle
	case "vote":
		return decodeVote
	case "match":
		return decodeMatch
	case "redux":
		return decodeRedux
	case "activemask":
		return decodeActiveMask
	case "elect":
		return decodeElect
	case "cp":
		return decodeCopy
	case "ldmatrix", "stmatrix":
		return decodeMatrixAccess
	case "movmatrix":
		return decodeMoveMatrix
	case "mma":
		return decodeMMA
	case "wmma":
		return decodeWMMA
	case "mbarrier":
		return decodeMbarrier
	case "wgmma":
		return decodeWGMMA
	case "tcgen05":
		return decodeTcgen
	case "multimem":
		return decodeMultimem
	case "clusterlaunchcontrol":
		return decodeLaunchControl
	case "tensormap":
		return decodeTensorMap
	case "mapa", "getctarank":
		return decodeMapa
	case "nanosleep", "pmevent", "prefetch", "prefetchu", "discard", "applypriority", "griddepcontrol", "setmaxnreg":
		return decodeHint
	case "createpolicy":
		return decodePolicy
	}
	if lanes.Known(name) {
		return decodeALU
	}
	return nil
}

func (d *decoder) decode(r *raw) (instr, error) {
	if r.made != nil {
		return r.made(d, r)
	}
	f := opcode(r.src.ast.Op)
	if f == nil {
		return instr{}, d.unsupported(r)
	}
	return f(d, r)
}

func decodeBranch(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if len(ast.Mods) > 1 || len(ast.Mods) == 1 && ast.Mods[0] != "uni" {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 1, 1); err != nil {
		return in, err
	}
	t, ok := r.scope.label(ast.Args[0].Name)
	if !ok {
		return in, d.errorf(ast.Pos, "label %s is not defined", ast.Args[0].Name)
	}
	in.kind, in.target, in.class = opBranch, int32(t), classBranch
	return in, nil
}

func decodeIndexed(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if len(ast.Mods) == 0 || ast.Mods[0] != "idx" {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	if in.a, err = d.value(r, ast.Args[0], lanes.U32); err != nil {
		return in, err
	}
	var list *syntax.Targets
	for s := r.scope; s != nil && list == nil; s = s.outer {
		list = s.targets[ast.Args[1].Name]
	}
	if list == nil {
		return in, d.errorf(ast.Pos, "target list %s is not defined", ast.Args[1].Name)
	}
	var targets []int32
	for _, n := range list.Names {
		t, ok := r.scope.label(n)
		if !ok {
			return in, d.errorf(list.Pos, "label %s is not defined", n)
		}
		targets = append(targets, int32(t))
	}
	in.kind, in.x, in.class = opIndex, targets, classBranch
	return in, nil
}

func decodeReturn(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	in.kind, in.class = opExit, classBranch
	if r.src.ast.Op == "ret" && r.ret != nil {
		in.kind, in.target = opBranch, int32(*r.ret)
	}
	return in, err
}

// decodeTrap ends the grid with a finding.
func decodeTrap(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	in.class = classOther
	if r.src.ast.Op == "trap" {
		in.kind, in.exec = opExit, execTrap
		return in, err
	}
	in.exec = execNothing
	return in, err
}

func execTrap(w *warp, in *instr, m uint32) {
	w.report(in, m, Finding{Kind: Trap, Msg: "trap"})
	w.cta.run.stop()
}

func execNothing(*warp, *instr, uint32) {}

// decodeHint decodes instructions that change nothing that the machine models.
func decodeHint(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	in.class, in.exec = classOther, execNothing
	return in, err
}

// decodePolicy decodes createpolicy: a cache policy is an opaque word.
func decodePolicy(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	if err := d.wantArgs(r, 1, 4); err != nil {
		return in, err
	}
	in.d, err = d.dest(r, r.src.ast.Args[0], lanes.B64)
	in.class, in.wide, in.exec = classOther, true, execALU
	in.a = d.constReg(0, true)
	in.fn = func(d, a, _, _ *lanes.V32) { *lanes.Wide(d) = *lanes.Wide(a) }
	return in, err
}

// fenceOp says which fence it is.
type fenceOp struct {
	wide  bool // reaches beyond the block
	proxy bool // between the generic and the async proxy: it orders nothing else
	none  bool // of proxies that the machine doesn't tell apart
	// maps, if it has bytes, is the tensor map whose changes it brings.
	maps memOp
}

func (op *fenceOp) eachReg(f func(r *int32, write bool)) {
	if op.maps.bytes != 0 {
		f(&op.maps.addr, false)
	}
}

// decodeFence decodes membar and fence. Warps of one machine see memory in
// order, so only the checker takes notice.
func decodeFence(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	mods := r.src.ast.Mods
	op := &fenceOp{wide: !slices.Contains(mods, "cta")}
	if len(mods) > 0 && mods[0] == "proxy" {
		op.proxy = len(mods) > 1 && (mods[1] == "async" || strings.HasPrefix(mods[1], "async::"))
		op.none = !op.proxy
	}
	in.class, in.exec, in.x = classOther, execFence, op
	if err == nil && slices.Contains(mods, "tensormap::generic") && slices.Contains(mods, "acquire") {
		if err = d.wantArgs(r, 2, 2); err == nil {
			op.maps.bytes = mapBytes
			err = d.memAddress(r, &op.maps, r.src.ast.Args[0])
		}
	}
	return in, err
}

func execFence(w *warp, in *instr, m uint32) {
	switch op := in.x.(*fenceOp); {
	case op.maps.bytes != 0:
		w.acquireMaps(&op.maps, m)
	case op.none:
	case op.proxy:
		w.fenceProxy()
	default:
		w.fence(op.wide)
	}
}

// decodeCvta decodes cvta, between a space's addresses and generic ones.
func decodeCvta(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	mods := slices.Clone(ast.Mods)
	to := len(mods) > 0 && mods[0] == "to"
	if to {
		mods = mods[1:]
	}
	if len(mods) != 2 || mods[1] != "u64" {
		return in, d.unsupported(r)
	}
	sp, ok := parseSpace(mods[0])
	if !ok {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	if in.d, err = d.dest(r, ast.Args[0], lanes.B64); err != nil {
		return in, err
	}
	if in.a, err = d.value(r, ast.Args[1], lanes.B64); err != nil {
		return in, err
	}
	delta := windowOf(sp)
	if to {
		delta = -delta
	}
	in.b = d.constReg(delta, true)
	in.class, in.wide, in.exec = classInt, true, execALU
	in.fn = func(d, a, b, _ *lanes.V32) {
		dd, aa, bb := lanes.Wide(d), lanes.Wide(a), lanes.Wide(b)
		for i := range dd {
			dd[i] = aa[i] + bb[i]
		}
	}
	return in, nil
}

// decodeIsSpace decodes isspacep: does a generic address lie in the space?
func decodeIsSpace(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	if err := d.wantArgs(r, 2, 2); err != nil {
		return in, err
	}
	if len(ast.Mods) != 1 {
		return in, d.unsupported(r)
	}
	sp, ok := parseSpace(ast.Mods[0])
	if !ok {
		return in, d.unsupported(r)
	}
	if in.p, err = d.destPred(r, ast.Args[0]); err != nil {
		return in, err
	}
	if in.a, err = d.value(r, ast.Args[1], lanes.B64); err != nil {
		return in, err
	}
	in.class, in.exec = classInt, func(w *warp, in *instr, m uint32) {
		v := uint32(0)
		for i, a := range lanes.Wide(&w.regs[in.a]) {
			if got, _ := splitGeneric(a); got == sp {
				v |= 1 << i
			}
		}
		w.setPred(in.p, v, m)
	}
	return in, nil
}

// parseSpace reads the name of a state space.
func parseSpace(name string) (space, bool) {
	switch name {
	case "global":
		return global, true
	case "shared", "shared::cta", "shared::cluster":
		return shared, true
	case "local":
		return local, true
	case "const":
		return constant_, true
	case "param", "param::entry", "param::func":
		return paramSpace, true
	}
	return generic, false
}

// Generic addresses of the spaces other than global are windows of the address space.
const (
	windowShared = 0x0700_0000_0000
	windowLocal  = 0x0701_0000_0000
	windowParam  = 0x0702_0000_0000
	windowSize   = 0x0001_0000_0000
	globalStart  = 0x7000_0000_0000
)

// windowOf is what is added to an address of the space to make it generic.
// Constant variables live among the global ones.
func windowOf(s space) uint64 {
	switch s {
	case shared:
		return windowShared
	case local:
		return windowLocal
	case paramSpace:
		return windowParam
	}
	return 0
}

// splitGeneric gives the space of a generic address and the address in it.
func splitGeneric(a uint64) (space, uint64) {
	switch a / windowSize {
	case windowShared / windowSize:
		return shared, a % windowSize
	case windowLocal / windowSize:
		return local, a % windowSize
	case windowParam / windowSize:
		return paramSpace, a % windowSize
	}
	return global, a
}
