// The reduction family: folds dimensions of a tensor into one value each, and the engine that does it.
#pragma once

#include <algorithm>

#include "core/capability.h"
#include "core/dispatch_dtype.h"
#include "cpu/copy/convert.h"
#include "cpu/copy/half_sums.h"
#include "cpu/copy/nest.h"
#include "cpu/copy/short_rows.h"
#include "cpu/rows/lanes.h"
#include "cpu/threads/parallel.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

// ---- shapes ----

// Bit d is set for each dimension to reduce; no dims (or an empty list) means all. RuntimeError for a repeated dim.
uint64_t reduced_dims(std::optional<IntList> dims, int64_t ndim);
Dims reduced_sizes(IntList sizes, uint64_t mask, bool keepdim);
// Restores the reduced dimensions of a result (or its gradient) with size 1.
Tensor restore_dims(const Tensor& t, std::optional<IntList> dims, bool keepdim, int64_t ndim);
// The dtype of a sum: int64 for integers and bool, unless another one is requested.
Dtype sum_dtype(Dtype self, std::optional<Dtype> asked);
// Raises torch's error message for a reduction of zero elements that has no identity.
void check_not_empty(const char* name, const Tensor& self, uint64_t mask);
// As check_not_empty, for dimensions as they were passed, which the error message prints.
void check_none_empty(const char* name, const Tensor& self, IntList dims);

// ---- the engine ----

// The memory layout of a reduction: kept dimensions iterate over outputs, reduced ones over the elements of an output.
struct ReductionPlan {
  cpu::Nest kept;                      // operands: out, in
  Small<int64_t, 6> sizes, strides;    // reduced dimensions, innermost first, strides in bytes
  int64_t count = 1;                   // elements per output

  ReductionPlan(IntList kept_sizes) : kept(kept_sizes) {}
  // The number of runs of the innermost reduced dimension per output, and the start of a given run, in bytes from the output's first
  // element.
  int64_t outer() const { return count / sizes[0]; }
  int64_t outer_offset(int64_t run) const;
};
// `out` has one element per kept position, with any strides; reduced dims are removed or kept with size 1.
ReductionPlan plan_reduction(const Tensor& self, uint64_t mask, const Tensor& out);

