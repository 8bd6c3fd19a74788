// Group normalisation over contiguous planes of channels, or over pixels with contiguous channels; other layouts are copied to planes.
#include "rules/nn/group_norm.h"

#include <cmath>
#include <utility>
#include <vector>

#include "cpu/copy/convert.h"
#include "cpu/pool/pool.h"
#include "rules/conv/layouts.h"

namespace mt {
namespace {

// A sum in as few lanes as its length needs.
template <class C, class F>
[[gnu::always_inline]] inline C sum_of(int64_t n, F&& value) {
  if (n >= row_lanes) return row_sum<C>(n, value);
  C acc[8] = {};
  cpu::walk_lanes<C, 8, 32>(n, [&](int j, int64_t i) { acc[j] += value(i); });
  return cpu::merge_lanes<4>(acc, [](C a, C b) { return a + b; });
}

// A number per channel: the given ones, or `otherwise` for all.
template <class C>
Tensor expand_per_channel(const Tensor& given, int64_t channels, C otherwise) {
  if (given.defined()) return dense_as(given, dtype_of<C>);
  const Tensor out = empty({channels}, dtype_of<C>);
  std::fill_n(out.data<C>(), channels, otherwise);
  return out;
}

// The transform of a channel's elements, from its group's statistics: x * scale + shift.
template <class C>
struct Affine {
  const Tensor weights, biases;
  const C *const weight = weights.data<C>(), *const bias = biases.data<C>();
  C* const mean;
  C* const rstd;
  const C eps;
};

// Inputs of a group's backward: its statistics, and for each of its channels the sums of the gradient and of its products with x.
template <class C>
struct Backward {
  const Groups& s;
  const Tensor weights, means, rstds;
  const C *const weight = weights.data<C>(), *const mean = means.data<C>(), *const rstd = rstds.data<C>();
  std::vector<C> dots, sums;
  Backward(const Tensor& given, const Groups& groups, const Tensor& m, const Tensor& r)
      : s(groups), weights(expand_per_channel(given, s.channels, C(1))), means(dense_as(m, dtype_of<C>)), rstds(dense_as(r, dtype_of<C>)),
        dots(size_t(s.samples * s.channels)), sums(dots) {}

