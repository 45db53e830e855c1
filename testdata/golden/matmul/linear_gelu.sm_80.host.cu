// Launcher of kernel `linear_gelu` of ../../examples/matmul.tile for sm_80, made by tilec. Do not edit.
// Generics: T = bf16.
// Tuned: BM = 128, BN = 128, BK = 64, stages = 2.
//
// Compile it with the kernel:  nvcc -arch=sm_80 -c linear_gelu.sm_80.cu linear_gelu.sm_80.host.cu
// and declare what is called:
//   extern "C" cudaError_t launch_linear_gelu(
//       const void* X, const long long X_shape[2],
//       const void* W, const long long W_shape[2],
//       const void* bias, const long long bias_shape[1],
//       void* Y, const long long Y_shape[2],
//       cudaStream_t stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>

// The compiled entries, fastest first.
struct bf16;
extern "C" __global__ void linear_gelu(const bf16*, const bf16*, const bf16*, bf16*, int, int, int);
extern "C" __global__ void linear_gelu_any(const bf16*, const bf16*, const bf16*, bf16*, long long, long long, long long);

namespace {

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

/// Y = gelu(X · Wᵀ + bias), the weight stored output-major as frameworks store it.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   X: bf16[M, K], read
///   W: bf16[N, K], read
///   bias: bf16[N], read
///   Y: bf16[M, N], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are cudaErrorInvalidValue, and *why, where why is not null, says what is wrong.
extern "C" cudaError_t launch_linear_gelu(
    const void* X, const long long X_shape[2],
    const void* W, const long long W_shape[2],
    const void* bias, const long long bias_shape[1],
    void* Y, const long long Y_shape[2],
    cudaStream_t stream, const char** why) {
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
    const long long counts[] = {(N + 127) / 128, (M + 127) / 128};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return cudaSuccess;
    if (blocks < 0) return refuse(why, "linear_gelu: a grid of more than 2147483647 blocks");

    // Arguments that the fast entry can take.
    if (aligned(X, 16) && aligned(W, 16) && aligned(bias, 16) && aligned(Y, 16) && K % 8 == 0 && N % 8 == 0 && M <= 1073741824 && K <= 1073741824 && N <= 1073741824) {
        const int M_32 = (int)M;
        const int K_32 = (int)K;
        const int N_32 = (int)N;
        void* args[] = {arg(X), arg(W), arg(bias), arg(Y), arg(M_32), arg(K_32), arg(N_32)};
        return launch_kernel(reinterpret_cast<const void*>(&linear_gelu), blocks, 128, 65536, args, stream);
    }

    void* args[] = {arg(X), arg(W), arg(bias), arg(Y), arg(M), arg(K), arg(N)};
    return launch_kernel(reinterpret_cast<const void*>(&linear_gelu_any), blocks, 128, 65536, args, stream);
}
