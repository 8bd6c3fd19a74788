// Shared by special functions: the dtypes that most of them support, and functions of doubles.
#pragma once

#include "cpu/math/vecmath_special.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"

namespace mt {

inline constexpr Dtypes float_and_double{dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64)};

// Loops of F as made by `elementwise`, for functions without 64-byte vector versions: an AVX-512 clone would gain nothing.
template <auto F, int N, Dtypes D = float_and_double>
PointwiseKernel elementwise_by_vector_calls(const char* name) {
  PointwiseKernel k{};
  k.name = name;
  k.inputs = N;
  k.dtypes = D;
  const auto add = [&]<class T, size_t... I>(Type<T>, std::index_sequence<I...>) {
    PointwiseLoop* loops = k.loops[loop_slot_of(dtype_of<T>)];
    loops[0] = detail::pointwise_baseline<F, T, T, I...>;
    loops[1] = loops[2] = detail::pointwise_avx2<F, T, T, I...>;
    k.results[loop_slot_of(dtype_of<T>)] = dtype_of<T>;
  };
  add(Type<float>(), std::make_index_sequence<N>());
  add(Type<double>(), std::make_index_sequence<N>());
  return k.with_grain(2048);
}

// Whether 1 + x is 1, or x is NaN.
inline Tensor is_tiny(const Tensor& x) {
  return op<"logical_not">(op<"gt">(op<"abs">(x), x.dtype() == Dtype::float64 ? 0x1p-52 : 0x1p-23));
}

}  // namespace mt
