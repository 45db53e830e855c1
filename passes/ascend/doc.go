// Package ascend holds the passes that lower a function for AI cores: machines whose cube and vector units work from memories that
// the program fills itself, through pipes that only flags order. What comes before, on tiles without a place, is package passes'.
package ascend
