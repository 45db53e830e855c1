package ptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tilec/runtime/ptx/fp"
)

// tcgenKernel copies A, B and factors from p to shared memory, multiplies them once or
// twice, and stores the words of D, a row a thread. The parts marked are filled in.
const tcgenKernel = `
.shared .align 1024 .b8 sa[4096];
.shared .align 1024 .b8 sb[4096];
.shared .align 1024 .b8 sf[1024];
.shared .align 8 .b64 bar;
.shared .align 4 .b32 slot;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
setp.eq.u32 %p1, %r2, 0;
setp.eq.u32 %p2, %r1, 0;
@%p2 mbarrier.init.shared::cta.b64 [bar], 1;
@!%p1 bra filled;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 256;
filled:
shl.b32 %r3, %r1, 4;
cvt.u64.u32 %rd2, %r3;
add.u64 %rd2, %rd1, %rd2;
mov.u32 %r4, sa;
add.u32 %r4, %r4, %r3;
ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2];
st.shared.v4.u32 [%r4], {%r10, %r11, %r12, %r13};
ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2+2048];
st.shared.v4.u32 [%r4+2048], {%r10, %r11, %r12, %r13};
mov.u32 %r5, sb;
add.u32 %r5, %r5, %r3;
ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2+4096];
st.shared.v4.u32 [%r5], {%r10, %r11, %r12, %r13};
ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2+6144];
st.shared.v4.u32 [%r5+2048], {%r10, %r11, %r12, %r13};
mov.u32 %r6, sf;
add.u32 %r6, %r6, %r3;
setp.lt.u32 %p3, %r1, 64;
@%p3 ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2+8192];
@%p3 st.shared.v4.u32 [%r6], {%r10, %r11, %r12, %r13};
fence.proxy.async.shared::cta;
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
ld.shared.u32 %r20, [slot];
mov.u32 %r21, sa;
shr.u32 %r21, %r21, 4;
cvt.u64.u32 %rd3, %r21;
or.b64 %rd3, %rd3, DESC;
mov.u32 %r21, sb;
shr.u32 %r21, %r21, 4;
cvt.u64.u32 %rd4, %r21;
or.b64 %rd4, %rd4, DESC;
mov.u32 %r21, sf;
shr.u32 %r21, %r21, 4;
cvt.u64.u32 %rd5, %r21;
or.b64 %rd5, %rd5, FDESC;
add.u64 %rd6, %rd5, 32;
add.u32 %r22, %r20, 128;
add.u32 %r23, %r20, 136;
setp.ne.u32 %p4, %r1, %r1;
setp.eq.u32 %p5, %r1, %r1;
mov.u32 %r24, IDESC;
@!%p2 bra issued;
COPY
MULTIPLY
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
issued:
mbarrier.try_wait.parity.shared::cta.b64 %p6, [bar], 0;
@!%p6 bra issued;
tcgen05.fence::after_thread_sync;
shl.b32 %r25, %r2, 21;
add.u32 %r25, %r25, %r20;
tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37}, [%r25];
tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47}, [%r25+8];
tcgen05.wait::ld.sync.aligned;
shl.b32 %r26, %r1, 6;
cvt.u64.u32 %rd7, %r26;
add.u64 %rd7, %rd1, %rd7;
st.global.v4.u32 [%rd7+16384], {%r30, %r31, %r32, %r33};
st.global.v4.u32 [%rd7+16400], {%r34, %r35, %r36, %r37};
st.global.v4.u32 [%rd7+16416], {%r40, %r41, %r42, %r43};
st.global.v4.u32 [%rd7+16432], {%r44, %r45, %r46, %r47};
bar.sync 0;
@!%p1 bra done;
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 256;
done:
`

// umma is a case of a product: its kind, the instruction descriptor, and how elements
// and results are read.
type umma struct {
	kind   string
	desc   uint32
	bits   int // of an element in its place
	k      int
	a, b   func(bits uint32) float64
	mask   byte // of the bytes of operands, so that values are finite and sums exact
	result func(word uint32) float64
	copies string
	factor func(b uint32) float64 // nil: unscaled
	n      int                    // factors of a row
}

