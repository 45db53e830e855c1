// Kernel `k` of good.tile for sm_80, made by tilec. Do not edit.
//
// Launch: a one-dimensional grid of (N + 31) / 32 blocks; nothing if that is 0.
//   k: 32 threads, 0 bytes of dynamic shared memory; needs X, Y aligned to 16 bytes, every extent at most 2^30
//   k_any: 32 threads, 0 bytes of dynamic shared memory


extern "C" __global__ void __launch_bounds__(32, 1)
k(const float* __restrict__ X, float* __restrict__ Y, int N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_i = lane;
    const int b = blockIdx.x;
    // 2: grid (b: ceildiv(N, 32)) { Y[b*32 + i] = X[b*32 + i] over i: 32 }
    if (b * 32 + t_i < N) Y[b * 32 + t_i] = X[b * 32 + t_i];
}

extern "C" __global__ void __launch_bounds__(32, 1)
k_any(const float* __restrict__ X, float* __restrict__ Y, long long N) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x / 32;
    const int t_i = lane;
    const long long b = blockIdx.x;
    // 2: grid (b: ceildiv(N, 32)) { Y[b*32 + i] = X[b*32 + i] over i: 32 }
    if (b * 32 + t_i < N) Y[b * 32 + t_i] = X[b * 32 + t_i];
}
