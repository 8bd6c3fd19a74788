// Operators that work row by row (softmax, norms, losses): the tensor as rows of a contiguous last dimension.
#pragma once

#include "core/dispatch_dtype.h"
#include "cpu/capability.h"
#include "cpu/parallel.h"
#include "cpu/vecmath.h"
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {

// A contiguous tensor with the same elements, itself where it is contiguous already. Below the dispatcher.
inline Tensor dense(const Tensor& t) {
  if (!t.defined() || t.is_contiguous()) return t;
  Tensor out = empty(t.sizes(), t.dtype(), t.device());
  copy_into(out, t);
  return out;
}
// Likewise, in another dtype.
inline Tensor dense_as(const Tensor& t, Dtype dtype) {
  if (!t.defined() || (t.dtype() == dtype && t.is_contiguous())) return t;
  Tensor out = empty(t.sizes(), dtype, t.device());
  copy_into(out, t);
  return out;
}

// Runs f(row) for all rows on the pool; a piece of work covers at least about 16K elements.
template <class F>
void for_rows(int64_t rows, int64_t width, F&& f) {
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width));
  cpu::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) f(r);
  });
}

// One row's function compiled for the instruction set at hand: row_clone<T, F>(args...) calls F::run<T>(args...).
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
  return level == cpu::Capability::avx512 ? row_avx512<F, A...> : level == cpu::Capability::avx2 ? row_avx2<F, A...> : row_baseline<F, A...>;
}

// Sixteen running totals keep a float sum both vectorised and accurate enough for rows.
template <class C, class F>
[[gnu::always_inline]] inline C row_sum(int64_t n, F&& value) {
  constexpr int lanes = 32;
  C acc[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) acc[j] += value(i + j);
  for (int j = 0; i < n; ++i, ++j) acc[j] += value(i);
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int j = 0; j < width; ++j) acc[j] += acc[j + width];
  return acc[0];
}
// Two sums in one walk, each as row_sum has it.
template <class C, class F, class G>
[[gnu::always_inline]] inline void row_sums(int64_t n, F&& first, G&& second, C& sum, C& other) {
  constexpr int lanes = 32;
  C acc[lanes] = {}, more[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) acc[j] += first(i + j), more[j] += second(i + j);
  for (int j = 0; i < n; ++i, ++j) acc[j] += first(i), more[j] += second(i);
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int j = 0; j < width; ++j) acc[j] += acc[j + width], more[j] += more[j + width];
  sum = acc[0], other = more[0];
}
template <class C, class F>
[[gnu::always_inline]] inline C row_max(int64_t n, F&& value) {
  constexpr int lanes = 32;
  C acc[lanes];
  for (int j = 0; j < lanes; ++j) acc[j] = -C(__builtin_inf());
  int64_t i = 0;
  // NaN must win: a comparison with NaN is false.
  auto larger = [](C a, C b) { return b <= a ? a : b; };
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) acc[j] = larger(acc[j], value(i + j));
  for (int j = 0; i < n; ++i, ++j) acc[j] = larger(acc[j], value(i));
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int j = 0; j < width; ++j) acc[j] = larger(acc[j], acc[j + width]);
  return acc[0];
}

}  // namespace mt
