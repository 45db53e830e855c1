package types

// foreign says how what other languages call so is written here.
var foreign = map[string]string{
	"float16": "f16", "half": "f16", "bfloat16": "bf16", "float": "f32", "float32": "f32", "fp16": "f16", "fp32": "f32", "double": "f64", "float64": "f64",
	"int": "i32", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "long": "i64",
	"uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "float8_e4m3": "f8e4m3", "float8_e5m2": "f8e5m2", "boolean": "bool",

	"index":   "integers become indices by themselves: leave it out",
	"cast":    "f32(x)",
	"astype":  "f32(x)",
	"where":   "if c then a else b",
	"dot":     "gemm a, b -> acc, or sum[k](a[i, k] * b[k, j])",
	"matmul":  "gemm a, b -> acc, or sum[k](a[i, k] * b[k, j])",
	"maximum": "max(a, b)", "fmaxf": "max(a, b)", "fmax": "max(a, b)",
	"minimum": "min(a, b)", "fminf": "min(a, b)", "fmin": "min(a, b)",
	"fabs": "abs(x)", "expf": "exp(x)", "logf": "log(x)", "ln": "log(x)", "sqrtf": "sqrt(x)", "tanhf": "tanh(x)",
	"rint": "round(x)", "fmod": "x - y * floor(x / y)", "mod": "a % b", "cdiv": "ceildiv(a, b)", "ceil_div": "ceildiv(a, b)",
	"mean": "sum[k](x[k]) / f32(n)", "load": "copy A[r, c] -> t", "store": "copy t -> C[r, c]", "zeros": "tile t: f32[M, N] = 0",
	"average": "sum[k](x[k]) / f32(n)", "norm": "sqrt(sum[k](x[k] * x[k]))", "product": "prod[k](x[k])",
	"full": "tile t: f32[M, N] = value", "arange": "the index itself: i32(i)",
	"program_id": "an index of the grid: grid (b: count) { … }", "num_programs": "the count of a grid index: grid (b: count) { … }",
}