  // The terms of x's gradient that all elements of a group share: the gradient is rstd * weight * grad + b * x + c.
  struct Shared {
    C b, c;
  };
  [[gnu::always_inline]] Shared shared(int64_t group) const {
    const int64_t d = s.per_group(), first = group % s.groups * d, each = d * s.inner;
    const C *const own = weight + first, *const products = dots.data() + group * d, *const totals = sums.data() + group * d;
    const C dot = sum_of<C>(d, [&](int64_t j) { return products[j] * own[j]; });
    const C sum = sum_of<C>(d, [&](int64_t j) { return totals[j] * own[j]; });
    const C share = each > 0 ? C(1) / C(each) : C(0), average = mean[group], inverse = rstd[group];
    const C b = (sum * average - dot) * inverse * inverse * inverse * share;
    return {b, -b * average - sum * inverse * share};
  }
  void store_parameter_gradients(const Tensor& of_weight, const Tensor& of_bias) const {
    const int64_t d = s.per_group();
    const Tensor dw = empty({s.channels}, dtype_of<C>), db = empty({s.channels}, dtype_of<C>);
    C *const scale = dw.data<C>(), *const shift = db.data<C>();
    std::fill_n(scale, s.channels, C(0)), std::fill_n(shift, s.channels, C(0));
    for (int64_t group = 0; group < s.samples * s.groups; ++group) {
      const C average = mean[group], inverse = rstd[group];
      const C *const products = dots.data() + group * d, *const totals = sums.data() + group * d;
      const int64_t first = group % s.groups * d;
      for (int64_t j = 0; j < d; ++j) scale[first + j] += (products[j] - totals[j] * average) * inverse;
      for (int64_t j = 0; j < d; ++j) shift[first + j] += totals[j];
    }
    if (of_weight.defined()) copy_into(of_weight, dw);
    if (of_bias.defined()) copy_into(of_bias, db);
  }
};

// ---- planes: groups are contiguous ----

// `count` groups from number `first` on; half types are widened to float for all of these.
template <class C>
struct NormalisedGroups {
  static void run(const C* x, C* out, int64_t first, int64_t count, const Groups* shape, const Affine<C>* affine) {
    const int64_t inner = shape->inner, d = shape->per_group(), n = d * inner;
    for (int64_t k = first; k < first + count; ++k, x += n, out += n) {
      const C average = n ? sum_of<C>(n, [&](int64_t i) { return x[i]; }) / C(n) : C(0);
      const C var = n ? sum_of<C>(n, [&](int64_t i) { return (x[i] - average) * (x[i] - average); }) / C(n) : C(0);
      const C inverse = C(1) / std::sqrt(var + affine->eps);
      affine->mean[k] = average, affine->rstd[k] = inverse;
      const C *const weight = affine->weight + k % shape->groups * d, *const bias = affine->bias + k % shape->groups * d;
      if (inner == 1) {
        for (int64_t j = 0; j < d; ++j) {
          const C scale = inverse * weight[j];
          out[j] = x[j] * scale + (bias[j] - average * scale);
        }
        continue;
      }
      for (int64_t j = 0; j < d; ++j) {
        const C scale = inverse * weight[j], shift = bias[j] - average * scale;
        for (int64_t i = j * inner; i < (j + 1) * inner; ++i) out[i] = x[i] * scale + shift;
      }
    }
  }
};
template <class C>
struct PlaneProducts {
  static void run(const C* grad, const C* input, int64_t planes, int64_t inner, C* dots, C* sums) {
    if (inner == 1) {
      for (int64_t k = 0; k < planes; ++k) dots[k] = grad[k] * input[k], sums[k] = grad[k];
      return;
    }
    for (int64_t k = 0; k < planes; ++k, grad += inner, input += inner) {
      dots[k] = sum_of<C>(inner, [&](int64_t i) { return grad[i] * input[i]; });
      sums[k] = sum_of<C>(inner, [&](int64_t i) { return grad[i]; });
    }
  }
};
template <class C>
struct GradientOfGroups {
  static void run(const C* grad, const C* input, C* input_grad, int64_t first, int64_t count, const Backward<C>* backward) {
    const Groups& s = backward->s;
    const int64_t inner = s.inner, d = s.per_group(), n = d * inner;
    for (int64_t k = first; k < first + count; ++k, grad += n, input += n, input_grad += n) {
      const auto [b, c] = backward->shared(k);
      const C inverse = backward->rstd[k];
      const C* const weight = backward->weight + k % s.groups * d;
      if (inner == 1) {
        for (int64_t j = 0; j < d; ++j) input_grad[j] = inverse * weight[j] * grad[j] + b * input[j] + c;
        continue;
      }
      for (int64_t j = 0; j < d; ++j) {
        const C a = inverse * weight[j];
        for (int64_t i = j * inner; i < (j + 1) * inner; ++i) input_grad[i] = a * grad[i] + b * input[i] + c;
      }
    }
  }
};
// Calls f(first, count) on the thread pool, for pieces of `rows` rows of `width` elements.
template <class F>
void for_row_groups(int64_t rows, int64_t width, F&& f) {
  const int64_t together = std::max<int64_t>(1, 8192 / std::max<int64_t>(1, width));
  cpu::parallel_for(0, rows, 2 * together, [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += together) f(first, std::min(together, end - first));
  });
}
// Widens half types to float in a buffer of their own; other types are used in place.
template <class T>
struct FloatBuffer {
  static constexpr bool converts = !std::is_same_v<T, ComputeType<T>>;
  static constexpr Dtype narrow = std::is_same_v<T, Half> ? Dtype::float16 : Dtype::bfloat16;
  std::vector<ComputeType<T>> held;
  ComputeType<T>* read(const T* from, int64_t n) {
    if constexpr (!converts) {
      return const_cast<T*>(from);
    } else {
      held.resize(std::max(held.size(), size_t(n)));
      static const cpu::Conversion widen(Dtype::float32, narrow);
      widen(held.data(), sizeof(float), from, sizeof(T), n);
      return held.data();
    }
  }
  static void write(T* to, const ComputeType<T>* from, int64_t n) {
    if constexpr (converts) {
      static const cpu::Conversion round(narrow, Dtype::float32);
      round(to, sizeof(T), from, sizeof(float), n);
    }
  }
};

// ---- contiguous channels: `n` of the `pitch` channels of each pixel ----

// totals[c] += value(pixel, c), four pixels at a time and in runs of bounded length, which limits the rounding error of float sums.
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
  static void run(const float* input, int64_t pixels, int64_t pitch, int64_t channels, float* run_sums, double* channel_sums) {
    channel_totals(pixels, channels, run_sums, channel_sums, [&](int64_t p, int64_t c) { return input[p * pitch + c]; });
  }
};
struct PixelDeviations {
  static void run(const float* input, int64_t pixels, int64_t pitch, int64_t channels, const float* mean, float* run_sums,
                  double* squared_deviations) {
    channel_totals(pixels, channels, run_sums, squared_deviations, [&](int64_t p, int64_t c) {
      const float d = input[p * pitch + c] - mean[c];
      return d * d;
    });
  }
};
struct PixelProducts {
  static void run(const float* grad, const float* input, int64_t pixels, int64_t pitch, int64_t channels, float* run_sums, double* dots,
                  double* sums) {
    channel_totals(pixels, channels, run_sums, dots, [&](int64_t p, int64_t c) { return grad[p * pitch + c] * input[p * pitch + c]; });
    channel_totals(pixels, channels, run_sums, sums, [&](int64_t p, int64_t c) { return grad[p * pitch + c]; });
  }
};
struct ScaledPixels {
  static void run(const float* input, float* out, int64_t pixels, int64_t pitch, int64_t channels, const float* scale, const float* shift) {
    for (int64_t p = 0; p < pixels; ++p)
      for (int64_t c = 0; c < channels; ++c) out[p * pitch + c] = input[p * pitch + c] * scale[c] + shift[c];
  }
};
struct GradientOfPixels {
  static void run(const float* grad, const float* input, float* input_grad, int64_t pixels, int64_t pitch, int64_t channels, const float* a,
                  const float* b, const float* c0) {
    for (int64_t p = 0; p < pixels; ++p)
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t at = p * pitch + c;
        input_grad[at] = a[c] * grad[at] + b[c] * input[at] + c0[c];
      }
  }
};

