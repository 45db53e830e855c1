package array

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// npyHeader is what a .npy header says.
type npyHeader struct {
	dtype     DType
	bigEndian bool
	fortran   bool
	shape     []int
}

// npyMaxRank is NumPy's own limit on dimensions.
const npyMaxRank = 64

func readNpyHeader(r io.Reader) (h npyHeader, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || string(head[:6]) != npyMagic {
		return h, errors.New("not a .npy file")
	}
	size := 0
	switch head[6] {
	case 1:
		var n [2]byte
		if _, err := io.ReadFull(r, n[:]); err != nil {
			return h, errors.New("file ends inside its header")
		}
		size = int(binary.LittleEndian.Uint16(n[:]))
	case 2, 3:
		var n [4]byte
		if _, err := io.ReadFull(r, n[:]); err != nil {
			return h, errors.New("file ends inside its header")
		}
		long := binary.LittleEndian.Uint32(n[:])
		if long > npyMaxHeader {
			return h, fmt.Errorf("header of %d bytes is too long", long)
		}
		size = int(long)
	default:
		return h, fmt.Errorf("format version %d.%d is unknown", head[6], head[7])
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, errors.New("file ends inside its header")
	}
	return parseNpyHeader(string(text))
}

// parseNpyHeader reads the dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
func parseNpyHeader(text string) (h npyHeader, err error) {
	s := literalScanner{rest: text}
	var descr, order, shape bool
	s.expect("{")
	for !s.accept("}") && s.err == nil {
		key := s.quoted()
		s.expect(":")
		switch key {
		case "descr":
			descr = true
			if err := h.setType(s.quoted()); err != nil && s.err == nil {
				return h, err
			}
		case "fortran_order":
			order = true
			h.fortran = s.boolean()
		case "shape":
			shape = true
			h.shape = s.tuple()
		default:
			if s.err == nil {
				return h, fmt.Errorf("header has an unknown key %q", key)
			}
		}
		if !s.accept(",") {
			s.expect("}")
			break
		}
	}
	switch {
	case s.err != nil:
		return h, s.err
	case !descr || !order || !shape:
		return h, errors.New("header lacks descr, fortran_order or shape")
	}
	return h, nil
}

// setType decodes a type such as <f4.
func (h *npyHeader) setType(descr string) error {
	if descr == "" {
		return errors.New("element type is missing")
	}
	code := descr
	switch descr[0] {
	case '>':
		h.bigEndian = true
		code = descr[1:]
	case '<', '=', '|':
		code = descr[1:]
	}
	if code == "?" {
		code = "b1"
	}
	for _, n := range npyTypes {
		if n.code == code {
			h.dtype = n.dtype
			return nil
		}
	}
	return fmt.Errorf("element type %q is not supported: bools, integers, and floats of 16 to 64 bits are", descr)
}

// literalScanner reads the Python literals that a header may hold; the first error sticks.
type literalScanner struct {
	rest string
	err  error
}

func (s *literalScanner) fail(want string) {
	if s.err == nil {
		s.err = fmt.Errorf("malformed header: expected %s before %.20q", want, s.rest)
	}
}

func (s *literalScanner) accept(token string) bool {
	s.rest = strings.TrimLeft(s.rest, " \t\r\n")
	rest, ok := strings.CutPrefix(s.rest, token)
	if ok {
		s.rest = rest
	}
	return ok
}

func (s *literalScanner) expect(token string) {
	if !s.accept(token) {
		s.fail(token)
	}
}

func (s *literalScanner) quoted() string {
	for _, quote := range []string{"'", `"`} {
		if s.accept(quote) {
			text, rest, ok := strings.Cut(s.rest, quote)
			if !ok {
				break
			}
			s.rest = rest
			return text
		}
	}
	s.fail("a string")
	return ""
}

func (s *literalScanner) boolean() bool {
	switch {
	case s.accept("True"):
		return true
	case s.accept("False"):
		return false
	}
	s.fail("True or False")
	return false
}

func (s *literalScanner) tuple() []int {
	shape := []int{}
	s.expect("(")
	for !s.accept(")") && s.err == nil {
		digits := len(s.rest) - len(strings.TrimLeft(s.rest, "0123456789"))
		n, err := strconv.Atoi(s.rest[:digits])
		if err != nil || len(shape) == npyMaxRank {
			s.fail("an extent")
			break
		}
		s.rest = strings.TrimPrefix(s.rest[digits:], "L") // Python 2 wrote long integers so
		shape = append(shape, n)
		if !s.accept(",") {
			s.expect(")")
			break
		}
	}
	return shape
}
