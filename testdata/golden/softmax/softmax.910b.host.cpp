// Launcher of kernel `softmax` of ../../examples/softmax.tile for 910b, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BM = 16, BN = 512, stages = 1.
//
// Compile it as Ascend C (with bisheng, --npu-arch=dav-2201); it includes the kernel, softmax.910b.cpp,
// and declare what is called:
//   extern "C" aclError launch_softmax(
//       const float* X, const long long X_shape[2],
//       float* Y, const long long Y_shape[2],
//       aclrtStream stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include <acl/acl.h>

#include "softmax.910b.cpp"

namespace launcher_of_softmax {

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

/// Row-wise softmax; rows longer than a tile are read in blocks with a running maximum and sum.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   X: f32[M, N], read
///   Y: f32[M, N], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are ACL_ERROR_INVALID_PARAM, and *why, where why is not null, says what is wrong.
extern "C" aclError launch_softmax(
    const float* X, const long long X_shape[2],
    float* Y, const long long Y_shape[2],
    aclrtStream stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long M = X_shape[0];
    if (M < 0 || M > 281474976710656) return refuse(why, "softmax: X: dimension 0 is %lld", M);
    const long long N = X_shape[1];
    if (N < 0 || N > 281474976710656) return refuse(why, "softmax: X: dimension 1 is %lld", N);

    // All other extents agree.
    if (Y_shape[0] != M) return refuse(why, "softmax: Y: dimension 0 is %lld, but M = %lld", Y_shape[0], M);
    if (Y_shape[1] != N) return refuse(why, "softmax: Y: dimension 1 is %lld, but N = %lld", Y_shape[1], N);

    // Tensors with elements have memory.
    if (X == nullptr && !empty(X_shape, 2)) return refuse(why, "softmax: X: a null pointer");
    if (Y == nullptr && !empty(Y_shape, 2)) return refuse(why, "softmax: Y: a null pointer");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {std::min<long long>((M + 15) / 16, 48)};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return ACL_SUCCESS;
    if (blocks < 0) return refuse(why, "softmax: a grid of more than 2147483647 blocks");

    softmax<<<static_cast<uint32_t>(blocks), nullptr, stream>>>(
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(X))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(Y))),
        M,
        N);
    return ACL_SUCCESS;
}

}  // namespace launcher_of_softmax
