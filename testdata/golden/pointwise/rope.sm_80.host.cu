// Launcher of kernel `rope` of ../../examples/pointwise.tile for sm_80, made by tilec. Do not edit.
// Generics: T = bf16, D = 128.
// Tuned: BS = 4.
//
// Compile it with the kernel:  nvcc -arch=sm_80 -c rope.sm_80.cu rope.sm_80.host.cu
// and declare what is called:
//   extern "C" cudaError_t launch_rope(
//       const void* X, const long long X_shape[3],
//       const int* ids, const long long ids_shape[1],
//       const float* cosines, const long long cosines_shape[2],
//       const float* sines, const long long sines_shape[2],
//       void* Y, const long long Y_shape[3],
//       cudaStream_t stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>

// The compiled entries, fastest first.
struct bf16;
extern "C" __global__ void rope(const bf16*, const int*, const float*, const float*, bf16*, int, int, int);
extern "C" __global__ void rope_any(const bf16*, const int*, const float*, const float*, bf16*, long long, long long, long long);

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

/// Rotary position embedding, halves rotated against each other, positions read from a table of ids.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   X: bf16[S, H, 128], read
///   ids: i32[S], read
///   cosines: f32[P, 64], read
///   sines: f32[P, 64], read
///   Y: bf16[S, H, 128], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are cudaErrorInvalidValue, and *why, where why is not null, says what is wrong.
extern "C" cudaError_t launch_rope(
    const void* X, const long long X_shape[3],
    const int* ids, const long long ids_shape[1],
    const float* cosines, const long long cosines_shape[2],
    const float* sines, const long long sines_shape[2],
    void* Y, const long long Y_shape[3],
    cudaStream_t stream, const char** why) {
    if (why != nullptr) *why = nullptr;

    // Dimensions, each from the first extent that is it.
    const long long S = X_shape[0];
    if (S < 0 || S > 281474976710656) return refuse(why, "rope: X: dimension 0 is %lld", S);
    const long long H = X_shape[1];
    if (H < 0 || H > 281474976710656) return refuse(why, "rope: X: dimension 1 is %lld", H);
    const long long P = cosines_shape[0];
    if (P < 0 || P > 281474976710656) return refuse(why, "rope: cosines: dimension 0 is %lld", P);

    // All other extents agree.
    if (X_shape[2] != 128) return refuse(why, "rope: X: dimension 2 is %lld, 128 is needed", X_shape[2]);
    if (ids_shape[0] != S) return refuse(why, "rope: ids: dimension 0 is %lld, but S = %lld", ids_shape[0], S);
    if (cosines_shape[1] != 64) return refuse(why, "rope: cosines: dimension 1 is %lld, 64 is needed", cosines_shape[1]);
    if (sines_shape[0] != P) return refuse(why, "rope: sines: dimension 0 is %lld, but P = %lld", sines_shape[0], P);
    if (sines_shape[1] != 64) return refuse(why, "rope: sines: dimension 1 is %lld, 64 is needed", sines_shape[1]);
    if (Y_shape[0] != S) return refuse(why, "rope: Y: dimension 0 is %lld, but S = %lld", Y_shape[0], S);
    if (Y_shape[1] != H) return refuse(why, "rope: Y: dimension 1 is %lld, but H = %lld", Y_shape[1], H);
    if (Y_shape[2] != 128) return refuse(why, "rope: Y: dimension 2 is %lld, 128 is needed", Y_shape[2]);

    // Tensors with elements have memory.
    if (X == nullptr && !empty(X_shape, 3)) return refuse(why, "rope: X: a null pointer");
    if (ids == nullptr && !empty(ids_shape, 1)) return refuse(why, "rope: ids: a null pointer");
    if (cosines == nullptr && !empty(cosines_shape, 2)) return refuse(why, "rope: cosines: a null pointer");
    if (sines == nullptr && !empty(sines_shape, 2)) return refuse(why, "rope: sines: a null pointer");
    if (Y == nullptr && !empty(Y_shape, 3)) return refuse(why, "rope: Y: a null pointer");

    // The grid lies along x; nothing runs if it is empty.
    const long long counts[] = {(S + 3) / 4, H};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return cudaSuccess;
    if (blocks < 0) return refuse(why, "rope: a grid of more than 2147483647 blocks");

    // Arguments that the fast entry can take.
    if (aligned(X, 16) && aligned(ids, 16) && aligned(cosines, 16) && aligned(sines, 16) && aligned(Y, 16) && S <= 1073741824 && H <= 1073741824 && P <= 1073741824) {
        const int S_32 = (int)S;
        const int H_32 = (int)H;
        const int P_32 = (int)P;
        void* args[] = {arg(X), arg(ids), arg(cosines), arg(sines), arg(Y), arg(S_32), arg(H_32), arg(P_32)};
        return launch_kernel(reinterpret_cast<const void*>(&rope), blocks, 32, 0, args, stream);
    }

    void* args[] = {arg(X), arg(ids), arg(cosines), arg(sines), arg(Y), arg(S), arg(H), arg(P)};
    return launch_kernel(reinterpret_cast<const void*>(&rope_any), blocks, 32, 0, args, stream);
}
