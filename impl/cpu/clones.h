// One kernel compiled for each instruction set: choose_clone<F>(F::run) returns F::run compiled for the best level.
#pragma once

#include <type_traits>

#include "core/capability.h"

// Kernels must be inlined into their clones; otherwise they would be compiled for the baseline.
#define MT_INLINE inline __attribute__((always_inline))

namespace mt::cpu::detail {

template <class F, class... A>
MT_TARGET_AVX512 [[gnu::flatten]] void run_avx512(A... args) {
  F::run(args...);
}
template <class F, class... A>
MT_TARGET_AVX2 [[gnu::flatten]] void run_avx2(A... args) {
  F::run(args...);
}
template <class F, class... A>
MT_TARGET_BASELINE void run_baseline(A... args) {
  F::run(args...);
}
// Integer kernels are not compiled for AVX-512, from which they gain nothing.
template <class... A>
inline constexpr bool has_floats = ((std::is_pointer_v<A> && !std::is_integral_v<std::remove_pointer_t<A>>) || ...);
template <class F, class... A>
auto choose_clone(void (*)(A...)) {
  const Capability level = cpu_capability();
  if constexpr (has_floats<A...>)
    if (level == Capability::avx512) return run_avx512<F, A...>;
  return level >= Capability::avx2 ? run_avx2<F, A...> : run_baseline<F, A...>;
}

// Chooses F<64>::run with AVX-512, F<32>::run with AVX2, else F<Least>::run: for kernels written with vectors of a given byte size. Vectors
// wider than the processor's would be stored in memory.
template <template <int> class F, int Least = 32, class... A>
auto choose_width(void (*)(A...)) {
  const Capability level = cpu_capability();
  if (level == Capability::avx512) return run_avx512<F<64>, A...>;
  return level == Capability::avx2 ? run_avx2<F<32>, A...> : run_baseline<F<Least>, A...>;
}

}  // namespace mt::cpu::detail
