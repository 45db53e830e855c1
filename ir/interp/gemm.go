package interp

func multiplyF(acc, a, b *store, aOff, bOff, k int, rows, cols []int) {
	gemm(acc.f, a.f[aOff:], b.f[bOff:], k, rows, cols, dots[float32])
}

func multiplyD(acc, a, b *store, aOff, bOff, k int, rows, cols []int) {
	gemm(acc.d, a.d[aOff:], b.d[bOff:], k, rows, cols, dots[float64])
}

func multiplyI(acc, a, b *store, aOff, bOff, k int, rows, cols []int) {
	gemm(acc.i, a.i[aOff:], b.i[bOff:], k, rows, cols, dots[int64])
}

// multiplyFD sums exact products of f32 values, held as float64, in f32.
func multiplyFD(acc, a, b *store, aOff, bOff, k int, rows, cols []int) {
	gemm(acc.f, a.d[aOff:], b.d[bOff:], k, rows, cols, dotsF32)
}

// block is the rows and columns that are summed at once, in registers.
const blockRows, blockCols = 4, 2

// gemm adds the products of the rows of a and of b, each k long, to the elements
// rows[i]+cols[j] of acc, in increasing order of k.
func gemm[C, T number](acc []C, a, b []T, k int, rows, cols []int, kernel func(sum *[blockRows * blockCols]C, a *[blockRows][]T, b *[blockCols][]T)) {
	var sum [blockRows * blockCols]C
	var as [blockRows][]T
	var bs [blockCols][]T
	var at [blockRows * blockCols]int
	for j := 0; j < len(cols); j += blockCols {
		for y := range bs {
			// What sticks out repeats the last row and column; they come out
			// the same as often as they are stored.
			col := min(j+y, len(cols)-1)
			bs[y] = b[col*k : col*k+k]
		}
		c0, c1 := cols[j], cols[min(j+1, len(cols)-1)]
		for i := 0; i < len(rows); i += blockRows {
			for x := range as {
				row := min(i+x, len(rows)-1)
				as[x] = a[row*k : row*k+k]
				at[2*x], at[2*x+1] = rows[row]+c0, rows[row]+c1
			}
			for e, o := range at {
				sum[e] = acc[o]
			}
			kernel(&sum, &as, &bs)
			for e, o := range at {
				acc[o] = sum[e]
			}
		}
	}
}

// dots adds 4×2 dot products to sum. The conversions of products keep the
// compiler from fusing them into the additions.
func dots[T number](sum *[8]T, a *[4][]T, b *[2][]T) {
	a0 := a[0]
	n := len(a0)
	a1, a2, a3, b0, b1 := a[1][:n], a[2][:n], a[3][:n], b[0][:n], b[1][:n]
	s00, s01, s10, s11 := sum[0], sum[1], sum[2], sum[3]
	s20, s21, s30, s31 := sum[4], sum[5], sum[6], sum[7]
	for k, x := range a0 {
		y, z := b0[k], b1[k]
		s00 += T(x * y)
		s01 += T(x * z)
		x = a1[k]
		s10 += T(x * y)
		s11 += T(x * z)
		x = a2[k]
		s20 += T(x * y)
		s21 += T(x * z)
		x = a3[k]
		s30 += T(x * y)
		s31 += T(x * z)
	}
	*sum = [8]T{s00, s01, s10, s11, s20, s21, s30, s31}
}

// dotsF32 is dots with every sum rounded to float32 once.
func dotsF32(sum *[8]float32, a *[4][]float64, b *[2][]float64) {
	a0 := a[0]
	n := len(a0)
	a1, a2, a3, b0, b1 := a[1][:n], a[2][:n], a[3][:n], b[0][:n], b[1][:n]
	s := *sum
	for k, x := range a0 {
		y, z := b0[k], b1[k]
		s[0] = float32(float64(s[0]) + float64(x*y))
		s[1] = float32(float64(s[1]) + float64(x*z))
		x = a1[k]
		s[2] = float32(float64(s[2]) + float64(x*y))
		s[3] = float32(float64(s[3]) + float64(x*z))
		x = a2[k]
		s[4] = float32(float64(s[4]) + float64(x*y))
		s[5] = float32(float64(s[5]) + float64(x*z))
		x = a3[k]
		s[6] = float32(float64(s[6]) + float64(x*y))
		s[7] = float32(float64(s[7]) + float64(x*z))
	}
	*sum = s
}
