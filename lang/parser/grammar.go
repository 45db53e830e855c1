package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"tilec/lang/ast"
)

// The productions of declarations. Each field's tag continues the production; `@@` captures a production, `@Ident` a
// token. Tokens holds what was read, which gives the node its place.

type importDecl struct {
	Tokens []Token
	Path   Token `parser:"'import' @String"`
}

type constDecl struct {
	Tokens []Token
	Name   Token    `parser:"'const' @Ident"`
	Value  ast.Expr `parser:"'=' @@"`
}

type fnDecl struct {
	Tokens   []Token
	Name     Token          `parser:"'fn' @Ident"`
	Generics []*genericNode `parser:"('[' @@ (',' @@)* ']')?"`
	Params   []*paramNode   `parser:"'(' (@@ (',' @@)*)? ')'"`
	Result   *typeNode      `parser:"('->' @@)?"`
	Body     *block         `parser:"@@"`
}

type kernelDecl struct {
	Tokens   []Token
	Attrs    []*attrNode    `parser:"@@*"`
	Name     Token          `parser:"'kernel' @Ident"`
	Generics []*genericNode `parser:"('[' @@ (',' @@)* ']')?"`
	Params   []*paramNode   `parser:"'(' (@@ (',' @@)*)? ')'"`
	Over     bool           `parser:"@('over' 'ranks')?"`
	Body     *block         `parser:"@@"`
}

type opDecl struct {
	Tokens   []Token
	Name     Token          `parser:"'op' @Ident"`
	Generics []*genericNode `parser:"('[' @@ (',' @@)* ']')?"`
	Params   []*paramNode   `parser:"'(' (@@ (',' @@)*)? ')'"`
	Body     *block         `parser:"@@"`
}

type testDecl struct {
	Tokens   []Token
	Title    Token          `parser:"'test' @String"`
	Kernel   Token          `parser:"@Ident"`
	Bindings []*bindingNode `parser:"'{' (@@ (',' @@)*)? '}'"`
}

type attrNode struct {
	Tokens []Token
	Name   Token      `parser:"'@' @Ident"`
	Args   []ast.Expr `parser:"('(' (@@ (',' @@)*)? ')')?"`
}

type genericNode struct {
	Tokens  []Token
	Name    Token      `parser:"@Ident"`
	Kind    Token      `parser:"':' @Ident"`
	In      []ast.Expr `parser:"('in' '[' @@ (',' @@)* ']')?"`
	Default ast.Expr   `parser:"('=' @@)?"`
}

type paramNode struct {
	Tokens    []Token
	Name      Token     `parser:"@Ident"`
	Dir       string    `parser:"':' @('in' | 'out' | 'inout')?"`
	Type      *typeNode `parser:"@@"`
	Strided   bool      `parser:"( @'strided'"`
	Symmetric bool      `parser:"| @'symmetric' )*"`
}

type typeNode struct {
	Tokens []Token
	Elem   Token      `parser:"@Ident"`
	Dims   []ast.Expr `parser:"('[' @@ (',' @@)* ']')?"`
}

type bindingNode struct {
	Tokens []Token
	Name   Token    `parser:"@Ident"`
	Value  ast.Expr `parser:"'=' @@"`
}

// production is a thing that a chunk or a block consists of.
type production interface{}

// root exists to make participle know every production; each is then parsed by itself.
type root struct {
	Import   *importDecl   `parser:"  @@"`
	Const    *constDecl    `parser:"| @@"`
	Fn       *fnDecl       `parser:"| @@"`
	Kernel   *kernelDecl   `parser:"| @@"`
	Op       *opDecl       `parser:"| @@"`
	Test     *testDecl     `parser:"| @@"`
	Tune     *tuneStmt     `parser:"| @@"`
	Require  *requireStmt  `parser:"| @@"`
	Grid     *gridStmt     `parser:"| @@"`
	Spec     *specStmt     `parser:"| @@"`
	Let      *letStmt      `parser:"| @@"`
	Var      *varStmt      `parser:"| @@"`
	Tile     *tileStmt     `parser:"| @@"`
	Copy     *copyStmt     `parser:"| @@"`
	Gemm     *gemmStmt     `parser:"| @@"`
	Fill     *fillStmt     `parser:"| @@"`
	For      *forStmt      `parser:"| @@"`
	Pipeline *pipelineStmt `parser:"| @@"`
	While    *whileStmt    `parser:"| @@"`
	If       *ifStmt       `parser:"| @@"`
	Assert   *assertStmt   `parser:"| @@"`
	Return   *returnStmt   `parser:"| @@"`
	Signal   *signalStmt   `parser:"| @@"`
	Wait     *waitStmt     `parser:"| @@"`
	Barrier  *barrierStmt  `parser:"| @@"`
	Temp     *tempStmt     `parser:"| @@"`
	Run      *runStmt      `parser:"| @@"`
	Assign   *assignStmt   `parser:"| @@"`
	Call     *callStmt     `parser:"| @@"`
}

