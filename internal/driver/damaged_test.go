package driver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"tilec/internal/diag"
	"tilec/ir/machine"
	"tilec/lang/ast"
	"tilec/lang/parser"
	"tilec/lang/types"
)

// example is a kernel with what it needs of its file: constants and functions stand
// before it, its first test behind it.
type example struct {
	name           string
	before, kernel string
	test           string
}

// kernelsOf takes the programs of folders apart, kernel by kernel.
func kernelsOf(t *testing.T, dirs ...string) []example {
	t.Helper()
	var all []example
	for _, dir := range dirs {
		for _, path := range programs(t, dir) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rep := &diag.Reporter{}
			file := parser.Parse(diag.NewFile(path, string(text)), rep)
			if rep.HasErrors() {
				t.Fatal(rep.Sorted())
			}
			before := ""
			tests := map[string]string{}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.Kernel, *ast.Op:
				case *ast.Test:
					if tests[d.Kernel.Name] == "" {
						tests[d.Kernel.Name] = d.Span().Text() + "\n"
					}
				default:
					before += d.Span().Text() + "\n"
				}
			}
			for _, d := range file.Decls {
				if k, ok := d.(*ast.Kernel); ok {
					name := filepath.Base(path) + "/" + k.Name.Name
					all = append(all, example{name: name, before: before, kernel: k.Span().Text() + "\n", test: tests[k.Name.Name]})
				}
			}
		}
	}
	return all
}

// compilerWords are what a message about a program must not hold: traces and format
// mistakes of ours, and what a compiler of C++ says.
var compilerWords = regexp.MustCompile(`panic|goroutine \d|runtime error|nil pointer|compiler bug|%!|\.cu\(|<nil>|\[\w+\.\w+\]`)

// takeDamaged compiles a text, as far as it goes, to CUDA C++: it must be refused
// with a message at a place, or be taken, and nothing else. It returns what it is
// refused for, "" if it is taken.
func takeDamaged(t *testing.T, text string, m *machine.Machine) string {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf(format+"\n%s", append(args, text)...)
	}
	s := New(context.Background(), Options{Verify: true, Jobs: 1, Read: func(string) (string, error) { return text, nil }})
	var p *Program
	if err := guard("check", "damaged", func() { p = s.Load("damaged.tile") }); err != nil {
		fail("%v", err)
		return "a panic"
	}
	if p.Reporter.HasErrors() {
		return refusedFor(fail, p.Reporter.Sorted())
	}
	for _, k := range p.Kernels {
		var err error
		var inst *Instance
		if inst, err = s.instance(p, k, types.Bindings{}); err == nil {
			_, err = s.emit(t.Context(), p, inst, m)
		}
		var refused *Refusal
		switch {
		case err == nil:
		case errors.As(err, &refused):
			return refusedFor(fail, refused.Diagnostics)
		default:
			fail("%v", err)
			return "a fault of the compiler"
		}
	}
	return ""
}

// refusedFor wants a place inside of the text for every message; it returns the first.
func refusedFor(fail func(format string, args ...any), ds []*diag.Diagnostic) string {
	first := ""
	for _, d := range ds {
		if d.Severity == diag.Error && first == "" {
			first = d.Message
		}
		whole := d.Error() + "\n" + d.Advice
		for _, n := range d.Notes {
			whole += "\n" + n.Text
		}
		switch line, column := d.Span.Position(); {
		case line < 1 || column < 1 || d.Span.Start > d.Span.End || d.Span.Start > len(d.Span.File.Text):
			fail("no place: %s", d.Error())
		case strings.TrimSpace(d.Message) == "" || d.Code == "":
			fail("says nothing: %s", d.Error())
		case compilerWords.MatchString(whole):
			fail("the compiler speaks of itself: %s", whole)
		}
	}
	if first == "" {
		fail("refused without an error")
	}
	return first
}

// TestTruncatedAtEveryToken cuts every kernel of the examples off before each of its
// tokens.
func TestTruncatedAtEveryToken(t *testing.T) {
	m := machines(t, "sm_80")[0]
	for _, e := range kernelsOf(t, "examples", filepath.Join("examples", "*")) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			if why := takeDamaged(t, e.before+e.kernel+e.test, m); why != "" {
				t.Fatalf("refused whole: %s", why)
			}
			for i, token := range parser.Scan(e.kernel) {
				if i == 0 || token.EOF() {
					continue
				}
				if takeDamaged(t, e.before+e.kernel[:token.Pos.Offset], m) == "" {
					t.Errorf("taken without its end:\n%s", e.kernel[:token.Pos.Offset])
				}
			}
		})
	}
}

// damages is how many times each kernel is damaged.
const damages = 20

// TestDamagedTokens leaves tokens out of the kernels of the examples, doubles them and
// exchanges them for others.
func TestDamagedTokens(t *testing.T) {
	m := machines(t, "sm_80")[0]
	var taken, refused atomic.Int32
	for i, e := range kernelsOf(t, "examples", filepath.Join("examples", "*"), filepath.Join("testdata", "kernels")) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for range damages {
				if takeDamaged(t, e.before+damage(r, e.kernel+e.test), m) == "" {
					taken.Add(1)
				} else {
					refused.Add(1)
				}
			}
		})
	}
	t.Cleanup(func() {
		if taken.Load() == 0 || refused.Load() < taken.Load() {
			t.Errorf("%d programs are taken, %d refused: the damage is of the wrong size", taken.Load(), refused.Load())
		}
		t.Logf("%d programs are taken, %d refused", taken.Load(), refused.Load())
	})
}

// damage makes one to three changes to the tokens of a text.
func damage(r *rand.Rand, text string) string {
	tokens := parser.Scan(text)
	tokens = tokens[:len(tokens)-1]
	values := make([]string, len(tokens))
	for i, token := range tokens {
		values[i] = token.Value
	}
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(values)), r.IntN(len(values))
		switch r.IntN(6) {
		case 0:
			values[i] = ""
		case 1:
			values[i] += " " + values[i]
		case 2:
			values[i] = values[j]
		case 3:
			values[i], values[j] = values[j], values[i]
		case 4:
			next := min(i+1, len(values)-1)
			values[i], values[next] = values[next], values[i]
		default:
			values[i] = number(r)
		}
	}
	var b strings.Builder
	end := 0
	for i, token := range tokens {
		b.WriteString(text[end:token.Pos.Offset])
		b.WriteString(values[i])
		end = token.Pos.Offset + len(token.Value)
	}
	b.WriteString(text[end:])
	return b.String()
}

// number is a literal that a program may stumble over.
func number(r *rand.Rand) string {
	ns := []string{"0", "1", "2", "3", "7", "-1", "33", "1000", "65536", "4294967296", "9223372036854775807", "9223372036854775808",
		"0.0", "1e30", "1e-50", "inf", "nan", "true", "(0 - 3)"}
	if r.IntN(8) == 0 {
		return fmt.Sprint(r.Int64())
	}
	return ns[r.IntN(len(ns))]
}