// Whether `x` and `other` are float32 images with contiguous channels. Other dtypes are transposed to planes instead, to keep the library
// small.
bool are_float_channels_last(const Tensor& x, const Tensor& other) {
  const MemoryFormat format = x.suggested_memory_format();
  return x.dtype() == Dtype::float32 && x.numel() > 0 && format != MemoryFormat::contiguous && is_stored_channels_last(x, format) &&
         is_stored_channels_last(other, format);
}
// Calls f(sample, first group, number of groups) on the thread pool, for pieces of whole groups.
template <class F>
void for_each_group_piece(const Groups& s, F&& f) {
  const int64_t d = s.per_group();
  cpu::for_channel_pieces(
      s.samples, s.channels, s.inner * 4, [&](int64_t sample, int64_t first, int64_t count) { f(sample, first / d, count / d); },
      (15 + d) / d * d);
}

void normalise_channels_last(const Tensor& x, const Affine<float>& affine, const Groups& s, const Tensor& y) {
  const int64_t d = s.per_group(), each = d * s.inner;
  const auto sum = row_clone<PixelSums>(PixelSums::run);
  const auto deviate = row_clone<PixelDeviations>(PixelDeviations::run);
  const auto scaled = row_clone<ScaledPixels>(ScaledPixels::run);
  for_each_group_piece(s, [&](int64_t sample, int64_t first, int64_t groups) {
    const int64_t n = groups * d, channel = first * d, at = sample * s.inner * s.channels + channel;
    const float* from = x.data<float>() + at;
    std::vector<float> run(static_cast<size_t>(n)), scale(run), shift(run);
    std::vector<double> totals(static_cast<size_t>(n));
    // The mean of the totals of group k's channels; resets these totals to 0.
    const auto mean_of = [&](int64_t k) {
      double total = 0;
      for (int64_t j = k * d; j < (k + 1) * d; ++j) total += std::exchange(totals[size_t(j)], 0.0);
      return float(total / double(each));
    };
    float *const m = affine.mean + sample * s.groups + first, *const r = affine.rstd + sample * s.groups + first;
    sum(from, s.inner, s.channels, n, run.data(), totals.data());
    for (int64_t k = 0; k < groups; ++k) std::fill_n(shift.data() + k * d, d, m[k] = mean_of(k));
    deviate(from, s.inner, s.channels, n, shift.data(), run.data(), totals.data());
    for (int64_t k = 0; k < groups; ++k) r[k] = 1 / std::sqrt(mean_of(k) + affine.eps);
    for (int64_t j = 0; j < n; ++j) {
      scale[size_t(j)] = r[j / d] * affine.weight[channel + j];
      shift[size_t(j)] = affine.bias[channel + j] - m[j / d] * scale[size_t(j)];
    }
    scaled(from, y.data<float>() + at, s.inner, s.channels, n, scale.data(), shift.data());
  });
}

