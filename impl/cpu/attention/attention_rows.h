// Loops over one row of attention scores, compiled for each instruction set.
#pragma once

#include <cstdint>
#include <limits>

#include "core/capability.h"
#include "cpu/math/vecmath.h"

namespace mt::cpu::detail {

#define MT_INLINE __attribute__((always_inline)) inline

// Sixteen running maxima or sums in every clone, so that all instruction sets reduce in the same order and return the same bits.
template <class W>
MT_INLINE W row_max_loop(const W* row, int64_t n) {
  constexpr int lanes = 16;
  const W lowest = -std::numeric_limits<W>::infinity();
  W best[lanes];
  for (int l = 0; l < lanes; ++l) best[l] = lowest;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int l = 0; l < lanes; ++l) best[l] = row[i + l] > best[l] ? row[i + l] : best[l];
  }
  for (; i < n; ++i) best[0] = row[i] > best[0] ? row[i] : best[0];
  W result = best[0];
  for (int l = 1; l < lanes; ++l) result = best[l] > result ? best[l] : result;
  return result;
}

// row = exp(row - shift), where shift is at least the row's maximum; returns the sum.
template <class W>
MT_INLINE W row_exp_loop(W* row, int64_t n, W shift) {
  constexpr int lanes = 16;
  W sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int l = 0; l < lanes; ++l) {
      row[i + l] = vec::exp_nonpositive(row[i + l] - shift);
      sums[l] += row[i + l];
    }
  }
  for (; i < n; ++i) {
    row[i] = vec::exp_nonpositive(row[i] - shift);
    sums[0] += row[i];
  }
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
  }
  return sums[0];
}

// For transposed scores, where a row holds one key's scores for several queries: row = exp(row - shift), with a shift per query.
template <class W>
MT_INLINE void row_weights_loop(W* row, const W* shift, int64_t n) {
  for (int64_t i = 0; i < n; ++i) row[i] = vec::exp(row[i] - shift[i]);
}

// For transposed scores: grad = p * (grad - delta) * scale, the softmax's gradient with respect to one key's row of scores.
template <class W>
MT_INLINE void row_grad_loop(const W* p, W* grad, const W* delta, int64_t n, W scale) {
  for (int64_t i = 0; i < n; ++i) grad[i] = p[i] * (grad[i] - delta[i]) * scale;
}

// row += mask, converted.
template <class W, class M>
MT_INLINE void add_mask_to_row_loop(W* row, const M* mask, int64_t n) {
  for (int64_t i = 0; i < n; ++i) row[i] += static_cast<W>(mask[i]);
}
template <class W, class M>
MT_TARGET_AVX2 void add_mask_to_row_avx2(W* row, const M* mask, int64_t n) {
  add_mask_to_row_loop<W, M>(row, mask, n);
}
template <class W, class M>
void add_mask_to_row(W* row, const M* mask, int64_t n) {
  if (cpu_capability() >= Capability::avx2) return add_mask_to_row_avx2<W, M>(row, mask, n);
  add_mask_to_row_loop<W, M>(row, mask, n);
}

#define MT_LEVELS(result, name, parameters, arguments)                             \
  template <class W>                                                               \
  MT_TARGET_BASELINE result name##_baseline parameters {                           \
    return name##_loop<W> arguments;                                               \
  }                                                                                \
  template <class W>                                                               \
  MT_TARGET_AVX2 result name##_avx2 parameters {                                   \
    return name##_loop<W> arguments;                                               \
  }                                                                                \
  template <class W>                                                               \
  MT_TARGET_AVX512 result name##_avx512 parameters {                               \
    return name##_loop<W> arguments;                                               \
  }                                                                                \
  template <class W>                                                               \
  result name parameters {                                                         \
    if (cpu_capability() == Capability::avx512) return name##_avx512<W> arguments; \
    if (cpu_capability() == Capability::avx2) return name##_avx2<W> arguments;     \
    return name##_baseline<W> arguments;                                           \
  }
MT_LEVELS(W, row_max, (const W* row, int64_t n), (row, n))
MT_LEVELS(W, row_exp, (W * row, int64_t n, W shift), (row, n, shift))
MT_LEVELS(void, row_weights, (W * row, const W* shift, int64_t n), (row, shift, n))
MT_LEVELS(void, row_grad, (const W* p, W* grad, const W* delta, int64_t n, W scale), (p, grad, delta, n, scale))

#undef MT_LEVELS
#undef MT_INLINE

}  // namespace mt::cpu::detail
