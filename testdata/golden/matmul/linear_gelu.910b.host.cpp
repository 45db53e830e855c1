// Launcher of kernel `linear_gelu` of ../../examples/matmul.tile for 910b, made by tilec. Do not edit.
// Generics: T = bf16.
// Tuned: BM = 128, BN = 128, BK = 64, stages = 2.
//
// Compile it as Ascend C (with bisheng, --npu-arch=dav-2201); it includes the kernel, linear_gelu.910b.cpp,
// and declare what is called:
//   extern "C" aclError launch_linear_gelu(
//       const void* X, const long long X_shape[2],
//       const void* W, const long long W_shape[2],
//       const void* bias, const long long bias_shape[1],
//       void* Y, const long long Y_shape[2],
//       aclrtStream stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include <acl/acl.h>

#include "linear_gelu.910b.cpp"

namespace launcher_of_linear_gelu {

namespace {

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

/// Y = gelu(X · Wᵀ + bias), the weight stored output-major as frameworks store it.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   X: bf16[M, K], read
///   W: bf16[N, K], read
///   bias: bf16[N], read
///   Y: bf16[M, N], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are ACL_ERROR_INVALID_PARAM, and *why, where why is not null, says what is wrong.
extern "C" aclError launch_linear_gelu(
    const void* X, const long long X_shape[2],
    const void* W, const long long W_shape[2],
    const void* bias, const long long bias_shape[1],
    void* Y, const long long Y_shape[2],
    aclrtStream stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long M = X_shape[0];
    if (M < 0 || M > 281474976710656) return refuse(why, "linear_gelu: X: dimension 0 is %lld", M);
    const long long K = X_shape[1];
    if (K < 0 || K > 281474976710656) return refuse(why, "linear_gelu: X: dimension 1 is %lld", K);
    const long long N = W_shape[0];
    if (N < 0 || N > 281474976710656) return refuse(why, "linear_gelu: W: dimension 0 is %lld", N);

    // All other extents agree.
    if (W_shape[1] != K) return refuse(why, "linear_gelu: W: dimension 1 is %lld, but K = %lld", W_shape[1], K);
    if (bias_shape[0] != N) return refuse(why, "linear_gelu: bias: dimension 0 is %lld, but N = %lld", bias_shape[0], N);
    if (Y_shape[0] != M) return refuse(why, "linear_gelu: Y: dimension 0 is %lld, but M = %lld", Y_shape[0], M);
    if (Y_shape[1] != N) return refuse(why, "linear_gelu: Y: dimension 1 is %lld, but N = %lld", Y_shape[1], N);

    // Tensors with elements have memory.
    if (X == nullptr && !empty(X_shape, 2)) return refuse(why, "linear_gelu: X: a null pointer");
    if (W == nullptr && !empty(W_shape, 2)) return refuse(why, "linear_gelu: W: a null pointer");
    if (bias == nullptr && !empty(bias_shape, 1)) return refuse(why, "linear_gelu: bias: a null pointer");
    if (Y == nullptr && !empty(Y_shape, 2)) return refuse(why, "linear_gelu: Y: a null pointer");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {std::min<long long>((N + 127) / 128 * ((M + 127) / 128), 24)};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return ACL_SUCCESS;
    if (blocks < 0) return refuse(why, "linear_gelu: a grid of more than 2147483647 blocks");

    // Tiles on their way between the cores of a group: 262144 bytes for each block, until the kernel is done.
    void* workspace = nullptr;
    aclError status = aclrtMalloc(&workspace, static_cast<size_t>(blocks) * 262144, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status != ACL_SUCCESS) return status;
    linear_gelu<<<static_cast<uint32_t>(blocks), nullptr, stream>>>(
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(X))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(W))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(bias))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(Y))),
        M,
        K,
        N,
        static_cast<uint8_t*>(workspace));
    status = aclrtSynchronizeStream(stream);
    const aclError freed = aclrtFree(workspace);
    return status != ACL_SUCCESS ? status : freed;
}

}  // namespace launcher_of_linear_gelu
