// Package ptx runs compiled CUDA kernels without a GPU: it reads the PTX text
// that NVIDIA's compilers make, decodes a kernel once, and executes a grid on a
// SIMT machine, watching for what a sanitizer on the chip would find and counting
// what a profiler would.
//
//	m, err := ptx.Parse("kernel.ptx", text)
//	k, err := m.Kernel("matmul")
//	rep, err := k.Launch(ctx, ptx.Config{Grid: grid, Block: block, Checks: ptx.CheckAll}, a, b, c, int32(n))
//
// # The machine
//
// A warp executes an instruction for its 32 lanes at once; a register is a vector
// of 32 values. Calls are expanded when the kernel is decoded, so one control-flow
// graph covers all that a thread can do. Lanes that part at a branch come together
// again at its immediate post-dominator. Within a warp, lanes that diverged take
// turns, as do the warps of a block, and blocks that wait for each other; so code
// that spins on another thread's flag gets on. Blocks run on all processors. Default
// order is deterministic within a block.
//
// # Sums of the tensor instructions
//
// Products are exact, and the sum of one instruction, the addend included, is
// rounded once to the type of the result (from double precision, in the order of
// k). Hardware truncates in ways that NVIDIA does not document; results differ
// from it in the last places of f32.
package ptx
