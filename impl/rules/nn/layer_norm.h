// Row kernels of layer normalisation.
#pragma once

#include <algorithm>

#include "cpu/rows/row_tiles.h"
#include "cpu/rows/wide_rows.h"
#include "rules/reduction/rows.h"

namespace mt {

// Checks shapes with torch's error messages.
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

template <class C>
struct LayerNormRow {
  static void run(const C* x, const C* weight, const C* bias, C* out, C* mean, C* rstd, int64_t n, double eps) {
    const C m = row_sum<C>(n, [&](int64_t i) { return x[i]; }) / C(n);
    const C var = row_sum<C>(n, [&](int64_t i) { return (x[i] - m) * (x[i] - m); }) / C(n);
    const C s = C(1) / std::sqrt(var + C(eps));
    *mean = m;
    *rstd = s;
    // A separate loop for each case: a loop with branches inside would stay scalar.
    if (weight && bias)
      for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - m) * s * weight[i] + bias[i];
    else if (weight)
      for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - m) * s * weight[i];
    else if (bias)
      for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - m) * s + bias[i];
    else
      for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - m) * s;
  }
};

// Normalises `width` short rows as columns of a tile.
template <class C>
struct LayerNormColumns {
  static void run(const C* x, const C* weight, const C* bias, C* out, C* mean, C* rstd, int64_t n, int64_t width, double eps) {
    C m[cpu::tile_rows] = {}, s[cpu::tile_rows] = {};
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < width; ++j) m[j] += x[i * cpu::tile_rows + j];
    for (int64_t j = 0; j < width; ++j) m[j] /= C(n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < width; ++j) s[j] += (x[i * cpu::tile_rows + j] - m[j]) * (x[i * cpu::tile_rows + j] - m[j]);
    for (int64_t j = 0; j < width; ++j) s[j] = C(1) / std::sqrt(s[j] / C(n) + C(eps));
    for (int64_t i = 0; i < n; ++i) {
      const C w = weight ? weight[i] : C(1), b = bias ? bias[i] : C(-0.0);  // adding -0 changes no bit
      for (int64_t j = 0; j < width; ++j) out[i * cpu::tile_rows + j] = (x[i * cpu::tile_rows + j] - m[j]) * s[j] * w + b;
    }
    std::copy_n(m, width, mean);
    std::copy_n(s, width, rstd);
  }
};

// dx of one row: with a = g * w, x^ = (x - mean) * rstd: rstd * (a - mean(a) - x^ mean(a x^)).
template <class C>
struct LayerNormRowBackward {
  static void run(const C* g, const C* x, const C* weight, C mean, C rstd, C* dx, C* dw, C* db, int64_t n) {
    if (dx) {
      auto scaled = [&](int64_t i) { return weight ? g[i] * weight[i] : g[i]; };
      C sum, dot;
      row_sums<C>(n, scaled, [&](int64_t i) { return scaled(i) * ((x[i] - mean) * rstd); }, sum, dot);
      sum /= C(n), dot /= C(n);
      for (int64_t i = 0; i < n; ++i) dx[i] = rstd * (scaled(i) - sum - (x[i] - mean) * rstd * dot);
    }
    if (dw)
      for (int64_t i = 0; i < n; ++i) dw[i] += g[i] * ((x[i] - mean) * rstd);
    if (db)
      for (int64_t i = 0; i < n; ++i) db[i] += g[i];
  }
};

}  // namespace mt