func (c umma) text(multiply string) string {
	mma := fmt.Sprintf("tcgen05.mma.cta_group::1.kind::%s [%%r20], %%rd3, %%rd4, %%r24, ", c.kind)
	if c.factor != nil {
		mma = fmt.Sprintf("tcgen05.mma.cta_group::1.kind::%s [%%r20], %%rd3, %%rd4, %%r24, [%%r22], [%%r23], ", c.kind)
	}
	if multiply == "" {
		multiply = mma + "%p4;\n" + mma + "%p5;"
	}
	// K-major without swizzle: 8 rows of 16 bytes, the next 16 bytes of k after 2048, the next 8 rows after 128.
	desc := uint64(2048>>4)<<16 | uint64(128>>4)<<32 | 1<<46
	fdesc := uint64(512>>4)<<16 | uint64(128>>4)<<32 | 1<<46
	return strings.NewReplacer("FDESC", fmt.Sprint(fdesc), "IDESC", fmt.Sprint(c.desc), "DESC", fmt.Sprint(desc), "COPY", c.copies, "MULTIPLY", multiply).Replace(tcgenKernel)
}

func asF32(w uint32) float64 { return float64(math.Float32frombits(w)) }

func TestTcgenProducts(t *testing.T) {
	const m, n = 128, 16
	shape := uint32(n/8<<17 | m/16<<24)
	scaled := uint32(n/8<<17 | m/128<<27)
	f16 := func(b uint32) float64 { return float64(fp.F16ToF32(uint16(b))) }
	e4m3 := func(b uint32) float64 { return fp.E4M3().ToFloat64(b) }
	e5m2 := func(b uint32) float64 { return fp.E5M2().ToFloat64(b) }
	e2m1 := func(b uint32) float64 { return fp.E2M1().ToFloat64(b) }
	copies := "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r22], %rd5;\ntcgen05.cp.cta_group::1.32x128b.warpx4 [%r23], %rd6;"
	cases := []umma{
		{kind: "f16", desc: shape | 1<<4, bits: 16, k: 16, a: f16, b: f16, mask: 0x3b, result: asF32},
		{kind: "f16", desc: shape | 1<<4 | 1<<13, bits: 16, k: 16, a: func(b uint32) float64 { return -f16(b) }, b: f16, mask: 0x3b, result: asF32},
		{kind: "f16", desc: shape | 1<<4 | 1<<7 | 1<<10, bits: 16, k: 16, a: func(b uint32) float64 { return asF32(b << 16) }, b: func(b uint32) float64 { return asF32(b << 16) }, mask: 0x3f, result: asF32},
		{kind: "tf32", desc: shape | 1<<4 | 2<<7 | 2<<10, bits: 32, k: 8, a: func(b uint32) float64 { return asF32(b &^ 0x1fff) }, b: func(b uint32) float64 { return asF32(b &^ 0x1fff) }, mask: 0x3f, result: asF32},
		{kind: "i8", desc: shape | 2<<4 | 1<<7, bits: 8, k: 32, a: func(b uint32) float64 { return float64(int8(b)) }, b: func(b uint32) float64 { return float64(b) }, mask: 0xff, result: func(w uint32) float64 { return float64(int32(w)) }},
		{kind: "f8f6f4", desc: shape | 1<<4 | 1<<10, bits: 8, k: 32, a: e4m3, b: e5m2, mask: 0x77, result: asF32},
		{kind: "mxf8f6f4.block_scale", desc: scaled | 1<<23 | 2<<29 | 1<<4, bits: 8, k: 32, a: e4m3, b: e4m3, mask: 0x77, result: asF32, copies: copies,
			factor: func(b uint32) float64 { return math.Ldexp(1, int(b)-127) }, n: 1},
		{kind: "mxf4nvf4.block_scale.scale_vec::4X", desc: scaled | 1<<7 | 1<<10, bits: 4, k: 64, a: e2m1, b: e2m1, mask: 0xff, result: asF32, copies: copies,
			factor: e4m3, n: 4},
	}
	r := rand.New(rand.NewPCG(5, 5))
	for _, c := range cases {
		buf := &Buffer{Data: make([]byte, 32768)}
		for i := range 8192 {
			buf.Data[i] = byte(r.Uint32()) & c.mask
		}
		for i := 8192; i < 9216; i++ { // factors
			buf.Data[i] = 0x38 + byte(r.IntN(8))
			if c.n == 1 {
				buf.Data[i] = byte(120 + r.IntN(14))
			}
		}
		element := func(base, row, k int) uint32 {
			at := k * c.bits
			off := base + at/128*2048 + row/8*128 + row%8*16 + at%128/8
			x := binary.LittleEndian.Uint32(append(buf.Data[off:off+min(4, c.bits/8+1):off+min(4, c.bits/8+1)], 0, 0, 0))
			return x >> (at % 8) & uint32(uint64(1)<<c.bits-1)
		}
		factor := func(row, k, at, first int) float64 {
			if c.factor == nil {
				return 1
			}
			// Copied as 32 rows of 16 bytes: row r's word is r/32 in the row r%32.
			return c.factor(uint32(buf.Data[8192+at+row%32*16+row/32*4+first+k*c.n/c.k]))
		}
		firstA, firstB := 0, 0
		if c.n == 1 {
			firstA, firstB = 2, 1
		}
		if rep := run(t, c.text(""), Config{Block: [3]int{128}}, buf); len(rep.Findings) > 0 {
			t.Errorf("kind %s: %v", c.kind, rep.Findings[0])
			continue
		}
		for i := range m {
			for j := range n {
				s := 0.0
				for k := range c.k {
					s += c.a(element(0, i, k)) * factor(i, k, 0, firstA) * c.b(element(4096, j, k)) * factor(j, k, 512, firstB)
				}
				want := s
				if c.kind != "i8" {
					want = float64(float32(s + float64(float32(s))))
				} else {
					want = 2 * s
				}
				if got := c.result(buf.word(4096 + i*16 + j)); got != want {
					t.Fatalf("kind %s, descriptor %#x: D[%d,%d] = %g, want %g", c.kind, c.desc, i, j, got, want)
				}
			}
		}
	}
}

