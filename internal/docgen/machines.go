package docgen

import (
	"fmt"
	"strings"

	"tilec/ir"
	"tilec/ir/machine"
)

// all returns the machines of CUDA.
func all() []*machine.Machine { return family("cuda") }

func family(name string) []*machine.Machine {
	var ms []*machine.Machine
	for _, name := range machine.Names(name) {
		if m, err := machine.Lookup(name); err == nil {
			ms = append(ms, m)
		}
	}
	return ms
}

// Machines compares the architectures.
func Machines() string {
	var rows [][]string
	for _, m := range all() {
		emits := "no"
		if m.Emits {
			emits = "yes"
		}
		shared := m.Memory(ir.Shared)
		rows = append(rows, []string{
			code(m.Name), m.Family, m.Parts, emits, size(shared.Bytes), size(shared.PerSM),
			fmt.Sprint(m.Limits.WarpsPerSM), fmt.Sprint(m.Limits.CTAsPerSM), fmt.Sprint(m.Limits.RegistersPerSM), fmt.Sprint(m.Limits.RegistersThread),
		})
	}
	return table([]string{"arch", "family", "parts", "emitted for", "shared a CTA", "shared an SM", "warps an SM", "CTAs an SM", "registers an SM", "registers a thread"}, rows)
}

// AICores compares the architectures of AI cores.
func AICores() string {
	var rows [][]string
	for _, m := range family("ascend") {
		emits := "no"
		if m.Emits {
			emits = "yes"
		}
		row := []string{code(m.Name), m.Parts, emits, fmt.Sprintf("%d + %d", m.Cores.Cube, m.Cores.Vector)}
		for _, s := range []ir.Space{ir.UB, ir.L1, ir.L0A, ir.L0B, ir.L0C, ir.BT} {
			row = append(row, fmt.Sprint(m.Memory(s).Bytes))
		}
		rows = append(rows, append(row, fmt.Sprint(m.Limits.EventIDs)))
	}
	return table([]string{"arch", "parts", "emitted for", "cube + vector cores", "UB", "L1", "L0A", "L0B", "L0C", "BT", "flags a pair of pipes"}, rows)
}

// Rates are the numbers of the cost model.
func Rates() string {
	var rows [][]string
	for _, m := range all() {
		r := m.Rates
		tensor := 0.0
		for _, a := range m.Atoms {
			if a.A.String() == "f16" {
				tensor = a.Rate
			}
		}
		rows = append(rows, []string{
			code(m.Name), fmt.Sprint(r.SMs), fmt.Sprint(r.ClockGHz), fmt.Sprint(r.FMA32), fmt.Sprint(r.FMA64), fmt.Sprint(tensor),
			fmt.Sprint(r.MUFU), fmt.Sprint(r.SharedBPC), fmt.Sprint(r.GlobalGBs), size(r.L2Bytes), r.Source,
		})
	}
	return table([]string{"arch", "SMs", "GHz", "f32 FMA", "f64 FMA", "f16 tensor", "special functions", "shared bytes", "GB/s", "L2", "source"}, rows)
}

// Atoms lists the matrix instructions that tilec uses.
func Atoms() string {
	var order []string
	archs := map[string][]string{}
	rows := map[string][]string{}
	for _, m := range all() {
		for _, a := range m.Atoms {
			if rows[a.Name] == nil {
				order = append(order, a.Name)
				rows[a.Name] = []string{
					code(a.Name), fmt.Sprintf("%d × %d × %d", a.M, a.N, a.K), fmt.Sprintf("%s · %s → %s", a.A, a.B, a.C),
					code(a.LayoutA.String()), code(a.LayoutB.String()), code(a.LayoutC.String()), "", a.Source,
				}
			}
			archs[a.Name] = append(archs[a.Name], m.Name)
		}
	}
	var out [][]string
	for _, name := range order {
		r := rows[name]
		r[6] = "all"
		if len(archs[name]) < len(all()) {
			r[6] = strings.Join(archs[name], ", ")
		}
		out = append(out, r)
	}
	return table([]string{"atom", "m × n × k", "types", "A (m, k)", "B (n, k)", "C (m, n)", "on", "source"}, out)
}

// Paths lists the ways between memories.
func Paths() string {
	var rows [][]string
	seen := map[string]bool{}
	for _, m := range all() {
		for _, p := range m.Paths {
			sizes := make([]string, len(p.Bytes))
			for i, n := range p.Bytes {
				sizes[i] = fmt.Sprint(n)
			}
			how := "synchronous"
			if p.Async {
				how = "asynchronous"
			}
			if p.ZeroFill {
				how += ", fills with zeros"
			}
			row := []string{m.Family, p.From.String() + " → " + p.To.String(), how, strings.Join(sizes, ", "), p.Source}
			if key := strings.Join(row, "|"); !seen[key] {
				seen[key] = true
				rows = append(rows, row)
			}
		}
	}
	return table([]string{"family", "path", "how", "bytes", "source"}, rows)
}

// size spells a number of bytes.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
