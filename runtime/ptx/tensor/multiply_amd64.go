package tensor

// hasFMA tells that the processor and the system know AVX2, FMA3 and F16C.
var hasFMA = detectFMA()

// multiply is multiplyGo by vectors where the processor has them.
func multiply(c *[maxM * width]float64, a, b []float64, m, k int) {
	if hasFMA && m%4 == 0 && len(a) >= m*k && len(b) >= width*k {
		multiplyFMA(&c[0], &a[0], &b[0], m, k)
		return
	}
	multiplyGo(c, a, b, m, k)
}

// multiplyFMA handles m, a multiple of 4, rows at a time.
//
//go:noescape
func multiplyFMA(c, a, b *float64, m, k int)

func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

func xgetbv() (eax uint32)

func detectFMA() bool {
	if top, _, _, _ := cpuid(0, 0); top < 7 {
		return false
	}
	const fma, osxsave, f16c = 1 << 12, 1 << 27, 1 << 29
	if _, _, c, _ := cpuid(1, 0); c&fma == 0 || c&osxsave == 0 || c&f16c == 0 {
		return false
	}
	if xgetbv()&6 != 6 { // the system saves xmm and ymm
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&(1<<5) != 0 // AVX2
}