func TestTcgenFaults(t *testing.T) {
	c := umma{kind: "f16", desc: 16/8<<17 | 128/16<<24 | 1<<4}
	whole := c.text("")
	cases := []struct{ name, old, with, want string }{
		{"no wait", "issued:\nmbarrier.try_wait.parity.shared::cta.b64 %p6, [bar], 0;\n@!%p6 bra issued;", "issued:", "read before the copy is waited for"},
		{"stored without a barrier", "tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\nld.shared.u32 %r20, [slot];",
			"tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\nld.shared.u32 %r20, [slot];\nshl.b32 %r25, %r2, 21;\nadd.u32 %r25, %r25, %r20;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r25], {%r1};",
			"race in tensor memory"},
		{"no commit", "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];", "", "deadlock"},
		{"no proxy fence", "fence.proxy.async.shared::cta;", "", "missing proxy fence"},
		{"first product adds", "%r24, %p4;", "%r24, %p5;", "read of unwritten memory"},
		{"read twice too far", "[%r25+8];", "[%r25+16];", "read of unwritten memory"},
		{"beyond the allocation", "[%r25+8];", "[%r25+250];", "misuse of tensor memory"},
		{"lanes of another warp", "shl.b32 %r25, %r2, 21;", "mov.u32 %r25, 0;", "misuse of tensor memory"},
		{"freed by the wrong size", "%r20, 256;", "%r20, 128;", "misuse of tensor memory"},
		{"bad types", fmt.Sprint("mov.u32 %r24, ", c.desc), fmt.Sprint("mov.u32 %r24, ", c.desc|1<<7), "misuse of tensor memory"},
	}
	for _, f := range cases {
		if strings.Count(whole, f.old) != 1 {
			t.Fatalf("%s: %q is there %d times", f.name, f.old, strings.Count(whole, f.old))
		}
		rep := run(t, strings.Replace(whole, f.old, f.with, 1), Config{Block: [3]int{128}}, &Buffer{Data: make([]byte, 32768)})
		if got := kinds(rep); !strings.Contains(got, f.want) {
			t.Errorf("%s: found %q, want %q", f.name, got, f.want)
		}
	}
}

