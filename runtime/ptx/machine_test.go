package ptx

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// perThread runs the body in one warp and returns what each thread left in %r0;
// %r1 holds its number, %rd1 the address of the output, %rd2 that of the thread's word.
func perThread(t *testing.T, body string) [32]uint32 {
	t.Helper()
	out := words(32, func(int) uint32 { return 0xdeadbeef })
	rep := run(t, `
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd2, %rd1, %rd2;
`+body+"\nst.global.u32 [%rd2], %r0;", Config{}, out)
	for _, f := range rep.Findings {
		t.Errorf("finding: %s", f)
	}
	var v [32]uint32
	for i := range v {
		v[i] = out.word(i)
	}
	return v
}

func TestInstructions(t *testing.T) {
	cases := []struct {
		name, body string
		want       func(i uint32) uint32
	}{
		{"predicates", "setp.lt.u32 %p1|%p2, %r1, 8;\nsetp.eq.and.u32 %p3, %r1, 3, %p1;\nxor.pred %p4, %p2, %p3;\nnot.pred %p5, %p4;\nselp.u32 %r0, 7, 9, %p5;",
			func(i uint32) uint32 { return map[bool]uint32{true: 7, false: 9}[!(i >= 8 != (i == 3))] }},
		{"predicate literals", "mov.pred %p1, -1;\nmov.pred %p2, 0;\n@%p1 mov.u32 %r0, 1;\n@%p2 mov.u32 %r0, 2;", func(uint32) uint32 { return 1 }},
		{"combined setp", "setp.gt.u32 %p1, %r1, 3;\nsetp.lt.or.u32 %p2|%p3, %r1, 2, !%p1;\nselp.u32 %r2, 1, 0, %p2;\nselp.u32 %r3, 2, 0, %p3;\nadd.u32 %r0, %r2, %r3;",
			func(i uint32) uint32 {
				p := i > 3
				r := uint32(0)
				if i < 2 || !p {
					r++
				}
				if i >= 2 || !p {
					r += 2
				}
				return r
			}},
		{"packing", "cvt.u16.u32 %h1, %r1;\nmov.b32 %r2, {%h1, %h1};\nmov.b32 {%h2, %h3}, %r2;\nmov.b64 %rd5, {%r2, %r1};\nmov.b64 {_, %r4}, %rd5;\ncvt.u32.u16 %r5, %h3;\nadd.u32 %r0, %r4, %r5;",
			func(i uint32) uint32 { return 2 * i }},
		{"pack four halves", "cvt.u16.u32 %h1, %r1;\nmov.b64 %rd5, {%h1, 1, %h1, 2};\nmov.b64 {%h2,%h3,%h4,%h5}, %rd5;\nadd.u16 %h6, %h4, %h5;\ncvt.u32.u16 %r0, %h6;",
			func(i uint32) uint32 { return i + 2 }},
		{"bytes of a word", "mov.b32 %r2, 0x80ff7f01;\n{ .reg .b8 a<4>; mov.b32 {a0, a1, a2, a3}, %r2; cvt.s32.s8 %r3, a3; cvt.u32.u8 %r4, a2; }\nadd.s32 %r0, %r3, %r4;", func(uint32) uint32 { return 127 }},
		{"lop3 and bfi", "lop3.b32 %r2, %r1, 0xf0, 0x0f, 0xca;\nbfi.b32 %r0, %r1, %r2, 8, 5;",
			func(i uint32) uint32 { l := i&0xf0 | ^i&0x0f; return l&^(31<<8) | i<<8 }},
		{"carries", "mov.u32 %r2, 0xffffffff;\nadd.cc.u32 %r3, %r2, %r1;\naddc.u32 %r0, 0, 0;", func(i uint32) uint32 { return min(i, 1) }},
		{"special registers", "mov.u32 %r2, %laneid;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %lanemask_lt;\npopc.b32 %r4, %r4;\nmad.lo.u32 %r0, %r2, %r3, %r4;", func(i uint32) uint32 { return i*32 + i }},
		{"sign extension of loads", "{ .shared .align 8 .b8 s[64];\nshl.b32 %r2, %r1, 1; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\nsub.u32 %r4, 0, %r1; cvt.u16.u32 %h1, %r4; st.shared.u16 [%r3], %h1;\nbar.warp.sync -1;\nld.shared.s16 %r0, [%r3]; }",
			func(i uint32) uint32 { return -i }},
		{"bytes to a 16-bit register", "{ .local .align 8 .b8 l[16]; mov.u64 %rd5, l; st.local.u8 [%rd5+3], 0x80; ld.local.s8 %h1, [%rd5+3]; cvt.u32.u16 %r0, %h1; }", func(uint32) uint32 { return 0xff80 }},
		{"signs of narrow conversions", "mov.u32 %r2, 0x180; cvt.s8.s32 %h1, %r2; cvt.u32.u16 %r3, %h1; cvt.s8.s32 %r4, %r2; mov.b32 %r5, 0fC0A00000; cvt.rzi.s16.f32 %r6, %r5; cvt.u8.s32 %h2, %r2; cvt.u32.u16 %r7, %h2; add.u32 %r0, %r3, %r4; add.u32 %r0, %r0, %r6; add.u32 %r0, %r0, %r7;",
			func(i uint32) uint32 { return 0xff80 - 128 - 5 + 0x80 }},
		{"vectors in local memory", "{ .local .align 16 .b32 l[8]; st.local.v4.u32 [l+16], {%r1, 1, 2, 3}; ld.local.v2.u32 {%r3, %r4}, [l+16]; ld.local.u64 %rd5, [l+24]; cvt.u32.u64 %r5, %rd5; add.u32 %r0, %r3, %r4; add.u32 %r0, %r0, %r5; }",
			func(i uint32) uint32 { return i + 3 }},
		{"generic addresses", "{ .local .align 4 .b32 l; .shared .align 4 .b32 s[32];\nmov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; st.u32 [%rd5], %r1;\nmov.u64 %rd6, s; cvta.shared.u64 %rd6, %rd6; mul.wide.u32 %rd7, %r1, 4; add.u64 %rd6, %rd6, %rd7; st.u32 [%rd6], 5;\nand.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; selp.b64 %rd8, %rd5, %rd6, %p1; ld.u32 %r0, [%rd8];\nisspacep.shared %p2, %rd8; selp.u32 %r3, 100, 0, %p2; add.u32 %r0, %r0, %r3; }",
			func(i uint32) uint32 {
				if i&1 == 0 {
					return i
				}
				return 105
			}},
		{"shfl up", "shfl.sync.up.b32 %r2|%p1, %r1, 3, 0, -1;\nselp.u32 %r0, %r2, 99, %p1;", func(i uint32) uint32 {
			if i < 3 {
				return 99
			}
			return i - 3
		}},
		{"shfl down in segments of 8", "shfl.sync.down.b32 %r2|%p1, %r1, 2, 0x181f, -1;\nselp.u32 %r0, %r2, 99, %p1;", func(i uint32) uint32 {
			if i%8 >= 6 {
				return 99
			}
			return i + 2
		}},
		{"shfl idx in segments of 16", "shfl.sync.idx.b32 %r0, %r1, 5, 0x101f, -1;", func(i uint32) uint32 { return i&16 + 5 }},
		{"shfl bfly", "shfl.sync.bfly.b32 %r0, %r1, 12, 31, -1;", func(i uint32) uint32 { return i ^ 12 }},
		{"shfl over some lanes", "mov.u32 %r0, 0;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra L;\nshfl.sync.bfly.b32 %r0, %r1, 1, 31, 0xffff;\nL:", func(i uint32) uint32 {
			if i < 16 {
				return i ^ 1
			}
			return 0
		}},
		{"match.all", "and.b32 %r2, %r1, 0;\nmatch.all.sync.b32 %r0|%p1, %r2, -1;", func(uint32) uint32 { return math.MaxUint32 }},
		{"elect", "elect.sync %r2|%p1, -1;\nselp.u32 %r0, 1, 0, %p1;\nadd.u32 %r0, %r0, %r2;", func(i uint32) uint32 {
			if i == 0 {
				return 1
			}
			return 0
		}},
		{"redux", "redux.sync.xor.b32 %r2, %r1, -1;\nredux.sync.min.s32 %r3, %r1, -1;\nredux.sync.add.u32 %r4, %r1, -1;\nadd.u32 %r0, %r2, %r3;\nadd.u32 %r0, %r0, %r4;", func(uint32) uint32 { return 496 }},
		{"movmatrix", "mul.lo.u32 %r2, %r1, 0x20002;\nadd.u32 %r2, %r2, 0x10000;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r0, %r2;", func(i uint32) uint32 {
			row, col := i/4, i%4*2
			at := func(r, c uint32) uint32 { return 8*r + c } // the value of an element before
			return at(col, row) | at(col+1, row)<<16
		}},
		{"indexed branch", "and.b32 %r2, %r1, 3;\nts: .branchtargets A, B, C, A;\nbrx.idx %r2, ts;\nA: mov.u32 %r0, 10; bra E;\nB: mov.u32 %r0, 20; bra E;\nC: mov.u32 %r0, 30;\nE:", func(i uint32) uint32 {
			return []uint32{10, 20, 30, 10}[i%4]
		}},
		{"bar.red", "setp.lt.u32 %p1, %r1, 10;\nbar.red.popc.u32 %r2, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, !%p1;\nselp.u32 %r3, 100, 0, %p2;\nselp.u32 %r4, 1000, 0, %p3;\nadd.u32 %r0, %r2, %r3; add.u32 %r0, %r0, %r4;", func(uint32) uint32 { return 1010 }},
		{"stmatrix and ldmatrix", "{ .shared .align 16 .b8 s[512];\nmov.u32 %r2, s; and.b32 %r3, %r1, 7; mad.lo.u32 %r2, %r3, 16, %r2;\nmul.lo.u32 %r4, %r1, 0x20002; add.u32 %r4, %r4, 0x10000;\nstmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r2], {%r4};\nbar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r5}, [%r2];\nldmatrix.sync.aligned.x1.m8n8.shared::cta.b16 {%r6}, [%r2];\nsub.u32 %r5, %r5, %r4; add.u32 %r0, %r6, %r5; }", func(i uint32) uint32 {
			row, col := i/4, i%4*2
			return (8*col + row) | (8*(col+1)+row)<<16
		}},
		{"atomics on shared memory", "{ .shared .align 4 .b32 s;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [s], 0;\nbar.sync 0;\natom.shared.add.u32 %r2, [s], 2;\natom.shared.max.s32 %r3, [s], -5;\nred.shared.inc.u32 [s], 1000;\nbar.sync 0;\nld.shared.u32 %r4, [s]; sub.u32 %r0, %r4, %r2; add.u32 %r0, %r0, %r2; }", func(uint32) uint32 { return 96 }},
		{"compare and swap", "{ .shared .align 4 .b32 s;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [s], 5;\nbar.sync 0;\natom.shared.cas.b32 %r0, [s], 5, 7; }", func(i uint32) uint32 {
			if i == 0 {
				return 5
			}
			return 7
		}},
		{"calls with registers", "call (%r0), twice, (%r1);", func(i uint32) uint32 { return 2 * i }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := perThread(t, c.body)
			for i, v := range got {
				if w := c.want(uint32(i)); v != w {
					t.Fatalf("thread %d: %#x, want %#x", i, v, w)
				}
			}
		})
	}
}

