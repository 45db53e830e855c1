package ptx

import (
	"strings"
	"testing"
)

func TestGlobalRace(t *testing.T) {
	rep := run(t, "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1], %r1;", Config{Grid: [3]int{4}}, words(1, func(int) uint32 { return 0 }))
	if len(rep.Findings) != 1 || rep.Findings[0].Kind != GlobalRace {
		t.Errorf("found %v", rep.Findings)
	}
}

// TestRewrites lets blocks, and warps by different stores, write one place: the same value is
// no race, another is, and so is the same to whoever reads it.
func TestRewrites(t *testing.T) {
	const address = "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r4, %tid.x;\nsetp.lt.u32 %p1, %r4, 32;\n"
	const bulk = "{ .shared .align 16 .b8 s[16]; mov.u32 %r3, s; and.b32 %r5, %r1, 0xVALUE; st.shared.v4.b32 [s], {%r5, 0, 0, 0};\n" +
		"fence.proxy.async;\nelect.sync _|%p1, -1;\n@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0; }"
	for _, c := range []struct {
		name, body string
		block      int
		want       string
	}{
		{"one value", address + "st.global.u32 [%rd1], 7;", 64, ""},
		{"two stores of one value", address + "@%p1 st.global.u32 [%rd1], 7;\n@!%p1 st.global.u32 [%rd1], 7;", 64, ""},
		{"two values", address + "@%p1 st.global.u32 [%rd1], 7;\n@!%p1 st.global.u32 [%rd1], 8;", 64, "race in global memory"},
		{"a reader", address + "@%p1 st.global.u32 [%rd1], 7;\n@!%p1 ld.global.u32 %r2, [%rd1];", 64, "race in global memory"},
		{"shared memory", address + "{ .shared .align 4 .b8 s[4]; @%p1 st.shared.u32 [s], 7;\n@!%p1 st.shared.u32 [s], 7; }", 64, ""},
		{"two values in shared memory", address + "{ .shared .align 4 .b8 s[4]; @%p1 st.shared.u32 [s], 7;\n@!%p1 st.shared.u32 [s], 8; }", 64, "race in shared memory"},
		{"bulk copies", strings.Replace(address+bulk, "0xVALUE", "0", 1), 32, ""},
		{"bulk copies of different values", strings.Replace(address+bulk, "0xVALUE", "1", 1), 32, "race in global memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep := run(t, c.body, Config{Grid: [3]int{2}, Block: [3]int{c.block}, Workers: 1}, words(4, func(int) uint32 { return 0 }))
			if c.want == "" && len(rep.Findings) == 0 {
				return
			}
			if len(rep.Findings) == 0 || rep.Findings[0].Kind.String() != c.want {
				t.Errorf("want %q, found %v", c.want, rep.Findings)
			}
		})
	}
}
