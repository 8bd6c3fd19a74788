// The variance family: moments of a line in one pass, and gradients of variance and standard deviation.
#pragma once

#include "rules/reduction/reducers.h"

namespace mt {

// Running mean and sum of squared deviations; merged by Chan's formula.
template <class C>
struct Moments {
  using Acc = struct {
    double mean, m2, n;
  };
  using Wide = Acc;
  static constexpr int lanes = 1;
  double correction;
  bool root;
  static Acc init() { return {0, 0, 0}; }
  template <class In>
  static void step(Acc& a, const In& v, int64_t) {
    a.n += 1;
    const double d = double(C(v)) - a.mean;
    a.mean += d / a.n;
    a.m2 += d * (double(C(v)) - a.mean);
  }
  // Folds a contiguous run in two passes: computes an approximate mean, then sums squared deviations from it, and corrects these for the
  // error of the mean.
  template <class In>
  [[gnu::always_inline]] static Acc fold(const In* data, int64_t n) {
    constexpr int lanes = 16;
    double sums[lanes] = {}, apart[lanes] = {}, squares[lanes] = {};
    cpu::walk_lanes<C, lanes>(n, [&](int j, int64_t i) { sums[j] += double(C(data[i])); });
    double total = 0, off = 0, m2 = 0;
    for (int j = 0; j < lanes; ++j) total += sums[j];
    const double mean = total / double(n);
    cpu::walk_lanes<C, lanes>(n, [&](int j, int64_t i) {
      const double d = double(C(data[i])) - mean;
      apart[j] += d, squares[j] += d * d;
    });
    for (int j = 0; j < lanes; ++j) off += apart[j], m2 += squares[j];
    m2 -= off * off / double(n);
    return {mean + off / double(n), m2 < 0 ? 0 : m2, double(n)};
  }
  static Acc merge(Acc a, Acc b) {
    if (a.n == 0) return b;
    if (b.n == 0) return a;
    const double n = a.n + b.n, d = b.mean - a.mean;
    return {a.mean + d * b.n / n, a.m2 + b.m2 + d * d * a.n * b.n / n, n};
  }
  static void shift(Acc&, int64_t) {}
  static Acc widen(Acc a) { return a; }
  static Acc merge_wide(Acc a, Acc b) { return merge(a, b); }
  C finish(Acc a, int64_t n) const {
    const double divisor = double(n) - correction > 0 ? double(n) - correction : 0;
    const double v = n == 0 ? __builtin_nan("") : a.m2 / divisor;
    return C(root ? __builtin_sqrt(v) : v);
  }
};

inline Dims dims_of(std::optional<IntList> dim) { return dim ? Dims(*dim) : Dims(); }

template <bool Root>
void reduce_variance(const char* name, const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> correction, Tensor& out) {
  const uint64_t mask = reduced_dims(dim, self.dim());
  const double c = correction ? correction->to_double() : 1.0;
  int64_t n = 1;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (mask >> d & 1) n *= self.size(d);
  if (double(n) - c <= 0)
    warn(
        "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by output "
        "numel).",
        name);
  if (is_complex(self.dtype())) {  // the variances of both components
    BelowAutograd guard;
    Tensor parts = op<"view_as_real">(op<"resolve_conj">(self));
    Tensor v = op<"var.correction">(op<"select">(parts, -1, 0), dim, correction) +
               op<"var.correction">(op<"select">(parts, -1, 1), dim, correction);
    copy_into(out, op<"reshape">(Root ? op<"sqrt">(v) : v, out.sizes()));
    return;
  }
  dispatch_floating(self.dtype(), "std_cpu", [&]<class T>(Type<T>) { reduce<Moments<ComputeType<T>>, T, T>(self, mask, out, {c, Root}); });
}

inline int64_t reduced_count(const TensorMeta& self, std::optional<IntList> dim) {
  const uint64_t mask = reduced_dims(dim, self.sizes.size());
  int64_t n = 1;
  for (int64_t d = 0; d < self.sizes.size(); ++d)
    if (mask >> d & 1) n *= self.sizes[d];
  return n;
}

inline Tensor var_grad(const Tensor& g, const Tensor& x, std::optional<IntList> dim, std::optional<Scalar> correction, bool keepdim) {
  TensorMeta meta;
  meta.sizes = x.sizes();
  const double divisor = double(reduced_count(meta, dim)) - (correction ? correction->to_double() : 1.0);
  Tensor mean = op<"mean.dim">(x, dims_of(dim), true);
  return restore_dims(g, dim, keepdim, x.dim()) * ((x - mean) * (2.0 / divisor));
}
inline Tensor std_grad(const Tensor& g, const Tensor& x, const Tensor& y, std::optional<IntList> dim, std::optional<Scalar> correction,
                       bool keepdim) {
  return var_grad(op<"masked_fill">(g / (y * 2), op<"eq">(y, 0), 0), x, dim, correction, keepdim);
}
// The mean's contribution to the gradient.
inline Tensor mean_grad(const Tensor& g, const Tensor& x, std::optional<IntList> dim, bool keepdim) {
  TensorMeta meta;
  meta.sizes = x.sizes();
  return op<"expand">(restore_dims(g, dim, keepdim, x.dim()), x.sizes()) / double(reduced_count(meta, dim));
}
inline void add_variance_spec(Specs& out, const char* names, const Tensor& self, std::optional<IntList> dim, bool keepdim) {
  check(is_differentiable(self.dtype()), "{} only support floating point and complex dtypes", names);
  out.add(reduced_sizes(self.sizes(), reduced_dims(dim, self.dim()), keepdim), real_of(self.dtype()));
}

}  // namespace mt
