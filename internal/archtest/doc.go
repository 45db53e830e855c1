// Package archtest holds tests of the project's own source: which packages may
// import which, what every package and exported name owes its reader, and what must
// not be written anywhere.
package archtest
