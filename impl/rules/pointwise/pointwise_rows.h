// Loops over rows of one operand where the others are numbers or columns, for operators so common in that form that filling a tile with
// each row's element would cost too much.
#pragma once

#include <algorithm>
#include <iterator>

#include "rules/pointwise/pointwise.h"

namespace mt {

// The dtypes for which such loops are worth their code size in less common operators.
inline constexpr Dtypes float32_and_int64{dtype_bit(Dtype::float32) | dtype_bit(Dtype::int64)};
inline constexpr Dtypes float32_and_float64{dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64)};

// The index of a dtype in PointwiseKernel::rows; -1 if it has none.
constexpr int row_loop_slot(Dtype compute) {
  switch (compute) {
    case Dtype::float32: return 0;
    case Dtype::float64: return 1;
    case Dtype::int64: return 2;
    case Dtype::float16: return 3;
    case Dtype::bfloat16: return 4;
    default: return -1;
  }
}
#if MT_HAS_X86_TARGETS
namespace detail {

// AVX-512 uses the AVX2 loop: memory is the limit.
template <auto F, class T, size_t... I>
MT_TARGET_AVX2 [[gnu::flatten]] void row_loop(char* const* data, const int64_t* steps, int64_t n, int64_t rows) {
  using R = typename StoredResult<T, std::remove_cvref_t<PointwiseResult<F, T, 0, I...>>>::type;
  for (int64_t r = 0; r < rows; ++r) {
    R* __restrict o = reinterpret_cast<R*>(data[0] + r * steps[0]);
    const T* const x = reinterpret_cast<const T*>(data[1] + r * steps[1]);
    const T ones[] = {*reinterpret_cast<const T*>(data[I + 2] + r * steps[I + 2])...};
    for (int64_t k = 0; k < n; ++k) o[k] = static_cast<R>(F(x[k], ones[I]...));
  }
}
template <auto F, class T, size_t... I>
MT_TARGET_AVX2 [[gnu::flatten]] void halves_row_loop(char* const* data, const int64_t* steps, int64_t n, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* const x = reinterpret_cast<const T*>(data[1] + r * steps[1]);
    run_halves<F>(reinterpret_cast<T*>(data[0] + r * steps[0]), &x, n, std::index_sequence<0>(),
                  *reinterpret_cast<const float*>(data[I + 2] + r * steps[I + 2])...);
  }
}

template <auto F, Dtypes D, size_t... I>
void add_row_loops(PointwiseRowLoop* rows, std::index_sequence<I...>) {
  if constexpr (contains(D, Dtype::float32)) rows[row_loop_slot(Dtype::float32)] = row_loop<F, float, I...>;
  if constexpr (contains(D, Dtype::float64)) rows[row_loop_slot(Dtype::float64)] = row_loop<F, double, I...>;
  if constexpr (contains(D, Dtype::int64)) rows[row_loop_slot(Dtype::int64)] = row_loop<F, int64_t, I...>;
  if constexpr (contains(D, Dtype::float16)) rows[row_loop_slot(Dtype::float16)] = halves_row_loop<F, Half, I...>;
  if constexpr (contains(D, Dtype::bfloat16)) rows[row_loop_slot(Dtype::bfloat16)] = halves_row_loop<F, BFloat16, I...>;
}

}  // namespace detail
#else
namespace detail {

template <auto F, Dtypes D, size_t... I>
void add_row_loops(PointwiseRowLoop*, std::index_sequence<I...>) {}

}  // namespace detail
#endif

// Adds the loops over rows of the first of F's N operands, for those of the dtypes that have a slot.
template <auto F, int N, Dtypes D = dtypes::real>
PointwiseKernel with_rows(PointwiseKernel k) {
  detail::add_row_loops<F, D>(k.rows[0], std::make_index_sequence<N - 1>());
  return k;
}
// As with_rows, over rows of the second of two operands.
template <auto F, Dtypes D = dtypes::real>
PointwiseKernel with_rows_of_second(PointwiseKernel k) {
  constexpr auto swapped = [](auto x, auto one) { return F(one, x); };
  detail::add_row_loops<swapped, D>(k.rows[1], std::index_sequence<0>());
  return k;
}
// As with_rows, over rows of either of two operands, for a commutative F.
template <auto F, Dtypes D = dtypes::real>
PointwiseKernel with_rows_of_either(PointwiseKernel k) {
  k = with_rows<F, 2, D>(k);
  std::copy_n(k.rows[0], std::size(k.rows[0]), k.rows[1]);
  return k;
}

}  // namespace mt
