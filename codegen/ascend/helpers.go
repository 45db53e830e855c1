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
	{"bits_to", `// bits_to is the value of another type of the same size and bits.
template <class To, class From> __aicore__ inline To bits_to(From x) {
    union {
        From from;
        To to;
    } v;
    v.from = x;
    return v.to;
}
`},
	{"philox", `// philox is Philox 4x32-10 of a seed and an offset: uniform in [0, 1) from the upper 24 bits of the first word.
__aicore__ inline float philox(int64_t seed, int64_t offset) {
    uint32_t a = static_cast<uint32_t>(offset), b = static_cast<uint32_t>(offset >> 32), c = 0, d = 0;
    uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
    for (int32_t i = 0; i < 10; ++i) {
        uint64_t p = 0xD2511F53ull * a, q = 0xCD9E8D57ull * c;
        a = static_cast<uint32_t>(q >> 32) ^ b ^ k0;
        b = static_cast<uint32_t>(q);
        c = static_cast<uint32_t>(p >> 32) ^ d ^ k1;
        d = static_cast<uint32_t>(p);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return static_cast<float>(a >> 8) * 5.9604644775390625e-08f;
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