// TestGlobalAtomics checks each operation on global memory against the value that 32 threads leave.
func TestGlobalAtomics(t *testing.T) {
	f := func(x float32) uint32 { return math.Float32bits(x) }
	cases := []struct {
		op, value   string
		start, want uint32
	}{
		{"atom.global.add.u32 %r2,", "%r1", 1, 497},
		{"red.global.add.s32", "-1", 5, 0xffffffe5},
		{"red.global.min.s32", "-7", 5, 0xfffffff9},
		{"red.global.max.u32", "%r1", 5, 31},
		{"red.global.and.b32", "0x0f", 0xff, 0x0f},
		{"red.global.or.b32", "%r1", 0, 31},
		{"red.global.xor.b32", "%r1", 7, 7},
		{"red.global.inc.u32", "9", 0, 2},
		{"red.global.dec.u32", "9", 0, 8},
		{"atom.global.exch.b32 %r2,", "5", 1, 5},
		{"red.global.add.f32", "0f3F000000", f(1), f(17)},
		{"atom.global.gpu.acq_rel.add.f32 %f2,", "0f3F000000", f(1), f(17)},
		{"red.global.add.f32", "0f00000001", f(0), 0}, // subnormals are flushed in global memory
		{"red.global.add.noftz.f16x2", "0x3c003800", 0x00003c00, 0x50004c40},
		{"red.global.add.noftz.bf16x2", "0x3f803f00", 0, 0x42004180},
		{"red.release.gpu.global.add.u32", "2", 0, 64},
	}
	for _, c := range cases {
		b := words(1, func(int) uint32 { return c.start })
		rep := run(t, "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"+c.op+" [%rd1], "+c.value+";", Config{}, b)
		if got := b.word(0); got != c.want || len(rep.Findings) > 0 {
			t.Errorf("%s %s: %#x, want %#x; %s", c.op, c.value, got, c.want, kinds(rep))
		}
	}
	b := &Buffer{Data: make([]byte, 32)}
	rep := run(t, "ld.param.u64 %rd1, [p];\nred.global.add.v4.f32 [%rd1], {0f3F800000, 0f40000000, 0f40400000, 0f40800000};\natom.global.add.f64 %fd1, [%rd1+16], 0d3FF0000000000000;\nred.global.add.u64 [%rd1+24], 3;", Config{}, b)
	if got := fmt.Sprint(b.float(0), b.float(1), b.float(2), b.float(3), math.Float64frombits(binary.LittleEndian.Uint64(b.Data[16:])), binary.LittleEndian.Uint64(b.Data[24:])); got != "32 64 96 128 32 96" || len(rep.Findings) > 0 {
		t.Errorf("vector and wide atomics: %s; %s", got, kinds(rep))
	}
}

