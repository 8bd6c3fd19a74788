// Group normalisation over contiguous planes of channels; channels-last tensors are brought there and back.
#include "rules/group_norm.h"

#include <cmath>
#include <vector>

namespace mt {
namespace {

template <class T>
struct GroupSums {
  using C = ComputeType<T>;
  static void run(const T* x, int64_t n, C* mean, C* var) {
    const C m = n ? row_sum<C>(n, [&](int64_t i) { return C(x[i]); }) / C(n) : C(0);
    *mean = m;
    *var = n ? row_sum<C>(n, [&](int64_t i) { return (C(x[i]) - m) * (C(x[i]) - m); }) / C(n) : C(0);
  }
};
template <class T>
struct ScaledPlane {
  using C = ComputeType<T>;
  static void run(const T* x, T* out, int64_t n, C scale, C shift) {
    for (int64_t i = 0; i < n; ++i) out[i] = T(C(x[i]) * scale + shift);
  }
};
template <class T>
struct PlaneProducts {
  using C = ComputeType<T>;
  static void run(const T* g, const T* x, int64_t n, C* dot, C* sum) {
    *dot = row_sum<C>(n, [&](int64_t i) { return C(g[i]) * C(x[i]); });
    *sum = row_sum<C>(n, [&](int64_t i) { return C(g[i]); });
  }
};
template <class T>
struct GradientOfPlane {
  using C = ComputeType<T>;
  static void run(const T* g, const T* x, T* out, int64_t n, C a, C b, C c) {
    for (int64_t i = 0; i < n; ++i) out[i] = T(a * C(g[i]) + b * C(x[i]) + c);
  }
};

Tensor planes(const Tensor& t) { return dense(t); }

}  // namespace

void group_norm_forward(const Tensor& given, const Tensor& weight, const Tensor& bias, const Groups& s, double eps,
                        const Tensor& out, const Tensor& mean, const Tensor& rstd) {
  const Tensor x = planes(given), y = out.is_contiguous() ? out : empty(out.sizes(), out.dtype());
  dispatch_floating(x.dtype(), "GroupNormKernelImpl", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Dtype wide = compute_dtype(x.dtype());
    const Tensor w = dense_as(weight, wide), b = dense_as(bias, wide), m = empty(mean.sizes(), wide),
                 r = empty(rstd.sizes(), wide);
    const int64_t d = s.per_group(), n = d * s.inner;
    const auto sums = row_clone<GroupSums<T>>(GroupSums<T>::run);
    const auto scaled = row_clone<ScaledPlane<T>>(ScaledPlane<T>::run);
    for_rows(s.samples * s.groups, n * 2, [&](int64_t k) {
      C average, var;
      sums(x.data<T>() + k * n, n, &average, &var);
      const C inverse = C(1) / std::sqrt(var + C(eps));
      m.data<C>()[k] = average;
      r.data<C>()[k] = inverse;
      for (int64_t j = 0; j < d; ++j) {
        const int64_t c = k % s.groups * d + j, at = (k * d + j) * s.inner;
        const C scale = w.defined() ? inverse * w.template data<C>()[c] : inverse;
        scaled(x.data<T>() + at, y.data<T>() + at, s.inner, scale,
               (b.defined() ? b.template data<C>()[c] : C(0)) - average * scale);
      }
    });
    copy_into(mean, m), copy_into(rstd, r);
  });
  if (y.get() != out.get()) copy_into(out, y);
}

