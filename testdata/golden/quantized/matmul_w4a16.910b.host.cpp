// Launcher of kernel `matmul_w4a16` of ../../examples/quantized.tile for 910b, made by tilec. Do not edit.
// Generics: GROUP = 128.
// Tuned: BM = 128, BN = 128, BK = 128, stages = 2.
//
// Compile it as Ascend C (with bisheng, --npu-arch=dav-2201); it includes the kernel, matmul_w4a16.910b.cpp,
// and declare what is called:
//   extern "C" aclError launch_matmul_w4a16(
//       const void* A, const long long A_shape[2],
//       const void* W, const long long W_shape[2],
//       const void* scales, const long long scales_shape[2],
//       const void* zeros, const long long zeros_shape[2],
//       void* C, const long long C_shape[2],
//       aclrtStream stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include <acl/acl.h>

#include "matmul_w4a16.910b.cpp"

namespace launcher_of_matmul_w4a16 {

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

/// C = A · dequant(W)ᵀ: 4-bit weights with one scale and zero point for each group of GROUP columns.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   A: f16[M, K], read
///   W: u4[N, K], read
///   scales: f16[N, K / 128], read
///   zeros: u4[N, K / 128], read
///   C: f16[M, N], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are ACL_ERROR_INVALID_PARAM, and *why, where why is not null, says what is wrong.
extern "C" aclError launch_matmul_w4a16(
    const void* A, const long long A_shape[2],
    const void* W, const long long W_shape[2],
    const void* scales, const long long scales_shape[2],
    const void* zeros, const long long zeros_shape[2],
    void* C, const long long C_shape[2],
    aclrtStream stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long M = A_shape[0];
    if (M < 0 || M > 281474976710656) return refuse(why, "matmul_w4a16: A: dimension 0 is %lld", M);
    const long long K = A_shape[1];
    if (K < 0 || K > 281474976710656) return refuse(why, "matmul_w4a16: A: dimension 1 is %lld", K);
    const long long N = W_shape[0];
    if (N < 0 || N > 281474976710656) return refuse(why, "matmul_w4a16: W: dimension 0 is %lld", N);

    // All other extents agree.
    if (W_shape[1] != K) return refuse(why, "matmul_w4a16: W: dimension 1 is %lld, but K = %lld", W_shape[1], K);
    if (scales_shape[0] != N) return refuse(why, "matmul_w4a16: scales: dimension 0 is %lld, but N = %lld", scales_shape[0], N);
    if (scales_shape[1] != K / 128) return refuse(why, "matmul_w4a16: scales: dimension 1 is %lld, but K / 128 = %lld", scales_shape[1], K / 128);
    if (zeros_shape[0] != N) return refuse(why, "matmul_w4a16: zeros: dimension 0 is %lld, but N = %lld", zeros_shape[0], N);
    if (zeros_shape[1] != K / 128) return refuse(why, "matmul_w4a16: zeros: dimension 1 is %lld, but K / 128 = %lld", zeros_shape[1], K / 128);
    if (C_shape[0] != M) return refuse(why, "matmul_w4a16: C: dimension 0 is %lld, but M = %lld", C_shape[0], M);
    if (C_shape[1] != N) return refuse(why, "matmul_w4a16: C: dimension 1 is %lld, but N = %lld", C_shape[1], N);

    // Tensors with elements have memory.
    if (A == nullptr && !empty(A_shape, 2)) return refuse(why, "matmul_w4a16: A: a null pointer");
    if (W == nullptr && !empty(W_shape, 2)) return refuse(why, "matmul_w4a16: W: a null pointer");
    if (scales == nullptr && !empty(scales_shape, 2)) return refuse(why, "matmul_w4a16: scales: a null pointer");
    if (zeros == nullptr && !empty(zeros_shape, 2)) return refuse(why, "matmul_w4a16: zeros: a null pointer");
    if (C == nullptr && !empty(C_shape, 2)) return refuse(why, "matmul_w4a16: C: a null pointer");

    // What the program requires.
    // 25: require K % GROUP == 0, "K must be a multiple of the quantization group"
    if (!(K % 128 == 0)) return refuse(why, "matmul_w4a16: requirement not met: K must be a multiple of the quantization group");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {std::min<long long>((N + 127) / 128 * ((M + 127) / 128), 24)};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return ACL_SUCCESS;
    if (blocks < 0) return refuse(why, "matmul_w4a16: a grid of more than 2147483647 blocks");

    // Tiles on their way between the cores of a group: 131072 bytes for each block, until the kernel is done.
    void* workspace = nullptr;
    aclError status = aclrtMalloc(&workspace, static_cast<size_t>(blocks) * 131072, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status != ACL_SUCCESS) return status;
    matmul_w4a16<<<static_cast<uint32_t>(blocks), nullptr, stream>>>(
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(A))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(W))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(scales))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(zeros))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(C))),
        M,
        K,
        N,
        static_cast<uint8_t*>(workspace));
    status = aclrtSynchronizeStream(stream);
    const aclError freed = aclrtFree(workspace);
    return status != ACL_SUCCESS ? status : freed;
}

}  // namespace launcher_of_matmul_w4a16
