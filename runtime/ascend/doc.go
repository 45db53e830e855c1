// Package ascend runs Ascend C kernels for Atlas A2 and A3 on the host: a machine of our own that knows what the hardware does
// with them, and watches what they do.
//
// A [Toolchain] compiles a kernel's source, unmodified, against the machine's own headers (#include "kernel_operator.h") with the
// host's C++ compiler. [Program.Run] launches a kernel of it: every core is a thread which follows the kernel's scalar program and
// hands each instruction to its pipe, MTE1, MTE2, MTE3, V, M, FIX or S. Pipes execute in order; between pipes nothing is ordered
// but by flags, barriers and queues. Vector clocks tell of every two accesses to the same bytes whether those order them, so that
// a missing flag is found in any run that comes by the two instructions, whatever happens first there.
//
// The [Report] has the faults with their source lines, and counts of instructions, of bytes by path, and of the cycles that each
// pipe is busy in a simple model of time. docs/ascend-machine.md says what is modelled and what is not.
package ascend