namespace detail {

inline constexpr int64_t fold_width = 128;  // columns folded together, at most

// A reducer R has: using Acc; static constexpr int lanes; Acc init(); void step(Acc&, In value, int64_t index); Acc merge(Acc, Acc); and
// optionally, if there is a faster way for a contiguous run, Acc fold(const In* data, int64_t n); likewise for columns, fold_columns<In>.
template <int Lanes, class R, class In>
[[gnu::always_inline]] inline typename R::Acc fold_lanes(const In* data, int64_t n, const R& r) {
  using Acc = typename R::Acc;
  Acc acc[Lanes];
  for (int j = 0; j < Lanes; ++j) acc[j] = r.init();
  cpu::walk_lanes<Acc, Lanes>(n, [&](int j, int64_t i) { r.step(acc[j], data[i], i); });
  if constexpr (Lanes == 1)
    return acc[0];
  else
    return cpu::merge_lanes<Lanes / 2>(acc, [&](const Acc& a, const Acc& b) { return r.merge(a, b); });
}
template <class R, class In>
[[gnu::always_inline]] inline typename R::Acc fold_dense(const In* data, int64_t n, const R& r) {
  if constexpr (requires { r.fold(data, n); }) {
    return r.fold(data, n);
  } else {
    constexpr int few = R::lanes < 8 ? R::lanes : 8;
    if (n < 2 * R::lanes) return fold_lanes<few>(data, n, r);  // a short row: starting and merging the lanes would dominate
    return fold_lanes<R::lanes>(data, n, r);
  }
}
// Rows of `n` contiguous elements each, `stride` bytes apart: acc[k] accumulates row k.
template <class R, class In>
[[gnu::always_inline]] inline void fold_rows(const char* data, int64_t stride, int64_t rows, int64_t n, typename R::Acc* acc, const R& r) {
  for (int64_t k = 0; k < rows; ++k) acc[k] = fold_dense<R, In>(reinterpret_cast<const In*>(data + k * stride), n, r);
}
// Loops of one or two vectors run at half speed if they cross a line of the instruction cache.
#define MT_SHORT_LOOPS [[gnu::flatten, gnu::optimize("align-loops=64")]]
template <class R, class In>
MT_TARGET_AVX512 MT_SHORT_LOOPS void fold_rows_avx512(const char* data, int64_t stride, int64_t rows, int64_t n, typename R::Acc* acc,
                                                      const R& r) {
  fold_rows<R, In>(data, stride, rows, n, acc, r);
}
template <class R, class In>
MT_TARGET_AVX2 MT_SHORT_LOOPS void fold_rows_avx2(const char* data, int64_t stride, int64_t rows, int64_t n, typename R::Acc* acc,
                                                  const R& r) {
  fold_rows<R, In>(data, stride, rows, n, acc, r);
}
template <class R, class In>
MT_TARGET_BASELINE void fold_rows_baseline(const char* data, int64_t stride, int64_t rows, int64_t n, typename R::Acc* acc, const R& r) {
  if constexpr (std::is_integral_v<typename R::Acc>)  // the result does not depend on the order, so no lanes are needed where nothing is
                                                      // vectorised
    for (int64_t k = 0; k < rows; ++k) acc[k] = fold_lanes<1>(reinterpret_cast<const In*>(data + k * stride), n, r);
  else
    fold_rows<R, In>(data, stride, rows, n, acc, r);
}
// Returns the clone of fold_rows for this processor; only floats have an AVX-512 clone.
template <class R, class In>
auto choose_fold_rows() {
  const cpu::Capability level = cpu::cpu_capability();
  if constexpr (std::is_same_v<In, float>)
    if (level == cpu::Capability::avx512) return fold_rows_avx512<R, In>;
  return level >= cpu::Capability::avx2 ? fold_rows_avx2<R, In> : fold_rows_baseline<R, In>;
}
// Columns: acc[j] accumulates data[j], data[j + stride], ...
template <class R, class In>
[[gnu::always_inline]] inline void fold_columns(const char* data, int64_t rows, int64_t stride, int64_t columns, int64_t first,
                                                typename R::Acc* acc, const R& r) {
  auto row = [&](int64_t i) { return reinterpret_cast<const In*>(data + i * stride); };
  int64_t i = 0;
  if constexpr (std::is_arithmetic_v<typename R::Acc>)
    for (; i + 4 <= rows; i += 4) {  // in the same order, but totals pass through memory once per four rows
      const In *const a = row(i), *const b = row(i + 1), *const c = row(i + 2), *const d = row(i + 3);
      for (int64_t j = 0; j < columns; ++j) {
        typename R::Acc total = acc[j];
        r.step(total, a[j], first + i);
        r.step(total, b[j], first + i + 1);
        r.step(total, c[j], first + i + 2);
        r.step(total, d[j], first + i + 3);
        acc[j] = total;
      }
    }
  for (; i < rows; ++i) {
    const In* const last = row(i);
    for (int64_t j = 0; j < columns; ++j) r.step(acc[j], last[j], first + i);
  }
}
template <class R, class In>
MT_TARGET_AVX2 MT_SHORT_LOOPS void fold_columns_avx2(const char* data, int64_t rows, int64_t stride, int64_t columns, int64_t first,
                                                     typename R::Acc* acc, const R& r) {
  if constexpr (requires { r.template fold_columns<In>(data, rows, stride, columns, first, acc); })
    r.template fold_columns<In>(data, rows, stride, columns, first, acc);
  else
    fold_columns<R, In>(data, rows, stride, columns, first, acc, r);
}
template <class R, class In>
MT_TARGET_BASELINE void fold_columns_baseline(const char* data, int64_t rows, int64_t stride, int64_t columns, int64_t first,
                                              typename R::Acc* acc, const R& r) {
  fold_columns<R, In>(data, rows, stride, columns, first, acc, r);
}

// out[j] = the result from the total acc[j] alone.
template <class R, class Out>
[[gnu::always_inline]] inline void finish_each(const typename R::Acc* acc, char* out, int64_t stride, int64_t columns, int64_t count,
                                               const R& r) {
  const auto result = [&](int64_t j) { return Out(r.finish(r.merge_wide(r.widen(r.init()), r.widen(acc[j])), count)); };
  if (stride == int64_t(sizeof(Out)))
    for (int64_t j = 0; j < columns; ++j) reinterpret_cast<Out*>(out)[j] = result(j);
  else
    for (int64_t j = 0; j < columns; ++j) *reinterpret_cast<Out*>(out + j * stride) = result(j);
}
template <class R, class Out>
MT_TARGET_AVX2 [[gnu::flatten]] void finish_each_avx2(const typename R::Acc* acc, char* out, int64_t stride, int64_t columns, int64_t count,
                                                      const R& r) {
  finish_each<R, Out>(acc, out, stride, columns, count, r);
}
template <class R, class Out>
MT_TARGET_BASELINE void finish_each_baseline(const typename R::Acc* acc, char* out, int64_t stride, int64_t columns, int64_t count,
                                             const R& r) {
  finish_each<R, Out>(acc, out, stride, columns, count, r);
}

}  // namespace detail

