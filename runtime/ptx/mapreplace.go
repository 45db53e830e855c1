package ptx

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"tilec/runtime/ptx/lanes"
	"tilec/runtime/ptx/shadow"
	"tilec/runtime/ptx/syntax"
)

// mapOp is tensormap.replace, which changes one field of the tensor map at addr.
type mapOp struct {
	memOp
	field string
	ord   int
	value int32 // register
	wide2 bool  // the value has 64 bits
}

func (op *mapOp) eachReg(f func(r *int32, write bool)) {
	f(&op.addr, false)
	f(&op.value, false)
}

// mapCopy is tensormap.cp_fenceproxy: a map from shared to global memory, whose
// change later fences of the tensormap proxy see.
type mapCopy struct{ dst, src memOp }

func (op *mapCopy) eachReg(f func(r *int32, write bool)) {
	f(&op.dst.addr, false)
	f(&op.src.addr, false)
}

// mapElem is the size of an element and, for floats, its type by tensormap.replace's
// number (PTX ISA, "tensormap.replace"; the driver numbers them differently).
type mapElem struct {
	bytes int
	float string
}

var mapElems = []mapElem{
	{1, ""}, {2, ""}, {4, ""}, {4, ""}, {8, ""}, {8, ""}, {2, "f16"}, {4, "f32"}, {4, "f32"}, {8, "f64"}, {2, "bf16"}, {4, "f32"}, {4, "f32"},
}

// decodeTensorMap decodes the instructions on tensor maps as data.
func decodeTensorMap(d *decoder, r *raw) (instr, error) {
	in, err := d.header(r)
	if err != nil {
		return in, err
	}
	ast := r.src.ast
	in.class = classAsync
	d.prog.hopper = true
	mods := ast.Mods
	switch {
	case len(mods) == 8 && mods[0] == "cp_fenceproxy":
		return d.decodeMapCopy(r, in)
	case len(mods) < 5 || mods[0] != "replace" || mods[1] != "tile":
		return in, d.unsupported(r)
	}
	op := &mapOp{field: mods[2], memOp: memOp{bytes: mapBytes, size: mapBytes}}
	t := lanes.NoType
	for _, m := range mods[3:] {
		sp, isSpace := parseSpace(m)
		switch {
		case isSpace && (sp == shared || sp == global):
			op.space = sp
		case m == "b1024":
		case m == "b32" || m == "b64":
			t = lanes.ParseType(m)
		default:
			return in, d.unsupported(r)
		}
	}
	want, n := lanes.B32, 2
	switch op.field {
	case "global_address":
		want = lanes.B64
	case "rank", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode":
	case "global_stride":
		want, n = lanes.B64, 3
	case "box_dim", "global_dim", "element_stride":
		n = 3
	default:
		return in, d.unsupported(r)
	}
	if t != want {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, n, n); err != nil {
		return in, err
	}
	if err := d.memAddress(r, &op.memOp, ast.Args[0]); err != nil {
		return in, err
	}
	if n == 3 {
		o := ast.Args[1]
		if o.Kind != syntax.Lit || o.Lit.Kind != syntax.IntLit || o.Lit.Int > 4 {
			return in, d.errorf(o.Pos, "the ordinal of %s must be an immediate up to 4", ast.Form())
		}
		op.ord = int(o.Lit.Int)
	}
	op.wide2 = t == lanes.B64
	op.value, err = d.value(r, ast.Args[n-1], t)
	in.x, in.exec = op, execReplace
	return in, err
}

