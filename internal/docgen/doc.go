// Package docgen makes the parts of docs/ that restate tables of the compiler: operations, error codes, passes,
// machines and the command line.
//
// A page is written by hand; what is generated stands between two comment lines,
//
//	<!-- generated: NAME -->
//	<!-- end -->
//
// and is replaced by [Fill]. Tests compare the pages with the tables, and rewrite them with -update.
package docgen
