// Kernel `matmul_i8` of matmul.tile for 910b, made by tilec. Do not edit.
// Tuned: BM = 128, BN = 128, BK = 128, stages = 2.
//
// Launch: min((N + 127) / 128 * ((M + 127) / 128), 24) blocks, cube cores; nothing if that is 0. No workspace.

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

/// C = A · Bᵀ on 8-bit integers, exact in i32; B output-major, as quantized weights are stored.
extern "C" __global__ __aicore__ void matmul_i8(GM_ADDR A, GM_ADDR B, GM_ADDR C, int64_t M, int64_t K, int64_t N) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    InitSocState();
    GlobalTensor<int8_t> AGm;
    AGm.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(A), K * M);
    GlobalTensor<int8_t> BGm;
    BGm.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(B), K * N);
    GlobalTensor<int32_t> CGm;
    CGm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(C), N * M);
    SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_MTE2>(1);
    SetFlag<HardEvent::MTE1_MTE2>(2);
    SetFlag<HardEvent::MTE1_MTE2>(3);
    SetFlag<HardEvent::M_MTE1>(0);
    SetFlag<HardEvent::M_MTE1>(1);
    SetFlag<HardEvent::M_MTE1>(2);
    SetFlag<HardEvent::FIX_M>(0);
    SetFlag<HardEvent::FIX_M>(1);
    LocalTensor<int32_t> acc(TPosition::CO1, 0, 32768); // i32[2, 128, 128]
    // 45: tile acc: i32[BM, BN] = 0
    int64_t acc_slot = 0;
    LocalTensor<int8_t> a(TPosition::A1, 0, 32768); // i8[2, 128, 128]
    // 43: tile a: i8[BM, BK]
    int64_t a_slot = 0;
    LocalTensor<int8_t> b(TPosition::A1, 32768, 32768); // i8[2, 128, 128]
    LocalTensor<int8_t> a_l0(TPosition::A2, 0, 32768); // i8[2, 128, 128]
    // 49: acc[i, j] += sum[d](i32(a[i, d]) * i32(b[j, d]))
    int64_t a_l0_slot = 0;
    LocalTensor<int8_t> b_l0(TPosition::B2, 0, 32768); // i8[2, 128, 128]
    // 40: kernel matmul_i8(A: i8[M, K], B: i8[N, K], C: out i32[M, N]) {
    for (int64_t instance = GetBlockIdx(); instance < (N + 127) / 128 * ((M + 127) / 128); instance += GetBlockNum()) {
        const int64_t bx = floor_mod<int64_t>(instance, (N + 127) / 128);
        const int64_t by = floor_div<int64_t>(instance, (N + 127) / 128);
        WaitFlag<HardEvent::M_MTE1>(2);
        WaitFlag<HardEvent::FIX_M>(acc_slot);
        // 46: pipeline k in 0 .. ceildiv(K, BK), stages {
        if (0 >= (K + 127) / 128) {
            // 49: acc[i, j] += sum[d](i32(a[i, d]) * i32(b[j, d]))
            Fill(a_l0[a_l0_slot * 16384].ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, 32, 0, 0)); // zeros
            Fill(b_l0[a_l0_slot * 16384].ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, 32, 0, 0)); // zeros
            SetFlag<HardEvent::MTE1_M>(a_l0_slot);
            WaitFlag<HardEvent::MTE1_M>(a_l0_slot);
            {
                Mmad(acc[acc_slot * 16384], a_l0[a_l0_slot * 16384], b_l0[a_l0_slot * 16384], MmadParams(128, 128, 128, 0, false, true));
            }
        } else {
            // 46: pipeline k in 0 .. ceildiv(K, BK), stages {
            for (int64_t k = 0; k < (K + 127) / 128; ++k) {
                WaitFlag<HardEvent::MTE1_MTE2>(a_slot);
                // 47: copy A[by*BM, k*BK] -> a
                {
                    const int64_t rows_2 = minimum<int64_t>(M - by * 128, 128);
                    const int64_t cols_2 = minimum<int64_t>(K - k * 128, 128);
                    if (rows_2 > 0 && cols_2 > 0) {
                        if (K <= 65535) {
                            DataCopy(a[a_slot * 16384], AGm[by * 128 * K + k * 128], Nd2NzParams(1, static_cast<uint16_t>(rows_2), static_cast<uint16_t>(cols_2), 0, static_cast<uint16_t>(K), 128, 1, 0));
                        } else {
                            for (int64_t row = 0; row < rows_2; ++row) {
                                DataCopy(a[a_slot * 16384 + row * 32], AGm[by * 128 * K + k * 128 + row * K], Nd2NzParams(1, 1, static_cast<uint16_t>(cols_2), 0, 1, 128, 1, 0));
                            }
                        }
                    }
                }
                WaitFlag<HardEvent::MTE1_MTE2>(a_slot + 2);
                // 48: copy B[bx*BN, k*BK] -> b
                {
                    const int64_t rows_3 = minimum<int64_t>(N - bx * 128, 128);
                    const int64_t cols_3 = minimum<int64_t>(K - k * 128, 128);
                    if (rows_3 > 0 && cols_3 > 0) {
                        if (K <= 65535) {
                            DataCopy(b[a_slot * 16384], BGm[bx * 128 * K + k * 128], Nd2NzParams(1, static_cast<uint16_t>(rows_3), static_cast<uint16_t>(cols_3), 0, static_cast<uint16_t>(K), 128, 1, 0));
                        } else {
                            for (int64_t row_2 = 0; row_2 < rows_3; ++row_2) {
                                DataCopy(b[a_slot * 16384 + row_2 * 32], BGm[bx * 128 * K + k * 128 + row_2 * K], Nd2NzParams(1, 1, static_cast<uint16_t>(cols_3), 0, 1, 128, 1, 0));
                            }
                        }
                    }
                }
                SetFlag<HardEvent::MTE2_MTE1>(a_slot);
                WaitFlag<HardEvent::MTE2_MTE1>(a_slot);
                WaitFlag<HardEvent::M_MTE1>(a_l0_slot);
                // 49: acc[i, j] += sum[d](i32(a[i, d]) * i32(b[j, d]))
                {
                    const int64_t rows_4 = minimum<int64_t>(M - by * 128, 128);
                    const int64_t depth = minimum<int64_t>(K - k * 128, 128);
                    const int64_t row_fractals = (rows_4 + 15) / 16;
                    const int64_t k_fractals = (depth + 31) / 32;
                    for (int32_t strip = 0; strip < k_fractals; ++strip) {
                        LoadData(a_l0[a_l0_slot * 16384 + strip * 512], a[a_slot * 16384 + strip * 4096], LoadData2DParams(0, static_cast<uint8_t>(row_fractals), 1, 0, static_cast<uint16_t>(k_fractals - 1), false, 0));
                    }
                }
                SetFlag<HardEvent::MTE1_MTE2>(a_slot);
                {
                    const int64_t rows_5 = minimum<int64_t>(N - bx * 128, 128);
                    const int64_t depth_2 = minimum<int64_t>(K - k * 128, 128);
                    const int64_t row_fractals_2 = (rows_5 + 15) / 16;
                    const int64_t k_fractals_2 = (depth_2 + 31) / 32;
                    for (int32_t strip_2 = 0; strip_2 < k_fractals_2; ++strip_2) {
                        LoadData(b_l0[a_l0_slot * 16384 + strip_2 * row_fractals_2 * 512], b[a_slot * 16384 + strip_2 * 4096], LoadData2DParams(0, static_cast<uint8_t>(row_fractals_2), 1, 0, 0, false, 0));
                    }
                }
                SetFlag<HardEvent::MTE1_M>(a_l0_slot + 2);
                SetFlag<HardEvent::MTE1_MTE2>(a_slot + 2);
                WaitFlag<HardEvent::MTE1_M>(a_l0_slot + 2);
                {
                    const int64_t rows_6 = minimum<int64_t>(M - by * 128, 128);
                    const int64_t cols_4 = minimum<int64_t>(N - bx * 128, 128);
                    const int64_t depth_3 = minimum<int64_t>(K - k * 128, 128);
                    if ((rows_6 / 16) * (cols_4 / 16) < 10) {
                        PipeBarrier<PIPE_M>();
                    }
                    Mmad(acc[acc_slot * 16384], a_l0[a_l0_slot * 16384], b_l0[a_l0_slot * 16384], MmadParams(static_cast<uint16_t>(maximum<int64_t>(rows_6, 2)), static_cast<uint16_t>(cols_4), static_cast<uint16_t>(depth_3), 0, false, k == 0));
                }
                SetFlag<HardEvent::M_MTE1>(a_l0_slot);
                a_l0_slot = a_l0_slot + 1 == 2 ? 0 : a_l0_slot + 1;
                a_slot = a_slot + 1 == 2 ? 0 : a_slot + 1;
            }
        }
        SetFlag<HardEvent::M_FIX>(acc_slot);
        SetFlag<HardEvent::M_MTE1>(2);
        WaitFlag<HardEvent::M_FIX>(acc_slot);
        // 51: copy acc -> C[by*BM, bx*BN]
        {
            const int64_t rows_7 = minimum<int64_t>(M - by * 128, 128);
            const int64_t cols_5 = minimum<int64_t>(N - bx * 128, 128);
            if (rows_7 > 0 && cols_5 > 0) {
                Fixpipe<int32_t, int32_t, CFG_ROW_MAJOR>(CGm[by * 128 * N + bx * 128], acc[acc_slot * 16384], FixpipeParamsV220(static_cast<uint16_t>(cols_5), static_cast<uint16_t>(rows_7), static_cast<uint16_t>((rows_7 + 15) / 16 * 16), N, false));
            }
        }
        SetFlag<HardEvent::FIX_M>(acc_slot);
        acc_slot = acc_slot + 1 == 2 ? 0 : acc_slot + 1;
    }
    WaitFlag<HardEvent::MTE1_MTE2>(0);
    WaitFlag<HardEvent::MTE1_MTE2>(1);
    WaitFlag<HardEvent::MTE1_MTE2>(2);
    WaitFlag<HardEvent::MTE1_MTE2>(3);
    WaitFlag<HardEvent::M_MTE1>(0);
    WaitFlag<HardEvent::M_MTE1>(1);
    WaitFlag<HardEvent::M_MTE1>(2);
    WaitFlag<HardEvent::FIX_M>(0);
    WaitFlag<HardEvent::FIX_M>(1);
    PipeBarrier<PIPE_ALL>();
}
