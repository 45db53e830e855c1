package ptx

import "tilec/runtime/ptx/lanes"

// special names a special register that is fixed while a block runs.
type special uint8

const (
	tidX special = iota + 1
	tidY
	tidZ
	ntidX
	ntidY
	ntidZ
	ctaidX
	ctaidY
	ctaidZ
	nctaidX
	nctaidY
	nctaidZ
	laneID
	warpID
	nwarpID
	smID
	nsmID
	gridID
	maskEQ
	maskLE
	maskLT
	maskGE
	maskGT
	dynamicShared
	totalShared
	zero
	one
)

// specials are the special registers by name (PTX ISA, "Special Registers").
var specials = map[string]special{
	"%tid.x": tidX, "%tid.y": tidY, "%tid.z": tidZ, "%tid": tidX,
	"%ntid.x": ntidX, "%ntid.y": ntidY, "%ntid.z": ntidZ, "%ntid": ntidX,
	"%ctaid.x": ctaidX, "%ctaid.y": ctaidY, "%ctaid.z": ctaidZ, "%ctaid": ctaidX,
	"%nctaid.x": nctaidX, "%nctaid.y": nctaidY, "%nctaid.z": nctaidZ, "%nctaid": nctaidX,
	"%laneid": laneID, "%warpid": warpID, "%nwarpid": nwarpID, "%smid": smID, "%nsmid": nsmID, "%gridid": gridID,
	"%lanemask_eq": maskEQ, "%lanemask_le": maskLE, "%lanemask_lt": maskLT, "%lanemask_ge": maskGE, "%lanemask_gt": maskGT,
	"%dynamic_smem_size": dynamicShared, "%total_smem_size": totalShared, "%aggr_smem_size": totalShared,
	// Without clusters each block is a cluster of its own.
	"%cluster_ctaid.x": zero, "%cluster_ctaid.y": zero, "%cluster_ctaid.z": zero, "%cluster_ctarank": zero,
	"%cluster_nctaid.x": one, "%cluster_nctaid.y": one, "%cluster_nctaid.z": one, "%cluster_nctarank": one,
	"%clusterid.x": ctaidX, "%clusterid.y": ctaidY, "%clusterid.z": ctaidZ,
	"%nclusterid.x": nctaidX, "%nclusterid.y": nctaidY, "%nclusterid.z": nctaidZ,
	"%is_explicit_cluster": zero,
}

// clocks are the special registers that change while a thread looks: the width of each.
var clocks = map[string]lanes.Type{
	"%clock": lanes.U32, "%clock_hi": lanes.U32, "%clock64": lanes.U64,
	"%globaltimer": lanes.U64, "%globaltimer_lo": lanes.U32, "%globaltimer_hi": lanes.U32,
}

// fillSpecials sets the registers that hold special registers, for the warp's block.
func (w *warp) fillSpecials(list []specialReg) {
	for _, s := range list {
		v := &w.regs[s.reg]
		for lane := range v {
			x := w.special(s.kind, uint32(lane))
			if s.wide {
				lanes.Wide(v)[lane] = uint64(x)
			} else {
				v[lane] = x
			}
		}
	}
}

func (w *warp) special(kind special, lane uint32) uint32 {
	c := w.cta
	t := uint32(w.id)*lanes.Width + lane
	bx, by := uint32(c.run.block[0]), uint32(c.run.block[1])
	switch kind {
	case tidX:
		return t % bx
	case tidY:
		return t / bx % by
	case tidZ:
		return t / bx / by
	case ntidX, ntidY, ntidZ:
		return uint32(c.run.block[kind-ntidX])
	case ctaidX, ctaidY, ctaidZ:
		return uint32(c.pos[kind-ctaidX])
	case nctaidX, nctaidY, nctaidZ:
		return uint32(c.run.grid[kind-nctaidX])
	case laneID:
		return lane
	case warpID:
		return uint32(w.id)
	case nwarpID:
		return uint32(len(c.warps))
	case smID:
		return 0
	case nsmID:
		return 1
	case maskEQ:
		return 1 << lane
	case maskLT:
		return 1<<lane - 1
	case maskLE:
		return 2<<lane - 1
	case maskGT:
		return ^(2<<lane - 1)
	case maskGE:
		return ^(1<<lane - 1)
	case dynamicShared:
		return uint32(c.run.cfg.SharedBytes)
	case totalShared:
		return uint32(c.run.prog.shared.static + c.run.cfg.SharedBytes)
	case one:
		return 1
	}
	return 0 // gridID, zero
}