// Elements folded without an intermediate merge: bounds the error of float sums, whatever the length.
inline constexpr int64_t fold_block = 4096;
// Rows of so few elements are transposed and folded as columns: starting and ending a row would dominate.
inline constexpr int64_t short_row = 12;

// The typed steps of one reduction. The code for memory and threads around them is compiled once for all; it treats accumulators and
// totals as opaque arrays of `accumulator_size` and `total_size` bytes each.
struct ReductionLoops {
  // accumulators[k] = the fold of contiguous row k of n elements, `stride` bytes apart; n is at most fold_block.
  void (*fold_rows)(const void* reducer, const char* data, int64_t stride, int64_t rows, int64_t n, void* accumulators);
  // accumulators[j] = the fold of element j of each row; the first row has index `first`.
  void (*fold_columns)(const void* reducer, const char* data, int64_t rows, int64_t stride, int64_t columns, int64_t first,
                       void* accumulators);
  // out[j] = the result from accumulators[j] alone, of `count` elements. Here and below n is at most fold_width.
  void (*finish)(const void* reducer, const void* accumulators, char* out, int64_t stride, int64_t n, int64_t count);
  // Operations on the totals of several folds: initialise them; merge one accumulator into each; merge the accumulators of runs that start
  // at `places` into one; merge totals into one; store the results.
  void (*begin)(const void* reducer, void* totals, int64_t n);
  void (*merge)(const void* reducer, void* totals, const void* accumulators, int64_t n);
  void (*merge_run)(const void* reducer, void* total, const void* accumulators, const int64_t* places, int64_t n);
  void (*merge_totals)(const void* reducer, void* total, const void* totals, int64_t n);
  void (*finish_totals)(const void* reducer, const void* totals, char* out, int64_t stride, int64_t n, int64_t count);
  int64_t accumulator_size, total_size, input_size;
  bool has_columns;     // whether columns fold faster than the same elements one by one
  bool ignores_places;  // and the result does not depend on the elements' indices
};
void run_reduction(const Tensor& self, uint64_t mask, const Tensor& out, const ReductionLoops& loops, const void* reducer);

namespace detail {

inline constexpr int64_t largest_total = 32;
// Conversions from a half type to float and back with rounding, `stride` bytes apart.
const cpu::Conversion& to_float_from(Dtype dtype);
void store_halves(char* out, int64_t stride, const float* values, int64_t n, Dtype dtype);

template <class R, class In, class Out>
struct TypedReduction {
  using Acc = typename R::Acc;
  using Wide = typename R::Wide;
  static_assert(sizeof(Acc) <= largest_total && sizeof(Wide) <= largest_total);
  // Half types are folded as floats, converted a whole run at a time: one element at a time costs several times more.
  using Folded = ComputeType<In>;
  static constexpr bool converts = !std::is_same_v<In, Folded>;
  static constexpr Dtype dtype = std::is_same_v<In, Half> ? Dtype::float16 : Dtype::bfloat16;
  // Results of half types are stored as floats first, and rounded many at a time.
  using Finished = ComputeType<Out>;
  static constexpr bool rounds = !std::is_same_v<Out, Finished>;
  static constexpr Dtype out_dtype = std::is_same_v<Out, Half> ? Dtype::float16 : Dtype::bfloat16;

  // For a sum, half types are widened in registers.
  static constexpr bool is_plain_sum = requires { requires R::is_sum; };

