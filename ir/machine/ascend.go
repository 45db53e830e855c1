package machine

import (
	"tilec/ir"
	"tilec/runtime/array"
)

// Cores are those of an architecture whose matrix and vector units are cores of their own, with their own memories and
// instruction streams. Zero where there are none.
type Cores struct {
	Cube, Vector int
}

// Vector describes a vector unit that works from memory to memory.
type Vector struct {
	Block     int // bytes: the granule of addresses and strides
	Repeat    int // bytes that one repeat of an instruction works on
	Repeats   int // most repeats of an instruction
	MaxStride int // most blocks between repeats
}

// Cube describes a matrix unit that reads operands in fractals.
type Cube struct {
	Rows    int // of a fractal
	Strip   int // bytes of a row of a fractal
	Fractal int // bytes
	Extent  int // most m, n and k of an instruction
}

// HasCores reports a machine of AI cores: pipes that are ordered by flags, memories that the program copies between.
func (m *Machine) HasCores() bool { return m.Cores.Cube+m.Cores.Vector > 0 }

const (
	guide  = "[guide] Ascend C, NPU architecture 2201"
	guide3 = "[guide] Ascend C, NPU architecture 3510"
)

// ascend builds the description of an architecture from what differs.
type ascend struct {
	name, parts     string
	emits           bool
	ub, l0c, bt     int64 // KiB
	cores           Cores
	clock, globalGB float64
	source          string
	direct          bool // L0C to UB
	narrow          bool // floats of 8 and 4 bits
}

func (a ascend) machine() Machine {
	m := Machine{
		Name: a.name, Family: "ascend", Parts: a.parts, Emits: a.emits, Cores: a.cores,
		Memories: []Memory{
			{Space: ir.Global, Bytes: 1 << 40, Align: 512, Source: a.source},
			{Space: ir.UB, Bytes: a.ub<<10 - 256 - 8<<10, Align: 32, Banks: 16, BankBytes: 32, Source: a.source + "; 256 bytes belong to the framework, 8 KiB to Select"},
			{Space: ir.L1, Bytes: 512<<10 - 256, Align: 32, Source: a.source + "; 256 bytes belong to the framework"},
			{Space: ir.L0A, Bytes: 64 << 10, Align: 512, Source: a.source},
			{Space: ir.L0B, Bytes: 64 << 10, Align: 512, Source: a.source},
			{Space: ir.L0C, Bytes: a.l0c << 10, Align: 1024, Source: a.source},
			{Space: ir.BT, Bytes: a.bt << 10, Align: 64, Source: a.source},
		},
		Paths: []Path{
			{From: ir.Global, To: ir.UB, Pipe: ir.PipeMTE2, Async: true, Bytes: []int{32}, Source: a.source + " DataCopy, DataCopyPad"},
			{From: ir.UB, To: ir.Global, Pipe: ir.PipeMTE3, Async: true, Bytes: []int{32}, Source: a.source + " DataCopy, DataCopyPad"},
			{From: ir.UB, To: ir.UB, Pipe: ir.PipeV, Async: true, Bytes: []int{32}, Source: a.source + " Copy"},
			{From: ir.Global, To: ir.L1, Pipe: ir.PipeMTE2, Async: true, Bytes: []int{32}, ZeroFill: true, Source: a.source + " DataCopy with Nd2NzParams"},
			{From: ir.L1, To: ir.L0A, Pipe: ir.PipeMTE1, Async: true, Bytes: []int{512}, Source: a.source + " LoadData"},
			{From: ir.L1, To: ir.L0B, Pipe: ir.PipeMTE1, Async: true, Bytes: []int{512}, Source: a.source + " LoadData"},
			{From: ir.L1, To: ir.BT, Pipe: ir.PipeMTE1, Async: true, Bytes: []int{64}, Source: a.source + " DataCopy"},
			{From: ir.L0C, To: ir.Global, Pipe: ir.PipeFix, Async: true, Bytes: []int{32}, Source: a.source + " Fixpipe"},
			{From: ir.L0C, To: ir.L1, Pipe: ir.PipeFix, Async: true, Bytes: []int{32}, Source: a.source + " Fixpipe"},
		},
		Atoms: []Atom{
			mmad(16, array.F16, array.F32, 4096), mmad(16, array.BF16, array.F32, 4096), mmad(8, array.F32, array.F32, 1024), mmad(32, array.I8, array.I32, 8192),
		},
		Vector: Vector{Block: 32, Repeat: 256, Repeats: 255, MaxStride: 255},
		Cube:   Cube{Rows: 16, Strip: 32, Fractal: 512, Extent: 4095},
		// Flags 6 and 7 are taken by the framework and by automatic synchronisation.
		Limits: Limits{EventIDs: 6, Repeat: 255, Grid: [3]int64{1<<31 - 1, 1, 1}},
		Rates:  Rates{SMs: a.cores.Cube, ClockGHz: a.clock, GlobalGBs: a.globalGB, L2Bytes: 192 << 20, Source: a.source + "; clock and bandwidth are assumptions"},
	}
	m.Lacks = []Lack{{array.F64, "f32", a.source}}
	if !a.narrow {
		for _, t := range []ir.DType{array.F8E4M3, array.F8E5M2, array.F8E8M0, array.F4E2M1} {
			m.Lacks = append(m.Lacks, Lack{t, "i8, f16 or bf16", a.source + " Cast"})
		}
	}
	if a.direct {
		m.Paths = append(m.Paths, Path{From: ir.L0C, To: ir.UB, Pipe: ir.PipeFix, Async: true, Bytes: []int{32}, Source: a.source + " Fixpipe"})
	}
	return m
}

// mmad is the matrix instruction on fractals of 16 rows and k columns; rate is multiply-adds a cycle.
func mmad(k int, ab, c ir.DType, rate float64) Atom {
	return Atom{Name: "mmad." + ab.String(), M: 16, N: 16, K: k, A: ab, B: ab, C: c, Rate: rate, Source: guide + " Mmad"}
}

var ascends = []Machine{
	ascend{name: "910b", parts: "Atlas A2, Ascend 910B", emits: true, ub: 192, l0c: 128, bt: 1, cores: Cores{24, 48}, clock: 1.8, globalGB: 1600, source: guide}.machine(),
	ascend{name: "910c", parts: "Atlas A3, Ascend 910C", emits: true, ub: 192, l0c: 128, bt: 1, cores: Cores{24, 48}, clock: 1.8, globalGB: 1600, source: guide}.machine(),
	ascend{name: "950", parts: "Atlas A5, Ascend 950", ub: 248, l0c: 256, bt: 4, cores: Cores{32, 64}, clock: 1.8, globalGB: 1600, source: guide3, direct: true, narrow: true}.machine(),
}
