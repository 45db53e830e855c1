#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// Warp 0 brings tiles of 128 values by two buffers, warps 1 to 4 add them up: out[t] = sum of x[128 i + t].
extern "C" __global__ void __launch_bounds__(160) handover(const float *x, float *out, int tiles) {
  __shared__ float tile[2][128];
  __shared__ barrier full[2], empty[2];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    for (int s = 0; s < 2; s++) { init(&full[s], 160); init(&empty[s], 160); }
  block.sync();
  if (threadIdx.x < 32) {
    for (int i = 0; i < tiles; i++) {
      if (i >= 2) empty[i % 2].arrive_and_wait();
      for (int k = threadIdx.x; k < 128; k += 32) tile[i % 2][k] = x[128 * i + k];
      (void)full[i % 2].arrive();
    }
  } else {
    int t = threadIdx.x - 32;
    float sum = 0;
    for (int i = 0; i < tiles; i++) {
      full[i % 2].arrive_and_wait();
      sum += tile[i % 2][t];
      if (i + 2 < tiles) (void)empty[i % 2].arrive();
    }
    out[t] = sum;
  }
}

// The same by a pipeline of two stages whose copies are asynchronous: each thread adds what its neighbour copied.
extern "C" __global__ void __launch_bounds__(128) stages(const float4 *x, float *out, int tiles) {
  __shared__ float4 tile[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int t = threadIdx.x, n = 0;
  float sum = 0;
  for (int i = 0; i < tiles; i++) {
    for (; n < tiles && n < i + 2; n++) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[n % 2][t], &x[128 * n + t], cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    float4 v = tile[i % 2][(t + 1) % 128];
    sum += v.x + v.y + v.z + v.w;
    pipe.consumer_release();
  }
  out[t] = sum;
}

static __device__ inline void mma(float *d, const unsigned *a, const unsigned *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// C[16,8] += A[16,k] · W[8,k]^T, W of 4 bits with a zero of 8 and a scale for 32 of k: each block has k/gridDim.x.
extern "C" __global__ void __launch_bounds__(32) splitk4(const half *a, const unsigned char *w, const half *scale, float *c, int k) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4, part = k / gridDim.x;
  float d[4] = {0, 0, 0, 0};
  for (int k0 = blockIdx.x * part; k0 < (blockIdx.x + 1) * part; k0 += 16) {
    unsigned fa[4], fb[2];
    for (int i = 0; i < 4; i++) fa[i] = *(const unsigned *)&a[(g + i % 2 * 8) * k + k0 + t * 2 + i / 2 * 8];
    half s = scale[g * (k / 32) + k0 / 32];
    for (int i = 0; i < 2; i++) {
      unsigned q = w[(g * k + k0 + t * 2 + i * 8) / 2];
      half2 v = __halves2half2(__int2half_rn((int)(q & 15) - 8), __int2half_rn((int)(q >> 4) - 8));
      v = __hmul2(v, __half2half2(s));
      fb[i] = *(unsigned *)&v;
    }
    mma(d, fa, fb);
  }
  for (int i = 0; i < 4; i++) atomicAdd(&c[(g + i / 2 * 8) * 8 + t * 2 + i % 2], d[i]);
}
