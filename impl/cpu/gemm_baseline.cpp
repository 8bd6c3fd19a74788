// Matrix product kernels for the compiler's own target: SSE2 on x86-64, NEON on aarch64.
#include "capability.h"

#define MT_ISA_NAME baseline
#define MT_ISA_TARGET MT_TARGET_BASELINE
#define MT_ISA_BYTES 16
#define MT_ISA_ROWS 4
#define MT_ISA_VECTORS 2
#include "gemm_body.h"
