package lower

import (
	"strconv"

	"tilec/internal/diag"
	"tilec/ir"
	"tilec/lang/ast"
	"tilec/lang/types"
)

// Restage changes the tile form of a kernel to what it is for other values of
// tunables that are among types.StageTunables.
func Restage(f *ir.Func, k *types.Kernel, tunes map[string]int64) {
	stages := map[diag.Span]int{}
	ast.Inspect(k.Decl.Grid, func(n ast.Node) bool {
		if s, ok := n.(*ast.Pipeline); ok {
			if id, ok := s.Stages.(*ast.Ident); ok {
				if v, ok := tunes[id.Name]; ok {
					stages[s.Span()] = types.Stages(v)
				}
			}
		}
		return true
	})
	f.Body.Walk(func(op *ir.Op) {
		if n, ok := stages[op.Span]; ok && op.Code == ir.OpFor && op.Loop == ir.Pipeline {
			op.Stages = n
		}
	})
	for i := range f.Config {
		if v, ok := tunes[f.Config[i].Name]; ok && f.Config[i].Tune {
			f.Config[i].Value = strconv.FormatInt(v, 10)
		}
	}
}
