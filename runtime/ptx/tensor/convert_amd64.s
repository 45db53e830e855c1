#include "textflag.h"

// Eight floats of Y0 as doubles at off(DI).
#define STORE8(off) \
	VCVTPS2PD X0, Y1         \
	VEXTRACTF128 $1, Y0, X2  \
	VCVTPS2PD X2, Y2         \
	VMOVUPD Y1, off(DI)      \
	VMOVUPD Y2, (off+32)(DI)

// Eight elements of 16 bits as doubles at off(DI).
#define HALVES(x, off) \
	VCVTPH2PS x, Y0 \
	STORE8(off)

#define BRAINS(x, off) \
	VPMOVZXWD x, Y0      \
	VPSLLD $16, Y0, Y0   \
	STORE8(off)

// func rowsF16(to *float64, stride uintptr, reg *lanes.V32)
TEXT ·rowsF16(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ stride+8(FP), CX
	MOVQ reg+16(FP), SI
	MOVQ $8, AX

row:
	VMOVDQU (SI), X3
	HALVES(X3, 0)
	ADDQ $16, SI
	ADDQ CX, DI
	DECQ AX
	JNZ  row
	VZEROUPPER
	RET

// func rowsBF16(to *float64, stride uintptr, reg *lanes.V32)
TEXT ·rowsBF16(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ stride+8(FP), CX
	MOVQ reg+16(FP), SI
	MOVQ $8, AX

row:
	VMOVDQU (SI), X3
	BRAINS(X3, 0)
	ADDQ $16, SI
	ADDQ CX, DI
	DECQ AX
	JNZ  row
	VZEROUPPER
	RET

// The 8 by 8 elements of 16 bits at (SI), transposed: rows in X3, X4, X5, X6, X7, X8, X9, X10.
#define TRANSPOSE \
	VMOVDQU 0(SI), X0           \
	VMOVDQU 16(SI), X1          \
	VMOVDQU 32(SI), X2          \
	VMOVDQU 48(SI), X3          \
	VMOVDQU 64(SI), X4          \
	VMOVDQU 80(SI), X5          \
	VMOVDQU 96(SI), X6          \
	VMOVDQU 112(SI), X7         \
	VPUNPCKLWD X1, X0, X8       \
	VPUNPCKHWD X1, X0, X9       \
	VPUNPCKLWD X3, X2, X10      \
	VPUNPCKHWD X3, X2, X11      \
	VPUNPCKLWD X5, X4, X12      \
	VPUNPCKHWD X5, X4, X13      \
	VPUNPCKLWD X7, X6, X14      \
	VPUNPCKHWD X7, X6, X15      \
	VPUNPCKLDQ X10, X8, X0      \
	VPUNPCKHDQ X10, X8, X1      \
	VPUNPCKLDQ X11, X9, X2      \
	VPUNPCKHDQ X11, X9, X11     \
	VPUNPCKLDQ X14, X12, X8     \
	VPUNPCKHDQ X14, X12, X12    \
	VPUNPCKLDQ X15, X13, X14    \
	VPUNPCKHDQ X15, X13, X15    \
	VPUNPCKLQDQ X8, X0, X3      \
	VPUNPCKHQDQ X8, X0, X4      \
	VPUNPCKLQDQ X12, X1, X5     \
	VPUNPCKHQDQ X12, X1, X6     \
	VPUNPCKLQDQ X14, X2, X7     \
	VPUNPCKHQDQ X14, X2, X8     \
	VPUNPCKLQDQ X15, X11, X9    \
	VPUNPCKHQDQ X15, X11, X10

// func columnsF16(to *float64, reg *lanes.V32)
TEXT ·columnsF16(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ reg+8(FP), SI
	TRANSPOSE
	HALVES(X3, 0)
	HALVES(X4, 64)
	HALVES(X5, 128)
	HALVES(X6, 192)
	HALVES(X7, 256)
	HALVES(X8, 320)
	HALVES(X9, 384)
	HALVES(X10, 448)
	VZEROUPPER
	RET

// func columnsBF16(to *float64, reg *lanes.V32)
TEXT ·columnsBF16(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ reg+8(FP), SI
	TRANSPOSE
	BRAINS(X3, 0)
	BRAINS(X4, 64)
	BRAINS(X5, 128)
	BRAINS(X6, 192)
	BRAINS(X7, 256)
	BRAINS(X8, 320)
	BRAINS(X9, 384)
	BRAINS(X10, 448)
	VZEROUPPER
	RET

// func pairsF32(to *float64, lo, hi *lanes.V32)
TEXT ·pairsF32(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ lo+8(FP), SI
	MOVQ hi+16(FP), DX
	MOVQ $8, AX

four:
	VMOVUPS (SI), X0
	VMOVUPS (DX), X1
	VUNPCKLPS X1, X0, X2
	VUNPCKHPS X1, X0, X3
	VCVTPS2PD X2, Y2
	VCVTPS2PD X3, Y3
	VMOVUPD Y2, (DI)
	VMOVUPD Y3, 32(DI)
	ADDQ $16, SI
	ADDQ $16, DX
	ADDQ $64, DI
	DECQ AX
	JNZ  four
	VZEROUPPER
	RET

// func partF32(lo, hi *lanes.V32, from *float64)
// Rounded to nearest even; NaN is 0x7fffffff, in every lane of X5.
TEXT ·partF32(SB), NOSPLIT, $0-24
	MOVQ lo+0(FP), SI
	MOVQ hi+8(FP), DX
	MOVQ from+16(FP), DI
	MOVQ $8, AX
	VPCMPEQD X5, X5, X5
	VPSRLD $1, X5, X5

four:
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VCVTPD2PSY Y0, X0
	VCVTPD2PSY Y1, X1
	VSHUFPS $0x88, X1, X0, X2
	VSHUFPS $0xdd, X1, X0, X3
	VCMPPS $3, X2, X2, X4
	VBLENDVPS X4, X5, X2, X2
	VCMPPS $3, X3, X3, X4
	VBLENDVPS X4, X5, X3, X3
	VMOVUPS X2, (SI)
	VMOVUPS X3, (DX)
	ADDQ $16, SI
	ADDQ $16, DX
	ADDQ $64, DI
	DECQ AX
	JNZ  four
	VZEROUPPER
	RET
