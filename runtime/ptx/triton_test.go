package ptx

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The kernels of testdata/triton_*.ptx are ours, compiled by Triton 3.9 for sm_80
// or, by wgmma, for sm_90a, with 4 warps. It adds two pointers to the parameters, for scratch memory.

func TestTritonMatmul(t *testing.T) {
	for _, file := range []string{"triton_matmul.ptx", "triton_matmul_sm90.ptx"} {
		testTritonMatmul(t, kernel(t, file, "matmul"))
	}
}

func testTritonMatmul(t *testing.T, k *Kernel) {
	const m, n, kk = 144, 160, 112 // multiples of 16, not of the tile
	a, b, c, _ := matmulArgs(m, n, kk)
	launchClean(t, k, Config{Grid: [3]int{2, 2}, Block: [3]int{128}, SharedBytes: 98304},
		a, b, c, int32(m), int32(n), int32(kk), int32(kk), int32(n), int32(n), nil, nil)
	for i := range m {
		for j := range n {
			want := float32(0)
			for l := range kk {
				want += a.half(i*kk+l) * b.half(l*n+j)
			}
			if got := c.half(i*n + j); math.Abs(float64(got-want)) > 0.02 {
				t.Fatalf("C[%d,%d] = %g, want %g", i, j, got, want)
			}
		}
	}
}

func TestTritonSoftmax(t *testing.T) {
	k := kernel(t, "triton_softmax.ptx", "softmax")
	const rows, n = 3, 800
	r := rand.New(rand.NewPCG(2, 2))
	x := floats(rows*n, func(int) float32 { return float32(r.NormFloat64()) * 3 })
	y := floats(rows*n, func(int) float32 { return 0 })
	y.Undefined = true
	launchClean(t, k, Config{Grid: [3]int{rows}, Block: [3]int{128}, SharedBytes: 16}, x, y, int32(n), nil, nil)
	for i := range rows {
		sum := 0.0
		for j := range n {
			sum += math.Exp(float64(x.float(i*n + j)))
		}
		for j := range n {
			want := math.Exp(float64(x.float(i*n+j))) / sum
			if got := float64(y.float(i*n + j)); math.Abs(got-want) > 1e-5*want+1e-9 {
				t.Fatalf("y[%d,%d] = %g, want %g", i, j, got, want)
			}
		}
	}
}

func TestTritonLayerNorm(t *testing.T) {
	k := kernel(t, "triton_layernorm.ptx", "layernorm")
	const rows, n = 2, 1000
	r := rand.New(rand.NewPCG(3, 3))
	random := func(int) float32 { return float32(r.NormFloat64()) }
	x, w, b := floats(rows*n, random), floats(n, random), floats(n, random)
	y := floats(rows*n, func(int) float32 { return 0 })
	y.Undefined = true
	launchClean(t, k, Config{Grid: [3]int{rows}, Block: [3]int{128}, SharedBytes: 16}, x, w, b, y, int32(n), float32(1e-5), nil, nil)
	for i := range rows {
		mean, variance := 0.0, 0.0
		for j := range n {
			mean += float64(x.float(i*n+j)) / n
		}
		for j := range n {
			d := float64(x.float(i*n+j)) - mean
			variance += d * d / n
		}
		for j := range n {
			want := (float64(x.float(i*n+j))-mean)/math.Sqrt(variance+1e-5)*float64(w.float(j)) + float64(b.float(j))
			if got := float64(y.float(i*n + j)); math.Abs(got-want) > 1e-4 {
				t.Fatalf("y[%d,%d] = %g, want %g", i, j, got, want)
			}
		}
	}
}

func TestTritonAttention(t *testing.T) {
	for _, file := range []string{"triton_attention.ptx", "triton_attention_causal.ptx", "triton_attention_sm90.ptx"} {
		causal := strings.Contains(file, "causal")
		k := kernel(t, file, "attention")
		const n, d = 192, 64
		r := rand.New(rand.NewPCG(4, 4))
		random := func(int) float32 { return float32(r.NormFloat64()) }
		q, kk, v := halves(n*d, random), halves(n*d, random), halves(n*d, random)
		o := halves(n*d, func(int) float32 { return 0 })
		o.Undefined = true
		scale := float32(math.Log2E / 8)
		launchClean(t, k, Config{Grid: [3]int{n / 64}, Block: [3]int{128}, SharedBytes: 65536}, q, kk, v, o, int32(n), scale, nil, nil)
		for i := range n {
			var s [n]float64
			sum := 0.0
			for j := range n {
				if causal && j > i {
					break
				}
				for l := range d {
					s[j] += float64(q.half(i*d+l)) * float64(kk.half(j*d+l))
				}
				s[j] = math.Exp2(s[j] * float64(scale))
				sum += s[j]
			}
			for l := range d {
				want := 0.0
				for j := range n {
					want += s[j] / sum * float64(v.half(j*d+l))
				}
				if got := float64(o.half(i*d + l)); math.Abs(got-want) > 4e-3 {
					t.Fatalf("%s: O[%d,%d] = %g, want %g", file, i, l, got, want)
				}
			}
		}
	}
}
