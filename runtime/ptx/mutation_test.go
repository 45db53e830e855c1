package ptx

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mutants gives the texts that differ from the kernel's by one fault in its
// synchronisation, by line: a barrier or fence left out, or a wait for one group less.
func mutants(text string) map[int]string {
	lines := strings.Split(text, "\n")
	wait := regexp.MustCompile(`(cp\.async|wgmma)\.wait_group(\.sync\.aligned)?\s+(0x)?(\d+)\s*;`)
	all := map[int]string{}
	replace := func(i int, with string) {
		changed := append([]string(nil), lines...)
		changed[i] = with
		all[i+1] = strings.Join(changed, "\n")
	}
	for i, l := range lines {
		if strings.Contains(l, "wgmma.fence") {
			replace(i, "")
		}
		if strings.Contains(l, "bar.sync") || strings.Contains(l, "fence.proxy.async") {
			replace(i, "")
		}
		if m := wait.FindStringSubmatch(l); m != nil {
			n, _ := strconv.Atoi(m[4])
			replace(i, wait.ReplaceAllString(l, fmt.Sprintf("%s.wait_group%s %d;", m[1], m[2], n+1)))
		}
	}
	return all
}

// TestMutants breaks the synchronisation of whole kernels in every place, one at a
// time: the checks must notice.
func TestMutants(t *testing.T) {
	_, _, _, mm := matmulArgs(128, 128, 160)
	a, b, c, _ := matmulArgs(128, 128, 160)
	q := halves(192*64, func(i int) float32 { return float32(i%13) / 13 })
	kk := halves(192*64, func(i int) float32 { return float32(i%11) / 11 })
	v := halves(192*64, func(i int) float32 { return float32(i%7) / 7 })
	o := halves(192*64, func(int) float32 { return 0 })
	cases := []struct {
		file, entry string
		cfg         Config
		args        []any
		// redundant are lines whose work others do as well: Triton waits twice in a row,
		// begins the loop with what ended it, and before its epilogue waits for copies of
		// buffers that the epilogue does not use. For sm_90 it also fences anew what one fence covers, and has a barrier behind
		// a wait for a product, which the four warps of a block multiply together anyway.
		redundant []int
	}{
		{"matmul.ptx", "matmul", matmulConfig(128, 128), mm, nil},
		{"triton_matmul.ptx", "matmul", Config{Grid: [3]int{1, 1}, Block: [3]int{128}, SharedBytes: 32768},
			[]any{a, b, c, int32(128), int32(128), int32(160), int32(160), int32(128), int32(128), nil, nil}, []int{674, 675, 983, 984, 1354}},
		{"triton_matmul_sm90.ptx", "matmul", Config{Grid: [3]int{1, 1}, Block: [3]int{128}, SharedBytes: 98304},
			[]any{a, b, c, int32(128), int32(128), int32(160), int32(160), int32(128), int32(128), nil, nil}, []int{688, 801, 802}},
		{"triton_attention_sm90.ptx", "attention", Config{Grid: [3]int{1}, Block: [3]int{128}, SharedBytes: 65536},
			[]any{q, kk, v, o, int32(192), float32(0.18), nil, nil}, []int{735, 858, 930, 931}},
		{"triton_attention.ptx", "attention", Config{Grid: [3]int{1}, Block: [3]int{128}, SharedBytes: 40960},
			[]any{q, kk, v, o, int32(192), float32(0.18), nil, nil}, []int{1174, 1175}},
	}
	for _, c := range cases {
		text, err := os.ReadFile("testdata/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		for line, mutant := range mutants(string(text)) {
			m, err := Parse(c.file, mutant)
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel(c.entry)
			if err != nil {
				t.Fatal(err)
			}
			c.cfg.Checks = CheckAll
			rep, err := k.Launch(context.Background(), c.cfg, c.args...)
			if err != nil {
				t.Fatal(err)
			}
			if (len(rep.Findings) == 0) != slices.Contains(c.redundant, line) {
				t.Errorf("%s without line %d: found %v", c.file, line, rep.Findings)
			}
		}
	}
}
