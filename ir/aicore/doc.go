// Package aicore says how tiles lie in the memories of an AI core, and which operations of the IR one instruction of its units
// can carry out. Passes make operations that fit, code generation spells them; both ask here.
package aicore
