package ascend

// helper is a function that the emitted text may need.
type helper struct{ name, text string }

var helpers = []helper{
	{"floor_div", `// floor_div and floor_mod round toward negative infinity; by zero they give 0.
template <class T> __aicore__ inline T floor_div(T x, T y) {
    if (y == 0) return 0;
    T q = x / y;
    return (x % y != 0 && (x < 0) != (y < 0)) ? q - 1 : q;
}
`},
	{"floor_mod", `template <class T> __aicore__ inline T floor_mod(T x, T y) {
    if (y == 0) return 0;
    T r = x % y;
    return (r != 0 && (r < 0) != (y < 0)) ? r + y : r;
}
`},
	{"minimum", `template <class T> __aicore__ inline T minimum(T x, T y) { return x < y ? x : y; }
`},
	{"maximum", `template <class T> __aicore__ inline T maximum(T x, T y) { return x > y ? x : y; }
`},
	{"bits_float", `// bits_float is the float of a pattern of bits.
__aicore__ inline float bits_float(uint32_t bits) {
    union {
        uint32_t u;
        float f;
    } v;
    v.u = bits;
    return v.f;
}
`},
	{"to_int", `// to_int truncates and saturates; what is no number gives 0.
template <class T> __aicore__ inline T to_int(float x, float low, float high, T least, T most) {
    if (x != x) return 0;
    if (x <= low) return least;
    if (x >= high) return most;
    return static_cast<T>(x);
}
`},
}
