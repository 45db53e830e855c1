package array

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func npyFile(version byte, header string, data []byte) []byte {
	b := append([]byte(npyMagic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

func TestNpyRoundTrip(t *testing.T) {
	values := []float64{0, 1, -2, 3.5, 100, -0.125}
	for _, dtype := range DTypes() {
		for _, shape := range [][]int{{6}, {2, 3}, {1, 2, 3}, {6, 1}} {
			a := FromFloats64(dtype, values, shape...)
			var file bytes.Buffer
			if err := WriteNpy(&file, a); err != nil {
				t.Fatal(err)
			}
			if start := file.Len() - len(a.Convert(NpyType(dtype)).Data); start%64 != 0 {
				t.Errorf("%s: elements start at %d, not a multiple of 64", a, start)
			}
			b, err := ReadNpy(&file)
			if err != nil {
				t.Fatalf("%s: %v", a, err)
			}
			if b.DType != NpyType(dtype) || !b.Convert(dtype).Equal(a) {
				t.Errorf("%s %v comes back as %s %v", a, a.Floats64(), b, b.Floats64())
			}
		}
	}
	for _, shape := range [][]int{{}, {0}, {3, 0}} {
		a := New(F32, shape...)
		var file bytes.Buffer
		if err := WriteNpy(&file, a); err != nil {
			t.Fatal(err)
		}
		b, err := ReadNpy(&file)
		if err != nil || !a.Equal(b) {
			t.Errorf("%s comes back as %v, %v", a, b, err)
		}
	}
}

func TestNpyForms(t *testing.T) {
	for _, c := range []struct {
		name string
		file []byte
		want *Array
	}{
		{"big-endian", npyFile(1, "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }\n", []byte{0, 1, 0xff, 0xfe}),
			FromInts(I16, []int64{1, -2}, 2)},
		{"version 2", npyFile(2, `{"shape": (2L, 1), "fortran_order": False, "descr": "|u1"}`, []byte{7, 8}),
			FromInts(U8, []int64{7, 8}, 2, 1)},
		{"fortran", npyFile(3, "{'descr': '<u1', 'fortran_order': True, 'shape': (2, 3)}", []byte{1, 4, 2, 5, 3, 6}),
			FromInts(U8, []int64{1, 2, 3, 4, 5, 6}, 2, 3)},
		{"fortran, 3-D", npyFile(1, "{'descr': '<u1', 'fortran_order': True, 'shape': (2, 2, 2)}", []byte{0, 4, 2, 6, 1, 5, 3, 7}),
			FromInts(U8, []int64{0, 1, 2, 3, 4, 5, 6, 7}, 2, 2, 2)},
		{"bool", npyFile(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", []byte{0, 1, 5}),
			FromInts(Bool, []int64{0, 1, 1}, 3)},
		{"scalar", npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", binary.LittleEndian.AppendUint64(nil, math.Float64bits(2.5))),
			FromFloats64(F64, []float64{2.5})},
	} {
		got, err := ReadNpy(bytes.NewReader(c.file))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestNpyErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "not a .npy file"},
		{"text", "hello, world", "not a .npy file"},
		{"version", npyMagic + "\x09\x00", "version 9.0"},
		{"short header", npyMagic + "\x01\x00\xff\xff{", "ends inside its header"},
		{"long header", npyMagic + "\x02\x00\xff\xff\xff\x7f", "too long"},
		{"no dictionary", string(npyFile(1, "[1, 2]", nil)), "malformed header"},
		{"complex", string(npyFile(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", nil)), `"<c8" is not supported`},
		{"record", string(npyFile(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", nil)), "malformed header"},
		{"missing key", string(npyFile(1, "{'descr': '<f4', 'shape': (1,)}", nil)), "lacks"},
		{"unknown key", string(npyFile(1, "{'x': '<f4', 'shape': (1,)}", nil)), "unknown key"},
		{"negative", string(npyFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", nil)), "expected an extent"},
		{"huge", string(npyFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9)}", nil)), "too large"},
		{"short data", string(npyFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", []byte{1})), "ends after 1 of"},
	} {
		_, err := ReadNpy(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// TestPythonReadsOurHeader checks the dialect by Python's own literal parser, as NumPy uses it.
func TestPythonReadsOurHeader(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.npy")
	if err := SaveNpy(name, New(BF16, 2, 3)); err != nil {
		t.Fatal(err)
	}
	const script = `
import ast, struct, sys
f = open(sys.argv[1], "rb").read()
n = struct.unpack("<H", f[8:10])[0]
print(ast.literal_eval(f[10:10+n].decode("latin1")), f[10+n-1:10+n], len(f) - 10 - n)`
	out, err := exec.Command("python3", "-c", script, name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} b'\\n' 24\n"
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if _, err := LoadNpy(name + ".missing"); !os.IsNotExist(err) {
		t.Errorf("missing file: %v", err)
	}
}

func FuzzReadNpy(f *testing.F) {
	var file bytes.Buffer
	if err := WriteNpy(&file, FromFloats64(F16, []float64{1, 2, 3, 4}, 2, 2)); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add(npyFile(2, "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 1L), }", make([]byte, 8)))
	f.Add(npyFile(1, "{'descr': '|b1', 'fortran_order': False, 'shape': ()}", []byte{2}))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ReadNpy(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := WriteNpy(&again, a); err != nil {
			t.Fatal(err)
		}
		b, err := ReadNpy(&again)
		if err != nil || !a.Equal(b) {
			t.Fatalf("%s does not come back: %v", a, err)
		}
	})
}
