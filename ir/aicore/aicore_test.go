package aicore_test

import (
	"fmt"
	"strings"
	"testing"

	"tilec/ir"
	"tilec/ir/aicore"
	"tilec/runtime/array"
)

// frame is a function around one statement.
const frame = `placed func f {
  dim M = X[0]
  dim N = X[1]
  param in X: f32[M, N] in global
  param in H: f16[M, N] in global
  param in Q: u4[M, N] in global
  param out Y: f32[M, N] in global
  machine "910b"
  grid (core: 48)
  let b: i64 = core
  alloc x: f32[4, 100] in ub
  alloc y: f32[4, 100] in ub
  alloc z: f32[2, 4, 64] in ub
  alloc h: f16[4, 100] in ub
  alloc i8s: i8[4, 100] in ub
  alloc q: u4[4, 128] in ub
  alloc row: f32[100] in ub
  alloc col: f32[4] in ub
  alloc n: i32[4, 100] in ub
  alloc m: bool[4, 100] in ub
  alloc sums: f32[16, 32] in l0c
  %s
}
`

// statement parses one operation.
func statement(t *testing.T, text string) *ir.Op {
	t.Helper()
	f, err := ir.Parse("f.tir", fmt.Sprintf(frame, text))
	if err != nil {
		t.Fatal(err)
	}
	return f.Body.Ops[len(f.Body.Ops)-1]
}

func TestVectorOf(t *testing.T) {
	names := map[aicore.Form]string{
		aicore.Fill: "fill", aicore.Move: "move", aicore.Spread: "spread", aicore.Convert: "convert", aicore.Unary: "unary",
		aicore.Binary: "binary", aicore.WithScalar: "with scalar", aicore.Choose: "choose", aicore.Fused: "fused",
	}
	for _, test := range []struct{ op, want string }{
		{"map (i: 4, j: 100) x[i, j] = -inf_f32", "fill 4x100"},
		{"map (i: 4, j: 100) x[i, j] = y[i, j]", "move 4x100 y(128,1)"},
		{"map (j: 100) x[b, j] = row[j]", "move 1x100 row(0,1)"},
		{"map (i: 4, j: 100) x[i, j] = row[j]", "spread 4x100 row(0,1)"},
		{"map (i: 4, j: 100) x[i, j] = col[i]", "spread 4x100 col(1,0)"},
		{"map (i: 4, j: 100) x[i, j] = f32(h[i, j])", "convert 4x100 h(128,1)"},
		{"map (i: 4, j: 100) h[i, j] = f16(i8s[i, j])", "convert 4x100 i8s(128,1)"},
		{"map (i: 4, j: 100) x[i, j] = f32(i8s[i, j])", "none"}, // there is no such Cast
		{"map (i: 4, j: 100) x[i, j] = exp(y[i, j])", "unary 4x100 exp y(128,1)"},
		{"map (i: 4, j: 100) h[i, j] = exp(h[i, j])", "none"}, // values are calculated in f32
		{"map (i: 4, j: 100) x[i, j] = x[i, j] + y[i, j]", "binary 4x100 add x(128,1) y(128,1)"},
		{"map (i: 4, j: 100) x[i, j] = x[i, j] / col[i]", "binary 4x100 div x(128,1) col(1,0)"},
		{"map (i: 4, j: 100) x[i, j] = row[j] - x[i, j]", "binary 4x100 sub row(0,1) x(128,1)"},
		{"map (i: 4, j: 100) x[i, j] = row[j] - col[i]", "none"}, // neither is a whole tile
		{"map (i: 4, j: 100) x[i, j] = fma(x[i, j], y[i, j], row[j])", "fused 4x100 y(128,1) row(0,1)"},
		{"map (i: 4, j: 100) x[i, j] = fma(x[i, j], col[i], y[i, j])", "fused 4x100 col(1,0) y(128,1)"},
		{"map (i: 4, j: 100) x[i, j] = fma(y[i, j], x[i, j], row[j])", "none"}, // not in place
		{"map (i: 4, j: 100) x[i, j] = fma(x[i, j], col[i], row[j])", "none"},  // two that are not whole
		{"map (i: 4, j: 100) x[i, j] = 2_f32 * x[i, j]", "with scalar 4x100 mul x(128,1) 2_f32"},
		{"map (i: 4, j: 100) x[i, j] = 2_f32 - x[i, j]", "none"},
		{"map (i: 4, j: 100) x[i, j] = x[i, j] / 3_f32", "none"},
		{"map (i: 4, j: 100) n[i, j] = max(n[i, j], 0_i32)", "with scalar 4x100 max n(128,1) 0_i32"},
		{"map (i: 4, j: 100) n[i, j] = n[i, j] / n[i, j]", "none"}, // there is no division of integers
		{"map (i: 4, j: 100) x[i, j] = select(y[i, j] < 0_f32, x[i, j], 0_f32)", "choose 4x100 lt y(128,1) 0_f32 x(128,1) 0_f32"},
		{"map (a: 2, i: 4, j: 64) z[a, i, j] = exp(z[a, i, j])", "unary 8x64 exp z(64,1)"},
		{"map (i: 4, a: 2, j: 64) z[a, i, j] = exp(z[a, i, j])", "none"}, // rows without a common stride
		{"map (i: 4, j: 100) x[i, j] = y[j, i]", "none"},
		{"map (j: 50) row[j] = row[j + 50]", "none"}, // 200 bytes are no whole blocks
		{"map (j: 50) row[j] = row[j + 48]", "move 1x50 row(0,1)+48"},
		{"map (i: 4, j: 100) x[i, j] = X[b * 4 + i, j]", "none"},
	} {
		got := "none"
		if v, ok := aicore.VectorOf(statement(t, test.op)); ok {
			got = fmt.Sprintf("%s %dx%d", names[v.Form], v.Rows, v.Cols)
			if v.Op != ir.InvalidExpr {
				got += " " + strings.Fields(v.Op.Info().Name + " ")[0]
			}
			for _, o := range v.Src {
				if o.Scalar != nil {
					if v.Form != aicore.Fill {
						got += " " + o.Scalar.String()
					}
					continue
				}
				got += fmt.Sprintf(" %s(%d,%d)", o.Buf.Name, o.Row, o.Col)
				if o.Base != nil {
					got += "+" + o.Base.String()
				}
			}
		}
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.op, got, test.want)
		}
	}
}

