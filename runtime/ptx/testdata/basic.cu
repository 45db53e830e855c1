extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__constant__ int table[4] = {1, 2, 3, -4};

extern "C" __global__ void sum(const float *x, float *out, int n) {
  __shared__ float part[32];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
#ifndef NOBARRIER
  __syncthreads();
#endif
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x == 0) {
      atomicAdd(out, v * table[n & 3]);
      if (v < 0) printf("negative %f %d\n", v, n);
    }
  }
}

// Loops whose trip counts differ by lane, with early exits and a switch.
extern "C" __global__ void collatz(const unsigned *x, unsigned *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i], s = 0;
  while (v != 1) {
    if (v & 1) {
      v = 3 * v + 1;
      if (s > 100) break;
    } else {
      v >>= 1;
    }
    s++;
  }
  switch (s % 5) {
  case 0: s += 10; break;
  case 1: s *= 3; break;
  case 2: s ^= 0xff; break;
  case 3: s = s << 2 | 1; break;
  default: s -= 7;
  }
  steps[i] = s;
}

extern "C" __global__ void histogram(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

// Each lane takes a lock in turn: needs lanes of a warp to progress independently.
extern "C" __global__ void locked(int *lock, int *count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int *)count = *(volatile int *)count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// The last block to finish adds up what all blocks left.
__device__ unsigned finished;
extern "C" __global__ void lastblock(const float *x, float *partial, float *out, int n) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    float s = 0;
    for (int i = blockIdx.x; i < n; i += gridDim.x) s += x[i];
    partial[blockIdx.x] = s;
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    float s = 0;
    for (int i = 0; i < gridDim.x; i++) s += partial[i];
    *out = s;
  }
}

// All blocks wait for each other: they must be held together.
extern "C" __global__ void gridwide(unsigned *arrived, int *out) {
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile unsigned *)arrived < gridDim.x) {}
    __threadfence();
    out[blockIdx.x] = *arrived;
  }
}

__device__ __noinline__ float poly(float x, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s = s * x + i;
  return s;
}
extern "C" __global__ void calls(const float *x, float *y, int n) {
  int i = threadIdx.x;
  float a[8];
  for (int k = 0; k < 8; k++) a[k] = poly(x[i], k);
  float s = 0;
  for (int k = 0; k < n; k++) s += a[(k * 3 + i) & 7];
  y[i] = s;
  if (i == 40) { y[i] = poly(1.f, 3); }
}

extern "C" __global__ void named(float *x) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < 64) { // two warps meet at barrier 1, two others at barrier 2
    s[t] = x[t];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    x[t] = s[63 - t];
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    x[t] += 1;
  }
}

extern "C" __global__ void votes(const int *x, unsigned *out) {
  int t = threadIdx.x;
  int v = x[t];
  unsigned b = __ballot_sync(~0u, v > 3);
  int any = __any_sync(~0u, v == 7), all = __all_sync(~0u, v >= 0);
  unsigned mt = __match_any_sync(~0u, v);
  int n = __syncthreads_count(v & 1), o = __syncthreads_or(v == 9), a = __syncthreads_and(v < 8);
  unsigned r = __reduce_add_sync(~0u, v), rm = __reduce_max_sync(~0u, v);
  unsigned h = 0;
  if (v & 1) h = __popc(__activemask());
  out[t] = b ^ (any << 1) ^ (all << 2) ^ mt ^ (n << 8) ^ (o << 16) ^ (a << 17) ^ (r << 20) ^ rm ^ (h << 24);
}
