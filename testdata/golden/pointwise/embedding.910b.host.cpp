// Launcher of kernel `embedding` of ../../examples/pointwise.tile for 910b, made by tilec. Do not edit.
// Generics: T = f16.
// Tuned: BN = 16, BD = 512.
//
// Compile it as Ascend C (with bisheng, --npu-arch=dav-2201); it includes the kernel, embedding.910b.cpp,
// and declare what is called:
//   extern "C" aclError launch_embedding(
//       const int* ids, const long long ids_shape[1],
//       const void* table, const long long table_shape[2],
//       void* Y, const long long Y_shape[2],
//       aclrtStream stream, const char** why);

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include <acl/acl.h>

#include "embedding.910b.cpp"

namespace launcher_of_embedding {

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

/// Rows of a table picked by id.
///
/// Starts the kernel on a stream of the current device. Arguments:
///   ids: i32[N], read
///   table: f16[V, D], read
///   Y: f16[N, D], written
/// A tensor is row-major and comes with its extents, outermost first. A written one shares no memory with another.
/// Arguments that do not fit are ACL_ERROR_INVALID_PARAM, and *why, where why is not null, says what is wrong.
extern "C" aclError launch_embedding(
    const int* ids, const long long ids_shape[1],
    const void* table, const long long table_shape[2],
    void* Y, const long long Y_shape[2],
    aclrtStream stream, const char** why) {
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
    const long long counts[] = {std::min<long long>((D + 511) / 512 * ((N + 15) / 16), 48)};
    const long long blocks = grid_size(counts, 2147483647);
    if (blocks == 0) return ACL_SUCCESS;
    if (blocks < 0) return refuse(why, "embedding: a grid of more than 2147483647 blocks");

    embedding<<<static_cast<uint32_t>(blocks), nullptr, stream>>>(
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(ids))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(table))),
        static_cast<uint8_t*>(const_cast<void*>(static_cast<const void*>(Y))),
        N,
        V,
        D);
    return ACL_SUCCESS;
}

}  // namespace launcher_of_embedding
