package docgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	openMark  = "<!-- generated: "
	closeMark = "<!-- end -->"
)

// Fill replaces the generated parts of a page, by name. Every part must have its place on the page, and every place its
// part.
func Fill(page string, parts map[string]string) (string, error) {
	var out strings.Builder
	left := maps.Clone(parts)
	for {
		before, rest, found := strings.Cut(page, openMark)
		out.WriteString(before)
		if !found {
			break
		}
		name, rest, ok := strings.Cut(rest, " -->\n")
		if !ok {
			return "", fmt.Errorf("a mark without an end: %.40q", rest)
		}
		_, after, ok := strings.Cut(rest, closeMark)
		text, known := left[name]
		switch {
		case !ok:
			return "", fmt.Errorf("part %s has no %s", name, closeMark)
		case !known:
			return "", fmt.Errorf("part %s is unknown, or there twice", name)
		}
		delete(left, name)
		fmt.Fprintf(&out, "%s%s -->\n%s\n%s", openMark, name, strings.TrimSpace(text), closeMark)
		page = after
	}
	if names := slices.Sorted(maps.Keys(left)); len(names) > 0 {
		return "", fmt.Errorf("no place for %s", strings.Join(names, ", "))
	}
	return out.String(), nil
}

// Block is a fenced block of a page.
type Block struct {
	Language string   // the first word behind the fence
	Words    []string // the others
	Text     string
	Line     int // of the opening fence, from 1
}

// Blocks lists the fenced blocks of a page.
func Blocks(page string) []Block {
	var blocks []Block
	var open *Block
	for i, line := range strings.Split(page, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case open != nil && isFence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += line + "\n"
		case isFence:
			open = &Block{Line: i + 1}
			if words := strings.Fields(fence); len(words) > 0 {
				open.Language, open.Words = words[0], words[1:]
			}
		}
	}
	return blocks
}

// table renders a Markdown table.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			fmt.Fprintf(&b, " %s |", strings.ReplaceAll(c, "|", `\|`))
		}
		b.WriteString("\n")
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// code marks text as code, but for "".
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
