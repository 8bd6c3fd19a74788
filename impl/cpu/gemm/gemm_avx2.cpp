// Matrix product kernels for AVX2 with FMA: tiles of 4 rows and three vectors fill the sixteen registers.
#include "core/capability.h"

#if MT_HAS_X86_TARGETS
#include <immintrin.h>

#define MT_ISA_NAME avx2
#define MT_ISA_TARGET MT_TARGET_AVX2
#define MT_ISA_BYTES 32
#define MT_ISA_ROWS 4
#define MT_ISA_VECTORS 3
#include "cpu/gemm/gemm_body.h"
#endif
