package diag

import (
	"slices"
	"unicode/utf8"
)

// Nearest returns the candidate most like name, or "" where none is close enough to be what was meant. Ties go to the
// alphabetically first, so the answer does not depend on the order of the candidates.
func Nearest(name string, candidates []string) string {
	limit := 1 + utf8.RuneCountInString(name)/4
	best, bestDistance := "", limit+1
	for _, c := range candidates {
		if c == name || c == "" || !plausible(name, c) {
			continue
		}
		d := distance([]rune(name), []rune(c), limit)
		if d < bestDistance || d == bestDistance && d <= limit && c < best {
			best, bestDistance = c, d
		}
	}
	return best
}

// plausible reports whether a name may be a slip for another. With one or two letters every other short name is one edit
// away: of two letters a doubled one, one missing or two swapped are slips, another letter is another name.
func plausible(name, candidate string) bool {
	switch {
	case len(name) < 2:
		return sameFold(name, candidate)
	case len(name) == 2 && len(candidate) == 1:
		return sameFold(name, candidate+candidate)
	case len(name) == 2 && len(candidate) == 2:
		return sameFold(name, candidate) || sameFold(name, swapped(candidate))
	}
	return true
}

// swapped is a name of two letters the other way round.
func swapped(name string) string { return name[1:] + name[:1] }

func sameFold(a, b string) bool {
	return len(a) == len(b) && distance([]rune(a), []rune(b), 0) == 0
}

// distance is the edit distance with transpositions, case ignored (Damerau–Levenshtein, optimal string alignment);
// results above limit are reported as limit+1.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	width := len(b) + 1
	before, previous, row := make([]int, width), make([]int, width), make([]int, width)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if lower(a[i-1]) == lower(b[j-1]) {
				cost = 0
			}
			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && lower(a[i-1]) == lower(b[j-2]) && lower(a[i-2]) == lower(b[j-1]) {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		if slices.Min(row) > limit {
			return limit + 1
		}
		before, previous, row = previous, row, before
	}
	return min(previous[len(b)], limit+1)
}

func lower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
