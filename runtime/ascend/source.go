package ascend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Source is the text of an Ascend C file.
type Source struct {
	Name    string // as findings and the compiler's messages have it
	Text    string
	Include []string // folders of headers that the text includes
	// Entries are kernels that the text does not declare as plain functions: instances of templates, such as "add<float, 2048>".
	Entries []string
}

// TaskType says which cores a kernel runs on.
type TaskType int

// Task types, in the words of KERNEL_TASK_TYPE_DEFAULT.
const (
	Unspecified TaskType = iota
	VectorOnly           // AIV_ONLY
	CubeOnly             // AIC_ONLY
	Mix1V                // MIX_AIV_1_0
	Mix1C                // MIX_AIC_1_0
	Mix11                // MIX_AIC_1_1
	Mix12                // MIX_AIC_1_2
)

var taskTypes = map[string]TaskType{
	"KERNEL_TYPE_AIV_ONLY": VectorOnly, "KERNEL_TYPE_AIC_ONLY": CubeOnly, "KERNEL_TYPE_MIX_AIV_1_0": Mix1V,
	"KERNEL_TYPE_MIX_AIC_1_0": Mix1C, "KERNEL_TYPE_MIX_AIC_1_1": Mix11, "KERNEL_TYPE_MIX_AIC_1_2": Mix12,
}

// String returns the type as in KERNEL_TYPE_x.
func (t TaskType) String() string {
	for name, v := range taskTypes {
		if v == t {
			return strings.TrimPrefix(name, "KERNEL_TYPE_")
		}
	}
	return "unspecified"
}

// declared is a kernel found in a source.
type declared struct {
	name string
	task TaskType
}

var (
	launchStatement = regexp.MustCompile(`(?s)([\w:]+)(\s*(?:<[^;{}()]*?>)?)\s*<<<([^;]*?)>>>\s*(\([^;]*\))\s*;`)
	mainFunction    = regexp.MustCompile(`\bint(?:32_t)?\s+main\s*\(([^)]*)\)`)
	kernelName      = regexp.MustCompile(`^[^();{}]*?\b([A-Za-z_]\w*)\s*\(`)
	taskMacro       = regexp.MustCompile(`KERNEL_TASK_TYPE_DEFAULT\s*\(\s*(?:AscendC::)?(KERNEL_TYPE_\w+)\s*\)`)
	mixQualifier    = regexp.MustCompile(`__mix__\s*\(\s*(\d)\s*,\s*(\d)\s*\)`)
)

// declarations finds the kernels of a text: functions with __global__ and a body, templates excepted.
func declarations(text string) []declared {
	clean := blankComments(text)
	var found []declared
	for at := 0; ; {
		i := strings.Index(clean[at:], "__global__")
		if i < 0 {
			return found
		}
		at += i + len("__global__")
		start := strings.LastIndexAny(clean[:at], ";}#") + 1
		head := clean[start : at-len("__global__")]
		m := kernelName.FindStringSubmatch(blankQualifiers(clean[at:]))
		open := strings.IndexAny(clean[at:], "{;")
		if m == nil || open < 0 || clean[at+open] == ';' || regexp.MustCompile(`\btemplate\b|\bdefine\b`).MatchString(head) {
			continue
		}
		body := clean[at+open : at+open+bodyLength(clean[at+open:])]
		if slices.ContainsFunc(found, func(d declared) bool { return d.name == m[1] }) {
			continue
		}
		found = append(found, declared{m[1], taskOf(head+clean[at:at+open], body, clean)})
	}
}

// blankQualifiers hides the parentheses of __mix__(1, 2), which are not those of the parameters.
func blankQualifiers(s string) string {
	return mixQualifier.ReplaceAllStringFunc(s, func(m string) string { return strings.Repeat(" ", len(m)) })
}

// bodyLength is the extent of the braces that a text begins with.
func bodyLength(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// taskOf reads the task type as the device compiler does: the macro, the qualifiers, else by what the file uses.
func taskOf(head, body, file string) TaskType {
	if m := taskMacro.FindStringSubmatch(body); m != nil {
		return taskTypes[m[1]]
	}
	if m := mixQualifier.FindStringSubmatch(head); m != nil {
		switch m[1] + m[2] {
		case "12":
			return Mix12
		case "11":
			return Mix11
		case "10":
			return Mix1C
		case "01":
			return Mix1V
		}
	}
	switch {
	case strings.Contains(head, "__vector__"):
		return VectorOnly
	case strings.Contains(head, "__cube__"):
		return CubeOnly
	case !strings.Contains(file, "Mmad("):
		return VectorOnly
	case regexp.MustCompile(`\bVEC(IN|OUT|CALC)\b|Hardware::UB\b`).MatchString(file):
		return Mix12
	}
	return CubeOnly
}

// blankComments replaces comments and strings by spaces, so that offsets and lines stay.
func blankComments(s string) string {
	b := []byte(s)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	for i := 0; i < len(b); i++ {
		end := -1
		switch {
		case strings.HasPrefix(s[i:], "//"):
			end = strings.IndexByte(s[i:], '\n')
		case strings.HasPrefix(s[i:], "/*"):
			if end = strings.Index(s[i+2:], "*/"); end >= 0 {
				end += 4
			}
		case s[i] == '"':
			for j := i + 1; j < len(s) && s[j] != '\n'; j++ {
				if s[j] == '\\' {
					j++
				} else if s[j] == '"' {
					end = j + 1 - i
					break
				}
			}
			if end < 0 {
				end = 1
			}
		default:
			continue
		}
		if end < 0 {
			end = len(s) - i
		}
		blank(i, i+end)
		i += end - 1
	}
	return string(b)
}

// unit is the translation unit of a source: launches of the form k<<<…>>>(…), which only a device compiler knows, become calls of the
// machine, and the registration of the kernels is appended.
func (s Source) unit(kernels []declared) string {
	clean := blankComments(s.Text)
	var b strings.Builder
	fmt.Fprintf(&b, "#line 1 %q\n", s.Name)
	at := 0
	for _, m := range launchStatement.FindAllStringSubmatchIndex(clean, -1) {
		part := func(i int) string { return s.Text[m[2*i]:m[2*i+1]] }
		b.WriteString(s.Text[at:m[0]])
		fmt.Fprintf(&b, "::machine::hostLaunch(%d, %s, [&] { %s%s%s; });", int(templateTask(s.Text, part(1)))-1, firstArgument(part(3)), part(1), part(2), part(4))
		b.WriteString(strings.Repeat("\n", strings.Count(part(3), "\n")-strings.Count(firstArgument(part(3)), "\n")))
		at = m[1]
	}
	b.WriteString(s.Text[at:])
	b.WriteString("\n#line 1 \"registration\"\n#include \"kernel_operator.h\"\n#include \"machine/kernel.h\"\n")
	for i, k := range kernels {
		fmt.Fprintf(&b, "static machine::Registration<&%s> tilec_registration_%d(%q);\n", k.name, i, k.name)
	}
	if m := mainFunction.FindStringSubmatch(clean); m != nil {
		program := "&tilec_host_main"
		if p := strings.TrimSpace(m[1]); p == "" || p == "void" {
			program = "&machine::withoutArguments<&tilec_host_main>"
		}
		fmt.Fprintf(&b, "static int tilec_registration_main = (machine::registerMain(%s), 0);\n", program)
	}
	return b.String()
}

// firstArgument is the text before the first comma outside parentheses.
func firstArgument(s string) string {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				return s[:i]
			}
		}
	}
	return s
}
