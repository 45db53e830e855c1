// Package golden compares results of tests with files that hold what is expected,
// and renews those files under -update. Each case has a file of its own, so that a
// run of some tests renews just theirs.
package golden
