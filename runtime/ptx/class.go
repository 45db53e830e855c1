package ptx

import "tilec/runtime/ptx/lanes"

// class groups instructions for counting.
type class uint8

const (
	classMove class = iota + 1
	classInt
	classFloat
	classSpecial // approximate functions
	classConvert
	classBranch
	classBarrier
	classShuffle
	classGlobalLoad
	classGlobalStore
	classSharedLoad
	classSharedStore
	classLocal
	classParam
	classAtomic
	classAsync
	classMatrixLoad
	classTensor
	classOther
	numClasses
)

var classNames = [numClasses]string{
	classMove: "move", classInt: "integer", classFloat: "float", classSpecial: "special function", classConvert: "convert",
	classBranch: "branch", classBarrier: "barrier", classShuffle: "shuffle and vote",
	classGlobalLoad: "global load", classGlobalStore: "global store", classSharedLoad: "shared load", classSharedStore: "shared store",
	classLocal: "local", classParam: "parameter and constant", classAtomic: "atomic", classAsync: "asynchronous copy",
	classMatrixLoad: "matrix load and store", classTensor: "tensor", classOther: "other",
}

// String names the class for reports.
func (c class) String() string { return classNames[c] }

// aluClass is the class of an operation of package lanes.
func aluClass(name string, op lanes.Op) class {
	switch name {
	case "mov":
		return classMove
	case "cvt":
		return classConvert
	case "ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh":
		return classSpecial
	}
	if op.Float {
		return classFloat
	}
	return classInt
}
