package ir

import "strconv"

// naming gives everything in scope a name of its own, as near to its own name
// as the text form allows.
type naming struct {
	vars    map[*Var]string
	bufs    map[*Buffer]string
	taken   map[string]bool
	visible []string // names in the order of their declaration
}

func newNaming() *naming {
	return &naming{vars: map[*Var]string{}, bufs: map[*Buffer]string{}, taken: map[string]bool{}}
}

// fresh returns name, or name with the first number that makes it unique.
func (n *naming) fresh(name string) string {
	name = identifier(name)
	unique := name
	for i := 1; n.taken[unique]; i++ {
		unique = name + "." + strconv.Itoa(i)
	}
	n.taken[unique] = true
	n.visible = append(n.visible, unique)
	return unique
}

// mark and release bracket a scope: names declared in between are free again.
func (n *naming) mark() int { return len(n.visible) }

func (n *naming) release(mark int) {
	for _, name := range n.visible[mark:] {
		delete(n.taken, name)
	}
	n.visible = n.visible[:mark]
}

func (p *printer) declareVar(v *Var) {
	if p.names != nil && v != nil {
		p.names.vars[v] = p.names.fresh(v.Name)
	}
}

func (p *printer) declareBuffer(b *Buffer) {
	if p.names != nil && b != nil {
		p.names.bufs[b] = p.names.fresh(b.Name)
	}
}

// scope runs print with the names that it declares visible only within.
func (p *printer) scope(print func()) {
	if p.names == nil {
		print()
		return
	}
	mark := p.names.mark()
	print()
	p.names.release(mark)
}

func (p *printer) varName(v *Var) string {
	switch {
	case v == nil:
		return "?"
	case p.names == nil:
		return v.Name
	}
	if name, ok := p.names.vars[v]; ok {
		return name
	}
	return v.Name + "?" // used without a definition: not parseable, on purpose
}

func (p *printer) bufName(b *Buffer) string {
	switch {
	case b == nil:
		return "?"
	case p.names == nil:
		return b.Name
	}
	if name, ok := p.names.bufs[b]; ok {
		return name
	}
	return b.Name + "?"
}

// identifier returns name with what the text form does not allow replaced.
func identifier(name string) string {
	clean := []byte(name)
	for i, c := range clean {
		if !isIdentByte(c, i == 0) {
			clean[i] = '_'
		}
	}
	if len(clean) == 0 {
		return "_"
	}
	name = string(clean)
	if _, _, isConst := namedConst(name); isConst || reserved(name) {
		return name + "_"
	}
	return name
}

// reserved reports a word that the text form reads as something else wherever
// a name may stand.
func reserved(name string) bool { return name == "and" || name == "or" || name == "layout" }

func isIdentByte(c byte, first bool) bool {
	switch {
	case c == '_', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		return true
	case c == '.', '0' <= c && c <= '9':
		return !first
	}
	return false
}

// word returns a name that nothing refers to: as it is, or quoted.
func word(name string) string {
	for i := range len(name) {
		if !isIdentByte(name[i], i == 0) {
			return strconv.Quote(name)
		}
	}
	if name == "" || reserved(name) {
		return strconv.Quote(name)
	}
	return name
}
