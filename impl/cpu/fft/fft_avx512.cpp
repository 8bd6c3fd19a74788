// The passes of Fourier transforms, compiled for AVX-512.
#include "core/capability.h"

#if MT_HAS_X86_TARGETS
#define MT_ISA_NAME avx512
#define MT_ISA_TARGET MT_TARGET_AVX512
#define MT_ISA_TRANSPOSES 1
#include "cpu/fft/fft_body.h"
#endif
