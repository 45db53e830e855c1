package ptx

import (
	"strings"
	"testing"
)

// Each block of a cluster of 2 sends to the other: thread i its number to word i by st.async,
// and adds 3 to word 64+i/8 by red.async. Both are waited for.
const exchange = `
.shared .align 16 .b8 box[512];
.shared .align 8 .b64 bar;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %cluster_ctarank;
xor.b32 %r3, %r2, 1;
shl.b32 %r4, %r1, 2;
mov.u32 %r5, box;
add.u32 %r6, %r5, %r4;
st.shared.u32 [%r6+256], 100;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared::cta.b64 [bar], 1;
@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
barrier.cluster.arrive; barrier.cluster.wait;
mapa.shared::cluster.u32 %r7, %r6, %r3;
mov.u32 %r8, bar;
mapa.shared::cluster.u32 %r9, %r8, %r3;
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r7], %r1, [%r9];
shr.u32 %r10, %r1, 3;
shl.b32 %r10, %r10, 2;
add.u32 %r10, %r10, %r5;
mapa.shared::cluster.u32 %r11, %r10, %r3;
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r11+256], 3, [%r9];
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
@!%p2 bra wait;
ld.shared.u32 %r12, [%r6];
ld.shared.u32 %r13, [%r6+256];
shl.b32 %r14, %r2, 5;
add.u32 %r14, %r14, %r1;
mul.wide.u32 %rd2, %r14, 8;
add.u64 %rd1, %rd1, %rd2;
st.global.v2.u32 [%rd1], {%r12, %r13};
barrier.cluster.arrive; barrier.cluster.wait;
`

func TestAsyncStore(t *testing.T) {
	cfg := Config{Grid: [3]int{2}, Cluster: [3]int{2}}
	out := words(128, func(int) uint32 { return 0 })
	if rep := run(t, exchange, cfg, out); len(rep.Findings) > 0 {
		t.Fatal(rep.Findings[0])
	}
	for i := range 64 {
		lane, want := uint32(i%32), uint32(100)
		if lane < 4 {
			want += 8 * 3
		}
		if out.word(2*i) != lane || out.word(2*i+1) != want {
			t.Fatalf("thread %d: %d and %d, want %d and %d", i, out.word(2*i), out.word(2*i+1), lane, want)
		}
	}
	for _, c := range []struct{ old, with, want string }{
		{"wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra wait;\n", "", "read before the copy is waited for"},
		{"[bar], 256;", "[bar], 260;", "deadlock"},
		{"[%r11+256], 3, [%r9];", "[%r11+256], 3, [%r8];", "misuse of an mbarrier"},
	} {
		if strings.Count(exchange, c.old) != 1 {
			t.Fatalf("%q is there %d times", c.old, strings.Count(exchange, c.old))
		}
		rep := run(t, strings.Replace(exchange, c.old, c.with, 1), cfg, words(128, func(int) uint32 { return 0 }))
		if got := kinds(rep); !strings.Contains(got, c.want) {
			t.Errorf("with %q: found %q, want %q", c.with, got, c.want)
		}
	}
}

func TestMultimem(t *testing.T) {
	buf := floats(32, func(i int) float32 { return float32(i) })
	rep := run(t, `
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd1, %rd1, %rd2;
multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [%rd1];
add.f32 %f1, %f1, %f1;
multimem.st.relaxed.sys.global.f32 [%rd1], %f1;
multimem.red.relaxed.sys.global.add.f32 [%rd1], 0f3F800000;
`, Config{}, buf)
	if len(rep.Findings) > 0 {
		t.Fatal(rep.Findings[0])
	}
	for i := range 32 {
		if got, want := buf.float(i), float32(2*i+1); got != want {
			t.Fatalf("element %d: %g, want %g", i, got, want)
		}
	}
}

// Blocks ask for others until there are none left: each block of the grid is done once,
// whoever does it.
const persistent = `
.shared .align 16 .b8 answer[16];
.shared .align 8 .b64 bar;
.reg .b128 %q1;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared::cta.b64 [bar], 1;
bar.sync 0;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ctaid.y;
mov.u32 %r4, 0;
next:
@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;
@%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];
mad.lo.u32 %r5, %r3, 5, %r2;
mul.wide.u32 %rd2, %r5, 4;
add.u64 %rd2, %rd1, %rd2;
@%p1 red.global.add.u32 [%rd2], 1;
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], %r4;
@!%p2 bra wait;
xor.b32 %r4, %r4, 1;
ld.shared.b128 %q1, [answer];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q1;
@%p3 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r2, %r3, _, _}, %q1;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p3 bra next;
`

func TestLaunchControl(t *testing.T) {
	out := words(15, func(int) uint32 { return 0 })
	if rep := run(t, persistent, Config{Grid: [3]int{5, 3}, Workers: 2}, out); len(rep.Findings) > 0 {
		t.Fatal(rep.Findings[0])
	}
	for i := range 15 {
		if out.word(i) != 1 {
			t.Fatalf("block %d was done %d times", i, out.word(i))
		}
	}
	early := strings.Replace(persistent, "wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], %r4;\n@!%p2 bra wait;\n", "", 1)
	early = strings.Replace(early, "@%p3 bra next;", "", 1)
	rep := run(t, early, Config{Grid: [3]int{5, 3}}, words(15, func(int) uint32 { return 0 }))
	if got := kinds(rep); !strings.Contains(got, "read before the copy is waited for") {
		t.Errorf("without the wait: %q", got)
	}
}

func TestExplicitCluster(t *testing.T) {
	const body = "ld.param.u64 %rd1, [p];\nmov.pred %p1, %is_explicit_cluster;\nselp.u32 %r1, 1, 2, %p1;\nred.global.max.u32 [%rd1], %r1;\n"
	for size, want := range []uint32{2, 1} {
		out := words(1, func(int) uint32 { return 0 })
		if rep := run(t, body, Config{Grid: [3]int{2}, Cluster: [3]int{size * 2}}, out); len(rep.Findings) > 0 || out.word(0) != want {
			t.Errorf("cluster %d: %d, want %d; %v", size*2, out.word(0), want, rep.Findings)
		}
	}
}
