// Distances between rows in the p-norm, and their gradients: cdist and pdist.
#pragma once

#include <cmath>

#include "rules/rows.h"

namespace mt {

// One p of the p-norm. `term` of a difference is folded by `join`; `root` makes the distance of the total; `slope` is the derivative of a
// distance by one difference, times its gradient, from what `of_pair` makes of the distance once for all differences.
template <class C>
struct ManhattanDistance {
  explicit ManhattanDistance(double) {}
  C term(C d) const { return std::abs(d); }
  C join(C a, C b) const { return a + b; }
  C root(C total) const { return total; }
  C of_pair(C distance) const { return distance; }
  C slope(C d, C g, C) const { return g * C((d > 0) - (d < 0)); }
};
template <class C>
struct EuclideanDistance {
  explicit EuclideanDistance(double) {}
  C term(C d) const { return d * d; }
  C join(C a, C b) const { return a + b; }
  C root(C total) const { return std::sqrt(total); }
  C of_pair(C distance) const { return distance; }
  C slope(C d, C g, C distance) const { return distance == 0 ? C(0) : g * d / distance; }
};
template <class C>
struct HammingDistance {  // p = 0
  explicit HammingDistance(double) {}
  C term(C d) const { return d != d ? d : d != 0 ? C(1) : C(0); }
  C join(C a, C b) const { return a + b; }
  C root(C total) const { return total; }
  C of_pair(C distance) const { return distance; }
  C slope(C, C, C) const { return 0; }
};
template <class C>
struct ChebyshevDistance {  // p = inf
  explicit ChebyshevDistance(double) {}
  C term(C d) const { return std::abs(d); }
  C join(C a, C b) const { return a < b ? b : a; }  // NaN, which totals never are, does not count in torch
  C root(C total) const { return total; }
  C of_pair(C distance) const { return distance; }
  C slope(C d, C g, C distance) const { return std::abs(d) == distance ? g * C((d > 0) - (d < 0)) : C(0); }
};
template <class C>
struct MinkowskiDistance {
  C p;
  explicit MinkowskiDistance(double value) : p(C(value)) {}
  C term(C d) const { return std::pow(std::abs(d), p); }
  C join(C a, C b) const { return a + b; }
  C root(C total) const { return std::pow(total, 1 / p); }
  C of_pair(C distance) const { return distance == 0 ? C(-1) : std::pow(distance, p - 1); }  // which is never below 0
  C slope(C d, C g, C power) const {
    if (power < 0 || (d == 0 && p < 1)) return 0;
    return g * C((d > 0) - (d < 0)) * std::pow(std::abs(d), p - 1) / power;
  }
};

// Calls f(metric) for the metric of this p.
template <class C, class F>
void with_metric(double p, F&& f) {
  if (p == 0) return f(HammingDistance<C>(p));
  if (p == 1) return f(ManhattanDistance<C>(p));
  if (p == 2) return f(EuclideanDistance<C>(p));
  if (p == __builtin_inf()) return f(ChebyshevDistance<C>(p));
  f(MinkowskiDistance<C>(p));
}

// The distances of one row to `count` rows.
template <class M>
struct DistancesOfRow {
  template <class T>
  [[gnu::always_inline]] static void run(const T* a, const T* rows, int64_t count, int64_t n, T* out, const M* m) {
    constexpr int lanes = 16;  // independent totals, so that the loop vectorises
    const M metric = *m;
    if (n < 8) {  // of fewer elements than there are totals to join
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
      int64_t i = 0;
      for (; i + lanes <= n; i += lanes)
        for (int j = 0; j < lanes; ++j) acc[j] = metric.join(acc[j], metric.term(a[i + j] - b[i + j]));
      for (int j = 0; i < n; ++i, ++j) acc[j] = metric.join(acc[j], metric.term(a[i] - b[i]));
      // Loops of constant counts become whole vectors; one by one, this would cost more than a short row.
      for (int j = 0; j < 8; ++j) acc[j] = metric.join(acc[j], acc[j + 8]);
      for (int j = 0; j < 4; ++j) acc[j] = metric.join(acc[j], acc[j + 4]);
      for (int j = 0; j < 2; ++j) acc[j] = metric.join(acc[j], acc[j + 2]);
      out[r] = metric.root(metric.join(acc[0], acc[1]));
    }
  }
};
template <class M>
struct SlopeOfRows {
  template <class T>
  [[gnu::always_inline]] static void run(const T* a, const T* b, int64_t n, T g, T distance, T* out, const M* m) {
    const M metric = *m;
    const T pair = metric.of_pair(distance);
    for (int64_t i = 0; i < n; ++i) out[i] += metric.slope(a[i] - b[i], g, pair);
  }
};

// The distances of a row to others, and a pair's gradient added to a row, for the instruction set at hand.
template <class T, class M>
auto distances_clone() {
  return row_clone<DistancesOfRow<M>>(
      static_cast<void (*)(const T*, const T*, int64_t, int64_t, T*, const M*)>(&DistancesOfRow<M>::template run<T>));
}
template <class T, class M>
auto slope_clone() {
  return row_clone<SlopeOfRows<M>>(
      static_cast<void (*)(const T*, const T*, int64_t, T, T, T*, const M*)>(&SlopeOfRows<M>::template run<T>));
}

// Kernels exist for float and double.
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
