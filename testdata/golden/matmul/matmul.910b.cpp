// Kernel `matmul` of matmul.tile for 910b, made by tilec. Do not edit.
// Generics: T = f16.
// Tuned: BM = 128, BN = 256, BK = 64, stages = 2.
//
// Launch: min((N + 255) / 256 * ((M + 127) / 128), 24) blocks, cube cores; nothing if that is 0. No workspace.

#include "kernel_operator.h"

using namespace AscendC;

// floor_div and floor_mod round toward negative infinity; by zero they give 0.
template <class T> __aicore__ inline T floor_div(T x, T y) {
    if (y == 0) return 0;
    T q = x / y;
    return (x % y != 0 && (x < 0) != (y < 0)) ? q - 1 : q;
}

template <class T> __aicore__ inline T floor_mod(T x, T y) {
    if (y == 0) return 0;
    T r = x % y;
    return (r != 0 && (r < 0) != (y < 0)) ? r + y : r;
}

template <class T> __aicore__ inline T minimum(T x, T y) { return x < y ? x : y; }

template <class T> __aicore__ inline T maximum(T x, T y) { return x > y ? x : y; }

/// C = A · B, accumulated in f32.
extern "C" __global__ __aicore__ void matmul(GM_ADDR A, GM_ADDR B, GM_ADDR C, int64_t M, int64_t K, int64_t N) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    InitSocState();
    GlobalTensor<half> AGm;
    AGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(A), K * M);
    GlobalTensor<half> BGm;
    BGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(B), N * K);
    GlobalTensor<half> CGm;
    CGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(C), N * M);
    SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_MTE2>(1);
    SetFlag<HardEvent::MTE1_MTE2>(2);
    SetFlag<HardEvent::MTE1_MTE2>(3);
    SetFlag<HardEvent::M_MTE1>(0);
    SetFlag<HardEvent::M_MTE1>(1);
    SetFlag<HardEvent::M_MTE1>(2);
    SetFlag<HardEvent::FIX_M>(0);
    LocalTensor<float> acc(TPosition::CO1, 0, 32768); // f32[1, 128, 256]
    LocalTensor<half> a(TPosition::A1, 65536, 16384); // f16[2, 128, 64]
    // 5: tile a: T[BM, BK]
    int64_t a_slot = 0;
    LocalTensor<half> b(TPosition::A1, 0, 32768); // f16[2, 64, 256]
    LocalTensor<half> a_l0(TPosition::A2, 0, 16384); // f16[2, 128, 64]
    // 11: gemm a, b -> acc
    int64_t a_l0_slot = 0;
    LocalTensor<half> b_l0(TPosition::B2, 0, 32768); // f16[2, 256, 64]
    // 2: kernel matmul[T: dtype in [f16, bf16, f32] = f16](A: T[M, K], B: T[K, N], C: out T[M, N]) {
    for (int64_t instance = GetBlockIdx(); instance < (N + 255) / 256 * ((M + 127) / 128); instance += GetBlockNum()) {
        const int64_t bx = floor_mod<int64_t>(instance, (N + 255) / 256);
        const int64_t by = floor_div<int64_t>(instance, (N + 255) / 256);
        WaitFlag<HardEvent::M_MTE1>(2);
        WaitFlag<HardEvent::FIX_M>(0);
        // 8: pipeline k in 0 .. ceildiv(K, BK), stages {
        if (0 >= (K + 63) / 64) {
            // 11: gemm a, b -> acc
            Fill(a_l0[a_l0_slot * 8192].ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, 32, 0, 0)); // zeros
            Fill(b_l0[a_l0_slot * 16384].ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, 64, 0, 0)); // zeros
            SetFlag<HardEvent::MTE1_M>(a_l0_slot);
            WaitFlag<HardEvent::MTE1_M>(a_l0_slot);
            {
                Mmad(acc, a_l0[a_l0_slot * 8192], b_l0[a_l0_slot * 16384], MmadParams(128, 256, 64, 0, false, true));
            }
        } else {
            // 8: pipeline k in 0 .. ceildiv(K, BK), stages {
            for (int64_t k = 0; k < (K + 63) / 64; ++k) {
                WaitFlag<HardEvent::MTE1_MTE2>(a_slot);
                // 9: copy A[by*BM, k*BK] -> a
                {
                    const int64_t rows_2 = minimum<int64_t>(M - by * 128, 128);
                    const int64_t cols_2 = minimum<int64_t>(K - k * 64, 64);
                    if (rows_2 > 0 && cols_2 > 0) {
                        if (K <= 65535) {
                            DataCopy(a[a_slot * 8192], AGm[by * 128 * K + k * 64], Nd2NzParams(1, static_cast<uint16_t>(rows_2), static_cast<uint16_t>(cols_2), 0, static_cast<uint16_t>(K), 128, 1, 0));
                        } else {
                            for (int64_t row = 0; row < rows_2; ++row) {
                                DataCopy(a[a_slot * 8192 + row * 16], AGm[by * 128 * K + k * 64 + row * K], Nd2NzParams(1, 1, static_cast<uint16_t>(cols_2), 0, 1, 128, 1, 0));
                            }
                        }
                    }
                }
                WaitFlag<HardEvent::MTE1_MTE2>(a_slot + 2);
                // 10: copy B[k*BK, bx*BN] -> b
                {
                    const int64_t rows_3 = minimum<int64_t>(K - k * 64, 64);
                    const int64_t cols_3 = minimum<int64_t>(N - bx * 256, 256);
                    if (rows_3 > 0 && cols_3 > 0) {
                        if (N <= 65535) {
                            DataCopy(b[a_slot * 16384], BGm[k * 64 * N + bx * 256], Nd2NzParams(1, static_cast<uint16_t>(rows_3), static_cast<uint16_t>(cols_3), 0, static_cast<uint16_t>(N), 64, 1, 0));
                        } else {
                            for (int64_t row_2 = 0; row_2 < rows_3; ++row_2) {
                                DataCopy(b[a_slot * 16384 + row_2 * 16], BGm[k * 64 * N + bx * 256 + row_2 * N], Nd2NzParams(1, 1, static_cast<uint16_t>(cols_3), 0, 1, 64, 1, 0));
                            }
                        }
                    }
                }
                SetFlag<HardEvent::MTE2_MTE1>(a_slot);
                WaitFlag<HardEvent::MTE2_MTE1>(a_slot);
                WaitFlag<HardEvent::M_MTE1>(a_l0_slot);
                // 11: gemm a, b -> acc
                {
                    const int64_t rows_4 = minimum<int64_t>(M - by * 128, 128);
                    const int64_t depth = minimum<int64_t>(K - k * 64, 64);
                    const int64_t row_fractals = (rows_4 + 15) / 16;
                    const int64_t k_fractals = (depth + 15) / 16;
                    for (int32_t strip = 0; strip < k_fractals; ++strip) {
                        LoadData(a_l0[a_l0_slot * 8192 + strip * 256], a[a_slot * 8192 + strip * 2048], LoadData2DParams(0, static_cast<uint8_t>(row_fractals), 1, 0, static_cast<uint16_t>(k_fractals - 1), false, 0));
                    }
                }
                SetFlag<HardEvent::MTE1_MTE2>(a_slot);
                {
                    const int64_t rows_5 = minimum<int64_t>(N - bx * 256, 256);
                    const int64_t depth_2 = minimum<int64_t>(K - k * 64, 64);
                    const int64_t row_fractals_2 = (rows_5 + 15) / 16;
                    const int64_t k_fractals_2 = (depth_2 + 15) / 16;
                    for (int32_t strip_2 = 0; strip_2 < k_fractals_2; ++strip_2) {
                        LoadData(b_l0[a_l0_slot * 16384 + strip_2 * row_fractals_2 * 256], b[a_slot * 16384 + strip_2 * 256], LoadData2DParams(0, static_cast<uint8_t>(row_fractals_2), 4, 0, 0, true, 0));
                    }
                }
                SetFlag<HardEvent::MTE1_M>(a_l0_slot + 2);
                SetFlag<HardEvent::MTE1_MTE2>(a_slot + 2);
                WaitFlag<HardEvent::MTE1_M>(a_l0_slot + 2);
                {
                    const int64_t rows_6 = minimum<int64_t>(M - by * 128, 128);
                    const int64_t cols_4 = minimum<int64_t>(N - bx * 256, 256);
                    const int64_t depth_3 = minimum<int64_t>(K - k * 64, 64);
                    if ((rows_6 / 16) * (cols_4 / 16) < 10) {
                        PipeBarrier<PIPE_M>();
                    }
                    Mmad(acc, a_l0[a_l0_slot * 8192], b_l0[a_l0_slot * 16384], MmadParams(static_cast<uint16_t>(maximum<int64_t>(rows_6, 2)), static_cast<uint16_t>(cols_4), static_cast<uint16_t>(depth_3), 0, false, k == 0));
                }
                SetFlag<HardEvent::M_MTE1>(a_l0_slot);
                a_l0_slot = a_l0_slot + 1 == 2 ? 0 : a_l0_slot + 1;
                a_slot = a_slot + 1 == 2 ? 0 : a_slot + 1;
            }
        }
        SetFlag<HardEvent::M_FIX>(0);
        SetFlag<HardEvent::M_MTE1>(2);
        WaitFlag<HardEvent::M_FIX>(0);
        // 13: copy acc -> C[by*BM, bx*BN]
        {
            const int64_t rows_7 = minimum<int64_t>(M - by * 128, 128);
            const int64_t cols_5 = minimum<int64_t>(N - bx * 256, 256);
            if (rows_7 > 0 && cols_5 > 0) {
                Fixpipe<half, float, CFG_ROW_MAJOR>(CGm[by * 128 * N + bx * 256], acc, FixpipeParamsV220(static_cast<uint16_t>(cols_5), static_cast<uint16_t>(rows_7), static_cast<uint16_t>((rows_7 + 15) / 16 * 16), N, false, QuantMode_t::F322F16, 0, 1, 0, 0, 0));
            }
        }
        SetFlag<HardEvent::FIX_M>(0);
    }
    WaitFlag<HardEvent::MTE1_MTE2>(0);
    WaitFlag<HardEvent::MTE1_MTE2>(1);
    WaitFlag<HardEvent::MTE1_MTE2>(2);
    WaitFlag<HardEvent::MTE1_MTE2>(3);
    WaitFlag<HardEvent::M_MTE1>(0);
    WaitFlag<HardEvent::M_MTE1>(1);
    WaitFlag<HardEvent::M_MTE1>(2);
    WaitFlag<HardEvent::FIX_M>(0);
    PipeBarrier<PIPE_ALL>();
}
