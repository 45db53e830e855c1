package ptx

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
)

// formRig runs one instruction with operands that hold something fit: %a is an address in
// global memory, %g of a place for a tensor map there, %s an address in shared memory, %gs
// the same as a generic one, %m an mbarrier with a count of 2, %map1 … %map5 tensor maps of
// that many dimensions (%map4 in im2col mode if %im2col), %ds the descriptor of a matrix.
const formRig = `.version 9.0
.target sm_90a
.address_size 64
.const .align 16 .b8 con[64];
.global .align 128 .b8 place[128];
.func (.reg .b32 %o) twice(.reg .b32 %i) { add.u32 %o, %i, %i; ret; }
.func take32(.param .b32 x) { ret; }
.func take64(.param .b64 x) { ret; }
.shared .align 1024 .b8 sh[32768];
.shared .align 16 .b8 bars[64];
.entry k(.param .align 16 .b8 par[64], .param .b64 buf, .param .align 64 .b8 m1[128], .param .align 64 .b8 m2[128], .param .align 64 .b8 m3[128],
  .param .align 64 .b8 m4[128], .param .align 64 .b8 m5[128])
{
.reg .pred %p<16>; .reg .b16 %h<32>; .reg .b32 %r<256>; .reg .b64 %l<300>; .reg .b8 %b<4>;
.reg .b64 %a, %gs, %pol, %ds, %map, %g, %map1, %map2, %map3, %map4, %map5; .reg .b32 %s, %m, %t, %t2, %idesc; .reg .pred %one;
.local .align 16 .b8 loc[64];
ld.param.b64 %a, [buf];
mov.b64 %g, place;
mov.b32 %s, sh;
mov.b32 %m, bars;
cvt.u64.u32 %gs, %s;
cvta.shared.u64 %gs, %gs;
shr.u64 %ds, %gs, 4;
and.b64 %ds, %ds, 0x3fff;
mov.b64 %pol, 0;
mov.b64 %map1, m1; cvta.param.u64 %map1, %map1;
mov.b64 %map2, m2; cvta.param.u64 %map2, %map2;
mov.b64 %map3, m3; cvta.param.u64 %map3, %map3;
mov.b64 %map4, m4; cvta.param.u64 %map4, %map4;
mov.b64 %map5, m5; cvta.param.u64 %map5, %map5;
mov.b64 %map, %map2;
mov.b16 %h8, 1;
mov.b32 %r30, 0x7f7f7f7f;
mov.b32 %r31, 0x7f7f7f7f;
mov.b32 %r8, %tid.x;
setp.eq.u32 %one, %r8, 0;
@%one mbarrier.init.shared::cta.b64 [%m], 2;
shl.b32 %r8, %r8, 2;
add.u32 %r8, %r8, %s;
st.shared.b32 [%r8+1024], 0;
mov.b32 %r1, 1;
bar.sync 0;
`

// formMaps are the tensor maps of the rig over buf.
func formMaps(buf *Buffer, im2col bool) []any {
	var maps []any
	for n := 1; n <= 5; n++ {
		m := &TensorMap{Buffer: buf, ElemBytes: 4, Type: "", Dims: []int64{8, 4, 4, 2, 2}[:n], Strides: []int64{32, 128, 512, 1024}[:n-1], Box: []int{8, 2, 2, 2, 1}[:n]}
		if n == 4 && im2col {
			m.Im2col = &Im2col{Lower: []int{0, 0}, Upper: []int{0, 0}, Channels: 8, Pixels: 8}
		}
		maps = append(maps, m)
	}
	return maps
}

