package interp

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tilec/ir"
	"tilec/runtime/array"
)

// smallArgs makes arguments with dimensions of 3 and scalars of 1; ok is false
// if some tensor can't be that small.
func smallArgs(f *ir.Func) (args Args, ok bool) {
	args = Args{Tensors: map[string]*array.Array{}, Ints: map[string]int64{}, Floats: map[string]float64{}}
	for _, d := range f.Dims {
		args.Ints[d.Var.Name] = 3
	}
	for _, p := range f.Params {
		if p.Scalar != nil {
			args.Ints[p.Scalar.Name], args.Floats[p.Scalar.Name] = 1, 1
		}
	}
	p, err := compile(f, nil, false)
	if err != nil {
		return args, false
	}
	fr := p.newFrame()
	if bindScalars(fr, f, args) != nil {
		return args, false
	}
	for _, t := range f.Tensors() {
		var ext []int
		for _, n := range p.shapes[t] {
			ext = append(ext, int(n.one(fr)))
		}
		n, err := array.Bytes(t.Elem, ext...)
		if err != nil || n > 1<<16 {
			return args, false
		}
		args.Tensors[t.Name] = values(t.Elem, func(i int) float64 { return float64(i%5) - 1 }, ext...)
	}
	return args, true
}

// FuzzRun runs whatever parses and verifies; nothing may panic or hang.
func FuzzRun(f *testing.F) {
	files, err := filepath.Glob("../testdata/*.tir")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds")
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(pipeline{}.text())
	for _, body := range []string{
		"map (i: 3, j: 4) Y[i, j] = X[2 - i, 3 - j] + Y[i, 3 - j]",
		"reduce argmax (i: 3) over (j: 4) Z[i] = X[i, j] where i + j != 2",
		"scan sum axis 1 (i: 3, j: 4) Y[i, j] = X[i, j]",
		"contract (i: 3, j: 4) over (k: 3) Y[i, j] += X[i, k] * X[k, j]",
		"atomic sum (i: 4) Z[Z[i] & 3] guard(i < 3) = 1",
		"map (i i8: 3, j: 4) Y[i64(i), j] = select(bitcast(f32, i32(i) << 23_i32) > 1_f32 or j == 2, sigmoid(X[i64(i), j]), rand(j, 1))",
		"alloc t: f8e5m2[8]\nmap (i: 8) t[i] = f8e5m2(exp2(f32(i)))\nwhile false {\n}\nfor k in 0 .. 8 step 2 {\nmap (i: 3) Y[i, 0] = f32(t[k])\n}",
	} {
		f.Add("tile func f {\n param in X: f32[3, 4]\n param inout Y: f32[3, 4]\n param inout Z: i64[3]\n grid (b: 1)\n" + body + "\n}")
	}
	f.Fuzz(func(t *testing.T, text string) {
		fn, err := ir.Parse("fuzz", text)
		if err != nil || ir.Verify(fn) != nil {
			return
		}
		args, ok := smallArgs(fn)
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, _ = Run(ctx, fn, args, Options{Workers: 1})
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
