package cuda_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tilec/internal/driver"
	"tilec/ir"
	"tilec/ir/machine"
)

var (
	programCount = flag.Int("programs", 12, "how many random programs are compiled and run")
	programSeed  = flag.Uint64("programseed", 1, "seed of the first random program")
)

// writer makes random programs in tile form. All of them are defined everywhere, and
// small differences of rounding stay small: nothing depends on comparing values.
type writer struct {
	*rand.Rand
	b          strings.Builder
	rows, cols int
	loops      int
	depth      int
}

func (w *writer) linef(format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", w.depth+1))
	fmt.Fprintf(&w.b, format+"\n", args...)
}

func (w *writer) chance(oneIn int) bool { return w.IntN(oneIn) == 0 }

func pick[T any](w *writer, from ...T) T { return from[w.IntN(len(from))] }

// Tiles: t are f32[rows, cols], h f16[rows, cols], g f16[cols, cols], v f32[rows],
// u f32[cols], z f32[2, rows, cols], q i8[rows, cols], w i8[cols, cols], c
// i32[rows, cols], n u4[rows, cols], top i32[rows] and s f32[].
const (
	tilesOfFloats = 3
	tilesOfHalves = 2
)

func (w *writer) float() string { return fmt.Sprintf("t%d", w.IntN(tilesOfFloats)) }
func (w *writer) half() string  { return fmt.Sprintf("h%d", w.IntN(tilesOfHalves)) }

// at is an element of a matrix tile: mostly [i, j], now and then another thread's.
func (w *writer) at(i, j string) string {
	switch {
	case w.chance(12):
		return fmt.Sprintf("[%s, %d - %s]", i, w.cols-1, j)
	case w.chance(12):
		return fmt.Sprintf("[%d - %s, %s]", w.rows-1, i, j)
	case w.chance(16) && w.rows == w.cols:
		return fmt.Sprintf("[%s, %s]", j, i)
	}
	return fmt.Sprintf("[%s, %s]", i, j)
}

// value is an f32 expression at (i, j), between -8 and 8 or so.
func (w *writer) value(depth int) string {
	if depth == 0 || w.chance(4) {
		switch w.IntN(15) {
		case 9:
			return fmt.Sprintf("z[%d, i, j]", w.IntN(2))
		case 10:
			return "f32(c" + w.at("i", "j") + ") * 0.01_f32"
		case 11:
			return "f32(n[i, j])"
		case 12:
			return "f32(top[i]) * 0.1_f32"
		case 13:
			return "s[]"
		case 14:
			return "f32(q" + w.at("i", "j") + ")"
		case 0, 1, 2:
			return w.float() + w.at("i", "j")
		case 3:
			return "f32(" + w.half() + w.at("i", "j") + ")"
		case 4:
			return "v[i]"
		case 5:
			return "u[j]"
		case 6:
			return fmt.Sprintf("X[b * %d + i, j] guard(b * %d + i < N)", w.rows, w.rows)
		case 7:
			return "f32(i - j) * 0.125_f32"
		}
		return pick(w, "0.5_f32", "-1_f32", "eps", "f32(b)")
	}
	x, y := w.value(depth-1), w.value(depth-1)
	switch w.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s + %s)", x, y)
	case 1:
		return fmt.Sprintf("(%s - %s)", x, y)
	case 2:
		return fmt.Sprintf("(%s * 0.5_f32)", x)
	case 3:
		return fmt.Sprintf("max(%s, %s)", x, y)
	case 4:
		return fmt.Sprintf("select(%s, %s, %s)", pick(w, "i < 3", "j < 5", "i + j < 9", fmt.Sprintf("b * %d + i < N", w.rows), "j % 3 == 1"), x, y)
	}
	return fmt.Sprintf("exp2(min(%s, 2_f32))", x)
}

func (w *writer) clamped(depth int) string {
	return fmt.Sprintf("max(min(%s, 8_f32), -8_f32)", w.value(depth))
}

func (w *writer) where() string {
	if w.chance(5) {
		return " where " + pick(w, "i < 5", "i % 2 == 0", fmt.Sprintf("b * %d + i < N", w.rows))
	}
	return ""
}

