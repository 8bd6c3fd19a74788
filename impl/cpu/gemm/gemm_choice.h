// The product kernels of the current instruction set, and arithmetic for splitting work into panels.
#pragma once

#include <algorithm>

#include "core/capability.h"
#include "cpu/gemm/gemm_kernels.h"

namespace mt::cpu::detail {

template <class T>
const GemmKernels<T>& kernels() {
#if MT_HAS_X86_TARGETS
  switch (cpu_capability()) {
    case Capability::avx512:
      if constexpr (std::is_same_v<T, BFloat16>) {
        static const bool pairs = has_avx512_bf16();
        if (pairs) return kernels_avx512_bf16();
      }
      return kernels_avx512<T>();
    case Capability::avx2: return kernels_avx2<T>();
    case Capability::baseline: break;
  }
#endif
  return kernels_baseline<T>();
}

// The kernels for whole products with n columns, which may use a matrix unit or other tiles.
template <class T>
const GemmKernels<T>& product_kernels([[maybe_unused]] int64_t n) {
#if MT_HAS_X86_TARGETS
  if constexpr (std::is_same_v<T, BFloat16>) {
    static const bool tiles = cpu_capability() == Capability::avx512 && !is_limited_to_vectors() && has_amx_bf16();
    if (tiles) return kernels_amx();
  }
  if constexpr (std::is_same_v<T, float>) {
    // With few panels of three vectors, computing a remainder of a single vector as a whole panel costs more than wide tiles gain.
    const bool wide = n >= 192 || (n > 32 && (n % 48 == 0 || n % 48 > 16));
    if (wide && cpu_capability() == Capability::avx512) return kernels_avx512_wide();
  }
#endif
  return kernels<T>();
}

constexpr int64_t divide_up(int64_t value, int64_t step) { return (value + step - 1) / step; }
constexpr int64_t round_up(int64_t value, int64_t step) { return divide_up(value, step) * step; }
// Splits into parts of nearly equal length, each at most `most` and a multiple of `step`.
constexpr int64_t even_chunk_length(int64_t length, int64_t most, int64_t step) {
  return round_up(divide_up(length, divide_up(length, most)), step);
}

constexpr int64_t work_per_chunk = int64_t{1} << 18;  // multiply-adds that are worth waking a thread

inline int64_t grain_for(int64_t work_per_item) { return std::max<int64_t>(1, work_per_chunk / std::max<int64_t>(1, work_per_item)); }

}  // namespace mt::cpu::detail
