package types

import (
	"slices"
	"strconv"
)

// checked are instances without a fault that Check made; it is not changed after that.
type checked map[checkedKey]*Instance

type checkedKey struct {
	kernel   *Kernel
	bindings string
}

// maxChecked bounds the bindings that instances are kept under.
const maxChecked = 200

// add keeps an instance under its bindings and under those that were asked for.
func (c checked) add(k *Kernel, asked Bindings, in *Instance) {
	if len(c) < maxChecked {
		c[checkedKey{k, asked.Key()}] = in
		c[checkedKey{k, in.Bindings.Key()}] = in
	}
}

// get returns the instance with exactly these bindings, nil if there is none.
func (c checked) get(k *Kernel, b Bindings) *Instance { return c[checkedKey{k, b.Key()}] }

// Key spells bindings: those with the same key are the same.
func (b Bindings) Key() string {
	var text []byte
	for _, name := range sortedNames(b.Generics) {
		text = append(append(append(append(text, name...), '='), b.Generics[name].String()...), ',')
	}
	text = append(text, ';')
	for _, name := range sortedNames(b.Tunes) {
		text = append(strconv.AppendInt(append(append(text, name...), '='), b.Tunes[name], 10), ',')
	}
	return string(text)
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
