package ptx

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"tilec/runtime/ptx/fp"
)

func TestCooperativeGroups(t *testing.T) {
	k := kernel(t, "features.ptx", "groups")
	v := func(i int) int32 { return int32(i*7%10) + 1 }
	x, out := words(64, func(i int) uint32 { return uint32(v(i)) }), words(64, func(int) uint32 { return 0 })
	launchClean(t, k, Config{Block: [3]int{64}}, x, out)
	for i := range 64 {
		s := int32(0)
		for j := range 16 {
			s += v(i&^15 + j)
		}
		c, rank := int32(32), int32(0)
		if v(i)&1 == 1 {
			c = 0
			for j := i &^ 31; j < i&^31+32; j++ {
				if v(j)&1 == 1 {
					if j < i {
						rank++
					}
					c++
				}
			}
			c = c*100 + rank
		}
		if got, want := int32(out.word(i)), s+v(i^3)*1000+c*1000000; got != want {
			t.Fatalf("thread %d: %d, want %d", i, got, want)
		}
	}
}

func TestMessage(t *testing.T) {
	for _, c := range []struct {
		entry string
		want  string
	}{{"message", ""}, {"message_relaxed", "race in global memory"}} {
		k := kernel(t, "features.ptx", c.entry)
		data, flag, out := words(32, func(int) uint32 { return 0 }), words(1, func(int) uint32 { return 0 }), words(32*4, func(int) uint32 { return 0 })
		data.Undefined = true
		rep, err := k.Launch(context.Background(), Config{Grid: [3]int{4}, Block: [3]int{32}, Checks: CheckAll}, data, flag, out)
		if err != nil {
			t.Fatal(err)
		}
		if got := kinds(rep); got != c.want {
			t.Errorf("%s: found %q, want %q", c.entry, got, c.want)
		}
		for i := 32; i < 128; i++ {
			if got := out.word(i); got != uint32(i%32)*3+1 {
				t.Fatalf("%s: out[%d] = %d", c.entry, i, got)
			}
		}
	}
}

func TestHalfAtomics(t *testing.T) {
	k := kernel(t, "features.ptx", "half_atomics")
	h, b, s, d := &Buffer{Data: make([]byte, 4)}, &Buffer{Data: make([]byte, 2)}, &Buffer{Data: make([]byte, 2)}, &Buffer{Data: make([]byte, 8)}
	launchClean(t, k, Config{Grid: [3]int{2}, Block: [3]int{32}}, h, b, s, d)
	if lo, hi := h.half(0), h.half(1); lo != 64 || hi != 32 {
		t.Errorf("half2: %g, %g", lo, hi)
	}
	if got := fp.BF16ToF32(binary.LittleEndian.Uint16(b.Data)); got != 128 {
		t.Errorf("bfloat16: %g", got)
	}
	if got := s.half(0); got != 16 {
		t.Errorf("half: %g", got)
	}
	if got := math.Float64frombits(binary.LittleEndian.Uint64(d.Data)); got != 8 {
		t.Errorf("double: %g", got)
	}
}

func TestPingPong(t *testing.T) {
	k := kernel(t, "features.ptx", "pingpong")
	const n = 7
	x, y := floats(n*32, func(i int) float32 { return float32(i) }), floats(n*32, func(int) float32 { return 0 })
	launchClean(t, k, Config{Block: [3]int{64}}, x, y, int32(n))
	for i := range n * 32 {
		if got, want := y.float(i), float32(i&^31+31-i&31)*2; got != want {
			t.Fatalf("y[%d] = %g, want %g", i, got, want)
		}
	}
}

func TestWandering(t *testing.T) {
	k := kernel(t, "features.ptx", "wandering")
	x, y := words(96, func(i int) uint32 { return uint32(i * i) }), words(97, func(int) uint32 { return 0 })
	launchClean(t, k, Config{Block: [3]int{96}}, x, y)
	want := func(v int32) int32 {
		s := int32(0)
		for i := range int32(10) {
			switch v % 3 {
			case 0:
				for j := range v % 7 {
					if j == 4 && i == 5 {
						return -s
					}
					s += j * i
					if s > 500 {
						break
					}
				}
			case 1:
				if i == 7 {
					continue
				}
				s++
			default:
				s ^= i << 3
			}
			v = v*5 + 1
		}
		return s
	}
	for i := range 96 {
		if got, w := int32(y.word(i)), want(int32(i*i)); got != w {
			t.Fatalf("y[%d] = %d, want %d", i, got, w)
		}
	}
	if y.word(96) != 96 {
		t.Errorf("%d threads came to the end", y.word(96))
	}
}