  // fold_rows on contiguous elements, at most fold_block per row.
  static void fold(const char* data, int64_t stride, int64_t rows, int64_t n, typename R::Acc* acc, const R& r) {
    const auto folded = choose_fold_rows<R, Folded>();
    if constexpr (converts) {
      if constexpr (is_plain_sum)
        if (n >= 64 && cpu::has_half_sums()) {
          for (int64_t k = 0; k < rows; ++k) acc[k] = cpu::half_sum(reinterpret_cast<const In*>(data + k * stride), n);
          return;
        }
      const cpu::Conversion& to_float = to_float_from(dtype);
      alignas(64) float wide[fold_block];
      for (int64_t k = 0; k < rows; ++k) {
        to_float(wide, sizeof(float), data + k * stride, sizeof(In), n);
        folded(reinterpret_cast<const char*>(wide), 0, 1, n, acc + k, r);
      }
    } else {
      folded(data, stride, rows, n, acc, r);
    }
  }
  static void fold_columns(const void* reducer, const char* data, int64_t rows, int64_t stride, int64_t columns, int64_t first,
                           void* accumulators) {
    const R& r = reducer_at(reducer);
    Acc* const acc = static_cast<Acc*>(accumulators);
    if constexpr (is_plain_sum && converts)
      if (cpu::has_half_sums()) return cpu::half_column_sums(reinterpret_cast<const In*>(data), rows, stride, columns, acc);
    for (int64_t j = 0; j < columns; ++j) acc[j] = r.init();
    const bool avx2 = cpu::cpu_capability() >= cpu::Capability::avx2;
    const auto folded = avx2 ? fold_columns_avx2<R, Folded> : fold_columns_baseline<R, Folded>;
    if constexpr (converts) {
      const cpu::Conversion& to_float = to_float_from(dtype);
      constexpr int64_t together = 8;  // totals pass through memory once for several rows
      alignas(64) float wide[together][fold_width];
      for (int64_t i = 0; i < rows; i += together) {
        const int64_t count = std::min(together, rows - i);
        for (int64_t k = 0; k < count; ++k) to_float(wide[k], sizeof(float), data + (i + k) * stride, sizeof(In), columns);
        folded(reinterpret_cast<const char*>(wide), count, sizeof(wide[0]), columns, first + i, acc, r);
      }
    } else {
      folded(data, rows, stride, columns, first, acc, r);
    }
  }

  static const R& reducer_at(const void* p) { return *static_cast<const R*>(p); }
  static void fold_rows(const void* reducer, const char* data, int64_t stride, int64_t rows, int64_t n, void* accumulators) {
    fold(data, stride, rows, n, static_cast<Acc*>(accumulators), reducer_at(reducer));
  }
  static void finish(const void* reducer, const void* accumulators, char* out, int64_t stride, int64_t n, int64_t count) {
    const R& r = reducer_at(reducer);
    const Acc* acc = static_cast<const Acc*>(accumulators);
    if constexpr (rounds) {
      alignas(64) float wide[fold_width];
      finish_floats(acc, reinterpret_cast<char*>(wide), sizeof(float), n, count, r);
      store_halves(out, stride, wide, n, out_dtype);
    } else {
      finish_floats(acc, out, stride, n, count, r);
    }
  }
  static void finish_floats(const Acc* acc, char* out, int64_t stride, int64_t n, int64_t count, const R& r) {
    if constexpr (std::is_floating_point_v<Acc>)
      if (cpu::cpu_capability() >= cpu::Capability::avx2) return finish_each_avx2<R, Finished>(acc, out, stride, n, count, r);
    finish_each_baseline<R, Finished>(acc, out, stride, n, count, r);
  }
  static constexpr bool has_columns = std::is_arithmetic_v<Acc> ||
                                      requires(const R& r) { r.template fold_columns<Folded>(nullptr, 0, 0, 0, 0, nullptr); };

