package tensor

import "math"

// multiplyGo adds A·B to C: m rows of 8 columns, a row of A being k values and B for
// each k its 8. Tiles of 2 by 4 stay in registers. Products are exact, so that a
// fused multiply-add gives the same sums.
func multiplyGo(c *[maxM * width]float64, a, b []float64, m, k int) {
	for i := 0; i < m; i += 2 {
		a0 := a[i*k : (i+1)*k]
		a1 := a[(i+1)*k : (i+2)*k][:len(a0)]
		for j := 0; j < width; j += 4 {
			p := c[i*width+j:][:4]
			q := c[(i+1)*width+j:][:4]
			s0, s1, s2, s3 := p[0], p[1], p[2], p[3]
			t0, t1, t2, t3 := q[0], q[1], q[2], q[3]
			row := b[j:]
			for n, x := range a0 {
				y := a1[n]
				v := row[n*width:][:4]
				s0 += x * v[0]
				s1 += x * v[1]
				s2 += x * v[2]
				s3 += x * v[3]
				t0 += y * v[0]
				t1 += y * v[1]
				t2 += y * v[2]
				t3 += y * v[3]
			}
			p[0], p[1], p[2], p[3] = s0, s1, s2, s3
			q[0], q[1], q[2], q[3] = t0, t1, t2, t3
		}
	}
}

// fma64 is the f64 product: a chain of fused multiply-adds in the order of k.
func (m *MMA) fma64(c *[maxM * width]float64, a, b []float64) {
	for i := range m.M {
		for j := range width {
			s := c[i*width+j]
			for k := range m.K {
				s = math.FMA(a[i*m.K+k], b[k*width+j], s)
			}
			c[i*width+j] = s
		}
	}
}
