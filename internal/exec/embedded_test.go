package exec

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"tilec/runtime/cuda"
)

func text(arch, entry string) string {
	return ".version 8.0\n.target " + arch + "\n.address_size 64\n.visible .entry " + entry + "() { ret; }\n"
}

// fatBinary packs entries as fatbinary does.
func fatBinary(entries ...[]byte) []byte {
	body := bytes.Join(entries, nil)
	le := binary.LittleEndian
	out := le.AppendUint64(le.AppendUint16(le.AppendUint16(le.AppendUint32(nil, fatMagic), 1), fatHeader), uint64(len(body)))
	return append(out, body...)
}

func fatEntryOf(kind uint16, arch uint32, flags uint64, payload []byte, full int) []byte {
	le := binary.LittleEndian
	const header = 72
	h := make([]byte, header)
	le.PutUint16(h, kind)
	le.PutUint32(h[4:], header)
	padded := (len(payload) + 7) &^ 7
	le.PutUint64(h[8:], uint64(padded))
	le.PutUint32(h[16:], uint32(len(payload)))
	le.PutUint32(h[28:], arch)
	le.PutUint64(h[40:], flags)
	le.PutUint64(h[56:], uint64(full))
	return append(append(h, payload...), make([]byte, padded-len(payload))...)
}

// literals packs text as one LZ4 sequence without a match.
func literals(s string) []byte {
	out := []byte{0xf0}
	n := len(s) - 15
	for ; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(append(out, byte(n)), s...)
}

// zstandard packs text as one frame.
func zstandard(t testing.TB, s string) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll([]byte(s), nil)
}

func TestFatBinary(t *testing.T) {
	a80, b80, a90 := text("sm_80", "a"), text("sm_80", "b"), text("sm_90", "a")
	both := fatBinary(
		fatEntryOf(2, 80, 0x11, []byte("machine code"), 0),
		fatEntryOf(fatKindPTX, 80, 0x11|fatZstd, zstandard(t, a80), len(a80)),
		fatEntryOf(fatKindPTX, 90, 0x11|fatLZ4, literals(a90), len(a90)),
	)
	both = append(append(both, make([]byte, 8)...), fatBinary(fatEntryOf(fatKindPTX, 80, 0x11, []byte(b80), 0))...)
	for _, c := range []struct{ arch, entry, want, err string }{
		{"", "", a90, ""},
		{"sm_90a", "a", a90, ""},
		{"sm_86", "a", a80, ""},
		{"", "b", b80, ""},
		{"sm_80", "", "", "several PTX texts for sm_80 inside: choose one by its --entry; there is a, b"},
		{"", "c", "", "no PTX inside has an entry c; there is a, b"},
		{"sm_75", "", "", "no PTX inside that runs on sm_75"},
	} {
		got, err := extract(both, c.arch, c.entry)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q %q: %q, %v; want %q, %q", c.arch, c.entry, got, err, c.want, c.err)
		}
	}
	for name, c := range map[string]struct {
		data []byte
		err  string
	}{
		"cut":  {both[:60], "cut off"},
		"none": {fatBinary(fatEntryOf(2, 80, 0, []byte("code"), 0)), "no PTX inside, only machine code"},
		"zstd": {fatBinary(fatEntryOf(fatKindPTX, 80, fatZstd, []byte("x"), 9)), "damaged Zstandard data"},
		"size": {fatBinary(fatEntryOf(fatKindPTX, 80, fatZstd, zstandard(t, a80), 9)), "damaged Zstandard data"},
		"lz4":  {fatBinary(fatEntryOf(fatKindPTX, 80, fatLZ4, []byte{0x10}, 9)), "damaged LZ4"},
		"elf":  {[]byte("\x7fELF and then nothing"), "ELF class"},
	} {
		if _, err := extract(c.data, "", ""); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
	}
}

func TestLZ4(t *testing.T) {
	// The literals "ab", a match of 6 bytes 2 back, the literal "c".
	got, err := unpackLZ4([]byte{0x22, 'a', 'b', 2, 0, 0x10, 'c'}, 9)
	if err != nil || string(got) != "ababababc" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range [][]byte{{0x22, 'a', 'b', 3, 0}, {0x22, 'a', 'b', 2}, {0xff}, {0x20, 'a'}, {0x22, 'a', 'b', 0, 0}} {
		if got, err := unpackLZ4(bad, 9); err == nil {
			t.Errorf("% x gives %q", bad, got)
		}
	}
}

func FuzzExtract(f *testing.F) {
	a := text("sm_80", "a")
	f.Add(fatBinary(fatEntryOf(fatKindPTX, 80, fatLZ4, literals(a), len(a))))
	f.Add(fatBinary(fatEntryOf(fatKindPTX, 80, fatZstd, zstandard(f, a), len(a))))
	f.Add([]byte(elfMagic))
	f.Fuzz(func(_ *testing.T, data []byte) { extract(data, "sm_80", "") })
}

// TestCubin takes the PTX out of what NVIDIA's compiler makes.
func TestCubin(t *testing.T) {
	tool, err := cuda.Find(t.Context(), cuda.Search{})
	if err != nil {
		t.Fatal(err)
	}
	for _, lineInfo := range []bool{true, false} {
		source := cuda.Source{Name: "k.cu", Text: `extern "C" __global__ void k(float* x) { x[threadIdx.x] += 1; }`}
		r, err := tool.Compile(t.Context(), source, cuda.Options{Arch: "sm_80", LineInfo: lineInfo})
		if err != nil {
			t.Fatal(err)
		}
		got, err := extract(r.Cubin, "", "")
		switch {
		case lineInfo && (err != nil || !strings.Contains(got, ".entry k(")):
			t.Errorf("with line information: %q, %v", got, err)
		case !lineInfo && (err == nil || !strings.Contains(err.Error(), "-lineinfo")):
			t.Errorf("without line information: %v", err)
		}
	}
}

func TestPlainName(t *testing.T) {
	for mangled, want := range map[string]string{
		"saxpy":                          "saxpy",
		"_Z5saxpyifPKfPf":                "saxpy",
		"_Z3sumIfEvPKT_PS0_":             "sum",
		"_ZN2my5inner3addEPf":            "add",
		"_ZN12_GLOBAL__N_13addEPf":       "add",
		"_Z9":                            "_Z9",
		"_Z99999999999999999999999saxpy": "_Z99999999999999999999999saxpy",
	} {
		if got := plainName(mangled); got != want {
			t.Errorf("%s: %s, want %s", mangled, got, want)
		}
	}
}
