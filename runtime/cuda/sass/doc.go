// Package sass reads the machine code that nvdisasm prints, finds the loops in it, and counts what they hold. Tests
// measure generated code with it.
package sass
