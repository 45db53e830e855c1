#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// Functions of one number, chosen by f, computed by CUDA's own library.
extern "C" __global__ void single(const float *x, float *y, int n, int f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (f) {
  case 0: v = sinf(v); break;
  case 1: v = cosf(v); break;
  case 2: v = expf(v); break;
  case 3: v = logf(v); break;
  case 4: v = powf(v, 1.7f); break;
  case 5: v = tanhf(v); break;
  case 6: v = erff(v); break;
  case 7: v = cbrtf(v); break;
  case 8: v = lgammaf(v); break;
  case 9: v = atanf(v); break;
  case 10: v = fmodf(v, 0.7f); break;
  case 11: v = log1pf(v); break;
  case 12: v = expm1f(v); break;
  case 13: v = rintf(v); break;
  case 14: v = 1.0f / v; break;
  case 15: v = sqrtf(v); break;
  case 16: v = tanf(v); break;
  case 17: v = exp2f(v); break;
  case 18: v = rsqrtf(v); break;
  case 19: v = v / 3.1f; break;
  }
  y[i] = v;
}

extern "C" __global__ void wide(const double *x, double *y, int n, int f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  switch (f) {
  case 0: v = sin(v); break;
  case 1: v = cos(v); break;
  case 2: v = exp(v); break;
  case 3: v = log(v); break;
  case 4: v = pow(v, 1.7); break;
  case 5: v = tanh(v); break;
  case 6: v = erf(v); break;
  case 7: v = cbrt(v); break;
  case 8: v = sqrt(v); break;
  case 9: v = 1.0 / v; break;
  case 10: v = v / 3.1; break;
  case 11: v = fmod(v, 0.7); break;
  }
  y[i] = v;
}

// Division of integers, which the compiler turns into multiplications.
extern "C" __global__ void divide(const int *a, const int *b, int *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long x = (long long)a[i] * 1000003 + b[i], z = b[i];
  q[5 * i] = a[i] / b[i];
  q[5 * i + 1] = a[i] % 7;
  q[5 * i + 2] = (unsigned)a[i] / 10u;
  q[5 * i + 3] = (int)(x / z);
  q[5 * i + 4] = (int)((unsigned long long)x % 1000000007ull);
}

// Packed and narrow floats.
extern "C" __global__ void narrow(const float2 *x, float2 *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 h = __float22half2_rn(x[i]);
  __nv_bfloat162 b = __float22bfloat162_rn(x[i]);
  h = __hfma2(h, h, __hmul2(h, __float2half2_rn(0.5f)));
  b = __hmax2(b, __hneg2(b));
  __nv_fp8x2_e4m3 e4(x[i]);
  __nv_fp8x2_e5m2 e5(x[i]);
  float2 p = (float2)e4, q = (float2)e5, hf = __half22float2(h), bf = __bfloat1622float2(b);
  y[4 * i] = p;
  y[4 * i + 1] = q;
  y[4 * i + 2] = hf;
  y[4 * i + 3] = bf;
}

struct Pair { int a; float b; char c[5]; };
__device__ __noinline__ Pair swap(Pair p, int k) { Pair r; r.a = (int)p.b; r.b = p.a; for (int i = 0; i < 5; i++) r.c[i] = p.c[(i + k) % 5]; return r; }

// Structures through calls, local arrays, 64-bit atomics.
extern "C" __global__ void structures(Pair p, unsigned long long *sum, int *out) {
  Pair r = swap(p, threadIdx.x % 5);
  out[threadIdx.x] = r.a * 1000 + r.c[threadIdx.x % 3] + (int)r.b;
  atomicAdd(sum, (unsigned long long)r.c[0]);
  atomicMax(sum + 1, (unsigned long long)threadIdx.x << 40);
}

extern "C" __global__ void checked(const int *x, int n) {
  int i = threadIdx.x;
  if (i < n && x[i] == 7) { printf("%s at %d: %5.2f %c %llu %%\n", "seven", i, 1.5, 'x', 1ull << 40); __trap(); }
}