// TestMemoryFaults checks that each fault of an access is found.
func TestMemoryFaults(t *testing.T) {
	const load = "ld.param.u64 %rd1, [p];\n"
	cases := []struct{ name, body, want string }{
		{"past the end", load + "ld.global.u32 %r1, [%rd1+128];", "0 bytes past the end of argument 0 (128 bytes)"},
		{"across the end", load + "ld.global.u64 %rd2, [%rd1+124];", "4 bytes past the end of argument 0"},
		{"before the start", load + "st.global.u32 [%rd1-4], 1;", "4 bytes before the start of argument 0 (128 bytes)"},
		{"null", "mov.u64 %rd1, 0;\nld.global.u32 %r1, [%rd1];", "in no allocation"},
		{"misaligned", load + "ld.global.u32 %r1, [%rd1+2];", "address is no multiple of 4"},
		{"misaligned vector", load + "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1+8];", "address is no multiple of 16"},
		{"shared", "{ .shared .align 4 .b8 s[8]; ld.shared.u32 %r1, [s+8]; }", "the block has shared bytes 1024 to 1031"},
		{"unwritten shared", "{ .shared .align 4 .b8 s[8]; ld.shared.u32 %r1, [s+4]; }", "read of unwritten memory"},
		{"unwritten local", "{ .local .align 4 .b8 s[8]; st.local.u32 [s], 1; ld.local.u32 %r1, [s+4]; }", "read of unwritten memory"},
		{"local", "{ .local .align 4 .b8 s[16]; ld.local.u32 %r1, [s+16]; }", "the thread has 16 bytes of local memory"},
		{"lanes storing different values", "{ .shared .align 4 .b8 s[8]; mov.u32 %r1, %tid.x; st.shared.u32 [s], %r1; }", "lanes of one warp store different values"},
		{"trap", "trap;", "trap"},
		{"divergent barrier", "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nbar.sync 0;\nbra B;\nA: bar.sync 1;\nB:", "lanes of one warp wait at different barriers"},
		{"barrier count", "bar.sync 0, 48;", "thread count 48"},
		{"barrier that nobody else reaches", "bar.sync 1, 64;", "thread count 64"},
		{"warp sync that lanes never reach", "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\nbra B;\nA: bar.warp.sync -1;\nB:", "waits for lanes that are elsewhere"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			rep := run(t, c.body, Config{}, words(32, func(int) uint32 { return 0 }))
			if len(rep.Findings) == 0 || !strings.Contains(rep.Findings[0].String(), c.want) {
				t.Errorf("want %q, found %v", c.want, rep.Findings)
			}
		})
	}
}

