package ptx

import (
	"fmt"
	"math"
)

// configure checks the shape of the launch against the limits of CUDA and of the architecture.
func (l *launch) configure() error {
	c := &l.cfg
	if c.MaxFindings <= 0 {
		c.MaxFindings = 100
	}
	for i := range 3 {
		l.grid[i], l.block[i] = max(c.Grid[i], 1), max(c.Block[i], 1)
		if c.Grid[i] < 0 || c.Block[i] < 0 {
			return fmt.Errorf("negative launch dimension")
		}
	}
	limits := [3]int{math.MaxInt32, 65535, 65535}
	for i, n := range l.grid {
		if n > limits[i] {
			return fmt.Errorf("grid dimension %d is %d, over the limit of %d", i, n, limits[i])
		}
	}
	threads := l.block[0] * l.block[1] * l.block[2]
	if l.block[0] > 1024 || l.block[1] > 1024 || l.block[2] > 64 || threads > 1024 {
		return fmt.Errorf("block of %d x %d x %d threads, over the limit of 1024 x 1024 x 64 and 1024 in all", l.block[0], l.block[1], l.block[2])
	}
	if req, ok := l.prog.entry.Attr(".reqntid"); ok && !equalDims(req, l.block) {
		return fmt.Errorf("block of %d x %d x %d threads, the kernel requires %v", l.block[0], l.block[1], l.block[2], req)
	}
	if most, ok := l.prog.entry.Attr(".maxntid"); ok {
		n := int64(1)
		for _, m := range most {
			n *= m
		}
		if int64(threads) > n {
			return fmt.Errorf("block of %d threads, the kernel allows %d", threads, n)
		}
	}
	arch := c.Arch
	if arch == "" && len(l.prog.mod.Targets) > 0 {
		arch = l.prog.mod.Targets[0]
	}
	if n := l.sharedBytes(); c.SharedBytes < 0 || n > sharedLimit(arch) {
		return fmt.Errorf("%d bytes of shared memory, over the limit of %d on %s", n, sharedLimit(arch), arch)
	}
	return l.configureCluster()
}

// maxCluster is the most blocks of a cluster, by opt-in; 8 are portable (CUDA C++
// Programming Guide, "Thread Block Clusters").
const maxCluster = 16

// configureCluster fixes the shape of clusters, and so their number.
func (l *launch) configureCluster() error {
	req, ok := l.prog.entry.Attr(".reqnctapercluster")
	l.total = 1
	blocks := 1
	for i := range 3 {
		n := l.cfg.Cluster[i]
		if n < 0 {
			return fmt.Errorf("negative launch dimension")
		}
		want := 1
		if i < len(req) {
			want = int(req[i])
		}
		if n == 0 {
			n = want
		}
		if ok && n != want {
			return fmt.Errorf("cluster of %v blocks, the kernel requires %v", l.cfg.Cluster, req)
		}
		if n < 1 || n > maxCluster || l.grid[i]%n != 0 {
			return fmt.Errorf("a cluster of %d blocks does not divide %d, dimension %d of the grid", n, l.grid[i], i)
		}
		l.cluster[i] = n
		blocks *= n
		l.total *= int64(l.grid[i] / n)
	}
	if blocks > maxCluster {
		return fmt.Errorf("cluster of %d blocks, over the limit of %d", blocks, maxCluster)
	}
	return nil
}

func equalDims(req []int64, block [3]int) bool {
	for i, n := range block {
		want := int64(1)
		if i < len(req) {
			want = req[i]
		}
		if int64(n) != want {
			return false
		}
	}
	return true
}

// sharedLimit is the most shared memory that a block may ask for (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability").
func sharedLimit(arch string) int {
	switch arch {
	case "sm_86", "sm_89", "sm_120", "sm_120a", "sm_121", "sm_121a":
		return 99 << 10
	case "sm_80", "sm_87":
		return 163 << 10
	case "sm_75":
		return 64 << 10
	}
	return 227 << 10
}
