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
			wantFinding(t, rep, c.want)
		})
	}
}

// TestSwapLoops lets a loop of compare-and-swap begin with a plain load of its word, which may
// be found by a sum. The load of another word is a race.
func TestSwapLoops(t *testing.T) {
	for _, c := range []struct{ name, address, load, want string }{
		{"one register", "add.s64 %rd2, %rd1, 4;", "[%rd2]", ""},
		{"a sum", "add.s64 %rd2, %rd1, 4;", "[%rd1+4]", ""},
		{"sums of sums", "add.s64 %rd3, %rd1, 16; add.s64 %rd2, %rd3, -12;", "[%rd1+4]", ""},
		{"a register that changes", "add.s64 %rd2, %rd1, 8; add.s64 %rd2, %rd1, 4;", "[%rd1+4]", "race in global memory"},
		{"sums of each other", "setp.gt.u32 %p3, %r4, 64; @!%p3 bra M; add.s64 %rd4, %rd5, 4; add.s64 %rd5, %rd4, 4; ld.global.u32 %r9, [%rd5]; M: add.s64 %rd2, %rd1, 4;", "[%rd2]", ""},
		{"another word", "add.s64 %rd2, %rd1, 4;\n@!%p1 st.global.u32 [%rd1], 5;", "[%rd1]", "race in global memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep := run(t, "ld.param.u64 %rd1, [p];\nmov.u32 %r4, %tid.x;\nsetp.lt.u32 %p1, %r4, 32;\n"+c.address+"\nld.global.u32 %r1, "+c.load+";\n"+
				"L:\nadd.u32 %r2, %r1, 1;\natom.global.cas.b32 %r3, [%rd2], %r1, %r2;\nsetp.ne.u32 %p2, %r3, %r1;\nmov.u32 %r1, %r3;\n@%p2 bra L;",
				Config{Grid: [3]int{2}, Block: [3]int{64}}, words(4, func(int) uint32 { return 0 }))
			wantFinding(t, rep, c.want)
		})
	}
}

// TestEndOfMbarrier wants all warps to be past their waits when one invalidates an mbarrier.
func TestEndOfMbarrier(t *testing.T) {
	const body = `{ .shared .align 8 .b64 bar; mov.u32 %r4, %tid.x; setp.eq.u32 %p1, %r4, 0;
@%p1 mbarrier.init.shared::cta.b64 [bar], 64;
bar.sync 0;
mbarrier.arrive.shared::cta.b64 _, [bar];
W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
@!%p2 bra W;
bar.sync 1;
@%p1 mbarrier.inval.shared::cta.b64 [bar]; }`
	if rep := run(t, body, Config{Block: [3]int{64}}, words(1, func(int) uint32 { return 0 })); len(rep.Findings) > 0 {
		t.Errorf("found %v", rep.Findings)
	}
	rep := run(t, strings.Replace(body, "bar.sync 1;", "", 1), Config{Block: [3]int{64}}, words(1, func(int) uint32 { return 0 }))
	if len(rep.Findings) == 0 || rep.Findings[0].Kind != SharedRace || rep.Findings[0].At.Form != "mbarrier.inval.shared::cta.b64" {
		t.Errorf("found %v", rep.Findings)
	}
}

// TestUnwrittenSharedAlone lets one watch races without reads of unwritten shared memory.
func TestUnwrittenSharedAlone(t *testing.T) {
	k := assemble(t, "{ .shared .align 4 .b8 s[8]; ld.shared.u32 %r1, [s+4]; }")
	for _, c := range []struct {
		checks Check
		want   int
	}{{CheckAll, 1}, {CheckAll &^ CheckUnwritten, 0}} {
		rep, err := k.Launch(t.Context(), Config{Block: [3]int{32}, Checks: c.checks}, words(1, func(int) uint32 { return 0 }))
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Findings) != c.want {
			t.Errorf("checks %b: found %v", c.checks, rep.Findings)
		}
	}
}

// wantFinding wants a report to begin with a finding of a kind, or to have none.
func wantFinding(t *testing.T, rep *Report, kind string) {
	t.Helper()
	if kind == "" && len(rep.Findings) == 0 {
		return
	}
	if len(rep.Findings) == 0 || rep.Findings[0].Kind.String() != kind {
		t.Errorf("want %q, found %v", kind, rep.Findings)
	}
}
