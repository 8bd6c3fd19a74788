// Matrix product kernels for AVX-512: tiles of 12 rows and two vectors leave six registers free.
#include "core/capability.h"

#if MT_HAS_X86_TARGETS
#include <immintrin.h>

#define MT_ISA_NAME avx512
#define MT_ISA_TARGET MT_TARGET_AVX512
#define MT_ISA_BYTES 64
#define MT_ISA_ROWS 12
#define MT_ISA_VECTORS 2
#include "cpu/copy/words_avx512.h"

#include "cpu/gemm/gemm_body.h"
#endif
