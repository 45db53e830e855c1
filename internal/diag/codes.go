package diag

// Code names one kind of diagnostic, such as "E0101". The zero Code is invalid.
//
// Codes are grouped by the stage that reports them: E01 text and syntax, E02 names, E03 types and shapes, E04 index
// statements, E05 kernels and memory, E06 tests and specs, E07 targets, E08 the toolchain and the command. A code keeps its number for ever.
type Code string

// Text and syntax (lang/parser).
const (
	BadCharacter   Code = "E0101"
	BadString      Code = "E0102"
	BadNumber      Code = "E0103"
	NumberTooLarge Code = "E0104"
	Syntax         Code = "E0110"
	Unclosed       Code = "E0111"
	TooDeep        Code = "E0112"
	ChainedCompare Code = "E0113"
	Misplaced      Code = "E0114"
	Incomplete     Code = "E0115"
)

// Names (lang/types).
const (
	Undefined      Code = "E0201"
	Redeclared     Code = "E0202"
	BadImport      Code = "E0203"
	ImportCycle    Code = "E0204"
	Recursion      Code = "E0205"
	WrongName      Code = "E0206"
	NotSupported   Code = "E0207"
	NotInThisPlace Code = "E0208"
)

// Types and shapes (lang/types).
const (
	TypeMismatch    Code = "E0301"
	WrongType       Code = "E0302"
	LiteralOverflow Code = "E0303"
	Narrowing       Code = "E0304"
	BadCall         Code = "E0305"
	RankMismatch    Code = "E0306"
	ExtentMismatch  Code = "E0307"
	NotConstant     Code = "E0308"
	BadExtent       Code = "E0309"
	BadArithmetic   Code = "E0310"
	WholeArray      Code = "E0311"
	NotIndexable    Code = "E0312"
)

// Index statements (lang/types).
const (
	TwoExtents     Code = "E0401"
	UnreducedIndex Code = "E0402"
	NoExtent       Code = "E0403"
	OutOfRange     Code = "E0404"
	BadIndex       Code = "E0405"
	NotAssignable  Code = "E0406"
	BadAtomic      Code = "E0407"
)

// Kernels and memory (lang/types).
const (
	Unwritten    Code = "E0501"
	NotOut       Code = "E0502"
	GridRace     Code = "E0503"
	NoCandidate  Code = "E0504"
	BadGeneric   Code = "E0505"
	UnboundDim   Code = "E0506"
	BadSpace     Code = "E0507"
	EdgeFill     Code = "E0508"
	ReadOfOut    Code = "E0509"
	BadAttribute Code = "E0510"
)

// Tests and specs (lang/types).
const (
	BadBinding     Code = "E0601"
	MissingBinding Code = "E0602"
	BadInput       Code = "E0603"
	RequireFails   Code = "E0604"
)

// Targets (passes, codegen).
const (
	Unsupported Code = "E0701"
	Capacity    Code = "E0702"
	NoConfig    Code = "E0703"
	LacksType   Code = "E0704"
)

// Info documents a code.
type Info struct {
	Code    Code
	Title   string // one line, no full stop
	Explain string // paragraphs of plain text
	Example string // a .tile file which yields exactly this code; "" where no source text alone can
}

// Lookup returns the documentation of a code.
func Lookup(code Code) (Info, bool) {
	for _, info := range infos {
		if info.Code == code {
			return info, true
		}
	}
	return Info{}, false
}

// Codes returns the documentation of all codes, in order.
func Codes() []Info { return append([]Info(nil), infos...) }

