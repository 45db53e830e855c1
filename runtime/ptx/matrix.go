package ptx

func decodeMatrixAccess(d *decoder, r *raw) (instr, error) { return instr{}, d.unsupported(r) }
func decodeMoveMatrix(d *decoder, r *raw) (instr, error)   { return instr{}, d.unsupported(r) }
func decodeMMA(d *decoder, r *raw) (instr, error)          { return instr{}, d.unsupported(r) }
