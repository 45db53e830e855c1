package ir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// replace puts a copy or contract into the text of a function.
func replace(text, op string) string {
	kind := "copy "
	if strings.Contains(op, "+=") {
		kind = "contract "
	}
	return strings.Replace(text, "COPY", kind+op, 1)
}

const products = `tile func f {
  dim N = X[0]
  param in X: f32[N] in global
  grid (b: N)
  alloc a: f16[16, 32]
  alloc at: f16[32, 16]
  alloc s: f16[4, 16, 32]
  alloc b_: f16[8, 32]
  alloc bt: f16[32, 8]
  alloc c: f32[16, 8]
  alloc ct: f32[8, 16]
  COPY
}
`

func TestAsProduct(t *testing.T) {
	for op, want := range map[string]string{
		"(i: 16, j: 8) over (k: 32) c[i, j] += a[i, k] * b_[j, k]":              "16x8x32 A[i, k] B[j, k] C[i, j]",
		"(i: 16, j: 8) over (k: 32) c[i, j] += a[i, k] * bt[k, j]":              "16x8x32 A[i, k] B[k, j] C[i, j]",
		"(i: 16, j: 8) over (k: 32) c[i, j] += at[k, i] * bt[k, j]":             "16x8x32 A[k, i] B[k, j] C[i, j]",
		"(i: 16, j: 8) over (k: 32) ct[j, i] += a[i, k] * b_[j, k]":             "16x8x32 A[i, k] B[j, k] C[j, i]",
		"(i: 16, j: 8) over (k: 32) c[i, j] += s[b % 4, i, k] * b_[j, k]":       "16x8x32 A[i, k] B[j, k] C[i, j]",
		"(j: 8, i: 16) over (k: 32) c[i, j] += b_[j, k] * a[i, k]":              "8x16x32 A[i, k] B[j, k] C[j, i]",
		"(i: 16, j: 8) over (k: 32) c[i, j] += s[i / 4, i, k] * b_[j, k]":       "",
		"(i: 16, j: 8) over (k: 16) c[i, j] += a[i, k + 1] * b_[j, k]":          "",
		"(i: 16, j: 8) over (k: 32) c[i, j] += a[i, k] guard(i < 3) * b_[j, k]": "",
		"(i: 16, j: 8) over (k: 32, l: 1) c[i, j] += a[i, k] * b_[j, k]":        "",
		"(i: 8) over (k: 32) c[i, 0] += a[i, k] * b_[i, k]":                     "",
		"(i: 16, j: 8) over (k: 32) c[i, j] += a[0, k] * b_[j, k]":              "",
	} {
		var contract *Op
		mustParse(t, "f.tir", replace(products, op)).Body.Walk(func(o *Op) {
			if o.Code == OpContract {
				contract = o
			}
		})
		p, ok := AsProduct(contract)
		got := ""
		if ok {
			got = fmt.Sprintf("%dx%dx%d A%s B%s C%s", p.M, p.N, p.K, order(p.AKLast, "i", "k"), order(p.BKLast, "j", "k"), order(!p.CTransposed, "i", "j"))
			if p.I != contract.Dom[0].Var || p.J != contract.Dom[1].Var || p.R != contract.Red[0].Var || p.A != contract.Src[0] || p.B != contract.Src[1] || p.C != contract.Dst {
				t.Errorf("%s: variables or accesses are mixed up", op)
			}
		}
		if want != got {
			t.Errorf("%s: got %q, want %q", op, got, want)
		}
	}
}

func order(inOrder bool, x, y string) string {
	if inOrder {
		return fmt.Sprintf("[%s, %s]", x, y)
	}
	return fmt.Sprintf("[%s, %s]", y, x)
}

func TestAligned(t *testing.T) {
	const text = `tile func f {
  dim N = X[0]
  param in X: f32[N] in global
  grid (b: N)
  alloc t: f32[16, 32]
  alloc r: f32[16, 1, 32]
  alloc y: f32[16, 32]
  COPY
}
`
	for access, want := range map[string][]int{
		"t[i, j]":       {0, 1},
		"t[j, i]":       {1, 0},
		"r[i, 0, j]":    {0, -1, 1},
		"t[i, i]":       nil,
		"t[i, 0]":       nil,
		"t[i, j + 1]":   nil,
		"t[b, j]":       nil,
		"r[i, j, 0]":    nil,
		"t[15 - i, j]":  nil,
		"t[i % 4, j]":   nil,
		"r[i, b, j]":    nil,
		"t[i64(2), j]":  nil,
		"r[j, 0, i]":    {1, -1, 0},
		"t[min(i,3),j]": nil,
	} {
		var op *Op
		mustParse(t, "f.tir", replace(text, "(i: 16, j: 32) y[i, j] = "+access)).Body.Walk(func(o *Op) {
			if o.Code == OpCopy {
				op = o
			}
		})
		got, ok := op.Aligned(op.Src[0])
		if diff := cmp.Diff(want, got); diff != "" || ok != (want != nil) {
			t.Errorf("%s: %v, %v (-want +got):\n%s", access, got, ok, diff)
		}
	}
}
