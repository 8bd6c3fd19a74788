// The instruction set level of this process, and the function attributes that compile a kernel for each level.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
// For processors without AVX2, made before about 2015: correct and small code, without SSE2 vector loops.
#define MT_TARGET_BASELINE __attribute__((optimize("no-tree-loop-vectorize", "no-tree-slp-vectorize")))
#define MT_TARGET_AVX2 __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")))
#define MT_TARGET_AVX512                                             \
  __attribute__((                                                    \
      target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw," \
             "avx512vl,avx512dq,avx512cd,prefer-vector-width=512")))
#define MT_HAS_X86_TARGETS 1
#else
// A single level: the compiler's own target (NEON on aarch64) vectorises the same source.
#define MT_TARGET_BASELINE
#define MT_TARGET_AVX2
#define MT_TARGET_AVX512
#define MT_HAS_X86_TARGETS 0
#endif

namespace mt::cpu {

enum class Capability : uint8_t { baseline, avx2, avx512 };

// The level in use: the best that processor and kernel support, or less if MINDTORCH_CPU_CAPABILITY=default|avx2|avx512 requests it.
// Constant during the process.
Capability cpu_capability() noexcept;
// Whether MINDTORCH_CPU_CAPABILITY names a level, which also disables units beside the vector registers (AMX).
bool is_limited_to_vectors();

// What torch.backends.cpu.get_cpu_capability() prints: "DEFAULT", "AVX2" or "AVX512".
const char* cpu_capability_name();

}  // namespace mt::cpu