func (d *decoder) decodeMapCopy(r *raw, in instr) (instr, error) {
	ast := r.src.ast
	mods := ast.Mods
	if mods[1] != "global" || mods[2] != "shared::cta" || mods[3] != "tensormap::generic" || mods[4] != "release" || mods[6] != "sync" || mods[7] != "aligned" {
		return in, d.unsupported(r)
	}
	if err := d.wantArgs(r, 3, 3); err != nil {
		return in, err
	}
	if n := ast.Args[2]; n.Kind != syntax.Lit || n.Lit.Int != mapBytes {
		return in, d.errorf(n.Pos, "the size of %s must be %d", ast.Form(), mapBytes)
	}
	op := &mapCopy{dst: memOp{space: global, bytes: mapBytes, size: mapBytes, store: true}, src: memOp{space: shared, bytes: mapBytes, size: mapBytes}}
	if err := d.memAddress(r, &op.dst, ast.Args[0]); err != nil {
		return in, err
	}
	in.kind, in.c, in.x, in.exec = opSync, wholeWarp, op, execMapCopy
	return in, d.memAddress(r, &op.src, ast.Args[1])
}

// mapVersions counts the changes of tensor maps in global memory, by address.
type mapVersions struct {
	mu sync.Mutex
	of map[uint64]int
}

func (v *mapVersions) bump(addr uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == nil {
		v.of = map[uint64]int{}
	}
	v.of[addr]++
}

func (v *mapVersions) at(addr uint64) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.of[addr]
}

func execReplace(w *warp, in *instr, m uint32) {
	op := in.x.(*mapOp)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		v := w.valueAt(op.value, op.wide2, lane)
		w.editMap(&op.memOp, in, lane, func(b []byte) string { return op.edit(b, v) })
	}
}

// editMap changes the map that a lane names, in shared or global memory. The change
// returns what is wrong with it.
func (w *warp) editMap(op *memOp, in *instr, lane int, change func(b []byte) string) {
	addr, sp := w.laneAddress(op, lane), op.space
	if sp == generic {
		sp, addr = splitGeneric(addr)
	}
	x := &w.access
	if sp == shared {
		at := *op
		c, off, ok := w.window(&at, in, lane, mapBytes, mapBytes)
		if !ok {
			return
		}
		if c.shadow != nil {
			a := w.accessor(in, lane, c)
			f, by := c.shadow.mem.Read(a, off, mapBytes)
			if f2, by2 := c.shadow.mem.Write(a, off, mapBytes); f == shadow.None {
				f, by = f2, by2
			}
			if f != shadow.None {
				w.sharedFault(x, lane, f, by, c)
			}
		}
		if wrong := change(c.shared[off:][:mapBytes]); wrong != "" {
			w.reportMap(in, lane, wrong)
		}
		return
	}
	a, b := w.globalBytes(in, lane, addr, mapBytes, mapBytes, true)
	if a == nil {
		return
	}
	pieces(addr, mapBytes, func(addr uint64, from, to int) {
		x.addr[lane], x.bytes = addr, to-from
		off := addr - a.base
		w.checkGlobalRead(x, lane, a, off, to-from)
		w.wroteGlobal(x, lane, a, off, to-from, false, different)
	})
	x.addr[lane], x.bytes = addr, mapBytes
	if wrong := change(b); wrong != "" {
		w.reportMap(in, lane, wrong)
	}
	w.cta.run.maps.bump(addr)
}

func (w *warp) reportMap(in *instr, lane int, msg string) {
	if w.again(BadMap, in, none) {
		return
	}
	f := w.access.finding(BadMap, lane)
	f.Msg = msg
	w.report(in, 1<<lane, f)
}

