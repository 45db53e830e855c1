// Launcher of kernel `matmul` of ../../examples/matmul.tile for sm_80, made by tilec. Do not edit.
// Generics: T = f16.
// Tuned: BM = 128, BN = 128, BK = 64, stages = 2.
//
// Compile it with the kernel:  nvcc -arch=sm_80 -c matmul.sm_80.cu matmul.sm_80.host.cu
// and declare what is called:
//   extern "C" cudaError_t launch_matmul(
//       const void* A, const long long A_shape[2],
//       const void* B, const long long B_shape[2],
//       void* C, const long long C_shape[2],
//       cudaStream_t stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>

// The compiled entries, fastest first.
struct f16;
extern "C" __global__ void matmul(const f16*, const f16*, f16*, int, int, int);
extern "C" __global__ void matmul_any(const f16*, const f16*, f16*, long long, long long, long long);

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

/// C = A · B, accumulated in f32.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   A: f16[M, K], read
///   B: f16[K, N], read
///   C: f16[M, N], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are cudaErrorInvalidValue, and *why, where why is not null, says what is wrong.
extern "C" cudaError_t launch_matmul(
    const void* A, const long long A_shape[2],
    const void* B, const long long B_shape[2],
    void* C, const long long C_shape[2],
    cudaStream_t stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long M = A_shape[0];
    if (M < 0 || M > 281474976710656) return refuse(why, "matmul: A: dimension 0 is %lld", M);
    const long long K = A_shape[1];
    if (K < 0 || K > 281474976710656) return refuse(why, "matmul: A: dimension 1 is %lld", K);
    const long long N = B_shape[1];
    if (N < 0 || N > 281474976710656) return refuse(why, "matmul: B: dimension 1 is %lld", N);

    // All other extents agree.
    if (B_shape[0] != K) return refuse(why, "matmul: B: dimension 0 is %lld, but K = %lld", B_shape[0], K);
    if (C_shape[0] != M) return refuse(why, "matmul: C: dimension 0 is %lld, but M = %lld", C_shape[0], M);
    if (C_shape[1] != N) return refuse(why, "matmul: C: dimension 1 is %lld, but N = %lld", C_shape[1], N);

    // Tensors with elements have memory.
    if (A == nullptr && !empty(A_shape, 2)) return refuse(why, "matmul: A: a null pointer");
    if (B == nullptr && !empty(B_shape, 2)) return refuse(why, "matmul: B: a null pointer");
    if (C == nullptr && !empty(C_shape, 2)) return refuse(why, "matmul: C: a null pointer");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {(N + 127) / 128, (M + 127) / 128};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return cudaSuccess;
    if (blocks < 0) return refuse(why, "matmul: a grid of more than 2147483647 blocks");

    // Arguments that the fast entry can take.
    if (aligned(A, 16) && aligned(B, 16) && aligned(C, 16) && K % 8 == 0 && N % 8 == 0 && M <= 1073741824 && K <= 1073741824 && N <= 1073741824) {
        const int M_32 = (int)M;
        const int K_32 = (int)K;
        const int N_32 = (int)N;
        void* args[] = {arg(A), arg(B), arg(C), arg(M_32), arg(K_32), arg(N_32)};
        return launch_kernel(reinterpret_cast<const void*>(&matmul), blocks, 128, 65536, args, stream);
    }

    void* args[] = {arg(A), arg(B), arg(C), arg(M), arg(K), arg(N)};
    return launch_kernel(reinterpret_cast<const void*>(&matmul_any), blocks, 128, 65536, args, stream);
}
