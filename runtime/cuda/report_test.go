package cuda

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	fakePython(t, pipScript)
	cache := t.TempDir()
	search := Search{CacheDir: cache}
	r := NewReport(t.Context(), search)
	if r.Chosen() != nil || r.Installer != "python3 -m pip" {
		t.Errorf("on a bare machine: %s", r)
	}
	if err := Install(t.Context(), search, Compiler); err != nil {
		t.Fatal(err)
	}
	r = NewReport(t.Context(), search)
	if c := r.Chosen(); c == nil || c.Origin != FromCache {
		t.Errorf("after installing: %s", r)
	}
	for _, want := range []string{"compiler   tilec's cache: NVRTC 13.5", "component  disassembler 13.5.37: not installed", "0 compiled kernels", "/usr/local/cuda"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("report lacks %q:\n%s", want, r)
		}
	}
	t.Setenv(DirVariable, t.TempDir())
	if r := NewReport(t.Context(), search); r.Chosen() != nil {
		t.Errorf("a useless $%s is passed over:\n%s", DirVariable, r)
	}
}
