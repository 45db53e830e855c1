typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;
struct alignas(64) Map { u64 w[16]; };

static __device__ inline u32 sptr(const void *p) { return (u32)__cvta_generic_to_shared(p); }
static __device__ inline void bar_init(u32 b, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n)); }
static __device__ inline void bar_expect(u32 b, u32 n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(n) : "memory"); }
static __device__ inline void bar_arrive(u32 b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory"); }
static __device__ inline void bar_wait(u32 b, u32 parity) {
  asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(b), "r"(parity) : "memory");
}
static __device__ inline void tma2(u32 dst, const Map *m, int x, int y, u32 bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(dst), "l"(m), "r"(x), "r"(y), "r"(bar) : "memory");
}
static __device__ inline void tma_store2(const Map *m, int x, int y, u32 src) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m), "r"(x), "r"(y), "r"(src) : "memory");
}
static __device__ inline u64 desc(u32 a, u32 lbo, u32 sbo, u64 mode) {
  return (u64)((a & 0x3ffff) >> 4) | (u64)(lbo >> 4) << 16 | (u64)(sbo >> 4) << 32 | mode << 62;
}
static __device__ inline void wg_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ inline void wg_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> static __device__ inline void wg_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }
#define D32 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"
#define DREGS(d) "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]),"+f"(d[4]),"+f"(d[5]),"+f"(d[6]),"+f"(d[7]),"+f"(d[8]),"+f"(d[9]),"+f"(d[10]),"+f"(d[11]),"+f"(d[12]),"+f"(d[13]),"+f"(d[14]),"+f"(d[15]),"+f"(d[16]),"+f"(d[17]),"+f"(d[18]),"+f"(d[19]),"+f"(d[20]),"+f"(d[21]),"+f"(d[22]),"+f"(d[23]),"+f"(d[24]),"+f"(d[25]),"+f"(d[26]),"+f"(d[27]),"+f"(d[28]),"+f"(d[29]),"+f"(d[30]),"+f"(d[31])
template <int TA, int TB>
static __device__ inline void wgmma64(float *d, u64 a, u64 b, int add) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " D32 ", %32, %33, p, 1, 1, %35, %36;\n}"
               : DREGS(d) : "l"(a), "l"(b), "r"(add), "n"(TA), "n"(TB));
}

