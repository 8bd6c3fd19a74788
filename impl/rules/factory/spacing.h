// Evenly spaced numbers: arange, and linspace and logspace with ends given as numbers or tensors; and their options.
#pragma once

#include <cmath>

#include "core/backend.h"
#include "core/dispatch_dtype.h"
#include "rules/factory/factory.h"

namespace mt {

using SpacingOptions = NewOptions;

// The options of a new sequence; complex ends give a complex sequence.
inline SpacingOptions spacing_options(const char* name, const Scalar& start, const Scalar& end, int64_t steps, std::optional<Dtype> dtype,
                                      std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) {
  const bool complex = start.is_complex() || end.is_complex();
  const Dtype inferred = complex ? complex_of(default_dtype()) : default_dtype();
  check(!complex || !dtype || is_complex(*dtype), "torch.{}(): inferred dtype c10::complex<{}> can't be safely cast to passed dtype {}",
        name, ScalarName(default_dtype()), dtype ? *dtype : inferred);
  const SpacingOptions o = dense_options(dtype, layout, device, pin, inferred);
  check(steps >= 0, "number of steps must be non-negative");
  return o;
}

// End tensors must be 0-dim; a meta tensor makes a meta result, whatever device is requested. Returns the device.
inline std::optional<Device> device_of_ends(const char* name, const Tensor* start, const Tensor* end, std::optional<Device> device) {
  const Tensor* const meta = start && start->is_meta() ? start : end && end->is_meta() ? end : nullptr;
  if (meta)
    check((!start || start->dim() == 0) && (!end || end->dim() == 0), "linspace only supports 0-dimensional start and end tensors");
  else if (start && end)
    check(start->dim() == 0 && end->dim() == 0,
          "{} only supports 0-dimensional start and end tensors, but got start with {} dimension(s) and end with {} dimension(s).", name,
          start->dim(), end->dim());
  else
    check((start ? start : end)->dim() == 0, "{} only supports 0-dimensional start and end tensors, but got {} with {} dimension(s).", name,
          start ? "start" : "end", (start ? start : end)->dim());
  return meta ? meta->device() : device;
}
inline Scalar number_of(const Tensor& t) {
  if (t.is_meta()) return Scalar(0);
  BelowAutograd guard;
  const Tensor plain = op<"resolve_neg">(op<"resolve_conj">(on_host(t)));
  return Scalar::load(plain.dtype(), plain.data());
}

// The i-th of `steps` numbers from `start` to `end`, each computed from the nearer end by a fused multiply-add, as torch's vectors do;
// integers in double, half types rounded after each operation.
template <class T>
struct Spaced {
  using C = std::conditional_t<std::is_integral_v<T>, double, ComputeType<T>>;
  C first, last, step;
  int64_t steps;

  Spaced(const Scalar& start, const Scalar& end, int64_t count) : first(round_range_end(start)), last(round_range_end(end)), steps(count) {
    const int64_t gaps = count > 1 ? count - 1 : 1;
    if constexpr (is_complex_type<T>) {
      const auto n = decltype(T::re)(gaps);
      step = T((last.re - first.re) / n, (last.im - first.im) / n);
    } else {
      step = round_to_dtype(round_to_dtype(last - first) / round_to_dtype(C(gaps)));
    }
  }
  template <class I>
  [[gnu::always_inline]] C operator()(I i) const {
    const I from_last = I(steps - 1) - i;
    const bool is_late = i >= I(steps / 2);
    if constexpr (is_complex_type<T>) {
      using Real = decltype(T::re);
      const Real n = Real(is_late ? -from_last : i);
      const T from = is_late ? last : first;
      return T(std::fma(step.re, n, from.re), std::fma(step.im, n, from.im));
    } else if constexpr (is_half) {
      return is_late ? round_to_dtype(last - round_to_dtype(step * round_to_dtype(C(from_last))))
                     : round_to_dtype(first + round_to_dtype(step * round_to_dtype(C(i))));
    } else {
      const C up = std::fma(step, C(i), first), down = std::fma(-step, C(from_last), last);
      return is_late ? down : up;
    }
  }

  // An end of the interval, rounded to the dtype.
  static C round_range_end(const Scalar& s) {
    if constexpr (is_complex_type<T>)
      return T(s.to_complex());
    else if constexpr (std::is_integral_v<T>)
      return double(T(s.to_int()));
    else
      return C(T(C(s.to_double())));
  }

 private:
  static constexpr bool is_half = !std::is_integral_v<T> && !std::is_same_v<T, C>;
  static C round_to_dtype(C x) {
    if constexpr (is_half)
      return C(T(x));
    else
      return x;
  }
};

// Fills a dense CPU tensor: element i is start + i * step, in integers, or in double, as torch does for float32 as well.
void fill_steps(const Tensor& out, const Scalar& start, const Scalar& step);
// Fills a dense CPU tensor with `steps` numbers, as Spaced computes them.
void fill_between(const Tensor& out, const Scalar& start, const Scalar& end, int64_t steps);

}  // namespace mt