func TestCopyOf(t *testing.T) {
	for _, test := range []struct{ op, want string }{
		{"copy (i: 4, j: 100) x[i, j] = X[b * 4 + i, j]", "load b * 4 * N [N 1] -> [128 1]"},
		{"copy (i: 4, j: 100) x[i, j] = X[b * 4 + i, j] guard(b * 4 + i < M and j < N) else(-1_f32)", "load b * 4 * N [N 1] -> [128 1] below [M - b * 4 N] else -1_f32"},
		{"copy (i: 4, j: 100) Y[b * 4 + i, j] = x[i, j] where b * 4 + i < M and j < N", "store b * 4 * N [N 1] -> [128 1] below [M - b * 4 N]"},
		{"copy (i: 4, j: 100) Y[b * 4 + i, j] = x[i, j] where j <= i", "none"}, // no ranges of indices
		{"copy (i: 4, j: 100) Y[b * 4 + i, j] = x[i, j] where j >= 3", "none"}, // rows in UB would start within a block
		{"copy (i: 4, j: 100) x[i, j] = X[j, b * 4 + i]", "none"},              // no runs of elements
		{"copy (i: 4, j: 100) x[i, j] = H[i, j]", "none"},                      // of another type
		{"copy (j: 100) x[2, j] = X[b, j]", "load b * N [1] -> [1]"},
		{"copy (i: 4) col[i] = X[i, b]", "none"},
		{"copy (i: 4, j: 128) q[i, j] = Q[i, j]", "load 0 [(N + 1) / 2 * 2 1] -> [128 1]"}, // rows start on bytes
		{"copy (i: 4, j: 100) x[i, j] = y[i, j]", "none"},
	} {
		got := "none"
		if c, ok := aicore.CopyOf(statement(t, test.op)); ok {
			got = "store"
			if c.Load {
				got = "load"
			}
			base := ir.Int(0)
			if c.Base != nil {
				base = c.Base
			}
			got += fmt.Sprintf(" %s %v -> %v", base, c.Strides, c.TileAt)
			if c.Clipped() {
				got += fmt.Sprintf(" below %v", c.High)
			}
			if c.Else != nil {
				got += " else " + c.Else.String()
			}
		}
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.op, got, test.want)
		}
	}
}

