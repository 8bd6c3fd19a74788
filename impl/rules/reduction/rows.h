// Operators that work row by row (softmax, norms, losses): the tensor as rows of a contiguous last dimension.
#pragma once

#include "core/capability.h"
#include "core/dispatch_dtype.h"
#include "cpu/math/vecmath.h"
#include "cpu/rows/lanes.h"
#include "cpu/threads/parallel.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

// A contiguous tensor with the same elements; `t` itself if it is contiguous. Runs below the dispatcher.
inline Tensor dense(const Tensor& t) {
  if (!t.defined() || t.is_contiguous()) return t;
  Tensor out = empty(t.sizes(), t.dtype(), t.device());
  copy_into(out, t);
  return out;
}
// A contiguous tensor of dtype `dtype` with the same elements; `t` itself if it is one.
inline Tensor dense_as(const Tensor& t, Dtype dtype) {
  if (!t.defined() || (t.dtype() == dtype && t.is_contiguous())) return t;
  Tensor out = empty(t.sizes(), dtype, t.device());
  copy_into(out, t);
  return out;
}

// Runs f(row) for all rows on the thread pool, in pieces of at least about 16K elements.
template <class F>
void for_rows(int64_t rows, int64_t width, F&& f) {
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width));
  cpu::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) f(r);
  });
}

// One row's function compiled for the current instruction set: row_clone<T, F>(args...) calls F::run<T>(args...).
template <class F, class... A>
MT_TARGET_AVX512 [[gnu::flatten]] void row_avx512(A... args) {
  F::run(args...);
}
template <class F, class... A>
MT_TARGET_AVX2 [[gnu::flatten]] void row_avx2(A... args) {
  F::run(args...);
}
template <class F, class... A>
MT_TARGET_BASELINE void row_baseline(A... args) {
  F::run(args...);
}
template <class F, class... A>
auto row_clone(void (*)(A...)) {
  const cpu::Capability level = cpu::cpu_capability();
  return level == cpu::Capability::avx512 ? row_avx512<F, A...>
         : level == cpu::Capability::avx2 ? row_avx2<F, A...>
                                          : row_baseline<F, A...>;
}

inline constexpr int row_lanes = 32;

template <class C, class F>
[[gnu::always_inline]] inline C row_sum(int64_t n, F&& value) {
  C acc[row_lanes] = {};
  cpu::walk_lanes<C, row_lanes>(n, [&](int j, int64_t i) { acc[j] += value(i); });
  return cpu::merge_lanes<row_lanes / 2>(acc, [](C a, C b) { return a + b; });
}
// Two sums in one pass, each in the order of additions of row_sum.
template <class C, class F, class G>
[[gnu::always_inline]] inline void row_sums(int64_t n, F&& first, G&& second, C& sum, C& other) {
  C acc[row_lanes] = {}, more[row_lanes] = {};
  cpu::walk_lanes<C, row_lanes, 32>(n, [&](int j, int64_t i) { acc[j] += first(i), more[j] += second(i); });
  const auto add = [](C a, C b) { return a + b; };
  sum = cpu::merge_lanes<row_lanes / 2>(acc, add), other = cpu::merge_lanes<row_lanes / 2>(more, add);
}
template <class C, class F>
[[gnu::always_inline]] inline C row_max(int64_t n, F&& value) {
  C acc[row_lanes];
  for (int j = 0; j < row_lanes; ++j) acc[j] = -C(__builtin_inf());
  const auto larger = [](C a, C b) { return b <= a ? a : b; };  // NaN must win: a comparison with NaN is false
  cpu::walk_lanes<C, row_lanes>(n, [&](int j, int64_t i) { acc[j] = larger(acc[j], value(i)); });
  return cpu::merge_lanes<row_lanes / 2>(acc, larger);
}

}  // namespace mt
