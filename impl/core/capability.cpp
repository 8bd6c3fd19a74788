// Detects the instruction set level once, at first use.
#include "core/capability.h"

#include <cstdlib>
#include <cstring>

namespace mt::cpu {
namespace {

Capability detect_capability() {
#if MT_HAS_X86_TARGETS
  // The builtin also checks with XGETBV that the operating system saves the wide registers.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("f16c");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
  return avx512 ? Capability::avx512 : avx2 ? Capability::avx2 : Capability::baseline;
#else
  return Capability::baseline;
#endif
}

Capability choose_capability() noexcept {
  const Capability best = detect_capability();
  const char* wish = secure_getenv("MINDTORCH_CPU_CAPABILITY");
  if (wish == nullptr) return best;
  Capability level = best;
  if (std::strcmp(wish, "default") == 0) level = Capability::baseline;
  if (std::strcmp(wish, "avx2") == 0) level = Capability::avx2;
  return level < best ? level : best;
}

}  // namespace

Capability cpu_capability() noexcept {
  static const Capability level = choose_capability();
  return level;
}

bool is_limited_to_vectors() {
  static const bool limited = secure_getenv("MINDTORCH_CPU_CAPABILITY") != nullptr;
  return limited;
}

const char* cpu_capability_name() {
  switch (cpu_capability()) {
    case Capability::avx512: return "AVX512";
    case Capability::avx2: return "AVX2";
    case Capability::baseline: break;
  }
  return "DEFAULT";
}

}  // namespace mt::cpu
