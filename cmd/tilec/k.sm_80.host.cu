// Launcher of kernel `k` of /tmp/TestExitCodes3355743416/001/good.tile for sm_80, made by tilec. Do not edit.
//
// Compile it with the kernel:  nvcc -arch=sm_80 -c k.sm_80.cu k.sm_80.host.cu
// and declare what is called:
//   extern "C" cudaError_t launch_k(
//       const float* X, const long long X_shape[1],
//       float* Y, const long long Y_shape[1],
//       cudaStream_t stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>

// The compiled entries, fastest first.
extern "C" __global__ void k(const float*, float*, int);
extern "C" __global__ void k_any(const float*, float*, long long);

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

/// Starts the kernel on a stream of the current device. Arguments:
///   X: f32[N], read
///   Y: f32[N], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are cudaErrorInvalidValue, and *why, where why is not null, says what is wrong.
extern "C" cudaError_t launch_k(
    const float* X, const long long X_shape[1],
    float* Y, const long long Y_shape[1],
    cudaStream_t stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long N = X_shape[0];
    if (N < 0 || N > 281474976710656) return refuse(why, "k: X: dimension 0 is %lld", N);

    // All other extents agree.
    if (Y_shape[0] != N) return refuse(why, "k: Y: dimension 0 is %lld, but N = %lld", Y_shape[0], N);

    // Tensors with elements have memory.
    if (X == nullptr && !empty(X_shape, 1)) return refuse(why, "k: X: a null pointer");
    if (Y == nullptr && !empty(Y_shape, 1)) return refuse(why, "k: Y: a null pointer");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {(N + 31) / 32};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return cudaSuccess;
    if (blocks < 0) return refuse(why, "k: a grid of more than 2147483647 blocks");

    // Arguments that the fast entry can take.
    if (aligned(X, 16) && aligned(Y, 16) && N <= 1073741824) {
        const int N_32 = (int)N;
        void* args[] = {arg(X), arg(Y), arg(N_32)};
        return launch_kernel(reinterpret_cast<const void*>(&k), blocks, 32, 0, args, stream);
    }

    void* args[] = {arg(X), arg(Y), arg(N)};
    return launch_kernel(reinterpret_cast<const void*>(&k_any), blocks, 32, 0, args, stream);
}
