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
	{Unsupported, "something that the target cannot do, or tilec not yet",
		"The message says what, and where there is one, a form that does the same.", ""},
	{Capacity, "tiles that do not fit a memory of the target",
		"The message lists the tiles, their bytes, and by how many bytes they are over.", ""},
	{NoConfig, "no combination of tune candidates fits the target",
		"For each candidate the message says which limit it breaks.", ""},
}
