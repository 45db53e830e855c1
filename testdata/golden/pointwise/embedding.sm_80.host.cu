// Launcher of kernel `embedding` of ../../examples/pointwise.tile for sm_80, made by tilec. Do not edit.
// Generics: T = f16.
// Tuned: BN = 4, BD = 256.
//
// Compile it with the kernel:  nvcc -arch=sm_80 -c embedding.sm_80.cu embedding.sm_80.host.cu
// and declare what is called:
//   extern "C" cudaError_t launch_embedding(
//       const int* ids, const long long ids_shape[1],
//       const void* table, const long long table_shape[2],
//       void* Y, const long long Y_shape[2],
//       cudaStream_t stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>

// The compiled entries, fastest first.
struct f16;
extern "C" __global__ void embedding(const int*, const f16*, f16*, int, int, int);
extern "C" __global__ void embedding_any(const int*, const f16*, f16*, long long, long long, long long);

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

/// Rows of a table picked by id.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   ids: i32[N], read
///   table: f16[V, D], read
///   Y: f16[N, D], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are cudaErrorInvalidValue, and *why, where why is not null, says what is wrong.
extern "C" cudaError_t launch_embedding(
    const int* ids, const long long ids_shape[1],
    const void* table, const long long table_shape[2],
    void* Y, const long long Y_shape[2],
    cudaStream_t stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long N = ids_shape[0];
    if (N < 0 || N > 281474976710656) return refuse(why, "embedding: ids: dimension 0 is %lld", N);
    const long long V = table_shape[0];
    if (V < 0 || V > 281474976710656) return refuse(why, "embedding: table: dimension 0 is %lld", V);
    const long long D = table_shape[1];
    if (D < 0 || D > 281474976710656) return refuse(why, "embedding: table: dimension 1 is %lld", D);

    // All other extents agree.
    if (Y_shape[0] != N) return refuse(why, "embedding: Y: dimension 0 is %lld, but N = %lld", Y_shape[0], N);
    if (Y_shape[1] != D) return refuse(why, "embedding: Y: dimension 1 is %lld, but D = %lld", Y_shape[1], D);

    // Tensors with elements have memory.
    if (ids == nullptr && !empty(ids_shape, 1)) return refuse(why, "embedding: ids: a null pointer");
    if (table == nullptr && !empty(table_shape, 2)) return refuse(why, "embedding: table: a null pointer");
    if (Y == nullptr && !empty(Y_shape, 2)) return refuse(why, "embedding: Y: a null pointer");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {(D + 255) / 256, (N + 3) / 4};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return cudaSuccess;
    if (blocks < 0) return refuse(why, "embedding: a grid of more than 2147483647 blocks");

    // Arguments that the fast entry can take.
    if (aligned(ids, 16) && aligned(table, 16) && aligned(Y, 16) && D % 8 == 0 && N <= 1073741824 && V <= 1073741824 && D <= 1073741824) {
        const int N_32 = (int)N;
        const int V_32 = (int)V;
        const int D_32 = (int)D;
        void* args[] = {arg(ids), arg(table), arg(Y), arg(N_32), arg(V_32), arg(D_32)};
        return launch_kernel(reinterpret_cast<const void*>(&embedding), blocks, 128, 0, args, stream);
    }

    void* args[] = {arg(ids), arg(table), arg(Y), arg(N), arg(V), arg(D)};
    return launch_kernel(reinterpret_cast<const void*>(&embedding_any), blocks, 128, 0, args, stream);
}
