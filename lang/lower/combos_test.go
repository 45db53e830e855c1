package lower_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"tilec/lang/ast"
	"tilec/lang/types"
	"tilec/runtime/array"
)

// TestCombinations lowers every kernel of testdata/run with every value of its
// generics, and with up to limit choices of its tunables each.
func TestCombinations(t *testing.T) {
	const limit = 6
	paths, _ := filepath.Glob("testdata/run/*.tile")
	for _, path := range paths {
		p := load(t, path, readFile(t, path))
		for _, k := range p.Kernels {
			for _, generics := range genericChoices(k.Decl.Generics) {
				t.Run(fmt.Sprint(k.Name, generics), func(t *testing.T) {
					var all []map[string]int64
					for m := range types.TuneSpace(k, generics, nil) {
						all = append(all, m)
					}
					step := max(1, len(all)/limit)
					for i := 0; i < len(all); i += step {
						tc := &types.TestCase{Kernel: k, Generics: generics}
						lowered(t, instantiate(t, p, tc, all[i]))
					}
				})
			}
		}
	}
}

// genericChoices returns all combinations of the values that generics list, and
// of both truth values.
func genericChoices(generics []*ast.Generic) []map[string]types.Value {
	choices := []map[string]types.Value{{}}
	for _, g := range generics {
		var values []types.Value
		switch g.Kind.Name {
		case "bool":
			values = []types.Value{types.BoolOf(false), types.BoolOf(true)}
		case "dtype":
			for _, e := range g.In {
				d, _ := array.ParseDType(e.(*ast.Ident).Name)
				values = append(values, types.DTypeOf(d))
			}
		default:
			values = []types.Value{types.IntOf(64), types.IntOf(128)}
		}
		var next []map[string]types.Value
		for _, c := range choices {
			for _, v := range values {
				m := maps.Clone(c)
				m[g.Name.Name] = v
				next = append(next, m)
			}
		}
		choices = next
	}
	return choices
}