// TestTcgenPair multiplies with two blocks: each holds 128 of 256 rows of A, and 8 of 16
// columns of B, and gets its rows of D.
func TestTcgenPair(t *testing.T) {
	c := umma{kind: "f16", desc: 16/8<<17 | 256/16<<24 | 1<<4}
	text := strings.ReplaceAll(c.text(""), "cta_group::1", "cta_group::2")
	for _, change := range [][2]string{
		{"mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x;\nmov.u32 %r60, %cluster_ctarank;\nmul.wide.u32 %rd8, %r60, 32768;\nadd.u64 %rd1, %rd1, %rd8;"},
		{"bar.sync 0;", "barrier.cluster.arrive;\nbarrier.cluster.wait;"},
		{"@!%p2 bra issued;", "setp.eq.and.u32 %p2, %r60, 0, %p2;\n@!%p2 bra issued;\nmov.u16 %h1, 3;"},
		{"shared::cluster.b64 [bar];", "shared::cluster.multicast::cluster.b64 [bar], %h1;"},
		{"relinquish", "relinquish"},
	} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("%q is not there", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	buf := &Buffer{Data: make([]byte, 65536)}
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 8192 {
		buf.Data[i], buf.Data[32768+i] = byte(r.Uint32())&0x3b, byte(r.Uint32())&0x3b
	}
	if rep := run(t, text, Config{Grid: [3]int{2}, Cluster: [3]int{2}, Block: [3]int{128}}, buf); len(rep.Findings) > 0 {
		t.Fatal(rep.Findings[0])
	}
	element := func(base, row, k int) float64 {
		return float64(buf.half((base + k/8*2048 + row/8*128 + row%8*16 + k%8*2) / 2))
	}
	for i := range 256 {
		for j := range 16 {
			s := 0.0
			for k := range 16 {
				s += element(i/128*32768, i%128, k) * element(j/8*32768+4096, j%8, k)
			}
			want := float32(s + float64(float32(s)))
			if got := math.Float32frombits(buf.word((i/128*32768+16384)/4 + i%128*16 + j)); got != want {
				t.Fatalf("D[%d,%d] = %g, want %g", i, j, got, want)
			}
		}
	}
}

// TestTcgenCommits: a commit tells of all that the thread began, also if an earlier one
// tracks it, for another mbarrier that nobody waits for.
func TestTcgenCommits(t *testing.T) {
	text := umma{kind: "f16", desc: 16/8<<17 | 128/16<<24 | 1<<4}.text("")
	const commit = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];"
	for _, change := range [][2]string{
		{".shared .align 8 .b64 bar;", ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 other;"},
		{"@%p2 mbarrier.init.shared::cta.b64 [bar], 1;", "@%p2 mbarrier.init.shared::cta.b64 [bar], 1;\n@%p2 mbarrier.init.shared::cta.b64 [other], 1;"},
		{commit, strings.Replace(commit, "bar]", "other]", 1) + "\n" + commit},
		{"bar.sync 0;\n@!%p1 bra done;", "bar.sync 0;\n@%p2 mbarrier.inval.shared::cta.b64 [other];\n@!%p1 bra done;"},
	} {
		if strings.Count(text, change[0]) != 1 {
			t.Fatalf("%q is there %d times", change[0], strings.Count(text, change[0]))
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	if rep := run(t, text, Config{Block: [3]int{128}}, &Buffer{Data: make([]byte, 32768)}); len(rep.Findings) > 0 {
		t.Error(rep.Findings[0])
	}
}