void gradient_of_channels_last(const Tensor& g, const Tensor& x, Backward<float>& b, const Tensor& dx) {
  const auto products = row_clone<PixelProducts>(PixelProducts::run);
  const auto gradient = row_clone<GradientOfPixels>(GradientOfPixels::run);
  const Groups& s = b.s;
  const int64_t d = s.per_group();
  for_each_group_piece(s, [&](int64_t sample, int64_t first, int64_t groups) {
    const int64_t n = groups * d, group = sample * s.groups + first, at = sample * s.inner * s.channels + first * d;
    std::vector<float> own(static_cast<size_t>(n)), by_x(own), shift(own);
    std::vector<double> dots(static_cast<size_t>(n)), sums(dots);
    products(g.data<float>() + at, x.data<float>() + at, s.inner, s.channels, n, own.data(), dots.data(), sums.data());
    for (int64_t j = 0; j < n; ++j) {
      b.dots[size_t(group * d + j)] = float(dots[size_t(j)]);
      b.sums[size_t(group * d + j)] = float(sums[size_t(j)]);
    }
    if (!dx.defined()) return;
    for (int64_t j = 0; j < n; ++j) own[size_t(j)] = b.rstd[group + j / d] * b.weight[first * d + j];
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
void gradient_of_contiguous(const Tensor& g, const Tensor& x, Backward<C>& b, const Tensor& result) {
  const Groups& s = b.s;
  const T *const grads = g.data<T>(), *const from = x.data<T>();
  const auto products = row_clone<PlaneProducts<C>>(PlaneProducts<C>::run);
  for_row_groups(s.samples * s.channels, s.inner, [&](int64_t first, int64_t count) {
    FloatBuffer<T> wide_g, wide_x;
    products(wide_g.read(grads + first * s.inner, count * s.inner), wide_x.read(from + first * s.inner, count * s.inner), count, s.inner,
             b.dots.data() + first, b.sums.data() + first);
  });
  if (!result.defined()) return;
  const Tensor dx = result.is_contiguous() ? result : empty(x.sizes(), x.dtype());
  const auto gradient = row_clone<GradientOfGroups<C>>(GradientOfGroups<C>::run);
  const int64_t n = s.per_group() * s.inner;
  for_row_groups(s.samples * s.groups, n, [&](int64_t first, int64_t count) {
    FloatBuffer<T> wide_g, wide_x;
    C* const own = wide_g.read(grads + first * n, count * n);
    T* const to = dx.data<T>() + first * n;
    C* out = own;
    if constexpr (!FloatBuffer<T>::converts) out = to;
    gradient(own, wide_x.read(from + first * n, count * n), out, first, count, &b);
    wide_g.write(to, own, count * n);
  });
  if (dx.get() != result.get()) copy_into(result, dx);
}

}  // namespace

void group_norm_forward(const Tensor& given, const Tensor& weight, const Tensor& bias, const Groups& s, double eps, const Tensor& out,
                        const Tensor& mean, const Tensor& rstd) {
  const Dtype wide = compute_dtype(given.dtype());
  const Tensor m = empty(mean.sizes(), wide), r = empty(rstd.sizes(), wide);
  dispatch_floating(given.dtype(), "GroupNormKernelImpl", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Affine<C> affine{.weights = expand_per_channel(weight, s.channels, C(1)),
                           .biases = expand_per_channel(bias, s.channels, C(0)),
                           .mean = m.data<C>(),
                           .rstd = r.data<C>(),
                           .eps = C(eps)};
    if constexpr (std::is_same_v<T, float>)
      if (are_float_channels_last(given, out)) return normalise_channels_last(given, affine, s, out);
    const Tensor x = make_planar(given), y = out.is_contiguous() ? out : empty(out.sizes(), out.dtype());
    const auto normalise = row_clone<NormalisedGroups<C>>(NormalisedGroups<C>::run);
    const int64_t n = s.per_group() * s.inner;
    for_row_groups(s.samples * s.groups, n, [&](int64_t first, int64_t count) {
      FloatBuffer<T> wide;
      C* const from = wide.read(x.data<T>() + first * n, count * n);
      T* const to = y.data<T>() + first * n;
      C* result = from;
      if constexpr (!FloatBuffer<T>::converts) result = to;
      normalise(from, result, first, count, &s, &affine);
      wide.write(to, from, count * n);
    });
    if (y.get() != out.get()) copy_into(out, y);
  });
  copy_into(mean, m), copy_into(rstd, r);
}

void group_norm_backward(const Tensor& grad, const Tensor& given, const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                         const Groups& s, const Tensors<3>& result) {
  if (are_float_channels_last(given, grad) && (!result[0].defined() || are_float_channels_last(given, result[0]))) {
    Backward<float> b(weight, s, mean, rstd);
    gradient_of_channels_last(grad, given, b, result[0]);
    return b.store_parameter_gradients(result[1], result[2]);
  }
  const Tensor x = make_planar(given), g = make_planar(grad);
  dispatch_floating(x.dtype(), "GroupNormBackwardKernelImpl", [&]<class T>(Type<T>) {
    Backward<ComputeType<T>> b(weight, s, mean, rstd);
    gradient_of_contiguous<T>(g, x, b, result[0]);
    b.store_parameter_gradients(result[1], result[2]);
  });
}

Tensors<3> group_norm_gradients(const Tensor& g, const Tensor& grad_mean, const Tensor& grad_rstd, const Tensor& x, const Tensor& weight,
                                const Groups& s, double eps, bool want_bias) {
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
    const Tensor w = weight.defined() ? op<"view">(as(op<"contiguous">(weight), wide), IntList{1, s.channels, 1}) : Tensor();
    const Tensor scaled = op<"reshape">(w.defined() ? grad * w : grad, rows);
    add(rstd * (scaled - op<"mean.dim">(scaled, IntList{1}, true) - normal * op<"mean.dim">(scaled * normal, IntList{1}, true)));
    if (weight.defined()) out[1] = as(op<"sum.dim_IntList">(grad * op<"reshape">(normal, by_channel), IntList{0, 2}), weight.dtype());
    if (want_bias) out[2] = as(op<"sum.dim_IntList">(grad, IntList{0, 2}), weight.defined() ? weight.dtype() : x.dtype());
  }
  const double share = n ? 1.0 / double(n) : 0.0;
  const Dims column{s.samples * s.groups, 1};
  if (grad_mean.defined()) add(op<"expand">(as(op<"reshape">(grad_mean, column), wide) * share, rows));
  if (grad_rstd.defined()) add(-(as(op<"reshape">(grad_rstd, column), wide) * rstd * rstd * share) * normal);
  if (dx.defined()) out[0] = as(op<"reshape">(dx, x.sizes()), x.dtype());
  return out;
}

}  // namespace mt