func (w *writer) statement(nesting int) {
	r, c := w.rows, w.cols
	switch k := w.IntN(26); k {
	case 15:
		w.linef("map (k: 2, i: %d, j: %d) z[k, i, j] = max(min(z[k, i, j] * 0.5_f32 + %s, 8_f32), -8_f32)%s", r, c, w.value(1), w.where())
	case 16:
		w.linef("map (i: %d, j: %d) z[%d, i, j] = %s", r, c, w.IntN(2), w.clamped(1))
	case 17:
		w.linef("contract (i: %d, j: %d) over (d: %d) c[i, j] += q[i, d] * %s", r, c, c, pick(w, "w[j, d]", "w[d, j]"))
	case 18:
		w.linef("map (i: %d, j: %d) q[i, j] = i8(i32(q%s) + i32(i) %% 3_i32)%s", r, c, w.at("i", "j"), w.where())
	case 19:
		w.linef("map (i: %d, j: %d) c[i, j] = c[i, j] %% 50_i32", r, c)
	case 20:
		w.linef("reduce %s (i: %d) over (j: %d) top[i] = X[b * %d + i, j] guard(b * %d + i < N)%s", pick(w, "argmax", "argmin"), r, c, r, r, w.where())
	case 21:
		w.linef("reduce %s () over (i: %d, j: %d) s[] = %s", pick(w, "sum", "max"), r, c, w.value(1))
		w.linef("map () s[] = max(min(s[], 8_f32), -8_f32)")
	case 22:
		w.linef("atomic sum (i: %d, j: %d) T[i64(q[i, j]) %% 8] = %s%s", r, c, pick(w, "1_i32", "c[i, j]", "i32(j)"), pick(w, "", " where i < 3"))
	case 23:
		w.loops++
		l := fmt.Sprintf("l%d", w.loops)
		w.linef("let %s: f32 = %s[%d, %d]", l, w.float(), w.IntN(r), w.IntN(c))
		w.linef("map (i: %d) v[i] = max(min(v[i] + %s, 8_f32), -8_f32)", r, l)
	case 24:
		if nesting == 0 {
			return
		}
		w.loops++
		n := fmt.Sprintf("k%d", w.loops)
		w.linef("var %s: i64 = 0", n)
		w.linef("while %s * %s < N {", n, n)
		w.block(nesting - 1)
		w.linef("  assign %s = %s + 3", n, n)
		w.linef("}")
	case 25:
		from := pick(w, "0", "8")
		w.linef("copy (i: %d, j: %d) n[i, j] = U[b * %d + i, %s + j] guard(b * %d + i < N and %s + j < K)", r, c, r, from, r, from)
	case 0, 1, 2:
		w.linef("map (i: %d, j: %d) %s[i, j] = %s%s", r, c, w.float(), w.clamped(2), w.where())
	case 3, 4:
		w.linef("map (i: %d, j: %d) %s[i, j] = f16(%s)%s", r, c, w.half(), w.clamped(1), w.where())
	case 5:
		w.linef("map (i: %d) v[i] = max(min(v[i] * 0.5_f32 + f32(i), 8_f32), -8_f32)%s", r, w.where())
	case 6:
		w.linef("reduce %s (i: %d) over (j: %d) v[i] = %s%s", pick(w, "max", "min", "sum", "max accumulate"), r, c, w.value(1), w.where())
		w.linef("map (i: %d) v[i] = max(min(v[i], 8_f32), -8_f32)", r)
	case 7:
		w.linef("reduce %s (j: %d) over (i: %d) u[j] = %s%s", pick(w, "max", "min", "sum"), c, r, w.value(1), pick(w, "", "", " where j < 4", fmt.Sprintf(" where b * %d + i < N", r)))
		w.linef("map (j: %d) u[j] = max(min(u[j], 8_f32), -8_f32)", c)
	case 8, 9:
		t := w.float()
		if w.chance(2) {
			w.linef("map (i: %d, j: %d) %s[i, j] = 0_f32", r, c, t)
		}
		w.linef("contract (i: %d, j: %d) over (d: %d) %s[i, j] += %s[i, d] * %s", r, c, c, t, w.half(), pick(w, "g[d, j]", "g[j, d]"))
		w.linef("map (i: %d, j: %d) %s[i, j] = max(min(%s[i, j], 8_f32), -8_f32)", r, c, t, t)
	case 10:
		w.linef("copy (i: %d, j: %d) %s[i, j] = %s[i, j]", r, c, w.float(), w.float())
	case 11:
		t := w.float()
		w.linef("scan %s%s (i: %d, j: %d) %s[i, j] = %s[i, j]", pick(w, "sum", "max"), pick(w, "", " axis 1"), r, c, t, t)
		w.linef("map (i: %d, j: %d) %s[i, j] = max(min(%s[i, j], 8_f32), -8_f32)", r, c, t, t)
	case 12:
		w.linef("map (i: %d, j: %d) %s[i, j] = X[i64(I[i]), j] guard(i64(I[i]) < N)", r, c, w.float())
	case 13:
		if nesting == 0 {
			return
		}
		w.loops++
		w.linef("%s {", pick(w,
			fmt.Sprintf("for k%d in 0 .. 3", w.loops),
			fmt.Sprintf("for k%d in 0 .. 2 unroll", w.loops),
			fmt.Sprintf("for k%d in 0 .. N / 8", w.loops),
			fmt.Sprintf("for k%d in 1 .. N step 9", w.loops),
			"if b < 1", fmt.Sprintf("if N %% 2 == %d", w.IntN(2))))
		w.block(nesting - 1)
		w.linef("}")
	case 14:
		if nesting == 0 {
			return
		}
		w.pipeline(nesting - 1)
	}
}

