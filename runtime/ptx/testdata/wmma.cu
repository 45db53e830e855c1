#include <mma.h>
using namespace nvcuda;
template <int M, int N, int K, class T, class S, class LA, class LB> __device__ void product(const T *a, const T *b, const S *c, S *d, int lda, int ldb) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, S> fc;
  __shared__ S out[M * N];
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] * (S)2;
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(out, fc, M, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < M * N; i += 32) d[i] = out[i % N * M + i / N];
}
using row = wmma::row_major;
using col = wmma::col_major;
#define P(name, M, N, K, T, S, LA, LB, lda, ldb) extern "C" __global__ void name(const T *a, const T *b, const S *c, S *d) { product<M, N, K, T, S, LA, LB>(a, b, c, d, lda, ldb); }
P(half16, 16, 16, 16, half, float, row, col, 16, 16)
P(half8, 8, 32, 16, half, float, col, row, 8, 32)
P(half32, 32, 8, 16, half, half, row, row, 16, 8)
P(bytes16, 16, 16, 16, signed char, int, row, col, 16, 16)
P(double8, 8, 8, 4, double, double, row, col, 4, 4)
