package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"tilec/lang/ast"
)

// The productions of statements; see grammar.go for how they are read.

type tuneStmt struct {
	Tokens []Token
	Items  []*tuneItem `parser:"'tune' @@ (',' @@)*"`
}

type tuneItem struct {
	Tokens     []Token
	Name       Token       `parser:"@Ident"`
	Default    ast.Expr    `parser:"('=' @@)?"`
	Candidates []ast.Expr  `parser:"'in' '[' @@ (',' @@)* ']'"`
	Tails      []*tuneTail `parser:"@@*"`
}

type tuneTail struct {
	Tokens     []Token
	Where      ast.Expr   `parser:"  'where' @@"`
	Target     Token      `parser:"| 'on' @Ident"`
	Candidates []ast.Expr `parser:"  'in' '[' @@ (',' @@)* ']'"`
}

type requireStmt struct {
	Tokens  []Token
	Cond    ast.Expr `parser:"'require' @@"`
	Message Token    `parser:"(',' @String)?"`
}

type gridStmt struct {
	Tokens     []Token
	Iters      []*indexVar `parser:"'grid' '(' @@ (',' @@)* ')'"`
	Persistent bool        `parser:"( @'persistent'"`
	Order      *operand    `parser:"| 'order' @@ )*"`
	Body       *block      `parser:"@@"`
}

type specStmt struct {
	Tokens []Token
	Body   *block `parser:"'spec' @@"`
}

type indexVar struct {
	Tokens []Token
	Name   Token    `parser:"@Ident"`
	Extent ast.Expr `parser:"(':' @@)?"`
}

type suffix struct {
	Else  ast.Expr    `parser:"('else' @@)?"`
	Where ast.Expr    `parser:"('where' @@)?"`
	Over  []*indexVar `parser:"('over' @@ (',' @@)*)?"`
}

// letName is a further name of a let. Tokens themselves do not add up over repetitions.
type letName struct {
	Name Token `parser:"@Ident"`
}

type letStmt struct {
	Tokens  []Token
	Name    Token       `parser:"'let' @Ident"`
	Indices []*indexVar `parser:"('[' @@ (',' @@)* ']')?"`
	More    []*letName  `parser:"(',' @@)*"`
	Value   ast.Expr    `parser:"'=' @@"`
	Suffix  suffix      `parser:"@@"`
}

type varStmt struct {
	Tokens []Token
	Name   Token     `parser:"'var' @Ident"`
	Type   *typeNode `parser:"(':' @@)?"`
	Value  ast.Expr  `parser:"'=' @@"`
}

type tileStmt struct {
	Tokens []Token
	Name   Token     `parser:"'tile' @Ident"`
	Type   *typeNode `parser:"':' @@"`
	Space  Token     `parser:"('in' @Ident)?"`
	Init   ast.Expr  `parser:"('=' @@)?"`
}

type copyStmt struct {
	Tokens []Token
	Src    *operand `parser:"'copy' @@"`
	Dst    *operand `parser:"'->' @@"`
	Else   ast.Expr `parser:"('else' @@)?"`
}

type gemmStmt struct {
	Tokens []Token
	A      *operand `parser:"'gemm' @@"`
	TransA bool     `parser:"@('^' 'T')?"`
	B      *operand `parser:"',' @@"`
	TransB bool     `parser:"@('^' 'T')?"`
	Acc    *operand `parser:"'->' @@"`
}

type fillStmt struct {
	Tokens []Token
	Dst    *operand `parser:"'fill' @@"`
	Value  ast.Expr `parser:"',' @@"`
}

type forStmt struct {
	Tokens []Token
	Unroll bool     `parser:"@'unroll'?"`
	Name   Token    `parser:"'for' @Ident"`
	Lo     ast.Expr `parser:"'in' @@"`
	Hi     ast.Expr `parser:"'..' @@"`
	Step   ast.Expr `parser:"('step' @@)?"`
	Body   *block   `parser:"@@"`
}

type pipelineStmt struct {
	Tokens []Token
	Name   Token    `parser:"'pipeline' @Ident"`
	Lo     ast.Expr `parser:"'in' @@"`
	Hi     ast.Expr `parser:"'..' @@"`
	Step   ast.Expr `parser:"('step' @@)?"`
	Stages ast.Expr `parser:"',' @@"`
	Body   *block   `parser:"@@"`
}

type whileStmt struct {
	Tokens []Token
	Cond   ast.Expr `parser:"'while' @@"`
	Body   *block   `parser:"@@"`
}

type ifStmt struct {
	Tokens []Token
	Cond   ast.Expr   `parser:"'if' @@"`
	Then   *block     `parser:"@@"`
	Arms   []*elseArm `parser:"@@*"`
}

type elseArm struct {
	Tokens []Token
	Cond   ast.Expr `parser:"'else' ('if' @@)?"`
	Body   *block   `parser:"@@"`
}

type assertStmt struct {
	Tokens  []Token
	Cond    ast.Expr `parser:"'assert' @@"`
	Message Token    `parser:"(',' @String)?"`
}

type returnStmt struct {
	Tokens []Token
	Value  ast.Expr `parser:"'return' @@"`
}

type signalStmt struct {
	Tokens []Token
	Flag   *operand `parser:"'signal' @@"`
	To     ast.Expr `parser:"'to' @@"`
	Add    ast.Expr `parser:"('+=' @@)?"`
}

type waitStmt struct {
	Tokens []Token
	Flag   *operand `parser:"'wait' @@"`
	Value  ast.Expr `parser:"'>=' @@"`
}

type barrierStmt struct {
	Tokens []Token
	Ranks  string `parser:"'barrier' @'ranks'"`
}

type tempStmt struct {
	Tokens []Token
	Name   Token     `parser:"'temp' @Ident"`
	Type   *typeNode `parser:"':' @@"`
}

type runStmt struct {
	Tokens []Token
	Call   *operand `parser:"'run' @@"`
}

type assignStmt struct {
	Tokens []Token
	Atomic bool     `parser:"@'atomic'?"`
	LHS    *target  `parser:"@@"`
	Op     *setter  `parser:"@@"`
	Value  ast.Expr `parser:"@@"`
	Suffix suffix   `parser:"@@"`
}

type callStmt struct {
	Tokens []Token
	Call   *operand `parser:"@@"`
}

// operand is a name, or one with a call or indices behind it: it stops before any operator.
type operand struct{ X ast.Expr }

// Parse implements participle.Parseable.
func (o *operand) Parse(lex *lexer.PeekingLexer) (err error) {
	p := exprParser{lex: lex}
	o.X, err = p.postfix()
	return err
}

// target is the left side of an index statement.
type target struct{ X ast.Expr }

// Parse implements participle.Parseable.
func (o *target) Parse(lex *lexer.PeekingLexer) (err error) {
	p := exprParser{lex: lex}
	o.X, err = p.target()
	return err
}

// setter is the operator of an index statement.
type setter struct{ Op ast.AssignOp }

// Parse implements participle.Parseable.
func (s *setter) Parse(lex *lexer.PeekingLexer) (err error) {
	s.Op, err = assignOp(lex)
	return err
}
