package ptx

import "testing"

// Lanes that have diverged may use one place for different registers: those of one
// path must not overlap other lanes of a wider register of the other path.
func TestPlacesUnderDivergence(t *testing.T) {
	const body = `
ld.param.u64 %rd1, [p];
ld.param.u64 %rd2, [p];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 10;
@%p1 bra $L2;
bra.uni $L1;
$L2:
cvta.to.global.u64 %rd3, %rd1;
mul.wide.u32 %rd4, %r1, 4;
add.s64 %rd5, %rd3, %rd4;
ld.global.f32 %f1, [%rd5];
add.f32 %f2, %f1, %f1;
add.f32 %f3, %f1, 0f3F800000;
bra.uni $L3;
$L1:
mov.f32 %f2, 0f3F800000;
mov.f32 %f3, %f2;
$L3:
add.f32 %f4, %f2, %f3;
mul.wide.u32 %rd6, %r1, 4;
add.s64 %rd7, %rd2, %rd6;
st.global.f32 [%rd7+128], %f4;`
	p := floats(64, func(i int) float32 { return float32(i) })
	if rep := run(t, body, Config{}, p); len(rep.Findings) > 0 {
		t.Errorf("findings: %s", kinds(rep))
	}
	for i := range 32 {
		want := float32(2)
		if i < 10 {
			want = float32(3*i + 1)
		}
		if got := p.float(32 + i); got != want {
			t.Errorf("lane %d got %g, want %g", i, got, want)
		}
	}
}
