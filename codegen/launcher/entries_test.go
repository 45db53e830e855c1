package launcher

import (
	"testing"

	"tilec/codegen/cuda"
	"tilec/ir"
	"tilec/runtime/array"
)

// variants describes compiled entries of a function as codegen/cuda does: one that assumes what the text lists, then the
// fallback.
func variants(t *testing.T, text, assumes string) *cuda.Unit {
	t.Helper()
	u := &cuda.Unit{}
	for i, extra := range []string{assumes, ""} {
		if i == 0 && assumes == "" {
			continue
		}
		f := parse(t, text, extra)
		f.Warps, f.SharedBytes = 4, 49152+1024
		e := cuda.Entry{Name: f.Name, Func: f, Threads: 128, Shared: f.SharedBytes, Narrow: extra != ""}
		dim := array.I64
		if e.Narrow {
			dim = array.I32
		}
		if i > 0 && assumes != "" {
			e.Name += "_any"
		}
		for _, p := range f.Params {
			if p.Tensor != nil {
				e.Params = append(e.Params, cuda.Param{Name: p.Tensor.Name, Tensor: p.Tensor})
			} else {
				e.Params = append(e.Params, cuda.Param{Name: p.Scalar.Name, Scalar: p.Scalar, Type: p.Scalar.Type})
			}
		}
		for _, d := range f.Dims {
			e.Params = append(e.Params, cuda.Param{Name: d.Var.Name, Scalar: d.Var, Type: dim})
		}
		for _, b := range f.Tensors() {
			for _, s := range b.Strides {
				e.Params = append(e.Params, cuda.Param{Name: s.Name, Scalar: s, Type: array.I64})
			}
		}
		u.Entries = append(u.Entries, e)
	}
	return u
}

// parse reads a function in text form; lines of assumptions go after its header.
func parse(t *testing.T, text, assumes string) *ir.Func {
	t.Helper()
	f, err := ir.Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	if assumes == "" {
		return f
	}
	scheduled, err := ir.Parse("test", header(text)+assumes+"}\n")
	if err != nil {
		t.Fatal(err)
	}
	return scheduled
}

// header is the text of a function up to its grid.
func header(text string) string {
	for i := range text {
		if i > 2 && text[i-2:i] == "  " && len(text) > i+4 && text[i:i+4] == "grid" {
			return text[:i-2]
		}
	}
	return text
}
