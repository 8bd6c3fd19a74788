// Group normalisation over contiguous planes of channels, or over pixels of channels side by side; other layouts are brought to the former.
#include "rules/group_norm.h"

#include <cmath>
#include <utility>
#include <vector>

#include "cpu/pool.h"
#include "rules/layouts.h"

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

// ---- channels side by side: `n` of the `pitch` channels of each pixel ----

// totals[c] += value(pixel, c), four pixels at a time and in runs of a bounded length, as sums of floats need it.
template <class F>
[[gnu::always_inline]] inline void channel_totals(int64_t pixels, int64_t n, float* run, double* totals, F&& value) {
  constexpr int64_t length = 256;
  for (int64_t first = 0; first < pixels; first += length) {
    const int64_t end = std::min(pixels, first + length);
    for (int64_t c = 0; c < n; ++c) run[c] = 0;
    int64_t p = first;
    for (; p + 4 <= end; p += 4)
      for (int64_t c = 0; c < n; ++c) run[c] += (value(p, c) + value(p + 1, c)) + (value(p + 2, c) + value(p + 3, c));
    for (; p < end; ++p)
      for (int64_t c = 0; c < n; ++c) run[c] += value(p, c);
    for (int64_t c = 0; c < n; ++c) totals[c] += double(run[c]);
  }
}
struct PixelSums {
  static void run(const float* x, int64_t pixels, int64_t pitch, int64_t n, float* run, double* totals) {
    channel_totals(pixels, n, run, totals, [&](int64_t p, int64_t c) { return x[p * pitch + c]; });
  }
};
struct PixelDeviations {
  static void run(const float* x, int64_t pixels, int64_t pitch, int64_t n, const float* mean, float* run, double* totals) {
    channel_totals(pixels, n, run, totals, [&](int64_t p, int64_t c) {
      const float d = x[p * pitch + c] - mean[c];
      return d * d;
    });
  }
};
struct PixelProducts {
  static void run(const float* g, const float* x, int64_t pixels, int64_t pitch, int64_t n, float* run, double* dots, double* sums) {
    channel_totals(pixels, n, run, dots, [&](int64_t p, int64_t c) { return g[p * pitch + c] * x[p * pitch + c]; });
    channel_totals(pixels, n, run, sums, [&](int64_t p, int64_t c) { return g[p * pitch + c]; });
  }
};
struct ScaledPixels {
  static void run(const float* x, float* out, int64_t pixels, int64_t pitch, int64_t n, const float* scale, const float* shift) {
    for (int64_t p = 0; p < pixels; ++p)
      for (int64_t c = 0; c < n; ++c) out[p * pitch + c] = x[p * pitch + c] * scale[c] + shift[c];
  }
};
struct GradientOfPixels {
  static void run(const float* g, const float* x, float* out, int64_t pixels, int64_t pitch, int64_t n, const float* a, const float* b,
                  const float* c0) {
    for (int64_t p = 0; p < pixels; ++p)
      for (int64_t c = 0; c < n; ++c) {
        const int64_t at = p * pitch + c;
        out[at] = a[c] * g[at] + b[c] * x[at] + c0[c];
      }
  }
};

// Whether `x` and `other` are images whose channels lie side by side. Of floats alone: others are turned, for the library's size.
bool are_pixels(const Tensor& x, const Tensor& other) {
  const MemoryFormat format = x.suggested_memory_format();
  return x.dtype() == Dtype::float32 && x.numel() > 0 && format != MemoryFormat::contiguous && lies_channels_last(x, format) &&
         lies_channels_last(other, format);
}
// Calls f(sample, first group, groups) for pieces of whole groups, on the pool.
template <class F>
void for_groups(const Groups& s, F&& f) {
  const int64_t d = s.per_group();
  cpu::for_channel_pieces(
      s.samples, s.channels, s.inner * 4,
      [&](int64_t sample, int64_t first, int64_t count) { f(sample, first / d, count / d); }, (15 + d) / d * d);
}

// What a group's statistics make of the elements of its channels: x * scale + shift.
template <class C>
struct Affine {
  const Tensor weight, bias;
  C scale(int64_t channel, C inverse) const { return weight.defined() ? inverse * weight.data<C>()[channel] : inverse; }
  C shift(int64_t channel, C average, C scale) const { return (bias.defined() ? bias.data<C>()[channel] : C(0)) - average * scale; }
};

