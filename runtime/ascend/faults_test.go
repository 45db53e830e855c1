package ascend_test

import (
	"strings"
	"testing"

	"tilec/runtime/ascend"
)

// faults are the sample kernels with one thing wrong each, and what has to be found where.
var faults = []struct {
	name, file string
	replace    []string
	kind       ascend.Kind
	at         string // a text in the line of the finding
	other      string // and of the other instruction, if it matters
}{
	// Flags of a vector core.
	{"load is not waited for", "static_add.cpp", []string{"WaitFlag<HardEvent::MTE2_V>(i);", ""}, ascend.Race, "// double", "// load x"},
	{"flag is never set", "static_add.cpp", []string{"        SetFlag<HardEvent::MTE2_V>(i);\n", "\n"}, ascend.Deadlock, "WaitFlag<HardEvent::MTE2_V>(i);", ""},
	{"input is overwritten while it is read", "static_add.cpp", []string{"WaitFlag<HardEvent::V_MTE2>(i);\n        DataCopy", "DataCopy"}, ascend.Race, "// load x", "// add"},
	{"store does not wait", "static_add.cpp", []string{"WaitFlag<HardEvent::V_MTE3>(i);", ""}, ascend.Race, "// store", "// add"},
	{"output is overwritten while it is stored", "static_add.cpp", []string{"WaitFlag<HardEvent::MTE3_V>(i);\n        Muls", "Muls"}, ascend.Race, "// add", "// store"},
	{"vector barrier is missing", "static_add.cpp", []string{"PipeBarrier<PIPE_V>();", ""}, ascend.Race, "// add", "// double"},
	{"flag is left over", "static_add.cpp", []string{"WaitFlag<HardEvent::V_MTE2>(i); // drain", ""}, ascend.Flag, "SetFlag<HardEvent::V_MTE2>(i);\n        SetFlag<HardEvent::V_MTE3>", ""},
	{"flag is set twice", "static_add.cpp", []string{"SetFlag<HardEvent::V_MTE3>(i);", "SetFlag<HardEvent::V_MTE3>(i); SetFlag<HardEvent::V_MTE3>(i);"}, ascend.Flag, "SetFlag<HardEvent::V_MTE3>(i); SetFlag", ""},
	{"event id is too large", "static_add.cpp", []string{"SetFlag<HardEvent::V_MTE3>(i);", "SetFlag<HardEvent::V_MTE3>(i + 8);"}, ascend.Limit, "(i + 8)", ""},
	{"wrong flag", "static_add.cpp", []string{"WaitFlag<HardEvent::MTE2_V>(i);", "WaitFlag<HardEvent::MTE2_V>(1 - i);"}, ascend.Deadlock, "(1 - i)", ""},

	{"end does not wait", "static_add.cpp", []string{"PipeBarrier<PIPE_ALL>(); // everything is done", ""}, ascend.Unfinished, "// store", ""},

	// Buffers of a vector core.
	{"count beyond the buffer", "static_add.cpp", []string{"Add(zs[i], xs[i], ys[i], TILE)", "Add(zs[i], xs[i], ys[i], TILE + 8)"}, ascend.OutOfBounds, "// add", ""},
	{"count too small", "static_add.cpp", []string{"DataCopy(ys[i], yGm[t * TILE], TILE)", "DataCopy(ys[i], yGm[t * TILE], TILE - 64)"}, ascend.Unwritten, "// add", "// store"},
	{"offset is misaligned", "static_add.cpp", []string{"Muls(xs[i], xs[i]", "Muls(xs[i][3], xs[i][3]"}, ascend.Alignment, "// double", ""},
	{"count is no whole block", "static_add.cpp", []string{"DataCopy(zGm[t * TILE], zs[i], TILE)", "DataCopy(zGm[t * TILE], zs[i], TILE - 3)"}, ascend.Alignment, "// store", ""},
	{"store beyond the tensor", "static_add.cpp", []string{"DataCopy(zGm[t * TILE]", "DataCopy(zGm[t * TILE + 256]"}, ascend.OutOfBounds, "// store", ""},
	{"buffers overlap", "static_add.cpp", []string{"{TPosition::VECIN, 2 * BYTES, TILE}", "{TPosition::VECIN, BYTES / 2, TILE}"}, ascend.Overlap, "// double", ""},
	{"over the capacity", "static_add.cpp", []string{"5 * BYTES", "96 * BYTES"}, ascend.Exceeded, "96 * BYTES", ""},
	{"write to an input", "static_add.cpp", []string{"zGm.SetGlobalBuffer((__gm__ float *)z", "zGm.SetGlobalBuffer((__gm__ float *)x"}, ascend.ReadOnly, "// store", ""},

	{"lane that nothing was compared in", "select_tail.cpp", []string{"1, 4 * sizeof(float), 0, 0, 0), DataCopyPadExt", "1, 3 * sizeof(float), 0, 0, 0), DataCopyPadExt"}, ascend.Unwritten, "DataCopyPad(xs, xGm", "// store"},

	// Queues.
	{"no DeQue", "vector_add.cpp", []string{"LocalTensor<half> x = inX.DeQue<half>();", "LocalTensor<half> x = inX.AllocTensor<half>();"}, ascend.Unwritten, "Add(z, x, y", ""},
	{"queue exhausted", "vector_add.cpp", []string{"        inX.FreeTensor(x);\n", ""}, ascend.Queue, "inX.AllocTensor", ""},
	{"queues over the capacity", "vector_add.cpp", []string{"TILE * sizeof(half));\n        pipe.InitBuffer(inY", "100 * 1024);\n        pipe.InitBuffer(inY"}, ascend.Exceeded, "pipe.InitBuffer(inX", ""},
	{"scalar does not wait", "softmax.cpp", []string{"WaitFlag<HardEvent::V_S>(done);", ""}, ascend.Race, "GetValue(0)", "// max"},

	// The cube core.
	{"L1 is not waited for", "matmul.cpp", []string{"WaitFlag<HardEvent::MTE2_MTE1>(i);", ""}, ascend.Race, "// a to L0A", "// a to L1"},
	{"L1 is overwritten", "matmul.cpp", []string{"WaitFlag<HardEvent::MTE1_MTE2>(i);\n            DataCopy", "DataCopy"}, ascend.Race, "// a to L1", "// a to L0A"},
	{"L0 is not waited for", "matmul.cpp", []string{"WaitFlag<HardEvent::MTE1_M>(i);", ""}, ascend.Race, "// multiply", "// a to L0A"},
	{"L0 is overwritten", "matmul.cpp", []string{"WaitFlag<HardEvent::M_MTE1>(i);\n            for", "for"}, ascend.Race, "// a to L0A", "// multiply"},
	{"L0C is drained before Mmad ends", "matmul.cpp", []string{"WaitFlag<HardEvent::M_FIX>(0);", ""}, ascend.Race, "// drain", "// multiply"},
	{"L0C is overwritten while it is drained", "matmul.cpp", []string{"WaitFlag<HardEvent::FIX_M>(0); // the accumulator is drained", ""}, ascend.Race, "// multiply", "// drain"},
	{"small products without a barrier", "matmul.cpp", []string{"TM = 64, TN = 64", "TM = 32, TN = 64"}, ascend.Race, "// multiply", "// multiply"},
	{"accumulator is not begun", "matmul.cpp", []string{"false, p == 0)", "false, false)"}, ascend.Unwritten, "// multiply", "// drain"},
	{"fractals in the wrong order", "matmul.cpp", []string{"a1[i][s * 256], LoadData2DParams(0, TK / 16, TM / 16,", "a1[i][s * TK * 16], LoadData2DParams(0, TK / 16, 1,"}, ascend.Layout, "// multiply", ""},
	{"fractals across strips", "matmul.cpp", []string{"uint16_t(k), TM, 1, 0)); // a to L1", "uint16_t(k), TM - 8, 1, 0)); // a to L1"}, ascend.Layout, "// a to L0A", ""},
	{"too few fractals", "matmul.cpp", []string{"s < TM / 16; s++", "s < TM / 32; s++"}, ascend.Unwritten, "// multiply", "// drain"},
	{"L0A is misaligned", "matmul.cpp", []string{"LoadData(a2[i][s * TK * 16]", "LoadData(a2[i][s * TK * 16 + 16]"}, ascend.Alignment, "// a to L0A", ""},
	{"L0C over the capacity", "matmul.cpp", []string{"co1(TPosition::CO1, 0, TM * TN)", "co1(TPosition::CO1, 126976, TM * TN)"}, ascend.Exceeded, "co1(TPosition::CO1", ""},
	{"no such path", "matmul.cpp", []string{"Fixpipe(cGm[row * n + col], co1, FixpipeParamsV220(TN, TM, TM, n, false));", "DataCopy(cGm[row * n + col], co1, TM * TN);"}, ascend.Path, "// drain", ""},

	// Cube and vector cores.
	{"vector core does not wait for the cube core", "mix.cpp", []string{"CrossCoreWaitFlag(READY + t % SLOTS); // wait for the slot", ""}, ascend.Race, "// from the ring", "// to the ring"},
	{"cube core does not wait for the slot", "mix.cpp", []string{"if (t >= SLOTS) CrossCoreWaitFlag(FREE + t % SLOTS);", ""}, ascend.Race, "// to the ring", "// from the ring"},
	{"slot is never ready", "mix.cpp", []string{"CrossCoreSetFlag<2, PIPE_FIX>(READY + t % SLOTS);", ""}, ascend.Deadlock, "// wait for the slot", ""},
	{"flag is raised by the wrong pipe", "mix.cpp", []string{"CrossCoreSetFlag<2, PIPE_FIX>(READY", "CrossCoreSetFlag<2, PIPE_MTE2>(READY"}, ascend.Race, "// from the ring", "// to the ring"},
	{"slot is given back too early", "mix.cpp", []string{"CrossCoreSetFlag<2, PIPE_MTE2>(FREE", "CrossCoreSetFlag<2, PIPE_V>(FREE", "SetFlag<HardEvent::MTE2_V>(0);\n        WaitFlag<HardEvent::MTE2_V>(0);\n        CrossCoreSet", "CrossCoreSet"}, ascend.Race, "// to the ring", "// from the ring"},
	{"cross-core flags without a mix", "mix.cpp", []string{"MIX_AIC_1_2", "AIV_ONLY"}, ascend.Flag, "// wait for the slot", ""},
}

