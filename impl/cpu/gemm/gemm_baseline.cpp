// Matrix product kernels for the compiler's own target: SSE2 on x86-64, NEON on aarch64. On x86-64 only processors without AVX2 use them:
// the build optimises this file for size.
#define MT_ISA_NAME baseline
#define MT_ISA_TARGET
#define MT_ISA_BYTES 16
#define MT_ISA_ROWS 4
#define MT_ISA_VECTORS 2
#include "cpu/gemm/gemm_body.h"
