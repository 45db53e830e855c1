// Package passes lowers a function from tile form to scheduled form.
//
// table.go lists the passes in the order in which they run, with the facts that
// each needs and gives; run.go runs them under observers. A pass has a file of
// its own and, under testdata, a folder of cases: text of the IR in, text out.
package passes