// infos documents every code, in order of code: a new constant above gets a row here.
var infos = []Info{
	{BadCharacter, "a character that the language does not use",
		"Outside comments and strings a program uses ASCII letters, digits, `_` and the operators of the language.",
		"const A = 3 # 4\n"},
	{BadString, "a string that is not closed or has an unknown escape",
		"A string starts and ends with `\"` on one line. The escapes are `\\n`, `\\t`, `\\\"` and `\\\\`.",
		"import \"norms.tile\n"},
	{BadNumber, "a number that is not well formed",
		"Integers are decimal, `0x…` or `0b…`, with `_` allowed between digits. Floats need digits on both sides of the point: `1.0`, `0.5`, `2e-3`.",
		"const A = 0x\n"},
	{NumberTooLarge, "a number that no type of the language can hold",
		"Integer literals go up to 2^64 - 1, float literals up to the largest f64.",
		"const A = 99999999999999999999999999\n"},
	{Syntax, "the program does not follow the grammar",
		"The message says what was expected and what was found. The grammar is at the end of the language reference.",
		"const A 3\n"},
	{Unclosed, "a bracket that is never closed",
		"Every `{`, `(` and `[` needs its partner. The message points at the bracket that is still open.",
		"kernel k(A: f32[N]) {\n    grid (b: N) {\n"},
	{TooDeep, "nesting that is too deep",
		"Brackets, blocks and operators nest up to a fixed depth. Name a part of the expression with `let`.",
		""},
	{ChainedCompare, "comparisons do not chain",
		"`a < b < c` is not a range test here: write `a < b and b < c`.",
		"const A = 1 < 2 < 3\n"},
	{Misplaced, "something that does not belong at this place",
		"The construct is known, but not allowed here, or not a second time; the message says where it belongs.",
		"kernel k(A: out f32[N]) {\n    fill A, 0\n    grid (b: N) { A[b] = 0 }\n}\n"},
	{Incomplete, "a part is missing",
		"A kernel has exactly one `grid`.",
		"kernel k(A: f32[N]) {\n    require N > 0\n}\n"},
	{Undefined, "a name that means nothing here",
		"Names come from the file itself, from what it imports (one level: the items that the imported file declares), from the kernel's generics, parameters and dimensions, and from the statements before. The message names the nearest known one.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    grid (block: N) { C[blok] = A[block] }\n}\n"},
	{Redeclared, "a name that is declared twice",
		"Within one block, parameter list or file a name has one meaning. An inner block may use a name again.",
		"const A = 1\nconst A = 2\n"},
	{BadImport, "a file that cannot be imported",
		"Paths are relative to the importing file; `std/…` names the standard library.",
		"import \"std/nothing.tile\"\n"},
	{ImportCycle, "files that import each other",
		"The message shows the circle. Move what both need into a third file.", ""},
	{Recursion, "something that is defined by itself",
		"Functions are expanded in place and constants are worked out at compile time, so neither can use itself, directly or through others.",
		"fn f(x: f32) -> f32 { return f(x) }\n"},
	{WrongName, "a name of another kind than the place needs",
		"For instance a kernel where a value is needed, or a tile that is called like a function.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    grid (b: N) { C[b] = k }\n}\n"},
	{NotSupported, "a part of the language that is not supported yet",
		"The program is right, but tilec cannot compile it yet: kernels over ranks, ops, sort and topk, contractions of 8-bit floats and below.",
		"kernel k(A: f32[N], C: out f32[N]) over ranks {\n    grid (b: N) { C[b] = A[b] }\n}\n"},
	{NotInThisPlace, "something that cannot stand in this part of a program",
		"Elements of tensors exist only while the grid runs, tunables mean nothing to a spec, and functions on scalars are made of `let` and `return`.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    require A[0] > 0\n    grid (b: N) { C[b] = A[b] }\n}\n"},
	{TypeMismatch, "types that do not mix",
		"Integers and floats never mix silently, nor do bools with either: convert one side, as in `f32(i)`. Integers of the same width but different sign do not mix either. In a spec all numbers mix.",
		"kernel k(A: i32[N], C: out f32[N]) {\n    grid (b: N) { C[b] = 0.5 * A[b] }\n}\n"},
	{WrongType, "a value of the wrong type for its place",
		"Conditions are bools, subscripts and loop bounds are integers, `exp` and its like take floats.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    grid (b: N) { C[b] = if A[b] then 1 else 0 }\n}\n"},
	{LiteralOverflow, "a literal that its type cannot hold",
		"A literal takes the type that is needed where it stands, and must be one of its values; floats may round, but not overflow.",
		"kernel k(C: out i8[N]) {\n    grid (b: N) { C[b] = 300 }\n}\n"},
	{Narrowing, "an integer stored where not all its values fit",
		"Wider integers go into narrower ones only by an explicit conversion, which keeps the low bits: `i8(x)`. Indices go silently into integers of 32 and 64 bits. Floats round when they are stored.",
		"kernel k(A: i32[N], C: out i8[N]) {\n    grid (b: N) { C[b] = A[b] }\n}\n"},
	{BadCall, "a call with the wrong number of arguments or results",
		"The hint shows how the function is called.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    grid (b: N) { C[b] = max(A[b]) }\n}\n"},
	{RankMismatch, "a wrong number of dimensions",
		"An element takes one subscript for each dimension. A copy fills a tile from the last dimensions of a tensor; the leading ones get one index each.",
		"kernel k(A: f32[M, N], C: out f32[M]) {\n    grid (b: M) { C[b] = A[b] }\n}\n"},
	{ExtentMismatch, "extents that do not agree",
		"Both sides of a copy have the same extents, and so have the operands of a gemm where they meet.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    grid (b: ceildiv(N, 16)) {\n        tile t: f32[16]\n        tile u: f32[32]\n        copy A[b*16] -> t\n        copy t -> u\n        copy t -> C[b*16]\n    }\n}\n"},
	{NotConstant, "something that must be known at compile time",
		"Extents of tiles, and of the indices that run over them, are constants: literals, `const`, generics, tunables, and arithmetic on them. Dimensions are known only at launch: work on blocks of constant extent, in a loop or a grid.",
		"kernel k(A: f32[M, N], C: out f32[M]) {\n    grid (b: M) { C[b] = sum[j](A[b, j]) }\n}\n"},
	{BadExtent, "an extent or count that is out of range",
		"Extents of tiles are at least 1, counts and dimensions at least 0.",
		"kernel k(C: out f32[N]) {\n    grid (b: N) {\n        tile t: f32[0]\n        C[b] = 0\n    }\n}\n"},
	{BadArithmetic, "a constant expression without a value",
		"Division of an integer by zero, or a result beyond 64 bits.",
		"const A = 1 / 0\n"},
	{WholeArray, "a tile or tensor as a whole where one element is needed",
		"Name the elements: `t[i, j]`. Whole tiles stand in `copy`, `gemm`, `fill` and in calls of functions on tiles.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    grid (b: N) { C[b] = A }\n}\n"},
	{NotIndexable, "subscripts on something without elements",
		"Only tensors, tiles and the temporaries of a spec have elements.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    grid (b: N) { C[b] = b[0] }\n}\n"},
	{TwoExtents, "an index that runs over two different extents",
		"All uses of a free index must agree. A stated extent (`over i: 8`, `let t[i: 8]`) may be smaller than the dimensions, and uses below a condition on the index are exempt. Tensors follow tiles: their edges are masked.",
		"kernel k(C: out f32[N]) {\n    grid (b: N) {\n        tile x: f32[16] = 0\n        tile y: f32[32] = 0\n        x[i] = y[i]\n        C[b] = x[0]\n    }\n}\n"},
	{UnreducedIndex, "an index on the right which is neither on the left nor reduced over",
		"Every index on the right of a statement is on its left too, or bound by a reduction: `sum[k](…)`.",
		"kernel k(C: out f32[N]) {\n    grid (b: N) {\n        tile x: f32[16, 8] = 0\n        let y[i] = x[i, j]\n        C[b] = y[0]\n    }\n}\n"},
	{NoExtent, "an index or block whose extent nothing fixes",
		"An index takes its extent from a dimension that it indexes by itself. Where there is none, state it: `let t[i: BM]`, `sum[k: BK]`, or `over i: BM` at the end of the statement.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    grid (b: ceildiv(N, 16)) {\n        let x[i] = A[b*16 + i]\n        copy x -> C[b*16]\n    }\n}\n"},
	{OutOfRange, "a subscript that leaves a tile",
		"Edges are masked for tensors only. Limit the subscript by a condition.",
		"kernel k(C: out f32[N]) {\n    grid (b: N) {\n        tile x: f32[16] = 0\n        let y[i: 16] = x[i + 1]\n        C[b] = y[0]\n    }\n}\n"},
	{BadIndex, "an index, or the end of an index statement, that makes no sense",
		"For instance an index that stands twice on the left, an extent for an index that the statement does not have, or a `where` on a new tile.",
		"kernel k(A: f32[N], C: out f32[N]) {\n    grid (b: N) {\n        let y[b: 16] = A[b]\n        C[b] = y[0]\n    }\n}\n"},
	{NotAssignable, "something that cannot be assigned to",
		"`var` declares a scalar that changes; indices, dimensions, parameters and `let` keep their value.",
		"kernel k(C: out f32[N]) {\n    grid (b: N) {\n        let x = b + 1\n        x = 2\n        C[b] = 0\n    }\n}\n"},
	{BadAtomic, "an atomic that memory does not have",
		"There are atomic `+=`, `max=`, `min=`, and on integers `|=` and `&=`, on 32 and 64 bits and on 16-bit floats. As an expression an atomic is all of a `let`.",
		"kernel k(H: inout i8[N]) {\n    grid (b: N) { atomic H[0] += 1 }\n}\n"},
	{Unwritten, "a read of something that may never have been written",
		"A tile is undefined until it is written on every way to the read. A loop may run zero times, so what only its body writes is not certain. Give the tile a value where it is declared: `tile t: f32[8] = 0`.",
		"kernel k(C: out f32[N]) {\n    grid (b: N) {\n        tile t: f32[16]\n        C[b] = t[0]\n    }\n}\n"},
	{NotOut, "a write to a parameter that is not `out`",
		"Parameters are read only unless they are `out` or `inout`.",
		"kernel k(A: f32[N]) {\n    grid (b: N) { A[b] = 0 }\n}\n"},
	{GridRace, "two grid instances that write the same element",
		"Grid instances run at the same time in any order, so each writes elements of its own, or combines them: `atomic C[i] += x`. The message names the grid index on which the place written does not depend.",
		"kernel k(A: f32[M, N], R: out f32[M]) {\n    grid (x: N, y: M) { R[y] = A[y, x] }\n}\n"},
	{NoCandidate, "a tunable without a legal value",
		"The conditions after `where` leave no combination of candidates, or the default is none of them.",
		"kernel k(C: out f32[N]) {\n    tune BN in [24, 40] where BN % 16 == 0\n    grid (b: N) { C[b] = 0 }\n}\n"},
	{BadGeneric, "a generic with a value that it cannot have",
		"A generic is a `dtype` out of a list, an `int` or a `bool`, fixed at compile time by its default, by a test or on the command line.",
		"kernel k[T: dtype in [f16, bf16] = f32](C: out T[N]) {\n    grid (b: N) { C[b] = 0 }\n}\n"},
	{UnboundDim, "a dimension that nothing binds",
		"A name that stands alone as a dimension of some parameter is bound by it. In `[2*N]` the name is only used.",
		"kernel k(A: f32[2*N], C: out f32[M]) {\n    grid (b: M) { C[b] = A[b] }\n}\n"},
	{BadSpace, "a memory that does not exist",
		"`shared` and `register` exist on all targets; `ub`, `l1`, `l0a`, `l0b`, `l0c` and `bt` on Ascend. A program needs none of them.",
		"kernel k(C: out f32[N]) {\n    grid (b: N) {\n        tile t: f32[16] in cache = 0\n        C[b] = t[0]\n    }\n}\n"},
	{EdgeFill, "elements of a tile that stand for elements outside a tensor, and count",
		"Elements outside a tensor read as 0, which a maximum, minimum or product does not leave out, and which is a place like any other where a tile says where to write. Say what stands for them: `copy A[r, c] -> t else -inf`, or leave them out: `where b*64 + i < N`. This is a warning.",
		"kernel k(A: f32[M, N], C: out f32[M]) {\n    grid (b: M) {\n        tile t: f32[64]\n        copy A[b, 0] -> t\n        C[b] = max[j](t[j])\n    }\n}\n"},
	{ReadOfOut, "a read of an `out` parameter that was not written before",
		"The contents of an `out` tensor are undefined when the kernel starts. A grid instance may read what it wrote itself; to use what the tensor holds before, also for `+=` and atomics, declare it `inout`.",
		"kernel k(H: out i32[N]) {\n    grid (b: N) { atomic H[0] += 1 }\n}\n"},
	{BadAttribute, "an attribute or order that does not exist",
		"There are `@allow(tf32)` before a kernel, and `order panel(8)` after a grid.",
		"@fast\nkernel k(C: out f32[N]) {\n    grid (b: N) { C[b] = 0 }\n}\n"},
	{BadBinding, "a test that binds a name which the kernel does not have",
		"A test gives values to generics, dimensions, parameters and tunables, and may state a `tolerance`.",
		"kernel k(C: out f32[N]) {\n    grid (b: N) { C[b] = 0 }\n}\ntest \"t\" k { N = 8, M = 8 }\n"},
	{MissingBinding, "a test that leaves a value open",
		"Every dimension, every scalar parameter and every generic without a default needs a value.",
		"kernel k(C: out f32[N]) {\n    grid (b: N) { C[b] = 0 }\n}\ntest \"t\" k { }\n"},
	{BadInput, "an input that a tensor cannot have",
		"Tensors are filled by `normal`, `uniform`, `randint`, `arange`, `constant` or `file(\"x.npy\")`, with values of their type.",
		"kernel k(A: i8[N], C: out i8[N]) {\n    grid (b: N) { C[b] = A[b] }\n}\ntest \"t\" k { N = 8, A = constant(1000) }\n"},
	{RequireFails, "a test whose values the kernel refuses",
		"A `require` of the kernel does not hold for the values of the test.",
		"kernel k(C: out f32[N]) {\n    require N % 8 == 0, \"N must be a multiple of 8\"\n    grid (b: N) { C[b] = 0 }\n}\ntest \"t\" k { N = 12 }\n"},
	{Unsupported, "something that the target cannot do, or tilec not yet",
		"The message says what, and where there is one, a form that does the same.", ""},
	{Capacity, "tiles that do not fit a memory of the target",
		"The message lists the tiles, their bytes, and by how many bytes they are over.", ""},
	{NoConfig, "no combination of tune candidates fits the target",
		"For each candidate the message says which limit it breaks.", ""},
	{LacksType, "an element type of which the target can hold no values",
		"No unit of the chip computes with the type or converts it, so nothing that the compiler could do would help. The message says which types would work. " +
			"`tilec check` reports such a kernel as unsupported, and fails for it under --strict alone.", ""},
}