// launchFault runs a kernel of the samples with arguments that fit it.
func launchFault(t *testing.T, file string, p *ascend.Program) *ascend.Report {
	switch file {
	case "static_add.cpp":
		args, _, _ := addArgs(2, 5)
		return run(t, p, ascend.Config{Blocks: 2}, args...)
	case "vector_add.cpp":
		args, _, _ := vectorAddArgs(2, 5)
		return run(t, p, ascend.Config{Blocks: 2}, args...)
	case "softmax.cpp":
		args, _, _ := softmaxArgs(4, 100)
		return run(t, p, ascend.Config{Blocks: 2}, args...)
	case "select_tail.cpp":
		args, _, _ := selectArgs()
		return run(t, p, ascend.Config{Blocks: 1}, args...)
	case "matmul.cpp":
		args, _, _ := matmulArgs(128, 128, 192)
		return run(t, p, ascend.Config{Blocks: 2}, args...)
	default:
		args, _, _ := mixArgs(2, 5)
		return run(t, p, ascend.Config{Blocks: 2}, args...)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := source(t, f.file, f.replace...)
			r := launchFault(t, f.file, compile(t, s))
			at, other := lineOf(t, s.Text, f.at), 0
			if f.other != "" {
				other = lineOf(t, s.Text, f.other)
			}
			for _, found := range r.Findings {
				if found.Kind == f.kind && found.At.Line == at && found.At.File == f.file && (other == 0 || found.Other.Line == other) {
					return
				}
			}
			t.Errorf("no %s at line %d with line %d; found:", f.kind, at, other)
			for i := range r.Findings {
				t.Logf("%s", r.Findings[i].String())
			}
		})
	}
}

