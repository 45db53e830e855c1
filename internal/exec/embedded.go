package exec

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"tilec/runtime/ptx"
)

// Names and numbers of NVIDIA's containers, as fatbinary and ptxas of CUDA 13 write them and fatbinary_section.h has them.
const (
	elfMagic    = "\x7fELF"
	fatMagic    = 0xba55ed50
	fatHeader   = 16
	fatEntry    = 64 // bytes of an entry's header that are read
	fatKindPTX  = 1
	fatLZ4      = 1 << 13 // flags of an entry
	fatZstd     = 1 << 15
	debugPTX    = ".nv_debug_ptx_txt" // in cubins with line or debug information
	hostFat     = ".nv_fatbin"        // in objects for the host
	hostFatPart = "__nv_relfatbin"    // the same of relocatable device code
	machineCUDA = 190
	maxPTX      = 256 << 20
)

// isBinary tells what extract reads from text.
func isBinary(data []byte) bool {
	return bytes.HasPrefix(data, []byte(elfMagic)) || len(data) >= 4 && binary.LittleEndian.Uint32(data) == fatMagic
}

// embedded is a PTX text in a binary.
type embedded struct {
	arch int // 80; 0 if unknown
	text string
}

// extract returns the PTX text of a binary: the one for the highest architecture up to arch (empty: any) that has the
// entry (empty: any).
func extract(data []byte, arch, entry string) (string, error) {
	all, err := texts(data)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", fmt.Errorf("no PTX inside, only machine code: compile with -lineinfo, or make a fat binary with PTX (nvcc -gencode arch=compute_80,code=compute_80)")
	}
	slices.SortStableFunc(all, func(x, y embedded) int { return cmp.Compare(y.arch, x.arch) })
	if most := archNumber(arch); most > 0 {
		all = slices.DeleteFunc(all, func(e embedded) bool { return e.arch > most })
		if len(all) == 0 {
			return "", fmt.Errorf("no PTX inside that runs on %s", arch)
		}
	}
	if entry == "" {
		best := all[0]
		for _, e := range all[1:] {
			if e.arch == best.arch && e.text != best.text {
				return "", fmt.Errorf("several PTX texts for sm_%d inside: choose one by its --entry; there is %s", e.arch, strings.Join(entriesOf(all), ", "))
			}
		}
		return best.text, nil
	}
	for _, e := range all {
		if m, err := ptx.Parse("", e.text); err != nil || len(matching(m.Kernels(), entry)) > 0 {
			return e.text, nil // what does not parse is reported with its place
		}
	}
	return "", fmt.Errorf("no PTX inside has an entry %s; there is %s", entry, strings.Join(entriesOf(all), ", "))
}

func entriesOf(all []embedded) []string {
	var names []string
	for _, e := range all {
		if m, err := ptx.Parse("", e.text); err == nil {
			names = append(names, m.Kernels()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// archNumber is 90 for sm_90a, 0 for what is no architecture.
func archNumber(arch string) int {
	n, _ := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(arch, "sm_"), "abcdef"))
	return n
}

// texts lists the PTX texts of a binary.
func texts(data []byte) ([]embedded, error) {
	if !bytes.HasPrefix(data, []byte(elfMagic)) {
		return fatTexts(data)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var all []embedded
	for _, s := range f.Sections {
		if s.Name != debugPTX && s.Name != hostFat && s.Name != hostFatPart || s.Type == elf.SHT_NOBITS {
			continue
		}
		body, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
		if s.Name == debugPTX {
			all = append(all, debugText(body))
			continue
		}
		more, err := fatTexts(body)
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
		all = append(all, more...)
	}
	if f.Machine == machineCUDA && len(all) == 0 {
		return nil, fmt.Errorf("a cubin without the section %s, so it holds no PTX: compile with -lineinfo, or give the PTX", debugPTX)
	}
	return all, nil
}

// debugText reads the copy of the PTX that ptxas keeps, its lines ended by zeros. Line information is not in it.
func debugText(body []byte) embedded {
	text := strings.TrimRight(strings.ReplaceAll(string(body), "\x00", "\n"), "\n") + "\n"
	e := embedded{text: text}
	if m, err := ptx.Parse("", text); err == nil && len(m.Targets()) > 0 {
		e.arch = archNumber(m.Targets()[0])
	}
	return e
}

// fatTexts reads fat binaries that lie one behind the other, with padding between. The fields of an entry: kind u16,
// version u16, header size u32, padded size u64, compressed size u32, …, at 28 architecture u32, at 40 flags u64, at
// 56 uncompressed size u64.
func fatTexts(data []byte) ([]embedded, error) {
	le := binary.LittleEndian
	var all []embedded
	for len(data) >= fatHeader {
		if le.Uint32(data) != fatMagic {
			data = data[min(8, len(data)):]
			continue
		}
		header, size := uint64(le.Uint16(data[6:])), le.Uint64(data[8:])
		if header < fatHeader || header > uint64(len(data)) || size > uint64(len(data))-header {
			return nil, fmt.Errorf("a fat binary that is cut off")
		}
		body := data[header : header+size]
		data = data[header+size:]
		for len(body) >= fatEntry {
			header, size := uint64(le.Uint32(body[4:])), le.Uint64(body[8:])
			if header < fatEntry || header > uint64(len(body)) || size > uint64(len(body))-header {
				return nil, fmt.Errorf("a fat binary with a damaged entry")
			}
			if le.Uint16(body) == fatKindPTX {
				text, err := fatText(body[:header], body[header:header+size])
				if err != nil {
					return nil, err
				}
				all = append(all, embedded{int(le.Uint32(body[28:])), text})
			}
			body = body[header+size:]
		}
	}
	return all, nil
}

// fatText returns the text of an entry.
func fatText(header, payload []byte) (string, error) {
	le := binary.LittleEndian
	flags, packed, full := le.Uint64(header[40:]), uint64(le.Uint32(header[16:])), le.Uint64(header[56:])
	switch {
	case flags&fatZstd != 0:
		if packed > uint64(len(payload)) || full > maxPTX {
			return "", fmt.Errorf("a fat binary with a damaged entry")
		}
		text, err := unpackZstd(payload[:packed], int(full))
		if err != nil {
			return "", fmt.Errorf("the PTX of this fat binary: %w", err)
		}
		payload = text
	case flags&fatLZ4 != 0:
		if packed > uint64(len(payload)) || full > maxPTX {
			return "", fmt.Errorf("a fat binary with a damaged entry")
		}
		text, err := unpackLZ4(payload[:packed], int(full))
		if err != nil {
			return "", fmt.Errorf("the PTX of this fat binary: %w", err)
		}
		payload = text
	}
	return string(bytes.TrimRight(payload, "\x00")), nil
}

// unpackZstd decodes one Zstandard frame of that many bytes.
func unpackZstd(data []byte, size int) ([]byte, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPTX))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := r.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("damaged Zstandard data: %w", err)
	}
	if len(text) != size {
		return nil, fmt.Errorf("damaged Zstandard data: %d bytes, not %d", len(text), size)
	}
	return text, nil
}
