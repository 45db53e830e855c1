package ast

import (
	"fmt"
	"strconv"
	"strings"
)

// Text writes an expression as source, on one line, with the parentheses that it needs and no others.
func Text(e Expr) string {
	var out strings.Builder
	write(&out, e, CondPrecedence)
	return out.String()
}

// write puts parentheses around what binds more loosely than least.
func write(out *strings.Builder, e Expr, least int) {
	if precedence(e) < least {
		out.WriteByte('(')
		defer out.WriteByte(')')
	}
	switch e := e.(type) {
	case *Ident:
		out.WriteString(e.Name)
	case *Int:
		out.WriteString(e.Text)
	case *Float:
		out.WriteString(e.Text)
	case *Bool:
		out.WriteString(strconv.FormatBool(e.Value))
	case *String:
		out.WriteString(quoted(e.Value))
	case *Index:
		write(out, e.X, PostfixPrecedence)
		writeList(out, "[", e.Args, "]")
	case *Range:
		write(out, e.Lo, CondPrecedence)
		out.WriteString(" : ")
		write(out, e.Hi, CondPrecedence)
	case *Call:
		out.WriteString(e.Fun.Name)
		writeList(out, "(", e.Args, ")")
	case *Reduce:
		out.WriteString(e.Op.Name + "[")
		for i, v := range e.Over {
			if i > 0 {
				out.WriteString(", ")
			}
			out.WriteString(v.Name.Name)
			if v.Extent != nil {
				out.WriteString(": ")
				write(out, v.Extent, CondPrecedence)
			}
		}
		writeList(out, "](", []Expr{e.Body}, ")")
	case *Cond:
		out.WriteString("if ")
		write(out, e.If, CondPrecedence)
		out.WriteString(" then ")
		write(out, e.Then, CondPrecedence)
		out.WriteString(" else ")
		write(out, e.Else, CondPrecedence)
	case *Unary:
		out.WriteString(e.Op.String())
		if e.Op == Not {
			out.WriteByte(' ')
		}
		write(out, e.X, precedence(e))
	case *Binary:
		writeBinary(out, e)
	case *Atomic:
		out.WriteString("atomic ")
		write(out, e.LHS, PostfixPrecedence)
		out.WriteString(" " + e.Op.String() + " ")
		write(out, e.Value, CondPrecedence)
	default:
		fmt.Fprintf(out, "<%T>", e)
	}
}

func writeBinary(out *strings.Builder, e *Binary) {
	p := e.Op.Precedence()
	left := p
	if e.Op.IsComparison() {
		left++ // comparisons do not chain
	}
	write(out, e.X, left)
	if e.Op == Mul && isWord(e.X) && isWord(e.Y) {
		out.WriteString("*")
	} else {
		out.WriteString(" " + e.Op.String() + " ")
	}
	write(out, e.Y, p+1)
}

func isWord(e Expr) bool {
	switch e.(type) {
	case *Ident, *Int:
		return true
	}
	return false
}

func precedence(e Expr) int {
	switch e := e.(type) {
	case *Cond, *Atomic, *Range:
		return CondPrecedence
	case *Unary:
		if e.Op == Not {
			return NotPrecedence
		}
		return UnaryPrecedence
	case *Binary:
		return e.Op.Precedence()
	}
	return PostfixPrecedence
}

func writeList(out *strings.Builder, open string, items []Expr, closing string) {
	out.WriteString(open)
	for i, e := range items {
		if i > 0 {
			out.WriteString(", ")
		}
		write(out, e, CondPrecedence)
	}
	out.WriteString(closing)
}

// quoted writes a string literal with the escapes of the language.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}
