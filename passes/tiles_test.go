package passes

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tilec/ir"
)

// tileGen writes random programs on a few small tiles.
type tileGen struct {
	*rapid.T
	text  strings.Builder
	loops int
}

func (g *tileGen) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(g.T, label) }

func (g *tileGen) tile() string   { return fmt.Sprintf("t%d", g.pick("tile", 4)) }
func (g *tileGen) vector() string { return fmt.Sprintf("v%d", g.pick("vector", 3)) }

// value is an expression at (i, j), or at i alone.
func (g *tileGen) value(depth int, matrix bool) string {
	if depth == 0 || g.pick("leaf", 4) == 0 {
		switch k := g.pick("kind", 6); {
		case k < 2 && matrix:
			return g.tile() + []string{"[i, j]", "[j, i]", "[i, 0]"}[g.pick("at", 3)]
		case k < 4:
			if matrix && g.pick("row", 2) == 0 {
				return g.vector() + "[j]"
			}
			return g.vector() + "[i]"
		case k == 4:
			return []string{"0_f32", "2_f32", "0.5_f32", "eps", "-inf_f32"}[g.pick("const", 5)]
		}
		return "f32(i)"
	}
	x, y := g.value(depth-1, matrix), g.value(depth-1, matrix)
	switch g.pick("op", 6) {
	case 0:
		return fmt.Sprintf("(%s + %s)", x, y)
	case 1:
		return fmt.Sprintf("(%s * 0.125_f32)", x)
	case 2:
		return fmt.Sprintf("max(%s, %s)", x, y)
	case 3:
		return fmt.Sprintf("select(i < %d, %s, %s)", g.pick("bound", 5), x, y)
	case 4:
		return fmt.Sprintf("exp2(%s)", x)
	}
	return fmt.Sprintf("(%s - %s)", x, y)
}

func (g *tileGen) where() string {
	if g.pick("where", 5) == 0 {
		return fmt.Sprintf(" where i < %d", g.pick("bound", 6))
	}
	return ""
}

func (g *tileGen) ops(depth int) {
	for range g.pick("ops", 6) {
		switch g.pick("kind", 9) {
		case 0, 1, 2:
			fmt.Fprintf(&g.text, "map (i: 4, j: 4) %s[i, j] = %s%s\n", g.tile(), g.value(2, true), g.where())
		case 3, 4:
			fmt.Fprintf(&g.text, "map (i: 4) %s[i] = %s%s\n", g.vector(), g.value(2, false), g.where())
		case 5, 6:
			mode := []string{"max", "sum", "min", "max accumulate"}[g.pick("combine", 4)]
			source := g.tile() + "[i, j]"
			if g.pick("expression", 3) == 0 {
				source = g.value(2, true)
			}
			fmt.Fprintf(&g.text, "reduce %s (i: 4) over (j: 4) %s[i] = %s%s\n", mode, g.vector(), source, g.where())
		case 7:
			fmt.Fprintf(&g.text, "copy (i: 4, j: 4) %s[i, j] = %s[i, j]\n", g.tile(), g.tile())
		case 8:
			if depth == 0 {
				continue
			}
			g.loops++
			fmt.Fprintf(&g.text, "%s {\n", []string{
				fmt.Sprintf("for k%d in 0 .. %d", g.loops, g.pick("count", 4)),
				fmt.Sprintf("for k%d in 0 .. N", g.loops),
				fmt.Sprintf("if N > %d", g.pick("n", 5)),
			}[g.pick("control", 3)])
			g.ops(depth - 1)
			g.text.WriteString("}\n")
		}
	}
}

// TestRewritesKeepRandomPrograms runs random programs before and after each of
// the passes that rewrite tile form.
func TestRewritesKeepRandomPrograms(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &tileGen{T: rt}
		g.text.WriteString("tile func f {\ndim N = X[0]\nparam in X: f32[N, 4, 4]\nparam out Y: f32[7, 4, 4]\nparam eps: f32\ngrid ()\n")
		for k := range 4 {
			fmt.Fprintf(&g.text, "alloc t%d: f32[4, 4]\nmap (i: 4, j: 4) t%d[i, j] = X[%d, i, j]\n", k, k, k%2)
		}
		for k := range 3 {
			fmt.Fprintf(&g.text, "alloc v%d: f32[4]\nmap (i: 4) v%d[i] = X[%d, %d, i]\n", k, k, k%2, k)
		}
		g.ops(2)
		for k := range 4 {
			if g.pick("kept", 2) == 0 {
				fmt.Fprintf(&g.text, "copy (i: 4, j: 4) Y[%d, i, j] = t%d[i, j]\n", k, k)
			}
		}
		for k := range 3 {
			fmt.Fprintf(&g.text, "map (i: 4) Y[%d, i, 0] = v%d[i]\n", 4+k, k)
		}
		g.text.WriteString("}\n")
		before, err := ir.Parse("f.tir", g.text.String())
		if err != nil {
			rt.Fatal(err)
		}
		after := ir.Clone(before)
		for _, p := range Table()[:4] {
			if err := RunList(&Context{}, after, []Pass{p}, Options{Verify: true}); err != nil {
				rt.Fatalf("%v\n%s", err, ir.Print(before))
			}
			func() {
				defer func() {
					if rt.Failed() {
						rt.Logf("after %s:\n%s", p.Name, ir.Print(after))
					}
				}()
				sameResults(rt, before, after, "N=3")
			}()
		}
	})
}
