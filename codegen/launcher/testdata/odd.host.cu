// Launcher of kernel `odd` of test.tile for sm_80, made by tilec. Do not edit.
//
// Compile it with the kernel:  nvcc -arch=sm_80 -c odd.sm_80.cu odd.sm_80.host.cu
// and declare what is called:
//   extern "C" cudaError_t launch_odd(
//       const float* X, const long long X_shape[2], const long long X_strides[2],
//       signed char* Y, const long long Y_shape[2],
//       const void* Z, const long long Z_shape[2],
//       float eps,
//       int big,
//       bool on,
//       void* W, const long long W_shape[1],
//       cudaStream_t stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>

// The compiled entries, fastest first.
struct bf16;
extern "C" __global__ void odd(const float*, signed char*, const unsigned char*, float, int, bool, bf16*, int, int, long long, long long);
extern "C" __global__ void odd_any(const float*, signed char*, const unsigned char*, float, int, bool, bf16*, long long, long long, long long, long long);

namespace {

// The quotient rounded toward negative infinity; 0 for a division by zero.
template <class T> T floor_div(T x, T y) {
    if (y == 0) return 0;
    const T q = x / y;
    return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}

// Notes why a launch is refused: *why points to the text until the thread's next refusal.
cudaError_t refuse(const char** why, const char* format, ...) {
    static thread_local char refusal[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(refusal, sizeof refusal, format, args);
    va_end(args);
    if (why != nullptr) *why = refusal;
    return cudaErrorInvalidValue;
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

// The address of an argument, as the runtime takes it.
template <class T> void* arg(const T& value) { return const_cast<void*>(static_cast<const void*>(&value)); }

// Whether an address is a multiple of a number of bytes.
bool aligned(const void* pointer, std::uintptr_t bytes) { return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0; }

// Launches an entry. Dynamic shared memory beyond 48 KB has to be asked for.
cudaError_t launch_kernel(const void* entry, long long blocks, int threads, size_t shared, void** args, cudaStream_t stream) {
    if (shared > 48 * 1024) {
        const cudaError_t status = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
        if (status != cudaSuccess) return status;
    }
    return cudaLaunchKernel(entry, dim3((unsigned)blocks), dim3((unsigned)threads), args, shared, stream);
}

}  // namespace

/// Starts the kernel on a stream of the current device. Arguments:
///   X: f32[M, 2 * N + 1], read; X_strides in elements, null for contiguous rows
///   Y: i8[3, N], read and written
///   Z: i4[N, M / 2 + min(M, 5)], read
///   eps: f32
///   big: i32
///   on: bool
///   W: bf16[M], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are cudaErrorInvalidValue, and *why, where why is not null, says what is wrong.
extern "C" cudaError_t launch_odd(
    const float* X, const long long X_shape[2], const long long X_strides[2],
    signed char* Y, const long long Y_shape[2],
    const void* Z, const long long Z_shape[2],
    float eps,
    int big,
    bool on,
    void* W, const long long W_shape[1],
    cudaStream_t stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long M = X_shape[0];
    if (M < 0 || M > 281474976710656) return refuse(why, "odd: X: dimension 0 is %lld", M);
    const long long N = Y_shape[1];
    if (N < 0 || N > 281474976710656) return refuse(why, "odd: Y: dimension 1 is %lld", N);

    // All other extents agree.
    if (X_shape[1] != 2 * N + 1) return refuse(why, "odd: X: dimension 1 is %lld, but 2 * N + 1 = %lld", X_shape[1], 2 * N + 1);
    if (Y_shape[0] != 3) return refuse(why, "odd: Y: dimension 0 is %lld, 3 is needed", Y_shape[0]);
    if (Z_shape[0] != N) return refuse(why, "odd: Z: dimension 0 is %lld, but N = %lld", Z_shape[0], N);
    if (Z_shape[1] != M / 2 + std::min<long long>(M, 5)) return refuse(why, "odd: Z: dimension 1 is %lld, but M / 2 + min(M, 5) = %lld", Z_shape[1], M / 2 + std::min<long long>(M, 5));
    if (W_shape[0] != M) return refuse(why, "odd: W: dimension 0 is %lld, but M = %lld", W_shape[0], M);

    // Tensors with elements have memory.
    if (X == nullptr && !empty(X_shape, 2)) return refuse(why, "odd: X: a null pointer");
    if (Y == nullptr && !empty(Y_shape, 2)) return refuse(why, "odd: Y: a null pointer");
    if (Z == nullptr && !empty(Z_shape, 2)) return refuse(why, "odd: Z: a null pointer");
    if (W == nullptr && !empty(W_shape, 1)) return refuse(why, "odd: W: a null pointer");

    // Strides of X in elements.
    const long long X_s0 = X_strides != nullptr ? X_strides[0] : X_shape[1];
    const long long X_s1 = X_strides != nullptr ? X_strides[1] : 1;

    // What the program requires.
    // 11: require M % 4 != 3 and N - M / 3 < 1000 text "M is not \"odd\""
    if (!(M % 4 != 3 && N - M / 3 < 1000)) return refuse(why, "odd: requirement not met: M is not \"odd\"");
    // 12: require eps > 0_f32 or on text "eps is positive"
    if (!(eps > 0.0f || on)) return refuse(why, "odd: requirement not met: eps is positive");
    // 13: require select(big < 10_i32, big, big / 3_i32) * 2_i32 != 14_i32 text "big is fine"
    if (!((int)((long long)(big < 10 ? big : (int)floor_div<long long>(big, 3)) * 2) != 14)) return refuse(why, "odd: requirement not met: big is fine");

    // Blocks loop over the grid's instances, one block a multiprocessor.
    const long long counts[] = {M - 1, N, 2};
    long long blocks = grid_size(counts, 9223372036854775807);
    if (blocks == 0) return cudaSuccess;
    if (blocks < 0) return refuse(why, "odd: a grid of more than 9223372036854775807 instances");
    int device = 0, processors = 1;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess) status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (status != cudaSuccess) return status;
    blocks = std::min<long long>(blocks, processors);

    // Arguments that the fast entry can take.
    if (aligned(W, 16) && aligned(Z, 16) && M % 4 == 0 && M <= 1073741824 && N <= 1073741824 && X_shape[1] <= 1073741824 && Z_shape[1] <= 1073741824) {
        const int M_32 = (int)M;
        const int N_32 = (int)N;
        void* args[] = {arg(X), arg(Y), arg(Z), arg(eps), arg(big), arg(on), arg(W), arg(M_32), arg(N_32), arg(X_s0), arg(X_s1)};
        return launch_kernel(reinterpret_cast<const void*>(&odd), blocks, 128, 98304, args, stream);
    }

    void* args[] = {arg(X), arg(Y), arg(Z), arg(eps), arg(big), arg(on), arg(W), arg(M), arg(N), arg(X_s0), arg(X_s1)};
    return launch_kernel(reinterpret_cast<const void*>(&odd_any), blocks, 128, 49152, args, stream);
}
