package exec

import "errors"

var errLZ4 = errors.New("damaged LZ4 data")

// unpackLZ4 decompresses one LZ4 block (lz4_Block_format.md of the LZ4 project) of a known size.
func unpackLZ4(in []byte, size int) ([]byte, error) {
	const shortest = 4 // bytes of a match
	out := make([]byte, 0, size)
	for len(in) > 0 {
		token := in[0]
		in = in[1:]
		n, rest, ok := lz4Length(int(token>>4), in)
		if !ok || n > len(rest) || n > size-len(out) {
			return nil, errLZ4
		}
		out = append(out, rest[:n]...)
		if in = rest[n:]; len(in) == 0 {
			break // the last sequence has no match
		}
		if len(in) < 2 {
			return nil, errLZ4
		}
		offset := int(in[0]) | int(in[1])<<8
		n, in, ok = lz4Length(int(token&15), in[2:])
		n += shortest
		if !ok || offset == 0 || offset > len(out) || n > size-len(out) {
			return nil, errLZ4
		}
		for range n { // byte by byte: a match may overlap itself
			out = append(out, out[len(out)-offset])
		}
	}
	if len(out) != size {
		return nil, errLZ4
	}
	return out, nil
}

// lz4Length completes a length of four bits with the bytes that follow.
func lz4Length(n int, in []byte) (length int, rest []byte, ok bool) {
	if n < 15 {
		return n, in, true
	}
	for i, b := range in {
		n += int(b)
		if b != 255 {
			return n, in[i+1:], true
		}
	}
	return 0, nil, false
}
