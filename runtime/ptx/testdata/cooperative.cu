#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

// Every element becomes its right neighbour's plus one, over and over.
extern "C" __global__ void rotate(int *data, int rounds) {
  auto g = cg::this_grid();
  int t = g.thread_rank(), n = g.size();
  for (int r = 0; r < rounds; r++) {
    int v = data[(t + 1) % n];
    g.sync();
    data[t] = v + 1;
    g.sync();
  }
}

// One warp copies tiles of 128 elements, which the others add up. It ends before they do.
extern "C" __global__ void ahead(const float *x, float *y, int tiles) {
  __shared__ float buf[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto role = block.thread_rank() < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto p = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int i = 0; i < tiles; i++) {
      p.producer_acquire();
      for (int k = threadIdx.x; k < 128; k += 32) cuda::memcpy_async(&buf[i % 2][k], x + i * 128 + k, sizeof(float), p);
      p.producer_commit();
    }
    return;
  }
  int t = threadIdx.x - 32;
  float sum = 0;
  for (int i = 0; i < tiles; i++) {
    p.consumer_wait();
    sum += buf[i % 2][t ^ 1];
    p.consumer_release();
  }
  y[t] = sum;
}
