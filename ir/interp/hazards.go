package interp

import "tilec/ir"

type region struct{}
type hazards struct{}
type sharedAccess struct{}

func (h *hazards) start() {}
func (h *hazards) read(fr *frame, st *store, ad *address, r run, m mask, rec recording) bool {
	return true
}
func (h *hazards) write(fr *frame, st *store, ad *address, r run, m mask) bool { return true }
func (h *hazards) update(fr *frame, st *store, ad *address, off int) bool      { return true }
func (c *compiler) sharedAccess(a *ir.Access) int                              { return 0 }
func (c *compiler) asyncCopy(op *ir.Op) step                                   { return c.copy(op) }
func (c *compiler) order(op *ir.Op) step                                       { return nil }