// rule reads one production from the front of the tokens.
type rule struct {
	name string // what it is, in words
	form string // how it is written
	read func(*lexer.PeekingLexer) (production, error)
}

// grammar is every rule by the word that starts it, built once.
var grammar = sync.OnceValue(func() *rules {
	// Lookahead 0 makes participle commit to a branch with its first token: the grammar is LL(1).
	p := participle.MustBuild[root](
		participle.Lexer(definition{}), participle.UseLookahead(0), participle.ParseTypeWith(parseExpr))
	return &rules{
		decls: map[string]*rule{
			"import": define[importDecl](p, "an import", `import "file.tile"`),
			"const":  define[constDecl](p, "a constant", "const NAME = value"),
			"fn":     define[fnDecl](p, "a function", "fn name(x: f32, …) -> f32 { return … }"),
			"kernel": define[kernelDecl](p, "a kernel", "kernel name[generics](A: f16[M, K], C: out f16[M]) { … }"),
			"@":      define[kernelDecl](p, "a kernel", "@allow(…) kernel name(…) { … }"),
			"op":     define[opDecl](p, "an op", "op name(A: f16[M, K], C: out f16[M]) { … }"),
			"test":   define[testDecl](p, "a test", `test "title" kernel { M = 100, T = f16 }`),
		},
		stmts: map[string]*rule{
			"tune":     define[tuneStmt](p, "a `tune`", "tune BM in [64, 128], BN = 64 in [32, 64] where BN <= BM"),
			"require":  define[requireStmt](p, "a `require`", `require condition, "message"`),
			"grid":     define[gridStmt](p, "a grid", "grid (x: count, y: count) { … }"),
			"spec":     define[specStmt](p, "a spec", "spec { C[i] = … }"),
			"let":      define[letStmt](p, "a `let`", "let x = value, or let t[i, j: BN] = value"),
			"var":      define[varStmt](p, "a `var`", "var x: i32 = value"),
			"tile":     define[tileStmt](p, "a tile", "tile t: f32[BM, BN] in shared = value"),
			"copy":     define[copyStmt](p, "a `copy`", "copy A[row, column] -> t else value"),
			"gemm":     define[gemmStmt](p, "a `gemm`", "gemm a, b^T -> acc"),
			"fill":     define[fillStmt](p, "a `fill`", "fill t, value"),
			"for":      define[forStmt](p, "a loop", "for i in a .. b step s { … }"),
			"unroll":   define[forStmt](p, "a loop", "unroll for i in a .. b { … }"),
			"pipeline": define[pipelineStmt](p, "a pipeline", "pipeline i in a .. b, stages { … }"),
			"while":    define[whileStmt](p, "a loop", "while condition { … }"),
			"if":       define[ifStmt](p, "an `if`", "if condition { … } else { … }"),
			"assert":   define[assertStmt](p, "an `assert`", `assert condition, "message"`),
			"return":   define[returnStmt](p, "a `return`", "return value"),
		},
		contextual: map[string]*rule{
			"signal":  define[signalStmt](p, "a `signal`", "signal F[i] to r += value"),
			"wait":    define[waitStmt](p, "a `wait`", "wait F[i] >= value"),
			"barrier": define[barrierStmt](p, "a barrier", "barrier ranks"),
			"temp":    define[tempStmt](p, "a temporary", "temp P: f32[M, N]"),
			"run":     define[runStmt](p, "a `run`", "run kernel(A, B, C)"),
		},
		assign: define[assignStmt](p, "an index statement", "t[i, j] = value where condition"),
		call:   define[callStmt](p, "a call", "name(arguments)"),
	}
})

type rules struct {
	decls      map[string]*rule
	stmts      map[string]*rule // by reserved word
	contextual map[string]*rule // by a word that is reserved only where a name follows it
	assign     *rule
	call       *rule
}

func define[P any](p *participle.Parser[root], name, form string) *rule {
	parser, err := participle.ParserForProduction[P](p)
	if err != nil {
		panic(err) // the production is missing in root: every test fails
	}
	return &rule{name: name, form: form, read: func(lex *lexer.PeekingLexer) (production, error) {
		node, err := parser.ParseFromLexer(lex, participle.AllowTrailing(true))
		if err != nil {
			return nil, err
		}
		return node, nil
	}}
}