func TestDeadlock(t *testing.T) {
	rep := run(t, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;", Config{Block: [3]int{64}}, words(1, func(int) uint32 { return 0 }))
	if len(rep.Findings) != 1 || rep.Findings[0].Kind != Deadlock || !strings.Contains(rep.Findings[0].Msg, "32 of 64 threads") {
		t.Errorf("found %v", rep.Findings)
	}
}

func TestUndefinedBuffer(t *testing.T) {
	b := words(32, func(int) uint32 { return 0 })
	b.Undefined = true
	rep := run(t, "ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 1;\nld.global.u32 %r1, [%rd1];\nld.global.u16 %h1, [%rd1+6];", Config{}, b)
	if len(rep.Findings) != 1 || rep.Findings[0].Kind != Unwritten || rep.Findings[0].At.Form != "ld.global.u16" {
		t.Errorf("found %v", rep.Findings)
	}
}

func TestMisalignedBuffer(t *testing.T) {
	b := words(33, func(i int) uint32 { return uint32(i) })
	b.Misalign = 4
	rep := run(t, "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1+128], 77;\nld.global.v2.u32 {%r1,%r2}, [%rd1];", Config{}, b)
	if len(rep.Findings) != 1 || rep.Findings[0].Kind != Misaligned || rep.Findings[0].At.Form != "ld.global.v2.u32" {
		t.Errorf("found %v", rep.Findings)
	}
	if b.word(32) != 77 {
		t.Errorf("the store is lost: %d", b.word(32))
	}
}

// TestDecodeErrors checks that what the machine does not know is named, with its line.
func TestDecodeErrors(t *testing.T) {
	cases := []struct{ body, want string }{
		{"wat.u32 %r1, %r2;", "instruction form wat.u32 is not supported"},
		{"add.q32 %r1, %r2, %r3;", "instruction form add.q32 is not supported"},
		{"add.u32 %r1, %r2;", "add.u32 with 2 operands"},
		{"add.u32 %r1, %r2, %rd3;", "%rd3 is a .b64 register, add.u32 reads 32 bits"},
		{"add.u32 %r1, %r2, %q3;", "%q3 is not declared"},
		{"add.u32 5, %r2, %r3;", "destination of add.u32 is not a register"},
		{"add.f32 %f1, %f2, 1;", "add.f32 needs a floating-point literal"},
		{"bra nowhere;", "label nowhere is not defined"},
		{"@%r1 bra nowhere;", "%r1 is not a predicate"},
		{"ld.global.u32 %r1, [%h1];", "%h1 is not an address"},
		{"ld.global.v2.u32 %r1, [%rd1];", "instruction form ld.global.v2.u32 is not supported"},
		{"ld.shared.u32 %r1, [p];", "ld.shared.u32 accesses p, which is in the param space"},
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%f1,%f2,%f3,%f4};", "with a fragment of 2 registers, wants 4"},
		{"tcgen05.mma.sp.cta_group::1.kind::f16;", "instruction form tcgen05.mma.sp.cta_group::1.kind::f16 is not supported"},
		{"call nothing, ();", "function nothing has no body here"},
		{"call loop, ();", "recursion is not supported"},
		{"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "the table of lop3 must be an immediate"},
		{"cp.async.cg.shared.global [%r1], [%rd1], 8;", "can't copy this number of bytes"},
		{"L: L: bra L;", "label L is defined twice"},
	}
	for _, c := range cases {
		m, err := Parse("t.ptx", ".version 9.5\n.target sm_80\n.func loop() { call loop, (); ret; }\n.entry k(.param .u64 p) {\n.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"+c.body+"\nret; }")
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Kernel("k")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "t.ptx:") {
			t.Errorf("%s: got %v, want %q", c.body, err, c.want)
		}
	}
	m, _ := Parse("t.ptx", ".version 9.5\n.target sm_80\n.entry k() { bra E; wat.u32; E: ret; }")
	if _, err := m.Kernel("k"); err != nil {
		t.Errorf("an unknown form that can't be reached: %v", err)
	}
	if _, err := m.Kernel("other"); err == nil {
		t.Error("a kernel that isn't there was found")
	}
}

