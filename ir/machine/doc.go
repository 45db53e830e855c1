// Package machine describes what programs are compiled for, as data: memories,
// the paths between them, computing units with their atoms, limits and rates.
//
// Passes ask a Machine what it has; none asks which target it is. A new
// architecture is a new entry in a table here.
//
// Sources: [prog] CUDA C++ Programming Guide, "Compute Capabilities" (technical
// specifications per compute capability, arithmetic throughput); [ptx] PTX ISA,
// "Warp-level matrix instructions" (fragment layouts) and "cp.async"; [occ] CUDA
// occupancy calculator data; [spec] product data sheets, good to about 2 %.
package machine