// TestAutoSync leaves a missing order to the device compiler where the program orders nothing of the kind itself.
func TestAutoSync(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		replace []string
		faults  int
	}{
		{"no barrier at all", []string{"PipeBarrier<PIPE_V>();", ""}, 0},
		{"a barrier elsewhere", []string{"        PipeBarrier<PIPE_V>();\n", "", "        SetFlag<HardEvent::V_MTE2>(i);\n        SetFlag<HardEvent::V_MTE3>(i);", "        PipeBarrier<PIPE_V>();\n        SetFlag<HardEvent::V_MTE2>(i);\n        SetFlag<HardEvent::V_MTE3>(i);"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := launchFault(t, "static_add.cpp", compile(t, source(t, "static_add.cpp", c.replace...)))
			if len(r.Findings) != 1 || len(r.Faults()) != c.faults {
				t.Errorf("%d findings, %d faults; want 1, %d", len(r.Findings), len(r.Faults()), c.faults)
			}
		})
	}
}

// lineOf is the number of the line with a text, which must be one.
func lineOf(t *testing.T, text, part string) int {
	t.Helper()
	i := strings.Index(text, part)
	if i < 0 || strings.Contains(text[i+1:], part) {
		t.Fatalf("%q is not in the source, or twice", part)
	}
	return 1 + strings.Count(text[:i], "\n")
}

// TestDeterministic has the same findings in any run, whatever the threads do.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	p := compile(t, source(t, "mix.cpp", "CrossCoreWaitFlag(READY + t % SLOTS); // wait for the slot", ""))
	text := func(workers int) string {
		args, _, _ := mixArgs(4, 4)
		r := run(t, p, ascend.Config{Blocks: 4, Workers: workers}, args...)
		var b strings.Builder
		for i := range r.Findings {
			b.WriteString(r.Findings[i].String() + "\n")
		}
		return b.String()
	}
	first := text(1)
	for _, workers := range []int{1, 2, 4, 4, 12} {
		if got := text(workers); got != first {
			t.Errorf("with %d workers:\n%s\nwith one:\n%s", workers, got, first)
		}
	}
}
