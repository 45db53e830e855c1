// Package diag holds source places, error codes, the reporter that collects diagnostics, and their renderers.
//
// Producers call [Reporter.Errorf] with a [Code] and a [Span]; renderers ([Reporter.WriteText], [Reporter.WriteJSON])
// know nothing of the producers. The package imports nothing of the compiler.
package diag