// edit changes the field of the map b. Memory that is all zero is a map with all
// fields zero.
func (op *mapOp) edit(b []byte, v uint64) (wrong string) {
	le := binary.LittleEndian
	if !slices.ContainsFunc(b, func(x byte) bool { return x != 0 }) {
		le.PutUint64(b, mapMagic)
		b[16], b[17] = 1, 1
		for i := range 5 {
			b[69+i] = 1
		}
	}
	if le.Uint64(b) != mapMagic {
		return "there is no tensor map at this address"
	}
	limited := func(lo, hi uint64) bool {
		if v < lo || v > hi {
			wrong = "the value " + itoa(int(v)) + " of " + op.field + " is not within " + itoa(int(lo)) + " to " + itoa(int(hi))
		}
		return wrong == ""
	}
	switch op.field {
	case "global_address":
		if v%16 != 0 {
			return "the address of a tensor must be a multiple of 16"
		}
		le.PutUint64(b[8:], v)
	case "rank": // one less than the dimensions
		if limited(0, 4) {
			b[16] = byte(v + 1)
		}
	case "global_dim":
		if limited(1, 1<<32-1) {
			le.PutUint32(b[24+4*op.ord:], uint32(v-1))
		}
	case "global_stride": // ordinal 0 is that of dimension 1
		if v%16 != 0 || v >= 1<<36 || op.ord > 3 {
			return "the stride of a tensor must be a multiple of 16, less than 2^36"
		}
		le.PutUint32(b[44+4*(op.ord+1):], uint32(v/16))
	case "box_dim":
		if limited(1, 256) {
			b[64+op.ord] = byte(v - 1)
		}
	case "element_stride":
		if limited(1, 8) && op.ord > 0 {
			b[69+op.ord] = byte(v)
		}
	case "elemtype":
		if v >= uint64(len(mapElems)) {
			return "elements of the type number " + itoa(int(v)) + " are not supported yet"
		}
		e := mapElems[v]
		b[17], b[20] = byte(e.bytes), byte(slices.Index(mapFloats, e.float))
	case "swizzle_mode":
		if limited(0, uint64(Swizzle128B)) {
			b[18] = byte(v)
		}
	case "fill_mode":
		if limited(0, uint64(FillNaN)) {
			b[19] = byte(v)
		}
	case "interleave_layout", "swizzle_atomicity":
		if v != 0 {
			return strings.ReplaceAll(op.field, "_", " ") + " number " + itoa(int(v)) + " of tensor maps is not supported yet"
		}
	}
	return wrong
}

func execMapCopy(w *warp, in *instr, m uint32) {
	if m == 0 {
		return
	}
	op := in.x.(*mapCopy)
	lane := bits.TrailingZeros32(m)
	c, off, ok := w.window(&op.src, in, lane, mapBytes, mapBytes)
	if !ok {
		return
	}
	if c.shadow != nil {
		// All lanes wait for each other here, so that any of them may have made the map.
		if f, by := c.shadow.mem.Read(w.accessor(in, lane, c), off, mapBytes); f != shadow.None {
			w.sharedFault(&w.access, lane, f, by, c)
		}
	}
	data := slices.Clone(c.shared[off:][:mapBytes])
	x := &w.access
	addr := w.laneAddress(&op.dst, lane)
	a, b := w.globalBytes(in, lane, addr, mapBytes, mapBytes, true)
	if a == nil {
		return
	}
	w.wroteGlobalBytes(x, lane, a, addr, b, data)
	copy(b, data)
	w.cta.run.maps.bump(addr)
}

// acquireMaps is fence.proxy.tensormap::generic.acquire: the block sees the maps as they are now.
func (w *warp) acquireMaps(op *memOp, m uint32) {
	if w.cta.maps == nil {
		w.cta.maps = map[uint64]int{}
	}
	for ; m != 0; m &= m - 1 {
		_, addr := splitGeneric(w.laneAddress(op, bits.TrailingZeros32(m)))
		w.cta.maps[addr] = w.cta.run.maps.at(addr)
	}
}

// staleMap reports the use of a map that was changed in this run, with no fence to bring the change.
func (w *warp) staleMap(in *instr, lane int, addr uint64) {
	if w.cta.run.cfg.Checks&CheckShared == 0 || w.cta.run.maps.at(addr) == w.cta.maps[addr] || w.again(ProxyFence, in, none) {
		return
	}
	f := w.access.finding(ProxyFence, lane)
	f.Msg = "the tensor map was changed, with no fence.proxy.tensormap::generic.acquire before its use"
	w.report(in, 1<<lane, f)
}
