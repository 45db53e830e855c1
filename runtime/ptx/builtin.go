package ptx

import (
	"fmt"
	"math"
	"strings"

	"tilec/runtime/ptx/lanes"
)

// builtins are the functions that the CUDA runtime provides and the machine too.
var builtins = map[string]func(d *decoder, r *raw) (instr, error){
	"vprintf":      decodePrintf,
	"__assertfail": decodeAssert,
}

// callOp is a call of a builtin: where its arguments are in local memory.
type callOp struct{ args []uint64 }

// builtinCall resolves the arguments of a call, which are .param variables.
func (d *decoder) builtinCall(r *raw, n int) (instr, *callOp, error) {
	in, err := d.header(r)
	if err != nil {
		return in, nil, err
	}
	in.class = classOther
	c := r.src.ast.Call
	if len(c.Args) != n {
		return in, nil, d.errorf(r.src.ast.Pos, "call of %s with %d arguments, wants %d", c.Func, len(c.Args), n)
	}
	op := &callOp{}
	for _, a := range c.Args {
		b := d.lookup(r.scope, a.Name)
		if b == nil || b.sym == nil || b.sym.space != local {
			return in, nil, d.errorf(r.src.ast.Pos, "argument %s of %s is not a .param variable", a.Name, c.Func)
		}
		op.args = append(op.args, b.sym.off)
	}
	in.x = op
	return in, op, nil
}

// decodePrintf is int vprintf(const char *format, void *args).
func decodePrintf(d *decoder, r *raw) (instr, error) {
	in, op, err := d.builtinCall(r, 2)
	if err != nil {
		return in, err
	}
	if res := r.src.ast.Call.Results; len(res) == 1 {
		if b := d.lookup(r.scope, res[0].Name); b != nil && b.sym != nil {
			op.args = append(op.args, b.sym.off)
		}
	}
	in.exec = execPrintf
	return in, nil
}

func execPrintf(w *warp, in *instr, m uint32) {
	op := in.x.(*callOp)
	for i := range lanes.Width {
		if m>>i&1 == 0 {
			continue
		}
		text := w.format(i, w.localWord(i, op.args[0], 8), w.localWord(i, op.args[1], 8))
		if p := w.cta.run.cfg.Print; p != nil {
			w.cta.run.mu.Lock()
			p(text)
			w.cta.run.mu.Unlock()
		}
		if len(op.args) > 2 {
			at := uint64(i)*uint64(w.cta.run.prog.local) + op.args[2]
			putLE(w.local[at:at+4], 1)
			w.wroteLocal(i, op.args[2], 4)
		}
	}
}

// localWord reads a lane's local memory.
func (w *warp) localWord(lane int, off, n uint64) uint64 {
	frame := uint64(w.cta.run.prog.local)
	if off+n > frame {
		return 0
	}
	at := uint64(lane)*frame + off
	return getLE(w.local[at : at+n])
}

// bytesAt reads memory by a generic address, for builtins; short if it leaves the memory.
func (w *warp) bytesAt(lane int, addr, n uint64) []byte {
	sp, a := splitGeneric(addr)
	switch sp {
	case local:
		frame := uint64(w.cta.run.prog.local)
		if a+n <= frame {
			at := uint64(lane)*frame + a
			return w.local[at : at+n]
		}
	case global:
		if al := w.cta.run.space.find(a, n); al != nil {
			return al.data[a-al.base : a-al.base+n]
		}
	}
	return nil
}

// cString reads a zero-terminated string.
func (w *warp) cString(lane int, addr uint64) string {
	var b strings.Builder
	for b.Len() < 1<<16 {
		c := w.bytesAt(lane, addr, 1)
		if c == nil || c[0] == 0 {
			break
		}
		b.WriteByte(c[0])
		addr++
	}
	return b.String()
}

// format renders printf's format; arguments are packed at addr, each aligned to
// its size: 8 bytes for doubles, pointers and long long, 4 for the rest.
func (w *warp) format(lane int, format, addr uint64) string {
	f := w.cString(lane, format)
	var out strings.Builder
	off := uint64(0)
	arg := func(n uint64) uint64 {
		off = (off + n - 1) &^ (n - 1)
		b := w.bytesAt(lane, addr+off, n)
		off += n
		return getLE(b)
	}
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			out.WriteByte(f[i])
			continue
		}
		start := i
		i++
		for i < len(f) && strings.IndexByte("-+ #0123456789.", f[i]) >= 0 {
			i++
		}
		flags := f[start:i]
		long := 0
		for i < len(f) && strings.IndexByte("hlzjt", f[i]) >= 0 {
			if f[i] == 'l' || f[i] == 'z' || f[i] == 'j' || f[i] == 't' {
				long++
			}
			i++
		}
		if i >= len(f) {
			out.WriteString(f[start:])
			break
		}
		width := uint64(4)
		if long > 0 {
			width = 8
		}
		switch verb := f[i]; verb {
		case '%':
			out.WriteByte('%')
		case 'd', 'i':
			v := int64(arg(width))
			if width == 4 {
				v = int64(int32(v))
			}
			fmt.Fprintf(&out, flags+"d", v)
		case 'u':
			fmt.Fprintf(&out, flags+"d", arg(width))
		case 'x', 'X', 'o', 'c':
			fmt.Fprintf(&out, flags+string(verb), arg(width))
		case 'f', 'F', 'e', 'E', 'g', 'G':
			fmt.Fprintf(&out, flags+string(verb), math.Float64frombits(arg(8)))
		case 'p':
			fmt.Fprintf(&out, "%#x", arg(8))
		case 's':
			fmt.Fprintf(&out, flags+"s", w.cString(lane, arg(8)))
		default:
			out.WriteString(f[start : i+1])
		}
	}
	return out.String()
}

// decodeAssert is __assertfail(message, file, line, function, charSize).
func decodeAssert(d *decoder, r *raw) (instr, error) {
	in, _, err := d.builtinCall(r, 5)
	in.kind, in.exec = opExit, execAssert
	return in, err
}

func execAssert(w *warp, in *instr, m uint32) {
	op := in.x.(*callOp)
	for i := range lanes.Width {
		if m>>i&1 != 0 {
			w.report(in, 1<<i, Finding{Kind: Assert, Msg: fmt.Sprintf("%s, %s:%d",
				w.cString(i, w.localWord(i, op.args[0], 8)), w.cString(i, w.localWord(i, op.args[1], 8)), w.localWord(i, op.args[2], 4))})
			break
		}
	}
	w.cta.run.stop()
}
