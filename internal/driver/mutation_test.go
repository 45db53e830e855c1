package driver

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"tilec/codegen/cuda"
	"tilec/internal/golden"
	"tilec/ir/machine"
	"tilec/runtime/ptx"
)

// textFault is a mistake that code generation could make: match number nth (from
// 0) of a pattern in the emitted text is replaced.
type textFault struct {
	name    string
	pattern string
	nth     int
	with    string
}

// textVictims are kernels of the examples, each with a test of ragged sizes that
// take several iterations.
var textVictims = []struct {
	file, kernel, test string
	faults             []textFault
}{
	{"matmul", "matmul", "BM = 64, BN = 64, BK = 32, stages = 3, M = 100, N = 72, K = 136", []textFault{
		{"the wait lets one group too many fly", `cp_async_wait<1>`, 0, "cp_async_wait<2>"},
		{"the wait of the edge does", `cp_async_wait<1>`, 1, "cp_async_wait<2>"},
		{"no wait", `cp_async_wait<1>\(\);\n`, 0, ""},
		{"no barrier in the loop", `__syncthreads\(\);\n`, 0, ""},
		{"the groups are not closed", `cp_async_commit\(\);\n`, 2, ""},
		{"the first group is not closed", `cp_async_commit\(\);\n`, 0, ""},
		{"rows outside are read", `\? 16 : 0\)`, 0, "? 16 : 16)"},
		{"depths outside are read in the edge", `(B_src_4 .*)\? 16 : 0\)`, 0, "${1}? 16 : 16)"},
		{"one row too many is read", `< M - `, 0, "<= M - "},
		{"one row too few is read", `< M - `, 0, "< M - 1 - "},
		{"the copies' swizzle is another one", `(t_dst = .*& )3(\) \* 8)`, 0, "${1}1$2"},
		{"the copies' rows are permuted by another bit", `(t_dst = .*>> )1(\) & 3\) \* 8)`, 0, "${1}2$2"},
		{"the loads' swizzle is another one", `(frag = .*& )3(\) \* 16)`, 0, "${1}1$2"},
		{"the loads don't swizzle", `(frag_2 = .*) \^ \(.*?& 7\) \* 16`, 0, "$1"},
		{"the loads' steps are added", `frag_2 \^ 32`, 0, "frag_2 + 32"},
		{"half of the depth is multiplied twice", `steps\[kk & 1\]`, 0, "steps[0]"},
		{"the right operand is not transposed", `ldmatrix_x4_trans\(fb`, 0, "ldmatrix_x4(fb"},
		{"two atoms take one operand", `fb\[1\]\);`, 0, "fb[0]);"},
		{"lanes give the addresses of other rows", `(row = .*)lane & 15`, 0, "${1}lane & 7"},
		{"the work reads the stage that is being filled", `b_base \+ stage \*`, 0, "b_base + stage_ahead *"},
		{"the ring is one stage too long", `(stage \+ 1\)?) == 3`, 1, "$1 == 4"},
		{"tiles share bytes", `smem \+ 12288`, 0, "smem + 8192"},
		{"a pointer moves on by half a tile", `(A_src_\d \+= )32`, 0, "${1}16"},
		{"the interior goes into the edge", `K - 95`, 0, "K - 31"},
		{"the edge starts late", `= k_inner;`, 0, "= k_inner + 1;"},
		{"sums don't start from zero", `acc\[r\] = 0.0f`, 0, "acc[r] = 1.0f"},
		{"results outside are stored", `if \(.*\{(\n\s*alignas\(16\) unsigned C_tile_v\[)`, 0, "if (true) {$1"},
		{"results go to the wrong lanes", `(t_j = )\(lane & 3\) \* 2`, 0, "$1(lane >> 2 & 3) * 2"},
		{"results are packed in the wrong order", `round_pack_f16\(acc\[r\], acc\[r \+ 1\]\)`, 0, "round_pack_f16(acc[r + 1], acc[r])"},
		{"results are not waited for on their way", `__syncthreads\(\);(\n.*\n.*\n.*\n\s*alignas\(16\) unsigned C_tile_v\[)`, 0, "$1"},
		{"results take the place of operands in use", `__syncthreads\(\);(\n.*\n.*\n\s*\*reinterpret_cast<unsigned\*>\(C_tile)`, 0, "$1"},
		{"results lie otherwise than they are read", `(C_tile_v, C_tile .*& )7(\) \* 8)`, 0, "${1}3$2"},
		{"grid instances are counted wrongly", `rest % \(+N \+ 63\) / 64\)*`, 0, "rest % ((M + 63) / 64 + 1)"},
	}},
	{"matmul", "matmul_i8", "BM = 64, BN = 64, BK = 64, stages = 2, M = 100, N = 68, K = 208", []textFault{
		{"no barrier in the loop", `__syncthreads\(\);\n`, 0, ""},
		{"the wait is too weak", `cp_async_wait<0>`, 0, "cp_async_wait<1>"},
		{"fragments of another swizzle", `(frag = .*& )3(\) \* 16)`, 0, "${1}2$2"},
		{"columns outside are read", `\? 16 : 0\)`, 1, "? 16 : 16)"},
		{"the next block is read from the wrong stage", `stage_ahead = stage;`, 0, "stage_ahead = stage_ahead;"},
	}},
	{"attention", "attention", "D = 64, BM = 64, BN = 32, stages = 2, B = 1, H = 2, G = 1, S = 70, L = 77", []textFault{
		{"no barrier in the loop", `(cp_async_wait<0>\(\);\n(?:\s*//.*\n)*)\s*__syncthreads\(\);\n`, 0, "$1"},
		{"no barrier in the edge", `(cp_async_wait<0>\(\);\n(?:\s*//.*\n)*)\s*__syncthreads\(\);\n`, 1, "$1"},
		{"the wait of the loop is too weak", `cp_async_wait<0>`, 0, "cp_async_wait<1>"},
		{"the wait of the edge is too weak", `cp_async_wait<0>`, 1, "cp_async_wait<1>"},
		{"columns outside are not masked", `(s_\d\[r\] = ).* \? (qk_\d)`, 0, "${1}true ? $2"},
		{"one column too many is not masked", ` < L( - .* \? qk)`, 0, " < L + 1$1"},
		{"a row's maximum is that of half its lanes", `mask <= 2`, 0, "mask <= 1"},
		{"rows take each other's maximum", `base\[\(*r >> 1\) & 1\)*\]`, 0, "base[0]"},
		{"v is read from the other stage", `v_base \+ stage \*`, 0, "v_base + stage_ahead *"},
		{"the first block of v is never copied", `cp_async<16>\(v_base.*\n`, 0, ""},
		{"heads are mixed up", `\* G \+ g\)`, 0, "* G + h)"},
		{"query rows outside are read", `(Q_src \+ .*)\? 16 : 0\)`, 0, "${1}? 16 : 16)"},
		{"old sums are not scaled", `o\[r\] = \(?o\[r\] \* fade[^;]*;`, 1, "o[r] = o[r];"},
		{"the sum of a row is that of one lane", `.*__shfl_xor_sync\(0xffffffff, l\b.*\n`, 0, ""},
	}},
	{"softmax", "softmax", "BM = 1, BN = 1024, stages = 2, M = 3, N = 2500", []textFault{
		{"no wait", `cp_async_wait<0>\(\);\n`, 0, ""},
		{"the wait is too weak", `cp_async_wait<0>`, 0, "cp_async_wait<1>"},
		{"no barrier before other warps' maxima are read", `__syncthreads\(\);\n`, 0, ""},
		{"no barrier before other warps' sums are read", `__syncthreads\(\);\n`, 1, ""},
		{"a warp's sum is left out", `(for \(int w = 1; w < )8`, 1, "${1}7"},
		{"warps write to one place", `x_max_warps\[warp\]`, 0, "x_max_warps[warp & 3]"},
		{"the sum of half the lanes is left out", `mask <= 16`, 1, "mask <= 8"},
		{"scratch of the sums lies over that of the maxima", `smem \+ 8320`, 0, "smem + 8192"},
		{"values outside count as zero", `\] = -__int_as_float\(0x7f800000\);\n *store`, 1, "] = 0.0f;\n store"},
		{"values outside are stored", `if \(k_2 \* 1024 \+ t_j < N\) \{`, 0, "if (true) {"},
		{"a copy goes to its neighbour's place", `(t_dst = pin\(t_j) \* 4`, 0, "$1 * 4 + 16"},
	}},
}