// pipeline is a loop over the columns of a tensor, whose tiles are staged.
func (w *writer) pipeline(nesting int) {
	r, c := w.rows, w.cols
	w.loops++
	k := fmt.Sprintf("k%d", w.loops)
	w.linef("for %s in 0 .. (K + %d) / %d pipeline stages %d {", k, c-1, c, w.IntN(4))
	w.depth++
	if w.chance(3) {
		w.linef("copy (i: %d, j: %d) %s[i, j] = X[b * %d + i, %s * %d + j] guard(b * %d + i < N and %s * %d + j < K)%s", r, c, w.float(), r, k, c, r, k, c, pick(w, "", "", " else(-1_f32)"))
	}
	h := w.half()
	w.linef("copy (i: %d, j: %d) %s[i, j] = H[b * %d + i, %s * %d + j] guard(b * %d + i < N and %s * %d + j < K)", r, c, h, r, k, c, r, k, c)
	if w.chance(2) {
		w.linef("copy (i: %d, j: %d) g[i, j] = G[%s * %d + i, j] guard(%s * %d + i < K)", c, c, k, c, k, c)
		w.linef("contract (i: %d, j: %d) over (d: %d) t0[i, j] += %s[i, d] * g[d, j]", r, c, c, h)
		w.linef("map (i: %d, j: %d) t0[i, j] = max(min(t0[i, j], 8_f32), -8_f32)", r, c)
	}
	w.depth--
	w.block(nesting)
	w.linef("}")
}

func (w *writer) block(nesting int) {
	w.depth++
	for range 1 + w.IntN(4) {
		w.statement(nesting)
	}
	w.depth--
}

