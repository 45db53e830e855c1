package fuzz

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tilec/internal/diag"
	"tilec/internal/driver"
	"tilec/runtime/array"
)

// Kind says in which way a program fails.
type Kind string

// Kinds of failures.
const (
	Rejected Kind = "rejected" // the checker has errors for a well-typed program
	Crash    Kind = "crash"    // a mistake of the compiler that it noticed itself
	Faulty   Kind = "fault"    // a form or kernel that cannot run to its end
	Differs  Kind = "differs"  // other values
	Finding  Kind = "finding"  // something that the PTX machine does not allow
	Slow     Kind = "slow"     // no end in a long time
)

// Fault is a program that fails.
type Fault struct {
	Program *Program
	Launch  int // of the program; -1: all
	Stage   string
	Kind    Kind
	Class   string // what else tells faults apart
	Text    string
}

// signature tells faults of different causes apart, roughly.
func (f *Fault) signature() string {
	stage, _, _ := strings.Cut(f.Stage, " k") // the entry's name
	return stage + "|" + string(f.Kind) + "|" + f.Class
}

// judge compares the stages of one launch.
type judge struct {
	p        *Program
	launch   int
	bounds   map[*Array]value
	want     *driver.Stage
	fault    *Fault
	refused  string
	loosened bool // a pass that rounds elsewhere has run
}

// visit takes in a stage; false ends the trial.
func (j *judge) visit(s *driver.Stage) bool {
	switch {
	case s.Err != nil:
		j.failed(s)
		return false
	case s.Name == driver.TileForm:
		j.meant(s)
		j.want = s
		return j.fault == nil
	}
	j.loosened = j.loosened || slices.Contains(rounding, s.Pass)
	for _, a := range j.p.Params {
		if a.Kind == In {
			continue
		}
		tolerance := j.bounds[a].err
		if s.Pass != "" && !j.loosened {
			tolerance = 0
		}
		if text := j.compare(a, s, tolerance); text != "" {
			j.report(s.Name, Differs, "", text)
			break
		}
	}
	if j.fault == nil && len(s.Findings) > 0 {
		j.report(s.Name, Finding, s.Kinds[0], strings.Join(s.Findings[:min(3, len(s.Findings))], "\n"))
	}
	return j.fault == nil
}

// meant compares the tile form with what the program says.
func (j *judge) meant(s *driver.Stage) {
	j.want = j.p.evaluate(j.p.Launches[j.launch], s.Inputs)
	if j.want == nil {
		return
	}
	for _, a := range j.p.Params {
		if a.Kind == In {
			continue
		}
		if text := j.compare(a, s, j.bounds[a].err); text != "" {
			j.report(s.Name, Differs, "", text)
			return
		}
	}
}

// declined are the codes of programs that a target cannot take.
var declined = []diag.Code{diag.Capacity, diag.NotSupported, diag.NoConfig, diag.Unsupported, diag.LacksType}

// rounding are the passes after which floats may be rounded elsewhere.
//
//	unscale   scales after a maximum or sum
//	tile      cuts sums into those of warps and atoms
//	defer     adds up lanes after a loop
//	cube      cuts products into blocks
//	steps     computes functions by what the vector unit has, and sums by halves
var rounding = []string{"unscale", "tile", "defer", "cube", "steps"}

func (j *judge) report(stage string, kind Kind, class, text string) {
	j.fault = &Fault{Program: j.p, Launch: j.launch, Stage: stage, Kind: kind, Class: class, Text: text}
}

func (j *judge) failed(s *driver.Stage) {
	var refusal *driver.Refusal
	var bug *driver.Bug
	switch {
	case errors.As(s.Err, &refusal):
		for _, d := range refusal.Diagnostics {
			if slices.Contains(declined, d.Code) {
				j.refused = d.Message
				return
			}
		}
		j.report(s.Name, Rejected, "", s.Err.Error())
	case errors.As(s.Err, &bug):
		j.report(s.Name, Crash, bug.Pass+" "+shape(bug.Message), bug.Error()+"\n"+bug.Stack)
	default:
		j.report(s.Name, Faulty, shape(s.Err.Error()), s.Err.Error())
	}
}

// shape is a message without what differs between programs.
func shape(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	line = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, line)
	return line[:min(len(line), 60)]
}

// compare returns what is wrong with a tensor, "" if nothing is.
func (j *judge) compare(a *Array, s *driver.Stage, tolerance float64) string {
	got, want := s.Tensors[a.Name], j.want.Tensors[a.Name]
	bad, first := 0, ""
	for i := range want.Len() {
		wrong := ""
		written := a.Kind != Out || j.want.Written(a.Name, i)
		switch {
		case !written && s.Written != nil && s.Written(a.Name, i):
			wrong = "is written, but should not be"
		case !written && s.Written == nil && a.Elem != array.Bool && got.Bits(i) != 1<<(a.Elem.Bits()-1)<<1-1:
			wrong = "is written, but should not be"
		case !written:
		case a.Kind == Out && s.Written != nil && !s.Written(a.Name, i):
			wrong = "is not written"
		case !equal(got, want, i, tolerance):
			wrong = fmt.Sprintf("is %s, want %s", elementText(got, i), elementText(want, i))
			if tolerance > 0 {
				wrong += fmt.Sprintf(" ± %.2g", tolerance)
			}
		}
		if wrong == "" {
			continue
		}
		if bad++; bad == 1 {
			first = fmt.Sprintf("%s%v %s", a.Name, place(i, want.Shape), wrong)
		}
	}
	if bad > 1 {
		first += fmt.Sprintf(" (%d of %d elements)", bad, want.Len())
	}
	return first
}

func equal(got, want *array.Array, i int, tolerance float64) bool {
	if !want.DType.IsFloat() {
		return got.Int(i) == want.Int(i)
	}
	x, y := got.At(i), want.At(i)
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return math.IsNaN(x) && math.IsNaN(y)
	case x == y:
		return true
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return false
	}
	return math.Abs(x-y) <= tolerance
}

func elementText(a *array.Array, i int) string {
	if a.DType.IsFloat() {
		return fmt.Sprintf("%.9g", a.At(i))
	}
	return fmt.Sprint(a.Int(i))
}

func place(i int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % shape[d]
		i /= shape[d]
	}
	return at
}