// C[m,n] = A[m,k] · B[n,k]^T by tiles of 64 x 64 x 64: a producer warp, one consumer
// warpgroup, a ring of 3 stages filled by TMA, the result stored by TMA.
extern "C" __global__ void __launch_bounds__(160) gemm(const __grid_constant__ Map A, const __grid_constant__ Map B, const __grid_constant__ Map C, int k) {
  extern __shared__ __align__(1024) unsigned char raw[];
  __shared__ __align__(8) u64 full[3], empty[3];
  unsigned char *smem = (unsigned char *)(((u64)raw + 1023) & ~1023ull);
  const int S = 3;
  int t = threadIdx.x, steps = k / 64;
  u32 base = sptr(smem);
  if (t == 0) {
    for (int s = 0; s < S; s++) { bar_init(sptr(&full[s]), 1); bar_init(sptr(&empty[s]), 4); }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (t >= 128) {
    if (t == 128) {
      for (int i = 0; i < steps; i++) {
        int s = i % S;
        bar_wait(sptr(&empty[s]), (i / S & 1) ^ 1);
        bar_expect(sptr(&full[s]), 16384);
        tma2(base + s * 16384, &A, i * 64, blockIdx.y * 64, sptr(&full[s]));
        tma2(base + s * 16384 + 8192, &B, i * 64, blockIdx.x * 64, sptr(&full[s]));
      }
    }
    return;
  }
  float d[32];
  for (int i = 0; i < 32; i++) d[i] = 0;
  for (int i = 0; i < steps; i++) {
    int s = i % S;
    bar_wait(sptr(&full[s]), i / S & 1);
    u64 a = desc(base + s * 16384, 16, 1024, 1), b = desc(base + s * 16384 + 8192, 16, 1024, 1);
    wg_fence();
#pragma unroll
    for (int kk = 0; kk < 4; kk++) wgmma64<0, 0>(d, a + 2 * kk, b + 2 * kk, i | kk);
    wg_commit();
    wg_wait<0>();
    if ((t & 31) == 0) bar_arrive(sptr(&empty[s]));
  }
  // The result as two panels of 64 x 32 f32 with the 128-byte swizzle, past the ring.
  int w = t >> 5, g = (t & 31) >> 2, q = t & 3;
  for (int j = 0; j < 8; j++)
    for (int h = 0; h < 2; h++) {
      int row = w * 16 + g + 8 * h, col = 8 * j + 2 * q;
      unsigned off = (col / 32) * 8192 + row * 128 + (col % 32) * 4;
      off ^= (off >> 7 & 7) << 4;
      float2 *p = (float2 *)(smem + 3 * 16384 + off);
      *p = make_float2(d[4 * j + 2 * h], d[4 * j + 2 * h + 1]);
    }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("bar.sync 1, 128;" ::: "memory");
  if (t == 0) {
    tma_store2(&C, blockIdx.x * 64, blockIdx.y * 64, base + 3 * 16384);
    tma_store2(&C, blockIdx.x * 64 + 32, blockIdx.y * 64, base + 3 * 16384 + 8192);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// One block: operands stored by threads, K- or MN-contiguous by the mode, then one
// product of 64 x 64 x 64. A[m][k] and B[n][k] in global memory.
template <int MODE> static __device__ void layouts(const u16 *A, const u16 *B, float *C) {
  extern __shared__ __align__(1024) unsigned char raw[];
  unsigned char *smem = (unsigned char *)(((u64)raw + 1023) & ~1023ull);
  int t = threadIdx.x;
  for (int i = t; i < 64 * 64; i += 128) {
    int r = i / 64, k = i % 64;
    unsigned off = 0;
    if (MODE == 0) off = (r / 8) * 128 + (r % 8) * 16 + (k / 8) * 1024 + (k % 8) * 2;                          // no swizzle, K-contiguous
    if (MODE == 1) { off = (k / 16) * 2048 + r * 32 + (k % 16) * 2; off ^= (off >> 7 & 1) << 4; }               // 32 bytes
    if (MODE == 2) { off = (k / 32) * 4096 + r * 64 + (k % 32) * 2; off ^= (off >> 7 & 3) << 4; }               // 64 bytes
    if (MODE == 3) { off = r * 128 + k * 2; off ^= (off >> 7 & 7) << 4; }                                       // 128 bytes
    if (MODE == 4) { off = k * 128 + r * 2; off ^= (off >> 7 & 7) << 4; }                                       // 128 bytes, M-contiguous
    if (MODE == 5) { off = (r / 32) * 4096 + k * 64 + (r % 32) * 2; off ^= (off >> 7 & 3) << 4; }               // 64 bytes, M-contiguous
    if (MODE == 6) { off = (r / 16) * 2048 + k * 32 + (r % 16) * 2; off ^= (off >> 7 & 1) << 4; }               // 32 bytes, M-contiguous
    if (MODE == 7) off = (r / 8) * 128 + (k / 8) * 1024 + (k % 8) * 16 + (r % 8) * 2;                          // no swizzle, M-contiguous
    *(u16 *)(smem + off) = A[i];
    *(u16 *)(smem + 8192 + off) = B[i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[32];
  for (int i = 0; i < 32; i++) d[i] = 0;
  wg_fence();
#pragma unroll
  for (int kk = 0; kk < 4; kk++) {
    u32 step, lbo, sbo;
    u64 mode;
    if (MODE == 0) step = 2048, lbo = 1024, sbo = 128, mode = 0;
    if (MODE == 1) step = 2048, lbo = 16, sbo = 256, mode = 3;
    if (MODE == 2) step = kk < 2 ? 32 : (4096 - 64 + kk * 32) / (kk ? kk : 1), lbo = 16, sbo = 512, mode = 2;
    if (MODE == 3) step = 32, lbo = 16, sbo = 1024, mode = 1;
    if (MODE == 4) step = 2048, lbo = 8192, sbo = 1024, mode = 1;
    if (MODE == 5) step = 1024, lbo = 4096, sbo = 512, mode = 2;
    if (MODE == 6) step = 512, lbo = 2048, sbo = 256, mode = 3;
    if (MODE == 7) step = 2048, lbo = 1024, sbo = 128, mode = 0;
    u32 off = MODE == 2 ? (kk / 2) * 4096 + (kk % 2) * 32 : step * kk;
    wgmma64<MODE >= 4, MODE >= 4>(d, desc(sptr(smem) + off, lbo, sbo, mode), desc(sptr(smem) + 8192 + off, lbo, sbo, mode), kk);
  }
  wg_commit();
  wg_wait<0>();
  int w = t >> 5, g = (t & 31) >> 2, q = t & 3;
  for (int i = 0; i < 32; i++) C[(w * 16 + g + 8 * (i >> 1 & 1)) * 64 + 8 * (i >> 2) + 2 * q + (i & 1)] = d[i];
}
#define LAYOUT(n) extern "C" __global__ void __launch_bounds__(128) layout##n(const u16 *A, const u16 *B, float *C) { layouts<n>(A, B, C); }
LAYOUT(0) LAYOUT(1) LAYOUT(2) LAYOUT(3) LAYOUT(4) LAYOUT(5) LAYOUT(6) LAYOUT(7)

// Plain bulk copies there and back, with a sum on the way, and a reduction.
extern "C" __global__ void bulk(const float *x, float *y, float *sum) {
  __shared__ __align__(128) float buf[256];
  __shared__ __align__(8) u64 bar;
  int t = threadIdx.x;
  if (t == 0) {
    bar_init(sptr(&bar), 1);
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  if (t == 0) {
    bar_expect(sptr(&bar), 1024);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sptr(buf)), "l"(x + blockIdx.x * 256), "r"(1024), "r"(sptr(&bar)) : "memory");
  }
  bar_wait(sptr(&bar), 0);
  for (int i = t; i < 256; i += blockDim.x) buf[i] = buf[i] * 2 + 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(y + blockIdx.x * 256), "r"(sptr(buf)), "r"(1024) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(sum), "r"(sptr(buf)), "r"(1024) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    buf[0] = -1;
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// Blocks of a cluster: each reads its neighbour's shared memory, and adds to block 0's counter.
extern "C" __global__ void __cluster_dims__(4, 1, 1) neighbours(int *out) {
  __shared__ int mine[32];
  __shared__ int count;
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  if (threadIdx.x == 0) count = 0;
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  u32 at;
  int v;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(sptr(&mine[threadIdx.x])), "r"((rank + 1) % 4));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(sptr(&count)), "r"(0));
  asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(at), "r"(1) : "memory");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  out[blockIdx.x * 32 + threadIdx.x] = v + (rank == 0 ? count * 100000 : 0);
}

// Block 0 of a pair loads a tile for both; the other tells it when it has read it.
extern "C" __global__ void __cluster_dims__(2, 1, 1) multicast(const __grid_constant__ Map M, float *out, int n) {
  __shared__ __align__(128) float tile[32 * 8];
  __shared__ __align__(8) u64 full, empty;
  u32 rank, remote;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  int t = threadIdx.x;
  if (t == 0) {
    bar_init(sptr(&full), 1);
    bar_init(sptr(&empty), 2);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(sptr(&empty)), "r"(0));
  for (int i = 0; i < n; i++) {
    if (t == 0) {
      bar_expect(sptr(&full), 1024);
      if (rank == 0) {
        bar_wait(sptr(&empty), (i & 1) ^ 1);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(sptr(tile)), "l"(&M), "r"(0), "r"(i * 8), "r"(sptr(&full)), "h"((u16)3) : "memory");
      }
    }
    bar_wait(sptr(&full), i & 1);
    out[(i * 2 + rank) * 32 + t] = tile[(t % 8) * 32 + t] + rank;
    __syncwarp();
    if (t == 0) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// A copy by threads that an mbarrier counts.
extern "C" __global__ void counted(const int *x, int *y) {
  __shared__ __align__(16) int buf[64];
  __shared__ __align__(8) u64 bar;
  int t = threadIdx.x;
  if (t == 0) bar_init(sptr(&bar), 64);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(sptr(&buf[t])), "l"(x + t) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(sptr(&bar)) : "memory");
  bar_wait(sptr(&bar), 0);
  y[t] = buf[63 - t];
}