func TestLaunchErrors(t *testing.T) {
	k := assemble(t, "")
	b := &Buffer{Data: make([]byte, 4)}
	cases := []struct {
		cfg  Config
		args []any
		want string
	}{
		{Config{Block: [3]int{2048}}, []any{b}, "block of 2048 x 1 x 1 threads"},
		{Config{Grid: [3]int{1, 70000}}, []any{b}, "grid dimension 1 is 70000"},
		{Config{SharedBytes: 300 << 10}, []any{b}, "bytes of shared memory, over the limit"},
		{Config{SharedBytes: 120 << 10, Arch: "sm_86"}, []any{b}, "over the limit of 101376 on sm_86"},
		{Config{}, nil, "0 arguments for 1 parameters"},
		{Config{}, []any{int32(1)}, "argument 0 has 4 bytes, parameter p has 8"},
		{Config{}, []any{1}, "use int32 or int64"},
	}
	for _, c := range cases {
		if _, err := k.Launch(context.Background(), c.cfg, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestSeeds runs kernels in random orders: results and findings must not depend on them.
func TestSeeds(t *testing.T) {
	for seed := range uint64(12) {
		k := kernel(t, "features.ptx", "pingpong")
		x, y := floats(7*32, func(i int) float32 { return float32(i) }), floats(7*32, func(int) float32 { return 0 })
		launchClean(t, k, Config{Block: [3]int{64}, Seed: seed}, x, y, int32(7))
		if got := y.float(40); got != 2*(32+31-8) {
			t.Errorf("seed %d: %g", seed, got)
		}
		arrived, out := words(1, func(int) uint32 { return 0 }), words(13, func(int) uint32 { return 0 })
		launchClean(t, kernel(t, "basic.ptx", "gridwide"), Config{Grid: [3]int{13}, Block: [3]int{32}, Seed: seed}, arrived, out)
		for i := range 13 {
			if out.word(i) != 13 {
				t.Errorf("seed %d: block %d saw %d blocks", seed, i, out.word(i))
			}
		}
	}
}

// TestWarpsWait has warps of one block wait for each other through global memory, and lanes of one warp.
func TestWarpsWait(t *testing.T) {
	for _, c := range []struct {
		cut   string
		block int
	}{{"32", 64}, {"7", 32}} {
		flag := words(1, func(int) uint32 { return 0 })
		rep := run(t, "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, "+c.cut+";\n@%p1 bra SET;\nL: ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra L;\nbra END;\nSET: atom.global.add.u32 %r3, [%rd1], 1;\nEND:",
			Config{Block: [3]int{c.block}}, flag)
		if len(rep.Findings) > 0 {
			t.Errorf("cut at %s: %v", c.cut, rep.Findings)
		}
	}
}

func TestEndlessLoop(t *testing.T) {
	k := assemble(t, "L: bra L;")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := k.Launch(ctx, Config{}, &Buffer{}); err == nil {
		t.Error("an endless loop ended")
	}
}

// FuzzKernel decodes and runs whatever parses: no panic, no hang.
func FuzzKernel(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.ptx")
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && len(text) < 30000 {
			f.Add(string(text))
		}
	}
	for _, body := range []string{makeMap, exchange, persistent, umma{kind: "f16", desc: 16/8<<17 | 128/16<<24 | 1<<4}.text("")} {
		f.Add(assembly(body))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("fuzz", text)
		if err != nil {
			return
		}
		for _, name := range m.Kernels() {
			k, err := m.Kernel(name)
			if err != nil {
				continue
			}
			var args []any
			for _, n := range k.Params() {
				if n == 8 {
					args = append(args, &Buffer{Data: make([]byte, 4096)})
				} else {
					args = append(args, make([]byte, n))
				}
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			k.Launch(ctx, Config{Block: [3]int{64}, Checks: CheckAll, Counters: true, Workers: 1}, args...)
			cancel()
		}
	})
}
