// Package dl opens shared libraries at run time and binds their functions, without cgo.
package dl
