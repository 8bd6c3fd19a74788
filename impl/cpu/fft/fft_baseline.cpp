// The passes of Fourier transforms, compiled for the compiler's own target: SSE2 on x86-64, NEON on aarch64. On x86-64 only processors
// without AVX2 use it: the build optimises this file for size.
#define MT_ISA_NAME baseline
#define MT_ISA_TARGET
#define MT_ISA_TRANSPOSES 0
#include "cpu/fft/fft_body.h"
