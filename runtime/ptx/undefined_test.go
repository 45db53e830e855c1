package ptx

import (
	"context"
	"strings"
	"testing"
)

// run launches an entry k of the PTX body given, one warp, with all checks.
func run(t *testing.T, body string, cfg Config, args ...any) *Report {
	t.Helper()
	k := assemble(t, body)
	if cfg.Block[0] == 0 {
		cfg.Block[0] = 32
	}
	cfg.Checks = CheckAll
	rep, err := k.Launch(context.Background(), cfg, args...)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// assemble decodes an entry k(.param .u64 p) with registers of every kind and the body given.
func assemble(t testing.TB, body string) *Kernel {
	t.Helper()
	m, err := Parse("test.ptx", assembly(body))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func assembly(body string) string {
	return `.version 9.5
.target sm_90a
.address_size 64
.func (.reg .b32 %out) twice(.reg .b32 %in) { add.u32 %out, %in, %in; ret; }
.visible .entry k(.param .u64 p)
{
.reg .pred %p<20>;
.reg .b16 %h<40>;
.reg .b32 %r<80>;
.reg .f32 %f<40>;
.reg .b64 %rd<40>;
.reg .f64 %fd<20>;
` + body + "\nret;\n}\n"
}

func kinds(rep *Report) string {
	var list []string
	for _, f := range rep.Findings {
		list = append(list, f.Kind.String())
	}
	return strings.Join(list, "; ")
}

func TestUndefinedRegisters(t *testing.T) {
	const load = "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\n"
	cases := []struct{ name, body, want string }{
		{"stored", load + "st.global.u32 [%rd1], %r9;", "undefined register"},
		{"computed then stored", load + "add.s32 %r8, %r9, 1; xor.b32 %r8, %r8, %r1; st.global.u32 [%rd1], %r8;", "undefined register"},
		{"address", "st.global.u32 [%rd1], 1;", "undefined register; out of bounds"},
		{"predicate", load + "setp.eq.s32 %p1, %r9, 0;\n@%p1 st.global.u32 [%rd1], 1;", "undefined register"},
		{"never set predicate", load + "@%p1 st.global.u32 [%rd1], 1;", "undefined register"},
		{"set under a guard", load + "setp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r9, 5;\n@%p1 st.global.u32 [%rd1], %r9;", ""},
		{"set in too few lanes", load + "setp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r9, 5;\nst.global.u32 [%rd1], %r9;", "undefined register"},
		{"not chosen", load + "setp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r9, 5;\nselp.b32 %r8, %r9, 7, %p1;\nst.global.u32 [%rd1], %r8;", ""},
		{"computed and unused", load + "add.s32 %r8, %r9, 1;\nst.global.u32 [%rd1], %r1;", ""},
		{"half of a word", load + "mov.b32 %r8, {%h1, %h2};\nst.global.u32 [%rd1], %r8;", "undefined register"},
		{"the other half", load + "cvt.u16.u32 %h2, %r1;\nmov.b32 %r8, {%h1, %h2};\nmov.b32 {%h3, %h4}, %r8;\nst.global.u16 [%rd1], %h4;", ""},
		{"masked off", load + "or.b32 %r8, %r9, 0xffff0000;\nand.b32 %r8, %r8, 0xffff0000;\nst.global.u32 [%rd1], %r8;", ""},
		{"not masked off", load + "and.b32 %r8, %r9, 0xffff0000;\nst.global.u32 [%rd1], %r8;", "undefined register"},
		{"shifted out", load + "mov.b32 %r8, {%h1, 5};\nshr.u32 %r8, %r8, 16;\nst.global.u32 [%rd1], %r8;", ""},
		{"converted away", load + "mov.b32 %r8, {5, %h1};\ncvt.u64.u32 %rd5, %r8;\ncvt.s64.s8 %rd6, %rd5;\nst.global.u64 [%rd2], %rd6;", "out of bounds"},
		{"sign of an undefined byte", load + "shl.b32 %r8, %r9, 4;\ncvt.s32.s8 %r8, %r8;\nand.b32 %r8, %r8, 0xff00;\nst.global.u32 [%rd1], %r8;", "undefined register"},
		{"kept for itself", "{ .local .align 4 .b8 l[4]; st.local.u32 [l], %r9; }", ""},
		{"bytes picked", load + "mov.b32 %r8, {%h1, 5};\nprmt.b32 %r8, %r8, 0, 0x4432;\nst.global.u32 [%rd1], %r8;", ""},
		{"low bits of a sum", load + "shl.b32 %r8, %r9, 8;\nadd.s32 %r8, %r8, 7;\nst.global.u8 [%rd1], %r8;", ""},
		{"a false operand decides", load + "setp.gt.u32 %p1, %r1, 99;\nsetp.eq.s32 %p2, %r9, 0;\nand.pred %p3, %p1, %p2;\nnot.pred %p4, %p3;\n@%p4 st.global.u32 [%rd1], 1;", ""},
		{"a true operand decides", load + "setp.lt.u32 %p1, %r1, 99;\nsetp.eq.s32 %p2, %r9, 0;\nor.pred %p3, %p2, %p1;\n@%p3 st.global.u32 [%rd1], 1;", ""},
		{"neither operand decides", load + "setp.lt.u32 %p1, %r1, 99;\nsetp.eq.s32 %p2, %r9, 0;\nand.pred %p3, %p1, %p2;\n@%p3 st.global.u32 [%rd1], 1;", "undefined register"},
		{"bits that differ", load + "or.b32 %r8, %r9, 1;\nand.b32 %r8, %r8, 255;\nsetp.ne.s32 %p1, %r8, 0;\n@%p1 st.global.u32 [%rd1], 1;", ""},
		{"no bit decides", load + "and.b32 %r8, %r9, 255;\nsetp.ne.s32 %p1, %r8, 0;\n@%p1 st.global.u32 [%rd1], 1;", "undefined register"},
		{"order is not decided by a bit", load + "or.b32 %r8, %r9, 1;\nsetp.lt.s32 %p1, %r8, 0;\n@%p1 st.global.u32 [%rd1], 1;", "undefined register"},
		{"loop carried", load + "mov.u32 %r2, 0;\nL: add.s32 %r9, %r2, 1;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 3;\n@%p1 bra L;\nst.global.u32 [%rd1], %r9;", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			rep := run(t, c.body, Config{}, words(32, func(int) uint32 { return 0 }))
			if got := kinds(rep); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// TestCommonStore: warps that all store what they have in common don't race.
func TestCommonStore(t *testing.T) {
	for value, want := range map[string]string{"7": "", "%r1": "race in shared memory"} {
		rep := run(t, ".shared .align 4 .b32 x;\nmov.u32 %r1, %tid.x;\nshr.u32 %r1, %r1, 5;\nst.shared.u32 [x], "+value+";\n", Config{Block: [3]int{96}}, &Buffer{Data: make([]byte, 4)})
		if got := kinds(rep); got != want {
			t.Errorf("storing %s: %q, want %q", value, got, want)
		}
	}
}
