// The exponential of a square matrix, by a Taylor polynomial and repeated squaring.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/gemm/gemm.h"
#include "rules/linalg/linalg.h"

namespace mt {

// Four powers of X, then Horner's scheme in X^4 (Paterson and Stockmeyer, 1973), with the lowest degree 4 b that is exact to rounding
// for X's norm. The bounds are from Bader, Blanes and Casas, "Computing the matrix exponential with an optimized Taylor polynomial",
// 2019.
template <class T>
struct Exponential {
  using R = cpu::lapack::Real<T>;
  static constexpr int most = 5;
  static constexpr double single_bounds[most + 1] = {0, 5.1e-2, 0.58, 1.46, 2.3, 3.01},
                                               double_bounds[most + 1] = {0, 3.4e-4, 5e-2, 0.3, 0.7, 1.09};

  int64_t n, size;
  std::vector<T> memory;
  explicit Exponential(int64_t order) : n(order), size(order * order), memory(size_t(size) * 6) {}
  T* slot(int i) { return memory.data() + i * size; }
  void multiply(const T* a, const T* b, T* c) { cpu::gemm<T>(n, n, n, T(1), {a, n, 1}, {b, n, 1}, T(0), {c, n, 1}); }

  // x is the input, and receives the result.
  void compute_in_place(T* x) {
    double norm = 0;
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += double(std::abs(x[i * n + j]));
      norm = sum > norm || sum != sum ? sum : norm;
    }
    if (!(norm < __builtin_inf())) return std::fill(x, x + size, T(R(__builtin_nan(""))));
    const double* bounds = sizeof(R) == 4 ? single_bounds : double_bounds;
    int blocks = 1;
    while (blocks < most && norm > bounds[blocks]) ++blocks;
    const int squarings = norm > bounds[most] ? int(std::ceil(std::log2(norm / bounds[most]))) : 0;
    const R scale = R(std::ldexp(1.0, -std::min(squarings, 1000)));
    T *x1 = slot(0), *x2 = slot(1), *x3 = slot(2), *x4 = slot(3), *p = slot(4), *q = slot(5);
    for (int64_t i = 0; i < size; ++i) x1[i] = x[i] * scale;
    multiply(x1, x1, x2);
    multiply(x2, x1, x3);
    multiply(x2, x2, x4);
    double coefficients[4 * most + 1] = {1};
    for (int i = 1; i <= 4 * blocks; ++i) coefficients[i] = coefficients[i - 1] / i;
    for (int b = blocks - 1; b >= 0; --b) {
      const double* c = coefficients + 4 * b;
      if (b < blocks - 1) multiply(p, x4, q);
      const T* high = b < blocks - 1 ? q : x4;
      const R top = b < blocks - 1 ? R(1) : R(c[4]);
      for (int64_t i = 0; i < size; ++i) p[i] = high[i] * top + x1[i] * R(c[1]) + x2[i] * R(c[2]) + x3[i] * R(c[3]);
      for (int64_t i = 0; i < n; ++i) p[i * n + i] += T(R(c[0]));
    }
    for (int s = 0; s < squarings; ++s) {
      multiply(p, p, q);
      std::swap(p, q);
    }
    std::copy(p, p + size, x);
  }
};

}  // namespace mt
