package ir

// Pipe is one of the in-order queues of an AI core. Instructions of one pipe run one after another; between pipes nothing is
// ordered but by flags (Ascend C guide, "hardware architecture"). Functions for other machines use none.
type Pipe uint8

// Pipes.
const (
	NoPipe   Pipe = iota
	PipeS         // the scalar unit
	PipeV         // the vector unit
	PipeM         // the matrix unit
	PipeMTE1      // L1 to L0A, L0B and the bias table
	PipeMTE2      // global memory to UB, L1, L0A and L0B
	PipeMTE3      // UB and L1 to global memory
	PipeFix       // L0C to global memory and L1
	PipeAll       // all of them, for a barrier
	numPipes
)

var pipeNames = [numPipes]string{"none", "s", "v", "m", "mte1", "mte2", "mte3", "fix", "all"}

// String returns the pipe's name in text form.
func (p Pipe) String() string {
	if p >= numPipes {
		return "invalid"
	}
	return pipeNames[p]
}

// ParsePipe returns the pipe of that name.
func ParsePipe(name string) (Pipe, bool) {
	for p := PipeS; p < numPipes; p++ {
		if pipeNames[p] == name {
			return p, true
		}
	}
	return NoPipe, false
}
