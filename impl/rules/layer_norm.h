// Row kernels of layer normalisation.
#pragma once

#include "rules/rows.h"

namespace mt {

// torch's texts for shapes that do not fit.
inline void check_normalized_shape(const Tensor& input, IntList shape, const Tensor& weight, const Tensor& bias, bool rms = false) {
  check(shape.size() >= 1,
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = {}",
        shape);
  check(!weight.defined() || weight.sizes() == shape,
        "Expected weight to be of same shape as normalized_shape, but got weight of shape {} and normalized_shape = {}",
        weight.defined() ? weight.sizes() : IntList(), shape);
  check(!bias.defined() || bias.sizes() == shape,
        "Expected bias to be of same shape as normalized_shape, but got bias of shape {} and normalized_shape = {}",
        bias.defined() ? bias.sizes() : IntList(), shape);
  const int64_t offset = input.dim() - shape.size();
  bool fits = offset >= 0;
  for (int64_t i = 0; fits && i < shape.size(); ++i) fits = input.size(offset + i) == shape[i];
  if (fits) return;
  std::string wanted;
  for (int64_t i = 0; i < shape.size(); ++i) wanted += (i ? ", " : "") + std::to_string(shape[i]);
  fail("Given normalized_shape={}, expected input with shape [*{}{}], but got input of size{}", shape, rms ? "" : ", ", wanted,
       input.sizes());
}

template <class T>
struct LayerNormRow {
  using C = ComputeType<T>;
  static void run(const T* x, const C* weight, const C* bias, T* out, C* mean, C* rstd, int64_t n, double eps) {
    const C m = row_sum<C>(n, [&](int64_t i) { return C(x[i]); }) / C(n);
    const C var = row_sum<C>(n, [&](int64_t i) { return (C(x[i]) - m) * (C(x[i]) - m); }) / C(n);
    const C s = C(1) / std::sqrt(var + C(eps));
    *mean = m;
    *rstd = s;
    if (weight && bias) {
      for (int64_t i = 0; i < n; ++i) out[i] = T((C(x[i]) - m) * s * weight[i] + bias[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) {
        C y = (C(x[i]) - m) * s;
        if (weight) y *= weight[i];
        if (bias) y += bias[i];
        out[i] = T(y);
      }
    }
  }
};

// dx of one row: with a = g * w, x^ = (x - mean) * rstd: rstd * (a - mean(a) - x^ mean(a x^)).
template <class T>
struct LayerNormRowBackward {
  using C = ComputeType<T>;
  static void run(const T* g, const T* x, const C* weight, C mean, C rstd, T* dx, C* dw, C* db, int64_t n) {
    if (dx) {
      auto scaled = [&](int64_t i) { return weight ? C(g[i]) * weight[i] : C(g[i]); };
      const C sum = row_sum<C>(n, scaled) / C(n);
      const C dot = row_sum<C>(n, [&](int64_t i) { return scaled(i) * ((C(x[i]) - mean) * rstd); }) / C(n);
      for (int64_t i = 0; i < n; ++i) dx[i] = T(rstd * (scaled(i) - sum - (C(x[i]) - mean) * rstd * dot));
    }
    if (dw)
      for (int64_t i = 0; i < n; ++i) dw[i] += C(g[i]) * ((C(x[i]) - mean) * rstd);
    if (db)
      for (int64_t i = 0; i < n; ++i) db[i] += C(g[i]);
  }
};

}  // namespace mt
