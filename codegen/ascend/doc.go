// Package ascend prints scheduled-form IR as Ascend C for AI cores with separate cube and vector units.
//
// One kernel becomes one self-contained file that includes kernel_operator.h alone. Tiles are tensors at addresses that the passes have
// planned, flags are where the passes have put them; what an operation of the IR is in instructions package aicore says.
package ascend
