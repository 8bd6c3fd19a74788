// linspace and logspace: ends given as numbers or tensors, and the options of a sequence between them.
#pragma once

#include <cmath>

#include "core/backend.h"
#include "core/dispatch_dtype.h"
#include "rules/factory.h"

namespace mt {

using SpacingOptions = NewOptions;

// The options of a new sequence; complex ends make a complex one.
inline SpacingOptions spacing_options(const char* name, const Scalar& start, const Scalar& end, int64_t steps, std::optional<Dtype> dtype,
                                      std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) {
  const bool complex = start.is_complex() || end.is_complex();
  const Dtype inferred = complex ? complex_of(default_dtype()) : default_dtype();
  check(!complex || !dtype || is_complex(*dtype), "torch.{}(): inferred dtype c10::complex<{}> can't be safely cast to passed dtype {}",
        name, ScalarName(default_dtype()), dtype ? *dtype : inferred);
  const SpacingOptions o = new_options(dtype, layout, device, pin, inferred);
  check(steps >= 0, "number of steps must be non-negative");
  return o;
}

// Ends that are tensors have no dimension.
inline void check_ends(const char* name, const Tensor* start, const Tensor* end) {
  if (start && end)
    check(start->dim() == 0 && end->dim() == 0,
          "{} only supports 0-dimensional start and end tensors, but got start with {} dimension(s) and end with {} dimension(s).", name,
          start->dim(), end->dim());
  else
    check((start ? start : end)->dim() == 0, "{} only supports 0-dimensional start and end tensors, but got {} with {} dimension(s).", name,
          start ? "start" : "end", (start ? start : end)->dim());
}
inline Scalar number_of(const Tensor& t) {
  if (t.is_meta()) return Scalar(0);
  BelowAutograd guard;
  const Tensor plain = op<"resolve_neg">(op<"resolve_conj">(on_host(t)));
  return Scalar::load(plain.dtype(), plain.data());
}

// data[i] = f(i-th number from `start` to `end`), each reckoned from the nearer end; integers in double, fused as torch's are.
template <class T, class F>
void fill_spaced(T* data, const Scalar& start, const Scalar& end, int64_t steps, F f) {
  const int64_t last = steps > 1 ? steps - 1 : 1;
  if constexpr (is_complex_type<T>) {
    using Real = decltype(T::re);
    const T a(start.to_complex()), b(end.to_complex()), step = (b - a) / T(Real(last));
    for (int64_t i = 0; i < steps; ++i) data[i] = f(i < steps / 2 ? a + step * T(Real(i)) : b - step * T(Real(steps - i - 1)));
  } else if constexpr (std::is_integral_v<T>) {
    const int64_t a = int64_t(T(start.to_int())), b = int64_t(T(end.to_int()));
    const double step = (double(b) - double(a)) / double(last);
    for (int64_t i = 0; i < steps; ++i)
      data[i] = T(f(i < steps / 2 ? std::fma(step, double(i), double(a)) : std::fma(-step, double(steps - i - 1), double(b))));
  } else {
    using C = ComputeType<T>;
    const C a = C(T(C(start.to_double()))), b = C(T(C(end.to_double()))), step = (b - a) / C(last);
    for (int64_t i = 0; i < steps; ++i) data[i] = T(f(i < steps / 2 ? a + step * C(i) : b - step * C(steps - i - 1)));
  }
}

}  // namespace mt