  static void begin(const void* reducer, void* totals, int64_t n) {
    const R& r = reducer_at(reducer);
    for (int64_t j = 0; j < n; ++j) static_cast<Wide*>(totals)[j] = r.widen(r.init());
  }
  static void merge(const void* reducer, void* totals, const void* accumulators, int64_t n) {
    const R& r = reducer_at(reducer);
    Wide* const total = static_cast<Wide*>(totals);
    for (int64_t j = 0; j < n; ++j) total[j] = r.merge_wide(total[j], r.widen(static_cast<const Acc*>(accumulators)[j]));
  }
  static void merge_run(const void* reducer, void* total, const void* accumulators, const int64_t* places, int64_t n) {
    const R& r = reducer_at(reducer);
    Wide& sum = *static_cast<Wide*>(total);
    for (int64_t c = 0; c < n; ++c) {
      Acc acc = static_cast<const Acc*>(accumulators)[c];
      r.shift(acc, places[c]);
      sum = r.merge_wide(sum, r.widen(acc));
    }
  }
  static void merge_totals(const void* reducer, void* total, const void* totals, int64_t n) {
    const R& r = reducer_at(reducer);
    Wide& sum = *static_cast<Wide*>(total);
    for (int64_t c = 0; c < n; ++c) sum = r.merge_wide(sum, static_cast<const Wide*>(totals)[c]);
  }
  static void finish_totals(const void* reducer, const void* totals, char* out, int64_t stride, int64_t n, int64_t count) {
    const R& r = reducer_at(reducer);
    auto result = [&](int64_t j) { return Finished(r.finish(static_cast<const Wide*>(totals)[j], count)); };
    if constexpr (rounds) {
      alignas(64) float wide[fold_width];
      for (int64_t j = 0; j < n; ++j) wide[j] = result(j);
      store_halves(out, stride, wide, n, out_dtype);
    } else {
      for (int64_t j = 0; j < n; ++j) *reinterpret_cast<Out*>(out + j * stride) = result(j);
    }
  }
  static constexpr ReductionLoops loops = {fold_rows,
                                           fold_columns,
                                           finish,
                                           begin,
                                           merge,
                                           merge_run,
                                           merge_totals,
                                           finish_totals,
                                           sizeof(Acc),
                                           sizeof(Wide),
                                           sizeof(In),
                                           has_columns,
                                           std::is_arithmetic_v<Acc>};
};

}  // namespace detail

// Reduces the dimensions of `mask`: each element of `out` is finish(fold of its elements). R is a reducer as above, with `Wide`, the type
// in which blocks are merged, and widen(Acc) and merge_wide.
template <class R, class In, class Out>
void reduce(const Tensor& self, uint64_t mask, const Tensor& out, const R& r) {
  run_reduction(self, mask, out, detail::TypedReduction<R, In, Out>::loops, &r);
}

// The common case: accumulator and wide type are plain numbers.
template <class A, class W = A>
struct PlainReducer {
  using Acc = A;
  using Wide = W;
  static constexpr int lanes = is_complex_type<A> ? 4 : 32;
  static void shift(Acc&, int64_t) {}
  static Wide widen(const Acc& a) { return Wide(a); }
};
// Sums; a float total is kept in double between blocks.
template <class A>
using WideOf =
    std::conditional_t<std::is_same_v<A, float>, double, std::conditional_t<std::is_same_v<A, Complex<float>>, Complex<double>, A>>;
template <class A>
struct SumReducer : PlainReducer<A, WideOf<A>> {
  using Wide = WideOf<A>;
  static constexpr bool is_sum = true;  // a reducer derived with another step sets false
  static A init() { return A(0); }
  template <class In>
  static void step(A& acc, const In& v, int64_t) {
    acc = acc + A(v);
  }
  // The components of complex numbers in parallel.
  template <class In>
    requires is_complex_type<A>
  [[gnu::always_inline]] static A fold(const In* data, int64_t n) {
    using T = decltype(A::re);
    constexpr int lanes = 32;
    const T* const parts = &data->re;
    T totals[lanes] = {};
    cpu::walk_lanes<T, lanes>(2 * n, [&](int j, int64_t i) { totals[j] += parts[i]; });
    for (int width = lanes / 2; width > 1; width /= 2)
      for (int j = 0; j < width; ++j) totals[j] += totals[j + width];
    return {totals[0], totals[1]};
  }
  static A merge(A a, A b) { return a + b; }
  static Wide merge_wide(Wide a, Wide b) { return a + b; }
  static Wide finish(Wide total, int64_t) { return total; }
};

}  // namespace mt
