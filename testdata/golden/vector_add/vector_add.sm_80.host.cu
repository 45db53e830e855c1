// Launcher of kernel `vector_add` of ../../examples/vector_add.tile for sm_80, made by tilec. Do not edit.
// Generics: T = f32.
// Tuned: BN = 512.
//
// Compile it with the kernel:  nvcc -arch=sm_80 -c vector_add.sm_80.cu vector_add.sm_80.host.cu
// and declare what is called:
//   extern "C" cudaError_t launch_vector_add(
//       const float* A, const long long A_shape[1],
//       const float* B, const long long B_shape[1],
//       float* C, const long long C_shape[1],
//       cudaStream_t stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>

// The compiled entries, fastest first.
extern "C" __global__ void vector_add(const float*, const float*, float*, int);
extern "C" __global__ void vector_add_any(const float*, const float*, float*, long long);

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

/// C = A + B for vectors of any length.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   A: f32[N], read
///   B: f32[N], read
///   C: f32[N], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are cudaErrorInvalidValue, and *why, where why is not null, says what is wrong.
extern "C" cudaError_t launch_vector_add(
    const float* A, const long long A_shape[1],
    const float* B, const long long B_shape[1],
    float* C, const long long C_shape[1],
    cudaStream_t stream, const char** why) {
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
    const long long counts[] = {(N + 511) / 512};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return cudaSuccess;
    if (blocks < 0) return refuse(why, "vector_add: a grid of more than 2147483647 blocks");

    // Arguments that the fast entry can take.
    if (aligned(A, 16) && aligned(B, 16) && aligned(C, 16) && N <= 1073741824) {
        const int N_32 = (int)N;
        void* args[] = {arg(A), arg(B), arg(C), arg(N_32)};
        return launch_kernel(reinterpret_cast<const void*>(&vector_add), blocks, 128, 0, args, stream);
    }

    void* args[] = {arg(A), arg(B), arg(C), arg(N)};
    return launch_kernel(reinterpret_cast<const void*>(&vector_add_any), blocks, 128, 0, args, stream);
}
