package passes

// Table returns the passes in the order in which they run.
func Table() []Pass {
	return []Pass{
		// First, so that every later pass sees short expressions and few masks.
		{Name: "simplify", Doc: "folds, drops masks that always hold and code that does nothing", Run: simplify},
		// Before placement: a tile that is fused away needs no memory.
		{Name: "fuse", Doc: "computes a tile where it is used, if that is one place", Run: fuse},
	}
}