// TestFaultsInTheTextAreCaught puts one fault after the other into emitted text
// that is right, compiles it with NVIDIA's compiler and runs it on the PTX machine:
// the results must differ, or the machine must report what is not allowed.
func TestFaultsInTheTextAreCaught(t *testing.T) {
	m, err := machine.Lookup("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	checks := make([][]string, len(textVictims))
	t.Run("victims", func(t *testing.T) { textFaults(t, m, checks) })
	if t.Failed() {
		return
	}
	var page strings.Builder
	page.WriteString(textFaultsPage)
	for i, v := range textVictims {
		fmt.Fprintf(&page, "\n## %s\n\n| fault | caught by |\n|---|---|\n", v.kernel)
		for j, f := range v.faults {
			fmt.Fprintf(&page, "| %s | %s |\n", f.name, checks[i][j])
		}
	}
	golden.Compare(t, "../../docs/faults-of-text.md", page.String())
}

// textFaultsPage begins the page on what catches which fault.
const textFaultsPage = `# What catches a fault of code generation

Each row is one mistake put into the emitted CUDA text of a kernel that is right, compiled by NVIDIA's compiler and run
on the PTX machine, and the check that finds it: the machine's, or the comparison with the spec. TestFaultsInTheTextAreCaught
in internal/driver makes them and writes this page.
`

// textFaults puts in the faults of all victims, and notes for each what caught it.
func textFaults(t *testing.T, m *machine.Machine, checks [][]string) {
	for i, v := range textVictims {
		checks[i] = make([]string, len(v.faults))
		t.Run(v.kernel, func(t *testing.T) {
			t.Parallel()
			path := "../../examples/" + v.file + ".tile"
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			with := string(text) + "\ntest \"victim\" " + v.kernel + " { " + v.test + " }\n"
			s := New(t.Context(), Options{Read: func(string) (string, error) { return with, nil }, Verify: true})
			c := caseNamed(t, s.Load(path), v.kernel, "victim")
			b, err := c.bindings(nil)
			if err != nil {
				t.Fatal(err)
			}
			inst, unit, err := s.choose(t.Context(), c.program, c.Kernel, b, m)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.prepare(t.Context(), inst, 0); err != nil {
				t.Fatal(err)
			}
			right := firstEntry(t, unit)
			if _, how := caught(t, s, c, inst, right); how != "" {
				t.Fatalf("without a fault: %s", how)
			}
			for j, f := range v.faults {
				t.Run(f.name, func(t *testing.T) {
					wrong, ok := f.put(right.Text)
					if !ok {
						t.Fatalf("no match %d of %s in\n%s", f.nth, f.pattern, right.Text)
					}
					check, how := caught(t, s, c, inst, right.withText(wrong))
					checks[i][j] = check
					if how == "" {
						t.Errorf("not caught")
					}
					t.Log(how)
				})
			}
		})
	}
}

func caseNamed(t *testing.T, p *Program, kernel, name string) *testCase {
	t.Helper()
	if p.Reporter.HasErrors() {
		t.Fatal(p.Reporter.Sorted())
	}
	for _, c := range p.cases(0) {
		if c.Kernel.Name == kernel && c.name == name {
			return c
		}
	}
	t.Fatalf("no test %q of %s", name, kernel)
	return nil
}

// firstEntry is the unit with nothing but its fastest entry.
func firstEntry(t *testing.T, u *Unit) *Unit {
	t.Helper()
	at := strings.LastIndex(u.Text, "\nextern \"C\" __global__")
	if len(u.Entries) != 2 || at < 0 {
		t.Fatalf("%s has %d entries", u.Name(), len(u.Entries))
	}
	one := u.withText(u.Text[:strings.LastIndex(u.Text[:at], "}\n")+2])
	one.Entries = u.Entries[:1]
	return one
}

func (u *Unit) withText(text string) *Unit {
	other := *u
	other.Unit = &cuda.Unit{Text: text, Entries: u.Entries}
	return &other
}

// put returns the text with the fault, which is put into the kernel and not into
// what stands before it; false if there is no place for it.
func (f textFault) put(text string) (string, bool) {
	re := regexp.MustCompile(f.pattern)
	kernel := strings.Index(text, "extern \"C\"")
	at := re.FindAllStringSubmatchIndex(text[kernel:], -1)
	if f.nth >= len(at) {
		return "", false
	}
	m := at[f.nth]
	wrong := text[:kernel+m[0]] + string(re.ExpandString(nil, f.with, text[kernel:], m)) + text[kernel+m[1]:]
	return wrong, wrong != text
}

// caught runs a unit and tells how its faults show; "" if they don't.
func caught(t *testing.T, s *Session, c *testCase, inst *Instance, u *Unit) (check, how string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	binary, err := s.Compile(ctx, u, ForMachine)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.prepare(binary, c.args, aligned)
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.onMachine(ctx, execution{checks: ptx.CheckAll})
	if err != nil {
		return "PTX machine: the run ends", err.Error()
	}
	if len(out.report.Findings) > 0 {
		return "PTX machine: " + out.report.Findings[0].Kind.String(), u.findingText(out.report.Findings[0])
	}
	if d := compareAll(inst.Tile, c.spec, out); !d.OK() {
		return "results", d.First[0].String()
	}
	return "", ""
}
