package exec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilec/runtime/array"
	"tilec/runtime/ptx"
)

func TestParseArg(t *testing.T) {
	for _, c := range []struct {
		text string
		want Arg
	}{
		{"null", Arg{Kind: Null}},
		{"i32:-5", Arg{Kind: Scalar, Type: array.I32, Value: []byte{0xfb, 0xff, 0xff, 0xff}}},
		{"u8:0xff", Arg{Kind: Scalar, Type: array.U8, Value: []byte{0xff}}},
		{"i64:1", Arg{Kind: Scalar, Type: array.I64, Value: []byte{1, 0, 0, 0, 0, 0, 0, 0}}},
		{"f32:1.5", Arg{Kind: Scalar, Type: array.F32, Value: []byte{0, 0, 0xc0, 0x3f}}},
		{"f32:-inf", Arg{Kind: Scalar, Type: array.F32, Value: []byte{0, 0, 0x80, 0xff}}},
		{"f16:1", Arg{Kind: Scalar, Type: array.F16, Value: []byte{0, 0x3c}}},
		{"bool:true", Arg{Kind: Scalar, Type: array.Bool, Value: []byte{1}}},
		{"bytes:00_fF", Arg{Kind: Bytes, Value: []byte{0, 255}}},
		{"A=a.npy", Arg{Kind: In, Name: "A", Path: "a.npy"}},
		{"A=a.npy:f16", Arg{Kind: In, Name: "A", Path: "a.npy", Type: array.F16}},
		{"in:A=a.npy:f16[2,3]", Arg{Kind: In, Name: "A", Path: "a.npy", Type: array.F16, Shape: []int{2, 3}}},
		{"C=d/c.npy:f32[128, 256]", Arg{Kind: Out, Name: "C", Path: "d/c.npy", Type: array.F32, Shape: []int{128, 256}}},
		{"C=c.npy:f32[]", Arg{Kind: Out, Name: "C", Path: "c.npy", Type: array.F32, Shape: []int{}}},
		{"io:X=x.npy@8", Arg{Kind: InOut, Name: "X", Path: "x.npy", Offset: 8}},
		{"X=x=y.npy%2@4", Arg{Kind: In, Name: "X", Path: "x=y.npy", Offset: 4, Misalign: 2}},
		{"W=undefined:f32[4]", Arg{Kind: Out, Name: "W", Type: array.F32, Shape: []int{4}, Generate: &Generator{undefined, []float64{}}}},
		{"X=normal(1, 2):bf16[4]", Arg{Kind: In, Name: "X", Type: array.BF16, Shape: []int{4}, Generate: &Generator{"normal", []float64{1, 2}}}},
		{"X=uniform(-1):f64[1]", Arg{Kind: In, Name: "X", Type: array.F64, Shape: []int{1}, Generate: &Generator{"uniform", []float64{-1, 1}}}},
		{"X=zeros.npy", Arg{Kind: In, Name: "X", Path: "zeros.npy"}},
		{"map:io:A=a.npy:f16,box=64x32,swizzle=128,fill=nan,step=1x2", Arg{
			Kind: InOut, Name: "A", Path: "a.npy", Type: array.F16,
			Map: &MapOptions{Box: []int{64, 32}, Steps: []int{1, 2}, Swizzle: ptx.Swizzle128B, Fill: ptx.FillNaN},
		}},
		{"map:A,box=8", Arg{Kind: Again, Name: "A", Map: &MapOptions{Box: []int{8}}}},
		{"X@16", Arg{Kind: Again, Name: "X", Offset: 16}},
	} {
		c.want.Text = c.text
		got, err := ParseArg(c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(&c.want, got, cmp.AllowUnexported(Generator{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestParseArgErrors(t *testing.T) {
	for text, want := range map[string]string{
		"map:A=a.npy":                  "has a box",
		"map:null,box=1":               "is over an array",
		"map:A@16,box=1":               "all of an array",
		"map:A,box=1,swizzle=96":       "a swizzle is none, 32, 64 or 128",
		"map:A,box=1,colour=red":       "there is box, step, swizzle and fill",
		"map:A,box=0":                  "extents are written",
		"map:map:A,box=1,box=1":        "",
		"":                             "an argument is null",
		"5":                            "an argument is null",
		"i32:":                         "is no i32",
		"i32:1.5":                      "is no i32",
		"u32:-1":                       "is no u32",
		"f32:one":                      "is not a number",
		"i4:1":                         "4 bits",
		"bool:2":                       "neither true nor false",
		"A=":                           "no file",
		"A=:f32":                       "no file",
		"a b=c.npy":                    "no name",
		"both:A=a.npy":                 "there is in, io, out and map",
		"out:A=zeros:f32[1]":           "no values before",
		"io:A=undefined:f32[1]":        "is an output",
		"A=full(1,2):f32[1]":           "arguments of full are (value)",
		"A=full(x):f32[1]":             "is not a number",
		"A=ones:f32[1,]":               "no shape",
		"A=a.npy%256":                  "0 to 255",
		"A=a.npy@99999999999999999999": "no such offset",
		"X%4":                          "an argument is null",
	} {
		if _, err := ParseArg(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseArg(f *testing.F) {
	for _, s := range []string{"null", "i32:5", "A=a.npy:f16@4", "io:X=normal(0,1):f32[2,3]%4@8", "bytes:00", "C=c.npy:f32[]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseArg(text)
		if err != nil {
			return
		}
		if a.Kind == 0 || a.Text != text || a.IsPointer() == (a.Value != nil || a.Kind == Null) {
			t.Errorf("%q: %+v", text, a)
		}
	})
}

func TestCheck(t *testing.T) {
	params := []ptx.Param{{Name: "x", Type: "u64", Count: 1, Size: 8}, {Name: "h", Type: "b8", Count: 2, Size: 2}, {Name: "p", Type: "u64", Count: 1, Size: 8}, {Name: "q", Type: "u64", Count: 1, Size: 8}}
	parse := func(texts ...string) (args []*Arg) {
		for _, s := range texts {
			a, err := ParseArg(s)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, a)
		}
		return args
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"X=x.npy", "f16:1", "null", "i64:5"}, ""},
		{[]string{"null", "i16:3", "map:A=a.npy,box=8", "null"}, ""},
		{[]string{"null", "map:A=a.npy,box=8", "null", "null"}, "argument 1 is a tensor map of 128 bytes, the parameter is 2 bytes"},
		{[]string{"u64:5", "bytes:0001", "X=x.npy", "X"}, ""},
		{[]string{"null", "i16:3"}, "kernels of Triton"},
		{[]string{"null"}, "1 argument for 4 parameters"},
		{[]string{"null", "X=x.npy", "null", "null"}, "argument 1 is an array, which is passed as its address of 8 bytes, the parameter is 2 bytes"},
		{[]string{"f64:1", "i16:0", "null", "null"}, "argument 0 is f64, the parameter is u64"},
	} {
		err := check("k", params, parse(c.args...))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
}

func TestGenerators(t *testing.T) {
	fill := func(text, name string, seed uint64) []float64 {
		g, err := parseGenerator(text)
		if err != nil {
			t.Fatal(err)
		}
		a := array.New(array.F64, 200)
		g.fill(a, name, seed)
		var all []float64
		for i := range a.Len() {
			all = append(all, a.At(i))
		}
		return all
	}
	within := func(text string, low, high float64) {
		t.Helper()
		for _, x := range fill(text, "X", 1) {
			if x < low || x > high {
				t.Errorf("%s gives %g", text, x)
			}
		}
	}
	within("zeros", 0, 0)
	within("ones()", 1, 1)
	within("full(-3)", -3, -3)
	within("uniform(2,3)", 2, 3)
	within("randint(-4,4)", -4, 3)
	within("randint(9,2)", 9, 9)
	within("arange(10,0.5)", 10, 109.5)
	if a, b := fill("normal", "X", 1), fill("normal", "X", 1); !cmp.Equal(a, b) {
		t.Error("equal seeds, different values")
	}
	if a, b := fill("normal", "X", 1), fill("normal", "Y", 1); cmp.Equal(a, b) {
		t.Error("two arrays have the same values")
	}
}
