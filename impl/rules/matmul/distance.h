// Distances between rows in the p-norm, and their gradients: cdist and pdist.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "rules/reduction/rows.h"

namespace mt {

// Factors of the gradient of a pair of rows that all elements of their difference share.
template <class C>
struct PairFactors {
  C first, second;
};
// The sign of a number; NaN for NaN.
template <class C>
[[gnu::always_inline]] inline C sign_of(C d) {
  return d != d ? d : C(d > 0) - C(d < 0);
}

// A metric for one p of the p-norm. `join` folds the `term` of each difference into a total; `root` returns the distance for the total;
// `slope` returns the derivative of the distance with respect to one difference, times the incoming gradient, from factors that
// `factors_of_pair` computes once per pair.
template <class C>
struct ManhattanDistance {
  explicit ManhattanDistance(double) {}
  C term(C d) const { return std::abs(d); }
  C join(C a, C b) const { return a + b; }
  C root(C total) const { return total; }
  PairFactors<C> factors_of_pair(C distance, C g) const { return {g, distance}; }
  // A distance of 0, as of a row to itself, has no gradient, even if differences are NaN.
  C slope(C d, PairFactors<C> f) const { return f.second == 0 ? C(0) : f.first * sign_of(d); }
};
template <class C>
struct EuclideanDistance {
  explicit EuclideanDistance(double) {}
  C term(C d) const { return d * d; }
  C join(C a, C b) const { return a + b; }
  C root(C total) const { return std::sqrt(total); }
  // Scales by a power of two if the distance is tiny: g / distance could be infinite although d * g / distance is not.
  PairFactors<C> factors_of_pair(C distance, C g) const {
    const C scale = (distance < C(0x1p-30)) & (distance > 0) ? C(0x1p120) : C(1);
    return {scale, distance == 0 ? C(0) : g / (distance * scale)};
  }
  C slope(C d, PairFactors<C> f) const { return d * f.first * f.second; }
};
template <class C>
struct HammingDistance {  // p = 0
  explicit HammingDistance(double) {}
  C term(C d) const { return d != d ? d : d != 0 ? C(1) : C(0); }
  C join(C a, C b) const { return a + b; }
  C root(C total) const { return total; }
};
template <class C>
struct ChebyshevDistance {  // p = inf
  explicit ChebyshevDistance(double) {}
  C term(C d) const { return std::abs(d); }
  C join(C a, C b) const { return a < b ? b : a; }  // torch ignores a NaN here; totals are never NaN
  C root(C total) const { return total; }
  PairFactors<C> factors_of_pair(C distance, C g) const { return {g, distance}; }
  C slope(C d, PairFactors<C> f) const {
    const C gap = std::abs(d) - f.second;  // NaN for a difference of infinities
    return f.first * sign_of(d) * (gap != gap ? gap : C(gap == 0));
  }
};
template <class C>
struct ChebyshevPairs : ChebyshevDistance<C> {  // for pdist, where NaN counts
  using ChebyshevDistance<C>::ChebyshevDistance;
  C join(C a, C b) const { return (a < b) | (b != b) ? b : a; }
};
template <class C>
struct MinkowskiDistance {
  C p;
  explicit MinkowskiDistance(double value) : p(C(value)) {}
  C term(C d) const { return std::pow(std::abs(d), p); }
  C join(C a, C b) const { return a + b; }
  C root(C total) const { return std::pow(total, 1 / p); }
  PairFactors<C> factors_of_pair(C distance, C g) const {
    return {g, distance == 0 ? C(-1) : std::pow(distance, p - 1)};  // -1 marks a distance of 0: distances are never negative
  }
  C slope(C d, PairFactors<C> f) const {
    if (f.second < 0 || (d == 0 && p < 1)) return 0;
    return f.first * sign_of(d) * std::pow(std::abs(d), p - 1) / f.second;
  }
};

// Calls f(metric) with the metric for p, which must not be 0: that distance has no gradient.
template <class C, class F>
void with_differentiable_metric(double p, F&& f) {
  if (p == 1) return f(ManhattanDistance<C>(p));
  if (p == 2) return f(EuclideanDistance<C>(p));
  if (p == __builtin_inf()) return f(ChebyshevDistance<C>(p));
  f(MinkowskiDistance<C>(p));
}
template <class C, class F>
void with_metric(double p, F&& f) {
  if (p == 0) return f(HammingDistance<C>(p));
  with_differentiable_metric<C>(p, f);
}

// Computes the distances of one row to `count` rows.
template <class M>
struct DistancesOfRow {
  template <class T>
  [[gnu::always_inline]] static void run(const T* a, const T* rows, int64_t count, int64_t n, T* out, const M* m) {
    constexpr int lanes = 16;  // independent totals, so that the loop vectorises
    const M metric = *m;
    if (n < lanes) {  // fewer elements than totals
      for (int64_t r = 0; r < count; ++r, rows += n) {
        T total = 0;
        for (int64_t i = 0; i < n; ++i) total = metric.join(total, metric.term(a[i] - rows[i]));
        out[r] = metric.root(total);
      }
      return;
    }
    for (int64_t r = 0; r < count; ++r) {
      const T* b = rows + r * n;
      T acc[lanes] = {};
      const auto take = [&](int j, T difference) { acc[j] = metric.join(acc[j], metric.term(difference)); };
      const int64_t whole = n / lanes * lanes, known = whole + lanes - n;
      cpu::walk_lanes<T, lanes, 32>(whole, [&](int j, int64_t i) { take(j, a[i] - b[i]); });
      if constexpr (!std::is_same_v<M, EuclideanDistance<T>> && !std::is_same_v<M, ManhattanDistance<T>>)
        for (int64_t i = whole; i < n; ++i) take(int(i - whole), a[i] - b[i]);
      else if (known < lanes)  // as a whole vector, in which elements that were counted already are masked
        cpu::for_lanes<T, lanes, 32>([&](int j) { take(j, j < known ? T(0) : a[n - lanes + j] - b[n - lanes + j]); });
      out[r] = metric.root(cpu::merge_lanes<lanes / 2>(acc, [&](T x, T y) { return metric.join(x, y); }));
    }
  }
};
// Stores in `sums` the gradient of one row from its distances to `count` other rows, which are stored row by row, or column by column with
// columns `pitch` elements apart.
template <class M>
struct SlopesOfRow {
  template <class T>
  [[gnu::always_inline]] static void run(const T* a, const T* others, int64_t count, int64_t n, int64_t pitch, const T* distance,
                                         const T* g, T* sums, T* factors, double p) {
    const M metric(p);
    for (int64_t r = 0; r < count; ++r) {
      const PairFactors<T> pair = metric.factors_of_pair(distance[r], g[r]);
      factors[r] = pair.first, factors[count + r] = pair.second;
    }
    if constexpr (!std::is_same_v<M, MinkowskiDistance<T>>) {
      if (pitch > 0) {
        for (int64_t i = 0; i < n; ++i) sums[i] = of_column(a[i], others + i * pitch, count, factors, metric);
        return;
      }
    }
    std::fill_n(sums, n, T(0));
    for (int64_t r = 0; r < count; ++r) add(a, others + r * n, n, {factors[r], factors[count + r]}, metric, sums);
  }
  template <class T>
  [[gnu::always_inline]] static T of_column(T a, const T* b, int64_t count, const T* factors, M metric) {
    T acc[16] = {};
    cpu::walk_lanes<T, 16, 32>(count, [&](int j, int64_t r) { acc[j] += metric.slope(a - b[r], {factors[r], factors[count + r]}); });
    return cpu::merge_lanes<8>(acc, [](T x, T y) { return x + y; });
  }
  template <class T>
  [[gnu::always_inline]] static void add(const T* __restrict a, const T* __restrict b, int64_t n, PairFactors<T> pair, M metric,
                                         T* __restrict sums) {
    for (int64_t i = 0; i < n; ++i) sums[i] += metric.slope(a[i] - b[i], pair);
  }
};

// DistancesOfRow and the gradient's loop, compiled for the current instruction set.
template <class T, class M>
auto choose_distances_loop() {
  return row_clone<DistancesOfRow<M>>(
      static_cast<void (*)(const T*, const T*, int64_t, int64_t, T*, const M*)>(&DistancesOfRow<M>::template run<T>));
}
template <class T>
using Slopes = void (*)(const T*, const T*, int64_t, int64_t, int64_t, const T*, const T*, T*, T*, double);
template <class T>
Slopes<T> choose_gradient_loop(double p) {
  Slopes<T> chosen;
  with_differentiable_metric<T>(p, [&]<class M>(M) {
    constexpr Slopes<T> run = &SlopesOfRow<M>::template run<T>;
    if constexpr (std::is_same_v<M, MinkowskiDistance<T>>)
      chosen = run;  // its powers are function calls
    else
      chosen = row_clone<SlopesOfRow<M>>(run);
  });
  return chosen;
}

// Computes the gradient of the `rows` rows of each of `batches` from their distances to the `count` other rows of their batch: fill(row,
// distances, gradients) stores the distances of a row and their gradients, with zeros for excluded pairs. The gradient of each row is one
// sum over all its pairs.
template <class T, class F>
void gradient_of_rows(double p, const T* x, int64_t batches, int64_t rows, const T* others, int64_t count, int64_t width, T* out,
                      F&& fill) {
  const Slopes<T> slopes = choose_gradient_loop<T>(p);
  // Short rows would not fill vectors, so they are stored column by column.
  const bool by_columns = width < 16 && (p == 1 || p == 2 || p == __builtin_inf());
  const int64_t length = by_columns ? (count + 15) / 16 * 16 : count, size = length * width;
  const T* data = others;
  std::vector<T> transposed(size_t(by_columns ? batches * size : 0));
  if (by_columns) {
    for (int64_t i = 0; i < batches * count; ++i)
      for (int64_t k = 0; k < width; ++k) transposed[size_t(i / count * size + k * length + i % count)] = others[i * width + k];
    data = transposed.data();
  }
  cpu::parallel_for(0, batches * rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, size)), [&](int64_t begin, int64_t end) {
    std::vector<T> distances(static_cast<size_t>(length)), gradients(distances), factors(size_t(2 * length));
    for (int64_t i = begin; i < end; ++i) {
      fill(i, distances.data(), gradients.data());
      slopes(x + i * width, data + i / rows * size, length, width, by_columns ? length : 0, distances.data(), gradients.data(),
             out + i * width, factors.data(), p);
    }
  });
}

// Kernels exist for float and double only.
template <class F>
void dispatch_distance(Dtype dtype, const char* name, F&& f) {
  if (dtype == Dtype::float32)
    f(Type<float>());
  else if (dtype == Dtype::float64)
    f(Type<double>());
  else
    not_implemented_for(name, dtype);
}

}  // namespace mt
