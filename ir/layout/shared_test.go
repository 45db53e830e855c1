package layout

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestSharedIsOneToOne: no two elements share an offset, and none lies outside.
func TestSharedIsOneToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(1, 3).Draw(t, "rank")
		shape := make([]int, rank)
		for d := range shape {
			shape[d] = rapid.IntRange(1, 40).Draw(t, "extent")
		}
		bytes := 1 << rapid.IntRange(0, 2).Draw(t, "log bytes")
		l := Shared(shape, 16/bytes, ConflictFree(Pow2(shape[rank-1])*bytes))
		seen := map[int]bool{}
		each(l, func(in, out []int) {
			if seen[out[0]] || out[0] < 0 || out[0] >= l.Out[0].Size {
				t.Fatalf("%s puts %v at %d, taken or outside of %d", l, in, out[0], l.Out[0].Size)
			}
			seen[out[0]] = true
		})
	})
}

// TestSwizzlesKeepChunks: 16 bytes that lie side by side in a row stay so, from a
// multiple of 16 bytes on, and rows stay in their bytes.
func TestSwizzlesKeepChunks(t *testing.T) {
	for _, row := range []int{16, 32, 64, 128, 256, 512} {
		for _, bytes := range []int{1, 2, 4} {
			cols, chunk := row/bytes, 16/bytes
			l := Shared([]int{64, cols}, chunk, ConflictFree(row))
			for r := range 64 {
				for c := range cols {
					off := l.Apply(r, c)[0]
					if off%chunk != c%chunk || off/chunk != l.Apply(r, c-c%chunk)[0]/chunk || off/cols != r {
						t.Fatalf("rows of %d bytes: element (%d, %d) of %d bytes lies at %d", row, r, c, bytes, off)
					}
				}
			}
		}
	}
}

// TestFormulas: the swizzles are those of the tensor memory access, on byte
// addresses (PTX ISA, "Swizzling modes"): 16-byte units, address bits 7 and up
// onto bits 4 and up.
func TestFormulas(t *testing.T) {
	for row, mask := range map[int]int{32: 1, 64: 3, 128: 7} {
		l := Shared([]int{64, row / 2}, 8, ConflictFree(row))
		for r := range 64 {
			for c := range row / 2 {
				plain := r*row + c*2
				if want, got := plain^(plain>>7&mask)<<4, l.Apply(r, c)[0]*2; got != want {
					t.Fatalf("rows of %d bytes: (%d, %d) lies at byte %d, the swizzle puts it at %d", row, r, c, got, want)
				}
			}
		}
	}
}

// conflicts is how many times more cycles a group of 8 chunks of 16 bytes takes
// than one: the most of them in one of the 8 groups of 4 banks.
func conflicts(offsets []int) int {
	most := 0
	banks := map[int]int{}
	for _, off := range offsets {
		banks[off/16%8]++
		most = max(most, banks[off/16%8])
	}
	return most
}

// TestConflictFreeForMatrixLoads: the eight rows of a matrix that ldmatrix loads,
// wherever it starts in the tile, meet no bank twice.
func TestConflictFreeForMatrixLoads(t *testing.T) {
	for _, row := range []int{32, 64, 128, 256, 512} {
		for _, bytes := range []int{1, 2, 4} {
			chunk := 16 / bytes
			l := Shared([]int{64, row / bytes}, chunk, ConflictFree(row))
			for r0 := 0; r0 < 64; r0 += 8 {
				for c := 0; c < row/bytes; c += chunk {
					var offsets []int
					for r := range 8 {
						offsets = append(offsets, l.Apply(r0+r, c)[0]*bytes)
					}
					if n := conflicts(offsets); n != 1 {
						t.Fatalf("rows of %d bytes: rows %d to %d of column %d take %d cycles", row, r0, r0+7, c, n)
					}
				}
			}
		}
	}
}

// TestConflictFreeForCopies: so do the eight lanes of a quarter warp that write
// 16 bytes each, side by side along the rows.
func TestConflictFreeForCopies(t *testing.T) {
	for _, row := range []int{32, 64, 128, 256} {
		l := Shared([]int{64, row / 2}, 8, ConflictFree(row))
		spread := Blocked([]int{64, row / 2}, []int{1, 0}, 8, 1)
		for r := 0; r < spread.Size(Reg); r += 8 {
			for quarter := range 4 {
				var offsets []int
				for lane := range 8 {
					offsets = append(offsets, l.Apply(spread.Apply(r, quarter*8+lane, 0)...)[0]*2)
				}
				if n := conflicts(offsets); n != 1 {
					t.Fatalf("rows of %d bytes: lanes from %d take %d cycles", row, quarter*8, n)
				}
			}
		}
	}
}

func TestStagesArePlain(t *testing.T) {
	l := Shared([]int{3, 64, 64}, 8, ConflictFree(128))
	one := Shared([]int{64, 64}, 8, ConflictFree(128))
	for s := range 3 {
		for _, at := range [][2]int{{0, 0}, {7, 9}, {63, 63}} {
			if got, want := l.Apply(s, at[0], at[1])[0], s*4096+one.Apply(at[0], at[1])[0]; got != want {
				t.Errorf("stage %d: %v lies at %d, want %d", s, at, got, want)
			}
		}
	}
}

func ExampleShared() {
	l := Shared([]int{8, 32}, 8, ConflictFree(64))
	fmt.Println(l)
	fmt.Println(l.Apply(2, 0), l.Apply(2, 8))
	// Output:
	// {dim0: (32) (72) (144); dim1: (1) (2) (4) (8) (16) -> 256}
	// [72] [64]
}