void normalise_pixels(const Tensor& x, const Affine<float>& affine, const Groups& s, double eps, const Tensor& y, float* mean,
                      float* rstd) {
  const int64_t d = s.per_group(), each = d * s.inner;
  const auto sum = row_clone<PixelSums>(PixelSums::run);
  const auto deviate = row_clone<PixelDeviations>(PixelDeviations::run);
  const auto scaled = row_clone<ScaledPixels>(ScaledPixels::run);
  for_groups(s, [&](int64_t sample, int64_t first, int64_t groups) {
    const int64_t n = groups * d, channel = first * d, at = sample * s.inner * s.channels + channel;
    const float* from = x.data<float>() + at;
    std::vector<float> run(static_cast<size_t>(n)), scale(run), shift(run);
    std::vector<double> totals(static_cast<size_t>(n));
    // Of each group, the mean of what its channels' totals are, which begin anew.
    const auto mean_of = [&](int64_t k) {
      double total = 0;
      for (int64_t j = k * d; j < (k + 1) * d; ++j) total += std::exchange(totals[size_t(j)], 0.0);
      return float(total / double(each));
    };
    float *const m = mean + sample * s.groups + first, *const r = rstd + sample * s.groups + first;
    sum(from, s.inner, s.channels, n, run.data(), totals.data());
    for (int64_t k = 0; k < groups; ++k) std::fill_n(shift.data() + k * d, d, m[k] = mean_of(k));
    deviate(from, s.inner, s.channels, n, shift.data(), run.data(), totals.data());
    for (int64_t k = 0; k < groups; ++k) r[k] = 1 / std::sqrt(mean_of(k) + float(eps));
    for (int64_t j = 0; j < n; ++j) {
      scale[size_t(j)] = affine.scale(channel + j, r[j / d]);
      shift[size_t(j)] = affine.shift(channel + j, m[j / d], scale[size_t(j)]);
    }
    scaled(from, y.data<float>() + at, s.inner, s.channels, n, scale.data(), shift.data());
  });
}

template <class T, class C>
void normalise_planes(const Tensor& x, const Affine<C>& affine, const Groups& s, double eps, const Tensor& y, C* mean, C* rstd) {
  const int64_t d = s.per_group(), n = d * s.inner;
  const auto sums = row_clone<GroupSums<T>>(GroupSums<T>::run);
  const auto scaled = row_clone<ScaledPlane<T>>(ScaledPlane<T>::run);
  for_rows(s.samples * s.groups, n * 2, [&](int64_t k) {
    C average, var;
    sums(x.data<T>() + k * n, n, &average, &var);
    const C inverse = C(1) / std::sqrt(var + C(eps));
    mean[k] = average, rstd[k] = inverse;
    for (int64_t j = 0; j < d; ++j) {
      const int64_t c = k % s.groups * d + j, at = (k * d + j) * s.inner;
      const C scale = affine.scale(c, inverse);
      scaled(x.data<T>() + at, y.data<T>() + at, s.inner, scale, affine.shift(c, average, scale));
    }
  });
}

// What the backward of a group reads: its statistics, and of each of its channels the sums of the gradient, and of its products with x.
template <class C>
struct Backward {
  const Affine<C> affine;
  const Groups& s;
  const Tensor mean, rstd;
  std::vector<C> dots, sums;
  Backward(const Tensor& weight, const Groups& groups, const Tensor& m, const Tensor& r)
      : affine{dense_as(weight, dtype_of<C>), {}}, s(groups), mean(dense_as(m, dtype_of<C>)), rstd(dense_as(r, dtype_of<C>)),
        dots(size_t(s.samples * s.channels)), sums(dots) {}

  // The gradient of x is a * grad + b * x + c, where a is the channel's own.
  C a(int64_t group, int64_t channel) const { return affine.scale(channel, rstd.data<C>()[group]); }
  struct Shared {
    C b, c;
  };
  Shared shared(int64_t group) const {
    const int64_t d = s.per_group(), first = group % s.groups * d, each = d * s.inner;
    C dot = 0, sum = 0;
    for (int64_t j = 0; j < d; ++j) {
      const C scale = affine.scale(first + j, C(1));
      dot += dots[size_t(group * d + j)] * scale, sum += sums[size_t(group * d + j)] * scale;
    }
    const C share = each > 0 ? C(1) / C(each) : C(0), average = mean.data<C>()[group], inverse = rstd.data<C>()[group];
    const C b = (sum * average - dot) * inverse * inverse * inverse * share;
    return {b, -b * average - sum * inverse * share};
  }
  void store_of_parameters(const Tensor& of_weight, const Tensor& of_bias) const {
    const int64_t d = s.per_group();
    const Tensor dw = empty({s.channels}, dtype_of<C>), db = empty({s.channels}, dtype_of<C>);
    for (int64_t c = 0; c < s.channels; ++c) {
      C scale = 0, shift = 0;
      for (int64_t n = 0; n < s.samples; ++n) {
        const size_t k = size_t(n * s.channels + c), group = size_t(n * s.groups + c / std::max<int64_t>(1, d));
        scale += (dots[k] - sums[k] * mean.data<C>()[group]) * rstd.data<C>()[group];
        shift += sums[k];
      }
      dw.data<C>()[c] = scale;
      db.data<C>()[c] = shift;
    }
    if (of_weight.defined()) copy_into(of_weight, dw);
    if (of_bias.defined()) copy_into(of_bias, db);
  }
};

