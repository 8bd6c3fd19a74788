// Sines and cosines of float angles beyond 2^30: the vector functions do not reduce these exactly, so the C library computes each in
// double.
#pragma once

#include <bit>
#include <cstring>

#include "cpu/clones.h"
#include "rules/pointwise/pointwise.h"

namespace mt {

constexpr bool is_large_angle(float x) {
  constexpr uint32_t first = std::bit_cast<uint32_t>(0x1p30f) + 1, infinite = 0x7f800000;
  return (std::bit_cast<uint32_t>(x) & 0x7fffffff) - first < infinite - first;
}
struct AnyLargeAngle {
  static MT_INLINE void run(const float* angles, int64_t n, bool* any_is_large) {
    int32_t found = 0;
    for (int64_t i = 0; i < n; ++i) found |= is_large_angle(angles[i]);
    *any_is_large = found != 0;
  }
};
// Calls exact(i), which computes result i, for each large angle x[i]. The caller must not have overwritten x with results before.
template <class F>
void for_large_angles(const float* x, int64_t n, F&& exact) {
  static const auto any_large = cpu::detail::choose_clone<AnyLargeAngle>(AnyLargeAngle::run);
  bool any = false;
  any_large(x, n, &any);
  if (!any) return;
  for (int64_t i = 0; i < n; ++i)
    if (is_large_angle(x[i])) exact(i);
}

namespace detail {
template <auto Exact, PointwiseLoop Loop>
void loop_with_large_angles(void* out, const void* const* in, int64_t n) {
  constexpr int64_t block = 512;
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t count = std::min(block, n - begin);
    const float* const x = static_cast<const float*>(in[0]) + begin;
    float* const to = static_cast<float*>(out) + begin;  // may be x
    float kept[block];
    int large = 0, places[block];
    for_large_angles(x, count, [&](int64_t i) { kept[large] = x[i], places[large++] = int(i); });
    const void* const from[] = {x};
    Loop(to, from, count);
    for (int i = 0; i < large; ++i) to[places[i]] = Exact(kept[i]);
  }
}
}  // namespace detail

// The kernel of F whose float loops compute large angles by Exact, which takes and returns a float.
template <auto F, auto Exact>
PointwiseKernel with_large_angles(PointwiseKernel k) {
  PointwiseLoop* const loops = k.loops[loop_slot_of(Dtype::float32)];
  loops[0] = detail::loop_with_large_angles<Exact, detail::pointwise_baseline<F, float, float, 0>>;
  loops[1] = detail::loop_with_large_angles<Exact, detail::pointwise_avx2<F, float, float, 0>>;
  loops[2] = detail::loop_with_large_angles<Exact, detail::pointwise_avx512<F, float, float, 0>>;
  return k;
}

}  // namespace mt
