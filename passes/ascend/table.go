package ascend

import (
	"tilec/ir/aicore"
	"tilec/passes"
)

// Table returns the passes for AI cores in the order in which they run.
func Table() []passes.Pass {
	return append(passes.Front(),
		// First, so that nothing else trips over a type that cannot be.
		passes.Pass{Name: "types", Doc: "refuses element types that the chip can hold no values of", Run: types},
		// Before anything counts tiles.
		passes.Pass{Name: "indices", Doc: "computes index values where they are used rather than keeping tiles of them", Run: inlineIndices},
		// Before operations are cut into steps, which then read nothing that they have overwritten.
		passes.Detach(),
		// While loops and grids are the program's own, by which it shows most operands to be there.
		passes.Pass{Name: "present", Doc: "has contractions run only where operands lie inside their tensors", Run: present},
		// Steps in the loop over instances see its scalars.
		passes.Pass{Name: "cores", Doc: "spreads the grid over the cores, each with a loop over its instances", Run: cores},
		passes.Pass{Name: "matrices", Doc: "has contractions be products of matrices that the cube multiplies", Run: matrices},
		// Before each unit's program is lowered.
		passes.Pass{Name: "mix", Doc: "divides work for both units into a program for each, with rings in global memory between them", Run: mix},
		// What the cube does not take, steps cut up.
		passes.Pass{Name: "cube", Doc: "lowers contractions to the cube unit: rings in L1 and L0, products, the fixpipe", Run: cube},
		passes.Pass{Name: "cut", Doc: "splits maps where conditions on one of their indices change", Run: cut},
		passes.Pass{Name: "interior", Doc: "tells tiles at the edges of tensors from the others, which need no conditions", Run: interior},
		passes.Pass{Name: "steps", Doc: "cuts operations into what one instruction of a unit does", Run: steps},
		passes.Pass{Name: "place", Doc: "gives every tile a memory", Gives: passes.Placed, Run: place},
		// Before bytes are given out.
		passes.Pass{Name: "slots", Doc: "gives tiles that loops copy from or to global memory a second slot, as far as UB has room", Needs: passes.Placed, Run: slots},
		passes.Pass{Name: "plan", Doc: "gives every tile its address", Needs: passes.Placed, Gives: passes.SharedPlanned, Run: plan},
		// Last: flags depend on which bytes tiles share.
		passes.Pass{Name: "flags", Doc: "puts in the fewest flags and barriers that order the pipes", Needs: passes.SharedPlanned, Gives: passes.Scheduled, Run: flags, Proof: aicore.Ordered},
	)
}