void gradient_of_pixels(const Tensor& g, const Tensor& x, Backward<float>& b, const Tensor& dx) {
  const auto products = row_clone<PixelProducts>(PixelProducts::run);
  const auto gradient = row_clone<GradientOfPixels>(GradientOfPixels::run);
  const Groups& s = b.s;
  const int64_t d = s.per_group();
  for_groups(s, [&](int64_t sample, int64_t first, int64_t groups) {
    const int64_t n = groups * d, group = sample * s.groups + first, at = sample * s.inner * s.channels + first * d;
    std::vector<float> own(static_cast<size_t>(n)), by_x(own), shift(own);
    std::vector<double> dots(static_cast<size_t>(n)), sums(dots);
    products(g.data<float>() + at, x.data<float>() + at, s.inner, s.channels, n, own.data(), dots.data(), sums.data());
    for (int64_t j = 0; j < n; ++j) {
      b.dots[size_t(group * d + j)] = float(dots[size_t(j)]);
      b.sums[size_t(group * d + j)] = float(sums[size_t(j)]);
    }
    if (!dx.defined()) return;
    for (int64_t j = 0; j < n; ++j) own[size_t(j)] = b.a(group + j / d, first * d + j);
    for (int64_t k = 0; k < groups; ++k) {
      const auto shared = b.shared(group + k);
      std::fill_n(by_x.data() + k * d, d, shared.b);
      std::fill_n(shift.data() + k * d, d, shared.c);
    }
    gradient(g.data<float>() + at, x.data<float>() + at, dx.data<float>() + at, s.inner, s.channels, n, own.data(), by_x.data(),
             shift.data());
  });
}

template <class T, class C>
void gradient_of_planes(const Tensor& g, const Tensor& x, Backward<C>& b, const Tensor& result) {
  const auto products = row_clone<PlaneProducts<T>>(PlaneProducts<T>::run);
  const Groups& s = b.s;
  for_rows(s.samples * s.channels, s.inner, [&](int64_t k) {
    products(g.data<T>() + k * s.inner, x.data<T>() + k * s.inner, s.inner, &b.dots[size_t(k)], &b.sums[size_t(k)]);
  });
  if (!result.defined()) return;
  const int64_t d = s.per_group();
  const Tensor dx = result.is_contiguous() ? result : empty(x.sizes(), x.dtype());
  const auto plane = row_clone<GradientOfPlane<T>>(GradientOfPlane<T>::run);
  for_rows(s.samples * s.groups, d * s.inner, [&](int64_t k) {
    const auto shared = b.shared(k);
    for (int64_t j = 0; j < d; ++j) {
      const int64_t at = (k * d + j) * s.inner;
      plane(g.data<T>() + at, x.data<T>() + at, dx.data<T>() + at, s.inner, b.a(k, k % s.groups * d + j), shared.b, shared.c);
    }
  });
  if (dx.get() != result.get()) copy_into(result, dx);
}

}  // namespace

void group_norm_forward(const Tensor& given, const Tensor& weight, const Tensor& bias, const Groups& s, double eps,
                        const Tensor& out, const Tensor& mean, const Tensor& rstd) {
  const Dtype wide = compute_dtype(given.dtype());
  const Tensor m = empty(mean.sizes(), wide), r = empty(rstd.sizes(), wide);
  if (are_pixels(given, out)) {
    const Affine<float> affine{dense_as(weight, wide), dense_as(bias, wide)};
    normalise_pixels(given, affine, s, eps, out, m.data<float>(), r.data<float>());
  } else {
    const Tensor x = planar(given), y = out.is_contiguous() ? out : empty(out.sizes(), out.dtype());
    dispatch_floating(x.dtype(), "GroupNormKernelImpl", [&]<class T>(Type<T>) {
      using C = ComputeType<T>;
      const Affine<C> affine{dense_as(weight, wide), dense_as(bias, wide)};
      normalise_planes<T>(x, affine, s, eps, y, m.data<C>(), r.data<C>());
    });
    if (y.get() != out.get()) copy_into(out, y);
  }
  copy_into(mean, m), copy_into(rstd, r);
}

void group_norm_backward(const Tensor& grad, const Tensor& given, const Tensor& mean, const Tensor& rstd,
                         const Tensor& weight, const Groups& s, const Tensors<3>& result) {
  if (are_pixels(given, grad) && (!result[0].defined() || are_pixels(given, result[0]))) {
    Backward<float> b(weight, s, mean, rstd);
    gradient_of_pixels(grad, given, b, result[0]);
    return b.store_of_parameters(result[1], result[2]);
  }
  const Tensor x = planar(given), g = planar(grad);
  dispatch_floating(x.dtype(), "GroupNormBackwardKernelImpl", [&]<class T>(Type<T>) {
    Backward<ComputeType<T>> b(weight, s, mean, rstd);
    gradient_of_planes<T>(g, x, b, result[0]);
    b.store_of_parameters(result[1], result[2]);
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