func randomProgram(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 0))}
	w.rows, w.cols = pick(w, 1, 4, 8, 12, 16, 20, 32, 64), pick(w, 8, 16, 16, 24, 32, 64, 128)
	r, c := w.rows, w.cols
	w.b.WriteString("tile func f {\n")
	for _, line := range []string{
		"dim N = X[0]", "dim K = X[1]",
		"param in X: f32[N, K] in global", "param in H: f16[N, K] in global", fmt.Sprintf("param in G: f16[K, %d] in global", c), "param in I: i32[64] in global",
		"param in Q: i8[N, K] in global", "param in U: u4[N, K] in global", "param inout T: i32[8] in global",
		fmt.Sprintf("param out Y: f32[%d, N, %d] in global", tilesOfFloats+tilesOfHalves+3, c), "param eps: f32",
		fmt.Sprintf("grid (b: (N + %d) / %d)", r-1, r),
	} {
		w.linef("%s", line)
	}
	for t := range tilesOfFloats {
		w.linef("alloc t%d: f32[%d, %d]", t, r, c)
		w.linef("copy (i: %d, j: %d) t%d[i, j] = X[b * %d + i, j] guard(b * %d + i < N)", r, c, t, r, r)
	}
	for h := range tilesOfHalves {
		w.linef("alloc h%d: f16[%d, %d]%s", h, r, c, pick(w, "", "", " in shared pinned"))
		w.linef("copy (i: %d, j: %d) h%d[i, j] = H[b * %d + i, j] guard(b * %d + i < N)", r, c, h, r, r)
	}
	w.linef("alloc g: f16[%d, %d]", c, c)
	w.linef("copy (i: %d, j: %d) g[i, j] = G[i, j]", c, c)
	w.linef("alloc v: f32[%d]", r)
	w.linef("map (i: %d) v[i] = X[b * %d + i, 0] guard(b * %d + i < N)", r, r, r)
	w.linef("alloc u: f32[%d]", c)
	w.linef("map (j: %d) u[j] = X[0, j]", c)
	w.linef("alloc z: f32[2, %d, %d]", r, c)
	w.linef("map (k: 2, i: %d, j: %d) z[k, i, j] = f32(k + i - j) * 0.25_f32", r, c)
	w.linef("alloc q: i8[%d, %d]", r, c)
	w.linef("copy (i: %d, j: %d) q[i, j] = Q[b * %d + i, j] guard(b * %d + i < N)", r, c, r, r)
	w.linef("alloc w: i8[%d, %d]", c, c)
	w.linef("copy (i: %d, j: %d) w[i, j] = Q[i, j] guard(i < N)", c, c)
	w.linef("alloc c: i32[%d, %d]", r, c)
	w.linef("map (i: %d, j: %d) c[i, j] = i32(i - j)", r, c)
	w.linef("alloc n: u4[%d, %d]", r, c)
	w.linef("copy (i: %d, j: %d) n[i, j] = U[b * %d + i, j] guard(b * %d + i < N)", r, c, r, r)
	w.linef("alloc top: i32[%d]", r)
	w.linef("map (i: %d) top[i] = i32(i)", r)
	w.linef("alloc s: f32[]")
	w.linef("map () s[] = eps")
	for range 3 {
		w.block(2)
	}
	for s := range tilesOfFloats {
		w.linef("copy (i: %d, j: %d) Y[%d, b * %d + i, j] = t%d[i, j] where b * %d + i < N", r, c, s, r, s, r)
	}
	for s := range tilesOfHalves {
		w.linef("map (i: %d, j: %d) Y[%d, b * %d + i, j] = f32(h%d[i, j]) where b * %d + i < N", r, c, tilesOfFloats+s, r, s, r)
	}
	w.linef("map (i: %d) Y[%d, b * %d + i, 0] = v[i] where b * %d + i < N", r, tilesOfFloats+tilesOfHalves, r, r)
	w.linef("map (i: 1, j: %d) Y[%d, b * %d + i, j] = u[j]", c, tilesOfFloats+tilesOfHalves+1, r)
	w.linef("map (i: %d, j: %d) Y[%d, b * %d + i, j] = z[0, i, j] + f32(c[i, j]) * 0.01_f32 + f32(q[i, j]) + f32(n[i, j]) + f32(top[i]) + s[] where b * %d + i < N", r, c, tilesOfFloats+tilesOfHalves+2, r, r)
	w.b.WriteString("}\n")
	return w.b.String()
}

// TestRandomProgramsRunAsInterpreted compiles random programs and runs them on the
// PTX machine. `-programs 500` tries more.
func TestRandomProgramsRunAsInterpreted(t *testing.T) {
	s := driver.New(t.Context(), driver.Options{})
	m, err := machine.Lookup("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(*programCount) {
		seed += *programSeed
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			text := randomProgram(seed)
			defer func() {
				if t.Failed() {
					t.Log(text)
				}
			}()
			tile, err := ir.Parse("random.tir", text)
			if err != nil {
				t.Fatal(err)
			}
			unit, err := driver.Emit(tile, m, "random.tile", driver.EmitOptions{Verify: true})
			var refused *driver.Refusal
			if errors.As(err, &refused) {
				if _, limit := refused.Limit(); limit {
					return // too large for the machine
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			binary, err := s.Compile(t.Context(), unit, driver.ForMachine)
			if err != nil {
				t.Fatal(err)
			}
			for _, dims := range []string{"N=19 K=136", "N=64 K=128"} {
				r := &run{t: t, tile: tile, unit: unit, binary: binary, dims: dims}
				r.compare(0)
				r.compare(1)
			}
		})
	}
}