func TestReductionOf(t *testing.T) {
	for _, test := range []struct{ op, want string }{
		{"reduce sum (i: 4) over (j: 100) col[i] = x[i, j]", "4x100"},
		{"reduce max (j: 100) over (i: 4) row[j] = x[i, j]", "across 4x100"},
		{"reduce max (i: 4) over (a: 2, j: 64) col[i] = z[a, i, j]", "none"},
		{"reduce prod (i: 4) over (j: 100) col[i] = x[i, j]", "none"},
		{"reduce sum (i: 4) over (j: 100) col[i] = x[i, j] * x[i, j]", "none"}, // the products are a step of their own
		{"reduce sum (i: 4) over (j: 100) col[i] = x[i, j] where i < b", "none"},
	} {
		got := "none"
		if r, ok := aicore.ReductionOf(statement(t, test.op)); ok {
			got = fmt.Sprintf("%dx%d", r.Rows, r.Cols)
			if r.Across {
				got = "across " + got
			}
		}
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.op, got, test.want)
		}
	}
}

func TestMatrixCopyOf(t *testing.T) {
	for _, test := range []struct {
		op   string
		want bool
	}{
		{"copy (i: 16, j: 32) Y[b * 16 + i, j] = sums[i, j] where b * 16 + i < M and j < N", true},
		{"copy (i: 16, j: 32) Y[j, b * 16 + i] = sums[i, j]", false},                   // transposed
		{"copy (i: 16, j: 32) Y[b * 16 + i, j] = sums[i, j] where j >= 3", false},      // starts within a fractal
		{"copy (i: 16, j: 32) Y[b * 16 + i, 2 * j] = sums[i, j]", false},               // gaps
		{"copy (i: 16, j: 32) Y[b * 16 + i, j] = sums[i, j] where i + j < M", false},   // a diagonal
		{"map (i: 16, j: 32) Y[b * 16 + i, j] = sums[i, j] + 1_f32 where j < N", true}, // whatever is done on the way
	} {
		if _, got := aicore.MatrixCopyOf(statement(t, test.op)); got != test.want {
			t.Errorf("%s: got %t, want %t", test.op, got, test.want)
		}
	}
}

// Sizes of tiles in each memory: UB pads rows to 32 elements and tiles to 256 bytes; L1 and L0 hold whole fractals of 16 rows of 32 bytes.
func TestBytes(t *testing.T) {
	for _, test := range []struct {
		elem  ir.DType
		space ir.Space
		shape []int64
		want  int64
	}{
		{array.F32, ir.UB, []int64{4, 100}, 4 * 128 * 4},
		{array.F16, ir.UB, []int64{3, 10}, 256},
		{array.I4, ir.UB, []int64{4, 100}, 256},
		{array.F32, ir.UB, nil, 256},
		{array.F16, ir.L1, []int64{100, 72}, 112 * 80 * 2},
		{array.I8, ir.L1, []int64{100, 72}, 128 * 96},
		{array.F32, ir.L0C, []int64{17, 17}, 32 * 32 * 4},
		{array.F16, ir.L1, []int64{3, 16, 16}, 3 * 512},
		{array.F32, ir.Global, []int64{2, 3}, 512},
		{array.F16, ir.Global, []int64{300}, 1024},
	} {
		b := &ir.Buffer{Elem: test.elem, Space: test.space, Kind: ir.Tile}
		for _, e := range test.shape {
			b.Shape = append(b.Shape, ir.Int(e))
		}
		if got := aicore.Bytes(b); got != test.want {
			t.Errorf("%s%v in %s: got %d bytes, want %d", test.elem, test.shape, test.space, got, test.want)
		}
	}
}

func TestStride(t *testing.T) {
	b := &ir.Buffer{Elem: array.F32, Space: ir.UB, Shape: []*ir.Expr{ir.Int(2), ir.Int(3), ir.Int(40)}}
	for d, want := range []int{3 * 64, 64, 1} {
		if got := aicore.Stride(b, d); got != want {
			t.Errorf("dimension %d: got %d, want %d", d, got, want)
		}
	}
}
