#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int *x, int *out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int v = x[block.thread_rank()];
  int s = cg::reduce(tile, v, cg::plus<int>());
  int m = tile.shfl_xor(v, 3);
  auto active = cg::coalesced_threads();
  int c = active.size();
  if (v & 1) {
    auto odd = cg::coalesced_threads();
    c = odd.size() * 100 + odd.thread_rank();
  }
  block.sync();
  out[block.thread_rank()] = s + m * 1000 + c * 1000000;
}

// A message from block 0 to the others, in order by release and acquire.
extern "C" __global__ void message(int *data, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    if (threadIdx.x < 32) data[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    if (threadIdx.x == 0) f.store(1, cuda::memory_order_release);
  } else {
    if (threadIdx.x == 0)
      while (f.load(cuda::memory_order_acquire) == 0) {}
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = data[threadIdx.x] + 1;
  }
}

// The same without the order.
extern "C" __global__ void message_relaxed(int *data, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    if (threadIdx.x < 32) data[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    if (threadIdx.x == 0) f.store(1, cuda::memory_order_relaxed);
  } else {
    if (threadIdx.x == 0)
      while (f.load(cuda::memory_order_relaxed) == 0) {}
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = data[threadIdx.x] + 1;
  }
}

extern "C" __global__ void half_atomics(half2 *h, __nv_bfloat16 *b, half *s, double *d) {
  atomicAdd(h, __floats2half2_rn(1.f, 0.5f));
  atomicAdd(b, __float2bfloat16(2.f));
  atomicAdd(s, __float2half(0.25f));
  atomicAdd(d, 0.125);
}

// A producer warp and a consumer warp with named barriers, over two buffers.
extern "C" __global__ void pingpong(const float *x, float *y, int n) {
  __shared__ float buf[2][32];
  int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; i++) {
      if (i >= 2) asm volatile("bar.sync %0, 64;" ::"r"(3 + (i & 1)) : "memory");
      buf[i & 1][lane] = x[i * 32 + lane];
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + (i & 1)) : "memory");
    }
  } else {
    for (int i = 0; i < n; i++) {
      asm volatile("bar.sync %0, 64;" ::"r"(1 + (i & 1)) : "memory");
      y[i * 32 + lane] = buf[i & 1][31 - lane] * 2;
      if (i + 2 < n) asm volatile("bar.arrive %0, 64;" ::"r"(3 + (i & 1)) : "memory");
    }
  }
}

// Divergence in a loop within a branch, with returns from the middle.
extern "C" __global__ void wandering(const int *x, int *y) {
  int t = threadIdx.x, v = x[t], s = 0;
  __shared__ int total;
  if (t == 0) total = 0;
  __syncthreads();
  for (int i = 0; i < 10; i++) {
    if (v % 3 == 0) {
      for (int j = 0; j < v % 7; j++) {
        if (j == 4 && i == 5) { y[t] = -s; goto end; }
        s += j * i;
        if (s > 500) break;
      }
    } else if (v % 3 == 1) {
      if (i == 7) continue;
      s += __popc(__activemask()) > 0;
    } else {
      s ^= i << 3;
    }
    v = v * 5 + 1;
  }
  y[t] = s;
end:
  atomicAdd(&total, 1);
  __syncthreads();
  if (t == 0) y[blockDim.x] = total;
}
