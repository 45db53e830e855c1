// Launcher of kernel `matmul_i8` of ../../examples/matmul.tile for 910b, made by tilec. Do not edit.
// Tuned: BM = 128, BN = 128, BK = 128, stages = 2.
//
// Compile it as Ascend C (with bisheng, --npu-arch=dav-2201); it includes the kernel, matmul_i8.910b.cpp,
// and declare what is called:
//   extern "C" aclError launch_matmul_i8(
//       const signed char* A, const long long A_shape[2],
//       const signed char* B, const long long B_shape[2],
//       int* C, const long long C_shape[2],
//       aclrtStream stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include <acl/acl.h>

#include "matmul_i8.910b.cpp"

namespace launcher_of_matmul_i8 {

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

/// C = A · Bᵀ on 8-bit integers, exact in i32; B output-major, as quantized weights are stored.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   A: i8[M, K], read
///   B: i8[N, K], read
///   C: i32[M, N], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are ACL_ERROR_INVALID_PARAM, and *why, where why is not null, says what is wrong.
extern "C" aclError launch_matmul_i8(
    const signed char* A, const long long A_shape[2],
    const signed char* B, const long long B_shape[2],
    int* C, const long long C_shape[2],
    aclrtStream stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long M = A_shape[0];
    if (M < 0 || M > 281474976710656) return refuse(why, "matmul_i8: A: dimension 0 is %lld", M);
    const long long K = A_shape[1];
    if (K < 0 || K > 281474976710656) return refuse(why, "matmul_i8: A: dimension 1 is %lld", K);
    const long long N = B_shape[0];
    if (N < 0 || N > 281474976710656) return refuse(why, "matmul_i8: B: dimension 0 is %lld", N);

    // All other extents agree.
    if (B_shape[1] != K) return refuse(why, "matmul_i8: B: dimension 1 is %lld, but K = %lld", B_shape[1], K);
    if (C_shape[0] != M) return refuse(why, "matmul_i8: C: dimension 0 is %lld, but M = %lld", C_shape[0], M);
    if (C_shape[1] != N) return refuse(why, "matmul_i8: C: dimension 1 is %lld, but N = %lld", C_shape[1], N);

    // Tensors with elements have memory.
    if (A == nullptr && !empty(A_shape, 2)) return refuse(why, "matmul_i8: A: a null pointer");
    if (B == nullptr && !empty(B_shape, 2)) return refuse(why, "matmul_i8: B: a null pointer");
    if (C == nullptr && !empty(C_shape, 2)) return refuse(why, "matmul_i8: C: a null pointer");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {std::min<long long>((N + 127) / 128 * ((M + 127) / 128), 24)};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return ACL_SUCCESS;
    if (blocks < 0) return refuse(why, "matmul_i8: a grid of more than 2147483647 blocks");

    matmul_i8<<<static_cast<uint32_t>(blocks), nullptr, stream>>>(
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(A))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(B))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(C))),
        M,
        K,
        N);
    return ACL_SUCCESS;
}

}  // namespace launcher_of_matmul_i8