// tcgenRig allocates tensor memory for an instruction of tcgen05: %t is its address, in
// the lanes of the warp where warps access it, and %idesc a descriptor for the kind.
func tcgenRig(form string) string {
	const shape = 16/8<<17 | 128/16<<24
	idesc := 0
	for kind, d := range map[string]int{
		"kind::f16": shape | 1<<4, "kind::tf32": shape | 1<<4 | 2<<7 | 2<<10, "kind::f8f6f4": shape | 1<<4, "kind::i8": shape | 2<<4,
		"kind::mxf8f6f4": 16/8<<17 | 1<<27 | 1<<23, "kind::mxf4nvf4": 16/8<<17 | 1<<27 | 1<<7 | 1<<10,
	} {
		if strings.Contains(form, kind+".") || strings.Contains(form, kind+" ") {
			idesc = d
		}
	}
	rig := "mov.b32 %idesc, " + itoa(idesc) + ";\n"
	if strings.HasPrefix(form, "tcgen05.alloc") {
		return rig
	}
	rig += `mov.u32 %r8, %tid.x;
shr.u32 %r8, %r8, 5;
setp.ne.u32 %p8, %r8, 0;
@%p8 bra there;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s], 128;
there:
bar.sync 0;
ld.shared.b32 %t, [%s];
mov.u32 %t2, %t;
`
	if strings.HasPrefix(form, "tcgen05.ld") || strings.HasPrefix(form, "tcgen05.st") {
		return rig + "shl.b32 %r8, %r8, 21;\nadd.u32 %t, %t, %r8;\n"
	}
	if strings.Contains(form, ".sync.aligned") { // one warp
		rig += "@%p8 bra over;\n"
	}
	return rig
}

// TestForms decodes and executes every form of testdata/forms.txt.
func TestForms(t *testing.T) {
	text, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	// One thread does what all together must not.
	single := regexp.MustCompile(`^(mbarrier\.|cp\.async\.bulk|cp\.reduce|tensormap\.replace|st\.async|red\.async|clusterlaunchcontrol|tcgen05\.(mma|commit|cp|shift))`)
	found := map[string]string{"trap;": "trap", "barrier.cluster.wait": "barrier mismatch"}
	refused := regexp.MustCompile(`^mma\.sp`)
	n := 0
	for at, form := range strings.Split(string(text), "\n") {
		if form == "" || form[0] == '#' {
			continue
		}
		n++
		statement := form
		if single.MatchString(form) {
			statement = "@%one " + form
		}
		cfg := Config{Block: [3]int{128}, Workers: 1}
		if strings.HasPrefix(form, "tcgen05") {
			statement = tcgenRig(form) + statement + "\nover:\n"
		}
		if strings.Contains(form, "cta_group::2") {
			cfg.Grid, cfg.Cluster = [3]int{2}, [3]int{2}
			statement = strings.Replace(statement, "bar.sync 0;", "barrier.cluster.arrive;\nbarrier.cluster.wait;", 1) + "\nbarrier.cluster.arrive;\nbarrier.cluster.wait;"
		}
		if strings.Contains(form, "%q") {
			statement = ".reg .b128 %q<4>;\n" + statement
		}
		m, err := Parse("forms.txt", formRig+statement+"\nret;\n}\n")
		if err != nil {
			t.Errorf("line %d: %v", at+1, err)
			continue
		}
		k, err := m.Kernel("k")
		if refused.MatchString(form) {
			name, _, _ := strings.Cut(strings.TrimSuffix(form, ";"), " ")
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "forms.txt:"+itoa(strings.Count(formRig, "\n")+1)) {
				t.Errorf("line %d: %s: the refusal does not name it: %v", at+1, form, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("line %d: %v", at+1, err)
			continue
		}
		buf := &Buffer{Data: make([]byte, 65536)}
		args := append([]any{make([]byte, 64), buf}, formMaps(buf, strings.Contains(form, "im2col"))...)
		rep, err := k.Launch(context.Background(), cfg, args...)
		if err != nil {
			t.Errorf("line %d: %s: %v", at+1, form, err)
			continue
		}
		want := ""
		for prefix, kind := range found {
			if strings.HasPrefix(form, prefix) {
				want = kind
			}
		}
		if got := kinds(rep); got != want {
			t.Errorf("line %d: %s: found %v, want %q", at+1, form, rep.Findings, want)
		}
	}
	if n != 847 {
		t.Errorf("%d forms", n)
	}
}
