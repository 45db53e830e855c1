package layout_test

import (
	"fmt"

	"tilec/ir/layout"
)

// Two warps hold an 8 × 64 tile, four neighbouring elements of a row in each thread at a time.
func ExampleBlocked() {
	l := layout.Blocked([]int{8, 64}, layout.RowMajor(2), 4, 2)
	fmt.Println(l)
	fmt.Println(l.Apply(1, 2, 0)) // register 1 of lane 2 of warp 0 is element
	// Output:
	// {reg: (0,1) (0,2) (4,0); lane: (0,4) (0,8) (0,16) (0,32) (1,0); warp: (2,0) -> 8x64}
	// [0 9]
}

// Rows of 64 16-bit elements: the chunks of a row are permuted by the row's number.
func ExampleShared() {
	l := layout.Shared([]int{8, 64}, 8, layout.ConflictFree(128))
	fmt.Println(l.Apply(0, 0), l.Apply(1, 0), l.Apply(2, 0))
	// Output: [0] [72] [144]
}
