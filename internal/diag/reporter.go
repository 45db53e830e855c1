package diag

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// MaxErrors is how many errors one run shows; the rest are counted.
const MaxErrors = 20

// Reporter collects diagnostics. Its zero value is ready to use, by several goroutines at once.
//
// A diagnostic is completed (Note, Hint) by the goroutine which made it, before anyone asks for the sorted list.
type Reporter struct {
	mu     sync.Mutex
	all    []*Diagnostic
	errors int
}

// Errorf reports an error at a place and returns it, to be completed with notes and a hint.
func (r *Reporter) Errorf(code Code, span Span, format string, args ...any) *Diagnostic {
	return r.report(Error, code, span, format, args...)
}

// Warnf reports a warning.
func (r *Reporter) Warnf(code Code, span Span, format string, args ...any) *Diagnostic {
	return r.report(Warning, code, span, format, args...)
}

// Remarkf reports what a pass did, or declined to do.
func (r *Reporter) Remarkf(code Code, span Span, format string, args ...any) *Diagnostic {
	return r.report(Remark, code, span, format, args...)
}

func (r *Reporter) report(severity Severity, code Code, span Span, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Code: code, Severity: severity, Span: span, Message: fmt.Sprintf(format, args...)}
	r.Add(d)
	return d
}

// Add reports a diagnostic made elsewhere.
func (r *Reporter) Add(d *Diagnostic) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, d)
	if d.Severity == Error {
		r.errors++
	}
}

// HasErrors reports whether any error was reported.
func (r *Reporter) HasErrors() bool { return r.ErrorCount() > 0 }

// ErrorCount returns the number of errors reported so far, duplicates included.
func (r *Reporter) ErrorCount() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.errors
}

// Sorted returns the diagnostics by place, without duplicates and with at most [MaxErrors] errors.
func (r *Reporter) Sorted() []*Diagnostic {
	shown, _ := r.sorted()
	return shown
}

// Omitted returns how many errors [Reporter.Sorted] leaves off.
func (r *Reporter) Omitted() int {
	_, omitted := r.sorted()
	return omitted
}

func (r *Reporter) sorted() (shown []*Diagnostic, omitted int) {
	r.mu.Lock()
	all := slices.Clone(r.all)
	r.mu.Unlock()
	slices.SortStableFunc(all, compare)
	all = slices.CompactFunc(all, func(a, b *Diagnostic) bool { return compare(a, b) == 0 })
	errors := 0
	for _, d := range all {
		if d.Severity == Error {
			if errors++; errors > MaxErrors {
				omitted++
				continue
			}
		}
		shown = append(shown, d)
	}
	return shown, omitted
}

// compare orders by place; diagnostics that compare equal say the same thing.
func compare(a, b *Diagnostic) int {
	return cmp.Or(
		cmp.Compare(fileName(a.Span), fileName(b.Span)),
		cmp.Compare(a.Span.Start, b.Span.Start),
		cmp.Compare(a.Span.End, b.Span.End),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}

func fileName(s Span) string {
	if s.File == nil {
		return ""
	}
	return s.File.Name
}