void group_norm_backward(const Tensor& grad, const Tensor& given, const Tensor& mean, const Tensor& rstd,
                         const Tensor& weight, const Groups& s, const Tensors<3>& result) {
  const Tensor x = planes(given), g = planes(grad);
  dispatch_floating(x.dtype(), "GroupNormBackwardKernelImpl", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Dtype wide = compute_dtype(x.dtype());
    const Tensor w = dense_as(weight, wide), m = dense_as(mean, wide), r = dense_as(rstd, wide);
    const int64_t d = s.per_group();
    std::vector<C> dots(size_t(s.samples * s.channels)), sums(size_t(s.samples * s.channels));
    const auto products = row_clone<PlaneProducts<T>>(PlaneProducts<T>::run);
    for_rows(s.samples * s.channels, s.inner, [&](int64_t k) {
      products(g.data<T>() + k * s.inner, x.data<T>() + k * s.inner, s.inner, &dots[size_t(k)], &sums[size_t(k)]);
    });
    if (result[0].defined()) {
      const Tensor dx = result[0].is_contiguous() ? result[0] : empty(x.sizes(), x.dtype());
      const auto plane = row_clone<GradientOfPlane<T>>(GradientOfPlane<T>::run);
      const int64_t each = d * s.inner;
      const C share = each > 0 ? C(1) / C(each) : C(0);
      for_rows(s.samples * s.groups, d * s.inner, [&](int64_t k) {
        C dot = 0, sum = 0;
        for (int64_t j = 0; j < d; ++j) {
          const C scale = w.defined() ? w.template data<C>()[k % s.groups * d + j] : C(1);
          dot += dots[size_t(k * d + j)] * scale, sum += sums[size_t(k * d + j)] * scale;
        }
        const C average = m.data<C>()[k], inverse = r.data<C>()[k];
        const C b = (sum * average - dot) * inverse * inverse * inverse * share,
                c = -b * average - sum * inverse * share;
        for (int64_t j = 0; j < d; ++j) {
          const int64_t at = (k * d + j) * s.inner;
          const C a = w.defined() ? inverse * w.template data<C>()[k % s.groups * d + j] : inverse;
          plane(g.data<T>() + at, x.data<T>() + at, dx.data<T>() + at, s.inner, a, b, c);
        }
      });
      if (dx.get() != result[0].get()) copy_into(result[0], dx);
    }
    const Tensor dw = empty({s.channels}, wide), db = empty({s.channels}, wide);
    for (int64_t c = 0; c < s.channels; ++c) {
      C scale = 0, shift = 0;
      for (int64_t n = 0; n < s.samples; ++n) {
        const size_t k = size_t(n * s.channels + c), group = size_t(n * s.groups + c / std::max<int64_t>(1, d));
        scale += (dots[k] - sums[k] * m.data<C>()[group]) * r.data<C>()[group];
        shift += sums[k];
      }
      dw.data<C>()[c] = scale;
      db.data<C>()[c] = shift;
    }
    if (result[1].defined()) copy_into(result[1], dw);
    if (result[2].defined()) copy_into(result[2], db);
  });
}

Tensors<3> group_norm_gradients(const Tensor& g, const Tensor& grad_mean, const Tensor& grad_rstd, const Tensor& x,
                                const Tensor& weight, const Groups& s, double eps, bool want_bias) {
  const int64_t d = s.per_group(), n = d * s.inner;
  const Dims rows{s.samples * s.groups, n};
  const Dtype wide = compute_dtype(x.dtype());
  auto as = [](const Tensor& t, Dtype dtype) { return t.dtype() == dtype ? t : op<"to.dtype">(t, dtype); };
  const Tensor flat = as(op<"reshape">(x, IntList{s.samples * s.groups, n}), wide);
  const Tensor mean = op<"mean.dim">(flat, IntList{1}, true), away = flat - mean;
  const Tensor rstd = op<"rsqrt">(op<"mean.dim">(away * away, IntList{1}, true) + eps), normal = away * rstd;
  Tensors<3> out;
  Tensor dx;
  auto add = [&](const Tensor& t) { dx = dx.defined() ? dx + t : t; };
  if (g.defined()) {
    const Dims by_channel{s.samples, s.channels, s.inner};
    const Tensor grad = as(op<"reshape">(g, by_channel), wide);
    const Tensor w =
        weight.defined() ? op<"view">(as(op<"contiguous">(weight), wide), IntList{1, s.channels, 1}) : Tensor();
    const Tensor scaled = op<"reshape">(w.defined() ? grad * w : grad, rows);
    add(rstd * (scaled - op<"mean.dim">(scaled, IntList{1}, true) -
                normal * op<"mean.dim">(scaled * normal, IntList{1}, true)));
    if (weight.defined())
      out[1] = as(op<"sum.dim_IntList">(grad * op<"reshape">(normal, by_channel), IntList{0, 2}), weight.dtype());
    if (want_bias)
      out[2] = as(op<"sum.dim_IntList">(grad, IntList{0, 2}), weight.defined() ? weight.dtype() : x.dtype());
  }
  const double share = n ? 1.0 / double(n) : 0.0;
  const Dims column{s.samples * s.groups, 1};
  if (grad_mean.defined()) add(op<"expand">(as(op<"reshape">(grad_mean, column), wide) * share, rows));
  if (grad_rstd.defined()) add(-(as(op<"reshape">(grad_rstd, column), wide) * rstd * rstd * share) * normal);
  if (dx.defined()) out[0] = as(op<"reshape">(dx, x.sizes()), x.dtype());
  return out;
}

}  // namespace mt
