// Launcher of kernel `layernorm` of ../../examples/norms.tile for sm_80, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BN = 512.
//
// Compile it with the kernel:  nvcc -arch=sm_80 -c layernorm.sm_80.cu layernorm.sm_80.host.cu
// and declare what is called:
//   extern "C" cudaError_t launch_layernorm(
//       const float* X, const long long X_shape[2],
//       const float* G, const long long G_shape[1],
//       const float* B, const long long B_shape[1],
//       float* Y, const long long Y_shape[2],
//       float eps,
//       cudaStream_t stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>

// The compiled entries, fastest first.
extern "C" __global__ void layernorm(const float*, const float*, const float*, float*, float, int, int);
extern "C" __global__ void layernorm_any(const float*, const float*, const float*, float*, float, long long, long long);

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

// Launches an entry.
cudaError_t launch_kernel(const void* entry, long long blocks, int threads, size_t shared, void** args, cudaStream_t stream) {
    return cudaLaunchKernel(entry, dim3((unsigned)blocks), dim3((unsigned)threads), args, shared, stream);
}

}  // namespace

/// Y = (X - mean) / sqrt(var + eps) * G + B, row by row, in two passes (no cancellation).
///
/// Starts the kernel on a stream of the current device. Arguments:
///   X: f32[M, N], read
///   G: f32[N], read
///   B: f32[N], read
///   Y: f32[M, N], written
///   eps: f32
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are cudaErrorInvalidValue, and *why, where why is not null, says what is wrong.
extern "C" cudaError_t launch_layernorm(
    const float* X, const long long X_shape[2],
    const float* G, const long long G_shape[1],
    const float* B, const long long B_shape[1],
    float* Y, const long long Y_shape[2],
    float eps,
    cudaStream_t stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long M = X_shape[0];
    if (M < 0 || M > 281474976710656) return refuse(why, "layernorm: X: dimension 0 is %lld", M);
    const long long N = X_shape[1];
    if (N < 0 || N > 281474976710656) return refuse(why, "layernorm: X: dimension 1 is %lld", N);

    // All other extents agree.
    if (G_shape[0] != N) return refuse(why, "layernorm: G: dimension 0 is %lld, but N = %lld", G_shape[0], N);
    if (B_shape[0] != N) return refuse(why, "layernorm: B: dimension 0 is %lld, but N = %lld", B_shape[0], N);
    if (Y_shape[0] != M) return refuse(why, "layernorm: Y: dimension 0 is %lld, but M = %lld", Y_shape[0], M);
    if (Y_shape[1] != N) return refuse(why, "layernorm: Y: dimension 1 is %lld, but N = %lld", Y_shape[1], N);

    // Tensors with elements have memory.
    if (X == nullptr && !empty(X_shape, 2)) return refuse(why, "layernorm: X: a null pointer");
    if (G == nullptr && !empty(G_shape, 1)) return refuse(why, "layernorm: G: a null pointer");
    if (B == nullptr && !empty(B_shape, 1)) return refuse(why, "layernorm: B: a null pointer");
    if (Y == nullptr && !empty(Y_shape, 2)) return refuse(why, "layernorm: Y: a null pointer");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {M};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return cudaSuccess;
    if (blocks < 0) return refuse(why, "layernorm: a grid of more than 2147483647 blocks");

    // Arguments that the fast entry can take.
    if (aligned(X, 16) && aligned(G, 16) && aligned(B, 16) && aligned(Y, 16) && N % 4 == 0 && M <= 1073741824 && N <= 1073741824) {
        const int M_32 = (int)M;
        const int N_32 = (int)N;
        void* args[] = {arg(X), arg(G), arg(B), arg(Y), arg(eps), arg(M_32), arg(N_32)};
        return launch_kernel(reinterpret_cast<const void*>(&layernorm), blocks, 128, 144, args, stream);
    }

    void* args[] = {arg(X), arg(G), arg(B), arg(Y), arg(eps), arg(M), arg(N)};
    return launch_kernel(reinterpret_cast<const void*>(&layernorm_any), blocks, 128, 144, args, stream);
}
