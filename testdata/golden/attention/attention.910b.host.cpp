// Launcher of kernel `attention` of ../../examples/attention.tile for 910b, made by tilec. Do not edit.
// Generics: T = f16, D = 128, causal = false.
// Tuned: BM = 128, BN = 128, stages = 2.
//
// Compile it as Ascend C (with bisheng, --npu-arch=dav-2201); it includes the kernel, attention.910b.cpp,
// and declare what is called:
//   extern "C" aclError launch_attention(
//       const void* Q, const long long Q_shape[4],
//       const void* K, const long long K_shape[4],
//       const void* V, const long long V_shape[4],
//       void* O, const long long O_shape[4],
//       aclrtStream stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include <acl/acl.h>

#include "attention.910b.cpp"

namespace launcher_of_attention {

namespace {

// The remainder of floor_div, of the divisor's sign; 0 for a division by zero.
template <class T> T floor_mod(T x, T y) {
    if (y == 0) return 0;
    const T r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

// Notes why a launch is refused: *why points to the text until the thread's next refusal.
aclError refuse(const char** why, const char* format, ...) {
    static thread_local char refusal[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(refusal, sizeof refusal, format, args);
    va_end(args);
    if (why != nullptr) *why = refusal;
    return ACL_ERROR_INVALID_PARAM;
}

// Multiplies the counts of a grid's indices; none where one is 0 or negative, -1 beyond the limit.
template <int N> long long grid_size(const long long (&counts)[N], long long limit) {
    long long blocks = 1;
    for (long long n : counts) {
        if (n <= 0) return 0;
    }
    for (long long n : counts) {
        if (n > limit / blocks) return -1;
        blocks *= n;
    }
    return blocks;
}

// Whether a tensor has no elements.
bool empty(const long long* shape, int rank) {
    return std::find(shape, shape + rank, 0) != shape + rank;
}

}  // namespace

/// Forward attention with an online softmax; G key/value heads serve H query heads.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   Q: f16[B, H, S, 128], read
///   K: f16[B, G, L, 128], read
///   V: f16[B, G, L, 128], read
///   O: f16[B, H, S, 128], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are ACL_ERROR_INVALID_PARAM, and *why, where why is not null, says what is wrong.
extern "C" aclError launch_attention(
    const void* Q, const long long Q_shape[4],
    const void* K, const long long K_shape[4],
    const void* V, const long long V_shape[4],
    void* O, const long long O_shape[4],
    aclrtStream stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long B = Q_shape[0];
    if (B < 0 || B > 281474976710656) return refuse(why, "attention: Q: dimension 0 is %lld", B);
    const long long H = Q_shape[1];
    if (H < 0 || H > 281474976710656) return refuse(why, "attention: Q: dimension 1 is %lld", H);
    const long long S = Q_shape[2];
    if (S < 0 || S > 281474976710656) return refuse(why, "attention: Q: dimension 2 is %lld", S);
    const long long G = K_shape[1];
    if (G < 0 || G > 281474976710656) return refuse(why, "attention: K: dimension 1 is %lld", G);
    const long long L = K_shape[2];
    if (L < 0 || L > 281474976710656) return refuse(why, "attention: K: dimension 2 is %lld", L);

    // All other extents agree.
    if (Q_shape[3] != 128) return refuse(why, "attention: Q: dimension 3 is %lld, 128 is needed", Q_shape[3]);
    if (K_shape[0] != B) return refuse(why, "attention: K: dimension 0 is %lld, but B = %lld", K_shape[0], B);
    if (K_shape[3] != 128) return refuse(why, "attention: K: dimension 3 is %lld, 128 is needed", K_shape[3]);
    if (V_shape[0] != B) return refuse(why, "attention: V: dimension 0 is %lld, but B = %lld", V_shape[0], B);
    if (V_shape[1] != G) return refuse(why, "attention: V: dimension 1 is %lld, but G = %lld", V_shape[1], G);
    if (V_shape[2] != L) return refuse(why, "attention: V: dimension 2 is %lld, but L = %lld", V_shape[2], L);
    if (V_shape[3] != 128) return refuse(why, "attention: V: dimension 3 is %lld, 128 is needed", V_shape[3]);
    if (O_shape[0] != B) return refuse(why, "attention: O: dimension 0 is %lld, but B = %lld", O_shape[0], B);
    if (O_shape[1] != H) return refuse(why, "attention: O: dimension 1 is %lld, but H = %lld", O_shape[1], H);
    if (O_shape[2] != S) return refuse(why, "attention: O: dimension 2 is %lld, but S = %lld", O_shape[2], S);
    if (O_shape[3] != 128) return refuse(why, "attention: O: dimension 3 is %lld, 128 is needed", O_shape[3]);

    // Tensors with elements have memory.
    if (Q == nullptr && !empty(Q_shape, 4)) return refuse(why, "attention: Q: a null pointer");
    if (K == nullptr && !empty(K_shape, 4)) return refuse(why, "attention: K: a null pointer");
    if (V == nullptr && !empty(V_shape, 4)) return refuse(why, "attention: V: a null pointer");
    if (O == nullptr && !empty(O_shape, 4)) return refuse(why, "attention: O: a null pointer");

    // What the program requires.
    // 5: require H % G == 0, "query heads must be a multiple of key/value heads"
    if (!(0 < G && floor_mod<long long>(H, G) == 0)) return refuse(why, "attention: requirement not met: query heads must be a multiple of key/value heads");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {std::min<long long>((S + 127) / 128 * H * B, 24)};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return ACL_SUCCESS;
    if (blocks < 0) return refuse(why, "attention: a grid of more than 2147483647 blocks");

    // Tiles on their way between the cores of a group: 655360 bytes for each block, until the kernel is done.
    void* workspace = nullptr;
    aclError status = aclrtMalloc(&workspace, static_cast<size_t>(blocks) * 655360, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status != ACL_SUCCESS) return status;
    attention<<<static_cast<uint32_t>(blocks), nullptr, stream>>>(
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(Q))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(K))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(V))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(O))),
        B,
        H,
        S,
        G,
        L,
        static_cast<uint8_t*>(workspace));
    status = aclrtSynchronizeStream(stream);
    const aclError freed = aclrtFree(workspace);
    return status != ACL_SUCCESS ? status : freed;
}

}  // namespace launcher_of_attention
