package machine

import "tilec/ir"

// cuda builds the description of one compute capability from what differs.
type cuda struct {
	name, parts         string
	emits               bool
	sharedCTA, sharedSM int64 // KiB
	warps, ctas         int
	fma32, fma64        float64
	f16                 float64 // tensor multiply-adds a cycle and SM
	sms                 int
	clock, bandwidth    float64
	l2                  int64 // MiB
}

func (c cuda) machine() Machine {
	return Machine{
		Name: c.name, Family: "cuda", Parts: c.parts, Emits: c.emits,
		Memories: []Memory{
			{Space: ir.Global, Bytes: 1 << 40, Align: 256, Sector: 32, Source: "[prog] cudaMalloc alignment; coalesced access in 32-byte transactions"},
			{Space: ir.Shared, Bytes: c.sharedCTA << 10, PerSM: c.sharedSM << 10, Reserved: 1 << 10, Align: 128, Banks: 32, BankBytes: 4,
				Source: "[prog] technical specifications per compute capability; 1 KiB a CTA is reserved from 8.0 on"},
			{Space: ir.Register, Bytes: 255 * 4 * 1024, Align: 4, Source: "[prog]"},
		},
		Paths: []Path{
			{From: ir.Global, To: ir.Register, Bytes: []int{16, 8, 4, 2, 1}, Source: "[ptx] ld"},
			{From: ir.Register, To: ir.Global, Bytes: []int{16, 8, 4, 2, 1}, Source: "[ptx] st"},
			{From: ir.Shared, To: ir.Register, Bytes: []int{16, 8, 4, 2, 1}, Source: "[ptx] ld.shared, ldmatrix"},
			{From: ir.Register, To: ir.Shared, Bytes: []int{16, 8, 4, 2, 1}, Source: "[ptx] st.shared"},
			{From: ir.Register, To: ir.Register, Bytes: []int{4}, Source: "[ptx] mov, shfl"},
			{From: ir.Global, To: ir.Shared, Async: true, Bytes: []int{16, 8, 4}, ZeroFill: true, Source: "[ptx] cp.async"},
		},
		Atoms: tensorCores(c.f16),
		Limits: Limits{
			WarpSize: 32, ThreadsPerCTA: 1024, WarpsPerSM: c.warps, CTAsPerSM: c.ctas,
			RegistersPerSM: 64 << 10, RegistersThread: 255, RegisterGranule: 256,
			Grid: [3]int64{1<<31 - 1, 65535, 65535}, ParamBytes: 4096,
		},
		Rates: Rates{
			SMs: c.sms, ClockGHz: c.clock, FMA32: c.fma32, FMA64: c.fma64, MUFU: 16, SharedBPC: 128,
			GlobalGBs: c.bandwidth, L2Bytes: c.l2 << 20, Source: "[spec]; [prog] arithmetic throughput",
		},
	}
}

// machines lists every architecture, CUDA's first.
var machines = []Machine{
	cuda{name: "sm_80", parts: "A100", emits: true, sharedCTA: 163, sharedSM: 164, warps: 64, ctas: 32,
		fma32: 64, fma64: 32, f16: 1024, sms: 108, clock: 1.41, bandwidth: 2040, l2: 40}.machine(),
	cuda{name: "sm_86", parts: "A10, A40, RTX 30", emits: true, sharedCTA: 99, sharedSM: 100, warps: 48, ctas: 16,
		fma32: 128, fma64: 2, f16: 512, sms: 84, clock: 1.74, bandwidth: 696, l2: 6}.machine(),
	cuda{name: "sm_89", parts: "L4, L40S, RTX 40", emits: true, sharedCTA: 99, sharedSM: 100, warps: 48, ctas: 24,
		fma32: 128, fma64: 2, f16: 512, sms: 142, clock: 2.5, bandwidth: 864, l2: 96}.machine(),
	cuda{name: "sm_90a", parts: "H100, H200", emits: true, sharedCTA: 227, sharedSM: 228, warps: 64, ctas: 32,
		fma32: 128, fma64: 64, f16: 1228, sms: 132, clock: 1.83, bandwidth: 3350, l2: 50}.machine(),
	cuda{name: "sm_100a", parts: "B200", sharedCTA: 227, sharedSM: 228, warps: 64, ctas: 32,
		fma32: 128, fma64: 64, f16: 1228, sms: 148, clock: 1.85, bandwidth: 8000, l2: 126}.machine(),
	cuda{name: "sm_120", parts: "RTX 50, RTX PRO 6000", emits: true, sharedCTA: 99, sharedSM: 100, warps: 48, ctas: 24,
		fma32: 128, fma64: 2, f16: 512, sms: 170, clock: 2.4, bandwidth: 1790, l2: 96}.machine(),
}
