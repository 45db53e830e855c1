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
// that spins on another thread's flag gets on. Blocks run on all processors. The
// order within a block is fixed, or random by Config.Seed.
//
// Each launch starts with fresh module variables. A buffer has exactly its bytes,
// with memory that belongs to nobody on both sides.
//
// # Findings
//
// Bounds and alignment are always checked; a load that fails gives zero and a store
// nothing. The rest is chosen by Config.Checks. Order is happens-before at the
// grain of warps: of shared memory by barriers (named and counted ones too), fences
// and strong accesses; of global memory between blocks by fences and flags. Reading
// memory that nobody wrote, asynchronous copies read or overwritten too early (their
// bytes land as late as the waits allow), barriers that lanes or warps come to
// differently, and deadlocks are found; of registers, undefined bits that reach an
// address, a predicate, a matrix product, or memory that others see.
//
// # Sums of the tensor instructions
//
// Products are exact, and the sum of one instruction, begun with the addend and in
// the order of k, is kept in double precision and rounded once to the type of the
// result. Hardware truncates in ways that NVIDIA does not document; results differ
// from it in the last places of f32. f64 forms are chains of fused multiply-adds.
//
// # Hopper
//
// The blocks of a cluster run together on one worker. An mbarrier is a state beside
// the shared memory; what its word holds is opaque. A wait on one holds a thread until
// its phase is over; when all threads of the cluster wait, waits time out, and a
// deadlock is when that happens again and again with nothing in between.
//
// Copies by cp.async.bulk read their source at once. With CheckShared their bytes
// land when somebody waits for their mbarrier, those of copies to global memory at the
// full wait of their group or when the warp ends. A wgmma is one operation of its four
// warps: it computes when all have come, holds its operands in shared memory until any
// of them waits for its group, and its registers until each does.
//
// Vector clocks have entries for the warps of the cluster, for the wgmma of each
// warpgroup and for each mbarrier's copies. A second clock holds what
// fence.proxy.async has made visible to the async proxy, and goes along with every
// release and acquire; reads of shared memory by wgmma and by bulk copies are held
// against it. Generic writes that bulk copies overwrite, and those to global memory,
// are not. A missing wgmma.fence is found for registers that instructions other than
// moves wrote.
//
// # What is not there
//
// Products of sparse matrices, tcgen05.mma.ws and the conversions of tcgen05 on the way, wgmma of
// single bits, ldmatrix that widens elements of 4 and 6 bits, interleaved tensor maps, swizzles wider
// than the rows of the box, reductions from shared to shared memory, stochastic rounding, scalar and
// 2-way video instructions, 128-bit atomics, textures and surfaces, recursion and indirect calls.
// Whatever a kernel can reach and the machine lacks is an error of Module.Kernel
// that names the form and its line.
package ptx
