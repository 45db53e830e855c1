package types

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
		c[checkedKey{k, asked.key()}] = in
		c[checkedKey{k, in.Bindings.key()}] = in
	}
}

// get returns the instance with exactly these bindings, nil if there is none.
func (c checked) get(k *Kernel, b Bindings) *Instance { return c[checkedKey{k, b.key()}] }

// key spells bindings.
func (b Bindings) key() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(b.Generics)) {
		fmt.Fprintf(&text, "%s=%s,", name, b.Generics[name])
	}
	text.WriteByte(';')
	for _, name := range slices.Sorted(maps.Keys(b.Tunes)) {
		fmt.Fprintf(&text, "%s=%d,", name, b.Tunes[name])
	}
	return text.String()
}
