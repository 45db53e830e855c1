package exec

import (
	"encoding/json"
	"io"

	"tilec/runtime/ptx"
)

// The JSON forms. Names are those of the Go types in package ptx.
type (
	jsonOutcome struct {
		File        string        `json:"file"`
		Kernel      string        `json:"kernel"`
		Arch        string        `json:"arch"`
		Grid        [3]int        `json:"grid"`
		Block       [3]int        `json:"block"`
		Cluster     [3]int        `json:"cluster"` // zeros: as the kernel says
		SharedBytes int           `json:"sharedBytes"`
		Seed        uint64        `json:"seed,omitempty"` // of a random schedule
		OK          bool          `json:"ok"`
		Stopped     string        `json:"stopped,omitempty"` // why the launch did not end
		Printed     string        `json:"printed,omitempty"` // by the kernel
		Findings    []jsonFinding `json:"findings"`
		Counters    *JSONCounters `json:"counters"`
		Saved       []Saved       `json:"saved,omitempty"`
	}
	jsonFinding struct {
		Kind        string    `json:"kind"`
		Message     string    `json:"message,omitempty"`
		At          jsonSite  `json:"at"`
		Block       [3]int    `json:"block"`
		Thread      [3]int    `json:"thread"`
		Other       *jsonSite `json:"other,omitempty"` // the second instruction, with its thread
		OtherBlock  *[3]int   `json:"otherBlock,omitempty"`
		OtherThread *[3]int   `json:"otherThread,omitempty"`
		Space       string    `json:"space,omitempty"`
		Address     uint64    `json:"address,omitempty"`
		Bytes       int       `json:"bytes,omitempty"`
		Lanes       uint32    `json:"lanes,omitempty"` // a mask, of those that lack
		Count       int       `json:"count"`
	}
	jsonSite struct {
		Instruction string   `json:"instruction"`
		PTXLine     int      `json:"ptxLine"`
		File        string   `json:"file,omitempty"`
		Line        int      `json:"line,omitempty"`
		Inlined     []string `json:"inlined,omitempty"`
		Text        string   `json:"text,omitempty"` // of the source line
	}

	// JSONCounters is the JSON form of the machine's counters.
	JSONCounters struct {
		Warps   uint64       `json:"warps"`
		Threads uint64       `json:"threads"`
		Classes []jsonClass  `json:"classes"`
		Global  jsonTraffic  `json:"global"`
		Shared  jsonTraffic  `json:"shared"`
		Local   uint64       `json:"localBytes"`
		Async   uint64       `json:"asyncBytes"`
		BulkIn  uint64       `json:"bulkBytesToShared,omitempty"`
		BulkOut uint64       `json:"bulkBytesFromShared,omitempty"`
		Lanes   [33]uint64   `json:"warpsByActiveLanes"`
		Tensor  []jsonTensor `json:"tensor,omitempty"`
		Lines   []jsonLine   `json:"lines"`
	}
	jsonClass struct {
		Class   string `json:"class"`
		Warps   uint64 `json:"warps"`
		Threads uint64 `json:"threads"`
	}
	jsonTensor struct {
		Form  string `json:"form"`
		Warps uint64 `json:"warps"`
		Ops   uint64 `json:"multiplications"`
	}
	jsonTraffic struct {
		Loads          uint64 `json:"loadedBytes"`
		Stores         uint64 `json:"storedBytes"`
		Sectors        uint64 `json:"sectors,omitempty"`
		NeededSectors  uint64 `json:"neededSectors,omitempty"`
		Wavefronts     uint64 `json:"wavefronts,omitempty"`
		IdealWavefront uint64 `json:"idealWavefronts,omitempty"`
	}
	jsonLine struct {
		jsonSite
		Class   string       `json:"class"`
		Warps   uint64       `json:"warps"`
		Threads uint64       `json:"threads"`
		Traffic *jsonTraffic `json:"traffic,omitempty"`
	}
)

// WriteJSON writes the outcome as one object. printed is what the kernel printed, stopped why the launch was ended
// early, empty if it was not.
func (o *Outcome) WriteJSON(w io.Writer, printed, stopped string) error {
	c := o.Config
	j := jsonOutcome{
		File: o.Source.Path, Kernel: o.Entry, Arch: c.Arch, Grid: c.Grid, Block: c.Block, Cluster: c.Cluster, SharedBytes: c.SharedBytes, Seed: c.Seed,
		OK: len(o.Report.Findings) == 0 && stopped == "", Stopped: stopped, Printed: printed, Findings: []jsonFinding{}, Saved: o.Saved,
	}
	for _, f := range o.findings() {
		out := jsonFinding{
			Kind: f.Kind.String(), Message: f.Msg, At: o.site(f.At), Block: f.Block, Thread: f.Thread,
			Space: f.Space, Address: f.Addr, Bytes: f.Bytes, Lanes: f.Mask, Count: f.Count,
		}
		if f.Other != nil {
			s := o.site(*f.Other)
			out.Other, out.OtherBlock, out.OtherThread = &s, &f.OtherBlock, &f.OtherThread
		}
		j.Findings = append(j.Findings, out)
	}
	j.Counters = CountersJSON(o.Report.Counters, o.site)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(j)
}

// site adds the text of the line to a place.
func (o *Outcome) site(s ptx.Site) jsonSite {
	_, text := o.line(s)
	return jsonSite{s.Form, s.PTXLine, s.File, s.Line, s.Inlined, text}
}

// CountersJSON converts counters; site makes the place of an instruction.
func CountersJSON(c *ptx.Counters, site func(ptx.Site) jsonSite) *JSONCounters {
	if c == nil {
		return nil
	}
	j := &JSONCounters{
		Warps: c.Warps, Threads: c.Threads, Classes: []jsonClass{}, Global: jsonTraffic(c.Global), Shared: jsonTraffic(c.Shared),
		Local: c.Local, Async: c.Async, BulkIn: c.Bulk.In, BulkOut: c.Bulk.Out, Lanes: c.Lanes, Lines: []jsonLine{},
	}
	for _, k := range c.Classes {
		j.Classes = append(j.Classes, jsonClass(k))
	}
	for _, t := range c.Tensor {
		j.Tensor = append(j.Tensor, jsonTensor(t))
	}
	for _, l := range c.Lines {
		line := jsonLine{jsonSite: site(l.Site), Class: l.Class, Warps: l.Warps, Threads: l.Threads}
		if l.Traffic != (ptx.Traffic{}) {
			t := jsonTraffic(l.Traffic)
			line.Traffic = &t
		}
		j.Lines = append(j.Lines, line)
	}
	return j
}
