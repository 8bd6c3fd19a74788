// The passes of Fourier transforms for the compiler's own target: SSE2 on x86-64, NEON on aarch64.
#include "capability.h"

#define MT_ISA_NAME baseline
#define MT_ISA_TARGET MT_TARGET_BASELINE
#include "fft_body.h"
