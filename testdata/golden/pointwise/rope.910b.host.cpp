// Launcher of kernel `rope` of ../../examples/pointwise.tile for 910b, made by tilec. Do not edit.
// Generics: T = bf16, D = 128.
// Tuned: BS = 16.
//
// Compile it as Ascend C (with bisheng, --npu-arch=dav-2201); it includes the kernel, rope.910b.cpp,
// and declare what is called:
//   extern "C" aclError launch_rope(
//       const void* X, const long long X_shape[3],
//       const int* ids, const long long ids_shape[1],
//       const float* cosines, const long long cosines_shape[2],
//       const float* sines, const long long sines_shape[2],
//       void* Y, const long long Y_shape[3],
//       aclrtStream stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include <acl/acl.h>

#include "rope.910b.cpp"

namespace launcher_of_rope {

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

/// Rotary position embedding, halves rotated against each other, positions read from a table of ids.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   X: bf16[S, H, 128], read
///   ids: i32[S], read
///   cosines: f32[P, 64], read
///   sines: f32[P, 64], read
///   Y: bf16[S, H, 128], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are ACL_ERROR_INVALID_PARAM, and *why, where why is not null, says what is wrong.
extern "C" aclError launch_rope(
    const void* X, const long long X_shape[3],
    const int* ids, const long long ids_shape[1],
    const float* cosines, const long long cosines_shape[2],
    const float* sines, const long long sines_shape[2],
    void* Y, const long long Y_shape[3],
    aclrtStream stream, const char** why) {
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
    const long long counts[] = {std::min<long long>((S + 15) / 16 * H, 48)};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return ACL_SUCCESS;
    if (blocks < 0) return refuse(why, "rope: a grid of more than 2147483647 blocks");

    rope<<<static_cast<uint32_t>(blocks), nullptr, stream>>>(
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(X))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(ids))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(cosines))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(sines))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(Y))),
        S,
        H,
        P);
    return ACL_SUCCESS;
}

}  // namespace launcher_of_rope
