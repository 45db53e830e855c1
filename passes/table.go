package passes

// Front returns the passes that every target begins with: they work on what is computed, not on where.
func Front() []Pass {
	return []Pass{
		// First, so that every later pass sees short expressions and few masks.
		{Name: "simplify", Doc: "folds, drops masks that always hold and code that does nothing", Run: simplify},
		// Before fuse, which then finds one use less of the scaled tile.
		{Name: "unscale", Doc: "takes a positive factor out of a maximum where the scaled tile then goes", Run: unscale},
		// Before placement: a tile that is fused away needs no memory.
		{Name: "fuse", Doc: "computes a tile where it is used, if that is one place", Run: fuse},
		// After fuse: what is loaded once is not to be put back.
		{Name: "share", Doc: "loads once what several elements of an operation use", Run: share},
		// What was fused stands under the conditions of its new place.
		{Name: "simplify-fused", Doc: "simplifies again", Run: simplify},
	}
}

// Detach returns the pass that every target needs before it gives tiles a memory.
func Detach() Pass {
	return Pass{Name: "detach", Doc: "computes into a new tile what reads the old values of other elements", Run: detach}
}

// Table returns the passes for GPUs in the order in which they run.
func Table() []Pass {
	return append(Front(), []Pass{
		// Atoms and warps decide which operands are padded, before they get a memory.
		{Name: "tile", Doc: "splits contractions over atoms and warps", Gives: Tiled, Run: tile},
		// Before placement, so that what is read elsewhere may still go to shared memory.
		Detach(),
		{Name: "place", Doc: "gives every tile a memory", Needs: Tiled, Gives: Placed, Run: place},
		{Name: "layout", Doc: "spreads operations and register tiles over threads", Needs: Tiled | Placed, Gives: LaidOut, Run: layOut},
		// Needs the layouts, and loops before they are pipelined and split.
		{Name: "defer", Doc: "adds up lanes after a loop rather than in it", Needs: LaidOut, Run: deferLanes},
		// After layouts, so that rings of stages keep them.
		{Name: "pipeline", Doc: "runs the copies of a loop ahead of its work", Needs: LaidOut, Run: pipeline},
		{Name: "split", Doc: "cuts loops into an interior without masks and an edge", Needs: LaidOut, Run: split},
		// After the loops have their final shared tiles, whose bytes it takes over.
		{Name: "coalesce", Doc: "stores whole sectors, through shared memory", Needs: LaidOut, Run: coalesce},
		{Name: "plan", Doc: "gives shared tiles their offsets", Needs: LaidOut, Gives: SharedPlanned, Run: planShared},
		// Last: barriers depend on which bytes tiles share.
		{Name: "barriers", Doc: "puts in the barriers that order shared memory", Needs: SharedPlanned, Gives: Scheduled, Run: barriers},
	}...)
}
