package ast

import (
	"fmt"
	"reflect"
	"strings"
)

// Dump writes a tree as text, one node a line, children indented, without places: two sources that mean the same have
// the same dump. It is made for tests and for people.
func Dump(n Node) string {
	var out strings.Builder
	dump(&out, 0, n)
	return out.String()
}

func dump(out *strings.Builder, depth int, n Node) {
	fmt.Fprintf(out, "%s%s%s\n", strings.Repeat("  ", depth), reflect.TypeOf(n).Elem().Name(), facts(n))
	for _, c := range Children(n) {
		dump(out, depth+1, c)
	}
}

// facts lists the fields of a node that are no nodes, such as names and operators, where they are set. Which optional
// child is which follows from the labels of the fields that are set.
func facts(n Node) string {
	var out strings.Builder
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		writeField(&out, v.Type().Field(i), v.Field(i))
	}
	return out.String()
}

func writeField(out *strings.Builder, f reflect.StructField, v reflect.Value) {
	switch {
	case f.Type == reflect.TypeFor[Place](), f.Name == "OpAt", f.Name == "Comments", v.IsZero():
	case f.Type == reflect.TypeFor[Suffix]():
		for i := range v.NumField() {
			writeField(out, f.Type.Field(i), v.Field(i))
		}
	case v.Kind() == reflect.String:
		fmt.Fprintf(out, " %s=%q", f.Name, v.String())
	case isNode(f.Type), v.Kind() == reflect.Slice:
		if v.Kind() == reflect.Slice {
			fmt.Fprintf(out, " %s:%d", f.Name, v.Len())
		} else {
			fmt.Fprintf(out, " %s", f.Name)
		}
	default:
		fmt.Fprintf(out, " %s=%v", f.Name, v.Interface())
	}
}

func isNode(t reflect.Type) bool { return t.Implements(reflect.TypeFor[Node]()) }
