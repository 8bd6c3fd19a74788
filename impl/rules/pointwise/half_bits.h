// Bit operations on half types, for pointwise kernels whose result is one of the operands up to its sign.
#pragma once

#include <algorithm>

#include "rules/pointwise/pointwise.h"

namespace mt {

inline constexpr uint16_t half_sign = 0x8000;  // of float16 and bfloat16

// Adds loops over the raw bits of half types: F maps uint16_t to uint16_t.
template <auto F, int N>
PointwiseKernel with_half_bits(PointwiseKernel k) {
  PointwiseLoop loops[3];
  [&]<size_t... I>(std::index_sequence<I...>) {
    loops[0] = detail::pointwise_baseline<F, uint16_t, uint16_t, I...>;
    loops[1] = loops[2] = detail::pointwise_avx2<F, uint16_t, uint16_t, I...>;
  }(std::make_index_sequence<N>());
  for (auto& half : k.halves) std::copy_n(loops, 3, half);
  return k;
}

}  // namespace mt
