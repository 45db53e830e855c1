package ptx

import (
	"strings"
	"testing"
)

func TestUnusedElements(t *testing.T) {
	const load = "ld.param.u64 %rd1, [p];\n.shared .align 16 .b8 s[16];\nst.shared.v2.u32 [s], {1, 2};\nst.shared.u32 [s+8], 3;\n" +
		"ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];\n"
	cases := []struct{ name, body, want string }{
		{"the last element is not used", load + "add.s32 %r5, %r2, %r3;\nst.global.u32 [%rd1], %r5;", ""},
		{"it is", load + "add.s32 %r5, %r3, %r4;\nst.global.u32 [%rd1], %r5;", "read of unwritten memory"},
		{"it is in another block", load + "setp.eq.s32 %p1, %r1, 1;\n@%p1 bra L;\nmov.u32 %r3, 0;\nL: add.s32 %r5, %r3, %r4;\nst.global.u32 [%rd1], %r5;", "read of unwritten memory"},
		{"its register is written anew", load + "mov.u32 %r4, 9;\nadd.s32 %r5, %r3, %r4;\nst.global.u32 [%rd1], %r5;", ""},
	}
	masked := strings.Replace(load, "ld.shared", ".pragma \"used_bytes_mask 0xfff\";\nld.shared", 1)
	holes := strings.Replace(load, "ld.shared", ".pragma \"used_bytes_mask 0xf00f\";\nld.shared", 1)
	cases = append(cases, []struct{ name, body, want string }{
		{"a pragma says so", masked + "mov.b64 %rd2, {%r3, %r4};\ncvt.u32.u64 %r5, %rd2;\nst.global.u32 [%rd1], %r5;", ""},
		{"a pragma with holes", holes + "add.s32 %r5, %r1, %r4;\nst.global.u32 [%rd1], %r5;", "read of unwritten memory"},
		{"the next load has none", masked + "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];\nadd.s32 %r5, %r3, %r4;\nst.global.u32 [%rd1], %r5;", "read of unwritten memory"},
	}...)
	cases = append(cases, []struct{ name, body, want string }{
		{"half of a register is written", "ld.param.u64 %rd1, [p];\n.shared .align 16 .b8 s[16];\nmov.u16 %h1, 7;\nst.shared.u16 [s], %h1;\nst.shared.u16 [s+2], %h1;\nst.shared.u16 [s+4], %h1;\n" +
			"ld.shared.v2.u32 {%r1, %r2}, [s];\nmov.b32 {%h3, %h4}, %r2;\nst.global.u16 [%rd1], %h3;", ""},
	}...)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := kinds(run(t, c.body, Config{Block: [3]int{1, 1, 1}}, words(1, func(int) uint32 { return 0 }))); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
