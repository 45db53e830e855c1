package exec

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tilec/runtime/ptx"
)

// findings are those of the report, causes before effects, each sort in the order of the program, so that runs agree.
func (o *Outcome) findings() []*ptx.Finding {
	sorted := slices.Clone(o.Report.Findings)
	effect := func(f *ptx.Finding) int {
		if f.Kind == ptx.Unwritten || f.Kind == ptx.UndefinedRegister {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(sorted, func(x, y *ptx.Finding) int {
		return cmp.Or(effect(x)-effect(y), x.At.PTXLine-y.At.PTXLine, int(x.Kind)-int(y.Kind))
	})
	return sorted
}

// WriteFindings writes what the machine found, each with the lines of the source.
func (o *Outcome) WriteFindings(w io.Writer) error {
	all := o.findings()
	for _, f := range all {
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n", f)
		last := ""
		for _, s := range []*ptx.Site{&f.At, f.Other} {
			if s == nil {
				continue
			}
			if place, text := o.line(*s); text != "" && place != last {
				fmt.Fprintf(&b, "  %16s | %s\n", place, text)
				last = place
			}
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	if len(all) > 0 {
		_, err := fmt.Fprintf(w, "%s: %s\n", o.Entry, count(len(all), "finding"))
		return err
	}
	return nil
}

// line returns the source line of an instruction: of the CUDA C++ if there is one, else of the PTX.
func (o *Outcome) line(s ptx.Site) (place, text string) {
	name, all, isCUDA := o.Source.listing()
	n := s.PTXLine
	if isCUDA {
		n = lineIn(s, name)
	}
	list := lines(all)
	if n < 1 || n > len(list) {
		return "", ""
	}
	return name + ":" + strconv.Itoa(n), strings.TrimSpace(list[n-1])
}

// lineIn returns the line of the named file that an instruction belongs to: its own, or that of the call that brought
// it there; 0 if there is none.
func lineIn(s ptx.Site, name string) int {
	if s.File == name {
		return s.Line
	}
	for _, call := range s.Inlined {
		if n, ok := strings.CutPrefix(call, name+":"); ok {
			line, _ := strconv.Atoi(n)
			return line
		}
	}
	return 0
}
