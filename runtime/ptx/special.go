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
	clusterCtaidX
	clusterCtaidY
	clusterCtaidZ
	clusterNctaidX
	clusterNctaidY
	clusterNctaidZ
	clusteridX
	clusteridY
	clusteridZ
	nclusteridX
	nclusteridY
	nclusteridZ
	clusterRank
	clusterSize
	explicitCluster
	gridWorkspaceHigh
	gridWorkspaceLow
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
	"%cluster_ctaid.x": clusterCtaidX, "%cluster_ctaid.y": clusterCtaidY, "%cluster_ctaid.z": clusterCtaidZ, "%cluster_ctarank": clusterRank,
	"%cluster_nctaid.x": clusterNctaidX, "%cluster_nctaid.y": clusterNctaidY, "%cluster_nctaid.z": clusterNctaidZ, "%cluster_nctarank": clusterSize,
	"%clusterid.x": clusteridX, "%clusterid.y": clusteridY, "%clusterid.z": clusteridZ,
	"%nclusterid.x": nclusteridX, "%nclusterid.y": nclusteridY, "%nclusterid.z": nclusteridZ,
	"%is_explicit_cluster": explicitCluster,
	"%envreg1":             gridWorkspaceHigh, "%envreg2": gridWorkspaceLow,
}

// timers are the special registers that change while a thread looks: the width of each.
var timers = map[string]lanes.Type{
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
	case clusterCtaidX, clusterCtaidY, clusterCtaidZ:
		i := kind - clusterCtaidX
		return uint32(c.pos[i] % c.run.cluster[i])
	case clusterNctaidX, clusterNctaidY, clusterNctaidZ:
		return uint32(c.run.cluster[kind-clusterNctaidX])
	case clusteridX, clusteridY, clusteridZ:
		i := kind - clusteridX
		return uint32(c.pos[i] / c.run.cluster[i])
	case nclusteridX, nclusteridY, nclusteridZ:
		i := kind - nclusteridX
		return uint32(c.run.grid[i] / c.run.cluster[i])
	case clusterRank:
		return uint32(c.rank)
	case clusterSize:
		return uint32(len(c.cluster.ctas))
	case explicitCluster:
		if len(c.cluster.ctas) > 1 {
			return 1
		}
	case gridWorkspaceHigh:
		return uint32(c.run.workspace >> 32)
	case gridWorkspaceLow:
		return uint32(c.run.workspace)
	}
	return 0 // gridID
}
