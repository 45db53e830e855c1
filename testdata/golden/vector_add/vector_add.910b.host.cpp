// Launcher of kernel `vector_add` of ../../examples/vector_add.tile for 910b, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BN = 4096.
//
// Compile it as Ascend C (with bisheng, --npu-arch=dav-2201); it includes the kernel, vector_add.910b.cpp,
// and declare what is called:
//   extern "C" aclError launch_vector_add(
//       const float* A, const long long A_shape[1],
//       const float* B, const long long B_shape[1],
//       float* C, const long long C_shape[1],
//       aclrtStream stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include <acl/acl.h>

#include "vector_add.910b.cpp"

namespace launcher_of_vector_add {

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

/// C = A + B for vectors of any length.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   A: f32[N], read
///   B: f32[N], read
///   C: f32[N], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are ACL_ERROR_INVALID_PARAM, and *why, where why is not null, says what is wrong.
extern "C" aclError launch_vector_add(
    const float* A, const long long A_shape[1],
    const float* B, const long long B_shape[1],
    float* C, const long long C_shape[1],
    aclrtStream stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long N = A_shape[0];
    if (N < 0 || N > 281474976710656) return refuse(why, "vector_add: A: dimension 0 is %lld", N);

    // All other extents agree.
    if (B_shape[0] != N) return refuse(why, "vector_add: B: dimension 0 is %lld, but N = %lld", B_shape[0], N);
    if (C_shape[0] != N) return refuse(why, "vector_add: C: dimension 0 is %lld, but N = %lld", C_shape[0], N);

    // Tensors with elements have memory.
    if (A == nullptr && !empty(A_shape, 1)) return refuse(why, "vector_add: A: a null pointer");
    if (B == nullptr && !empty(B_shape, 1)) return refuse(why, "vector_add: B: a null pointer");
    if (C == nullptr && !empty(C_shape, 1)) return refuse(why, "vector_add: C: a null pointer");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {std::min<long long>((N + 4095) / 4096, 48)};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return ACL_SUCCESS;
    if (blocks < 0) return refuse(why, "vector_add: a grid of more than 2147483647 blocks");

    vector_add<<<static_cast<uint32_t>(blocks), nullptr, stream>>>(
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(A))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(B))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(C))),
        N);
    return ACL_SUCCESS;
}

}  // namespace launcher_of_vector_add
