package lanes

// comparison is a relation; u marks those that are true of NaNs.
type comparison struct {
	lt, eq, gt, nan bool
}

var comparisons = map[string]comparison{
	"eq": {eq: true}, "ne": {lt: true, gt: true}, "lt": {lt: true}, "le": {lt: true, eq: true}, "gt": {gt: true}, "ge": {gt: true, eq: true},
	"lo": {lt: true}, "ls": {lt: true, eq: true}, "hi": {gt: true}, "hs": {gt: true, eq: true},
	"equ": {eq: true, nan: true}, "neu": {lt: true, gt: true, nan: true}, "ltu": {lt: true, nan: true}, "leu": {lt: true, eq: true, nan: true},
	"gtu": {gt: true, nan: true}, "geu": {gt: true, eq: true, nan: true}, "num": {lt: true, eq: true, gt: true}, "nan": {nan: true},
}

type ordered interface {
	~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

func holds[T ordered](c comparison, a, b T) bool {
	switch {
	case a < b:
		return c.lt
	case a > b:
		return c.gt
	case a == b:
		return c.eq
	}
	return c.nan
}

// comparison takes the relation.
func (m *mods) comparison() (string, comparison, bool) {
	for i, s := range m.list {
		if c, ok := comparisons[s]; ok {
			m.list = append(m.list[:i], m.list[i+1:]...)
			return s, c, true
		}
	}
	return "", comparison{}, false
}

// legal tells that a relation applies to a type: untyped bits know only equality,
// lo … hs are unsigned, the unordered ones floating point.
func legal(name string, t Type) bool {
	switch name {
	case "eq", "ne":
		return true
	case "lt", "le", "gt", "ge":
		return types[t].kind != bitsKind
	case "lo", "ls", "hi", "hs":
		return types[t].kind == unsignedKind
	}
	return t.IsFloat() || t == F16x2 || t == BF16x2
}

// relation returns the scalar test of a type of at most 32 bits.
func relation32(c comparison, t Type, ftz bool) func(a, b uint32) bool {
	s := shape{ftz: ftz}
	switch {
	case t == F32:
		return func(a, b uint32) bool { return holds(c, s.in(a), s.in(b)) }
	case t.IsFloat() || t == F16x2 || t == BF16x2:
		h := halfOf(t)
		return func(a, b uint32) bool { return holds(c, h.in(s, uint16(a)), h.in(s, uint16(b))) }
	case t.IsSigned():
		return func(a, b uint32) bool { return holds(c, int32(extend(t, a)), int32(extend(t, b))) }
	}
	return func(a, b uint32) bool { return holds(c, extend(t, a), extend(t, b)) }
}

func relation64(c comparison, t Type) func(a, b uint64) bool {
	switch {
	case t == F64:
		return func(a, b uint64) bool { return holds(c, f64(a), f64(b)) }
	case t.IsSigned():
		return func(a, b uint64) bool { return holds(c, int64(a), int64(b)) }
	}
	return func(a, b uint64) bool { return holds(c, a, b) }
}

func setp(m *mods) (Op, bool) {
	name, c, ok := m.comparison()
	boolOp := m.pick("and", "or", "xor")
	ftz, t := m.flag("ftz"), m.typ()
	if !ok || t == NoType || t.Bits() == 8 || t == Pred || !legal(name, t) {
		return Op{}, false
	}
	o := Op{Res: Pred, Args: []Type{t, t}, Bool: boolOp, Float: t.IsFloat()}
	switch t.Bits() {
	case 16, 32:
		rel := relation32(c, t, ftz)
		o.Test = test2(rel)
		switch {
		case t == S32:
			o.Test = signedTest(c)
		case t == U32 || t == B32:
			o.Test = unsignedTest(c)
		case t == F16x2 || t == BF16x2:
			o.High = test2(func(a, b uint32) bool { return rel(a>>16, b>>16) })
		}
	case 64:
		o.Test = test2(relation64(c, t))
	default:
		return Op{}, false
	}
	return o, true
}

func signedTest(c comparison) Test {
	switch c {
	case comparison{lt: true}:
		return func(a, b, _ *V32) (m uint32) {
			for i := range a {
				m |= flag32(int32(a[i]) < int32(b[i])) << i
			}
			return m
		}
	case comparison{eq: true}:
		return func(a, b, _ *V32) (m uint32) {
			for i := range a {
				m |= flag32(a[i] == b[i]) << i
			}
			return m
		}
	}
	return test2(func(a, b uint32) bool { return holds(c, int32(a), int32(b)) })
}

func unsignedTest(c comparison) Test {
	return test2(func(a, b uint32) bool { return holds(c, a, b) })
}

// set gives 1.0 for a float result, all ones for an integer one.
func set(m *mods) (Op, bool) {
	name, c, ok := m.comparison()
	ftz, td, ts := m.flag("ftz"), m.typ(), m.typ()
	if !ok || ts == NoType || !legal(name, ts) {
		return Op{}, false
	}
	yes := ^uint32(0)
	switch td {
	case F32:
		yes = 0x3f800000
	case F16, F16x2:
		yes = 0x3c00
	case BF16, BF16x2:
		yes = 0x3f80
	case U16, S16:
		yes = 0xffff
	case U32, S32:
	default:
		return Op{}, false
	}
	if ts.Bits() == 64 {
		rel := relation64(c, ts)
		return op2(lift2(func(a, b uint64) uint32 { return yes * flag32(rel(a, b)) }), td, ts, ts)
	}
	rel := relation32(c, ts, ftz)
	if ts == F16x2 || ts == BF16x2 {
		if td.Bits() != 32 {
			return Op{}, false
		}
		half := yes & 0xffff
		return op2(lift2(func(a, b uint32) uint32 {
			return half*flag32(rel(a, b)) | half*flag32(rel(a>>16, b>>16))<<16
		}), td, ts, ts)
	}
	return op2(lift2(func(a, b uint32) uint32 { return yes * flag32(rel(a, b)) }), td, ts, ts)
}

// selp has its predicate as third operand; the machine chooses the lanes.
func selp(m *mods) (Op, bool) {
	t := m.typ()
	if t == NoType || t.Bits() < 16 {
		return Op{}, false
	}
	return Op{Res: t, Args: []Type{t, t, Pred}}, true
}

// slct chooses a if c >= 0, b otherwise, NaN included.
func slct(m *mods) (Op, bool) {
	ftz, t, tc := m.flag("ftz"), m.typ(), m.typ()
	if t == NoType || tc != S32 && tc != F32 {
		return Op{}, false
	}
	s := shape{ftz: ftz}
	first := func(c uint32) bool {
		if tc == F32 {
			return s.in(c) >= 0
		}
		return int32(c) >= 0
	}
	if t.Bits() == 64 {
		return op3(lift3(func(a, b uint64, c uint32) uint64 {
			if first(c) {
				return a
			}
			return b
		}), t, t, t, tc)
	}
	return op3(lift3(func(a, b, c uint32) uint32 {
		if first(c) {
			return a
		}
		return b
	}), t, t, t, tc)
}

// mov copies a register; packing, addresses and predicates are the machine's.
func mov(m *mods) (Op, bool) {
	t := m.typ()
	switch {
	case t == NoType || t == Pred:
		return Op{}, false
	case t.Bits() == 64:
		return op1(func(d, a, _, _ *V32) { *Wide(d) = *Wide(a) }, t, t)
	case t.Bits() <= 32:
		return op1(func(d, a, _, _ *V32) { *d = *a }, t, t)
	}
	return Op{}, false
}
