package sass

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listing joins instructions into what nvdisasm would print.
func listing(name, body string) string {
	var b strings.Builder
	b.WriteString("\t.target\tsm_90\n\n//--- .text." + name + " ---\n\t.section\t.text." + name + ",\"ax\",@progbits\n" + name + ":\n.text." + name + ":\n")
	address := 0
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasSuffix(line, ":"):
			b.WriteString(line + "\n")
		default:
			b.WriteString("        /*" + hex(address) + "*/   " + line + " ;\n")
			address += 16
		}
	}
	return b.String()
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>12&15], digits[n>>8&15], digits[n>>4&15], digits[n&15]})
}

const product = `
	MOV R1, c[0x0][0x28]
	@!P0 BRA ` + "`(.L_end)" + `
.L_outer:
	IADD3 R2, R2, 0x1, RZ
	BSSY B0, ` + "`(.L_meet)" + `
.L_k:
	LDSM.16.M88.4 R8, [R4]
	LDGSTS.E.BYPASS.128 [R5], [R6.64]
	HMMA.16816.F32 R12, R8, R10, R12
	HMMA.16816.F32 R16, R8, R10, R16
	@P1 BRA ` + "`(.L_slow)" + `
.L_back:
	BAR.SYNC.DEFER_BLOCKING 0x0
	BRA.DIV UR4, ` + "`(.L_diverged)" + `
.L_rejoin:
	ISETP.NE.AND P0, PT, R2, R3, PT
	@P0 BRA ` + "`(.L_k)" + `
	BSYNC B0
.L_meet:
	FADD R12, R12, R16
.L_small:
	FADD R12, R12, R13
	FADD R12, R12, R14
	FADD R12, R12, R15
	FADD R12, R12, R14
	FADD R12, R12, R13
	FADD R12, R12, R13
	FADD R12, R12, R13
	FADD R12, R12, R13
	@!P2 BRA !P3, ` + "`(.L_small)" + `
	@P4 BRA ` + "`(.L_outer)" + `
.L_end:
	EXIT
.L_slow:
	MUFU.RCP R12, R12
	BRA ` + "`(.L_back)" + `
.L_diverged:
	WARPSYNC.COLLECTIVE R6, ` + "`(.L_x)" + `
.L_x:
	BRA ` + "`(.L_rejoin)" + `
.L_pad:
	BRA ` + "`(.L_pad)" + `
	NOP
	NOP
`

func TestHotLoop(t *testing.T) {
	text := listing("other", "EXIT\n") + listing("product", product)
	got, err := HotLoop(text, "product")
	if err != nil {
		t.Fatal(err)
	}
	// The slow path belongs to the loop, what only a diverged warp runs does not.
	want := map[string]int{"LDSM": 1, "LDGSTS": 1, "HMMA": 2, "BRA": 4, "BAR": 1, "ISETP": 1, "MUFU": 1}
	if diff := cmp.Diff(want, got.ByOpcode); diff != "" {
		t.Errorf("hot loop (-want +got):\n%s", diff)
	}
	if got.Total != 11 || got.Tensor != 2 {
		t.Errorf("hot loop has %d instructions, %d of them tensor", got.Total, got.Tensor)
	}
	f, err := Kernel(text, "product")
	if err != nil {
		t.Fatal(err)
	}
	if last := f.Instructions[len(f.Instructions)-1]; last.Base() != "BRA" || last.Target < 0 {
		t.Errorf("padding is not cut: the last instruction is %+v", last)
	}
	if loops := f.Loops(); len(loops) != 3 {
		t.Errorf("%d loops, want 3: %v", len(loops), loops)
	}
	if n := f.Stats().ByOpcode["FADD"]; n != 9 {
		t.Errorf("%d FADD in the kernel, want 9", n)
	}
}

// TestHotLoopWithoutTensorCores falls back to the innermost loop with the most instructions.
func TestHotLoopWithoutTensorCores(t *testing.T) {
	got, err := HotLoop(listing("k", `
.L_a:
	IADD R1, R1, 0x1
.L_b:
	LDG.E.128 R4, [R2.64]
	FADD R0, R0, R4
	BRA.U UP0, `+"`(.L_b)"+`
	@P0 BRA `+"`(.L_a)"+`
	EXIT
`), "k")
	if err != nil || got.Total != 3 || got.ByOpcode["LDG"] != 1 || got.Instructions[0].Opcode != "LDG.E.128" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "kernel k is not in the disassembly"},
		{listing("j", "EXIT\n"), "which has [j]"},
		{listing("k", "EXIT\n"), "has no loop"},
		{listing("k", ""), "has no loop"},
		{".text.k:\n/*zz*/ EXIT ;\n", "line 2 is no instruction"},
		{".text.k:\n/*ffffffffffff*/ EXIT ;\n", "out of range"},
	} {
		if _, err := HotLoop(c.text, "k"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(listing("product", product))
	f.Add(".text.k:\n.L:\n/*0000*/ @!UP0 BRA `(.L) ;\n/*0010*/ BSYNC B0 ;")
	f.Fuzz(func(t *testing.T, text string) {
		functions, err := Parse(text)
		if err != nil {
			return
		}
		for i := range functions {
			functions[i].Loops()
			functions[i].Stats()
		}
	})
}
