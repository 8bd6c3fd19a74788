// Rejection sampling from a generator's stream, in torch's order: gamma, Poisson and binomial numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "cpu/random/random.h"
#include "rules/random/random.h"
#include "rules/reduction/rows.h"

namespace mt {

// A gamma number of shape `alpha` and scale 1 (Marsaglia and Tsang 2000); arithmetic on the shape is in T. NaN for an invalid shape.
template <class T>
double draw_gamma(T alpha, cpu::RandomEngine& engine) {
  double scale = 1;
  if (alpha == 0) return 0;
  if (alpha < 1) {  // draws with a shape above 1, where fewer candidates are rejected
    scale = std::pow(1 - engine.next_uniform53(), double(1.0f / alpha));
    alpha += 1;
  }
  const double d = double(alpha - 1.0f / 3.0f), c = 1 / std::sqrt(9 * d);
  if (!(d > 0)) return std::numeric_limits<double>::quiet_NaN();
  for (;;) {
    double x, y;
    do {
      x = engine.next_normal();
      y = 1 + c * x;
    } while (y <= 0);
    const double v = y * y * y, u = 1 - engine.next_uniform53(), xx = x * x;
    if (u < 1 - double(0.0331f) * xx * xx || std::log(u) < 0.5 * xx + d * (1 - v + std::log(v))) return scale * d * v;
  }
}

// A Poisson number: by products of uniform numbers for rates below 10, else by transformed rejection (Hoermann 1993, algorithm PTRS).
inline double draw_poisson(double rate, cpu::RandomEngine& engine) {
  constexpr double largest = 4e18;  // above it the number equals the rate in any floating type
  check(rate >= 0, "invalid Poisson rate, expected rate to be non-negative");
  if (rate == 0) return 0;
  if (rate > largest) return rate;
  if (rate < 10) {
    const double bound = std::exp(-rate);
    double product = 1;
    for (int64_t k = 0;; ++k) {
      product *= engine.next_uniform53();
      if (product <= bound) return double(k);
    }
  }
  const double log_rate = std::log(rate), b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = engine.next_uniform53() - 0.5, v = engine.next_uniform53(), us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= sure) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <= -rate + k * log_rate - std::lgamma(k + 1)) return k;
  }
}

namespace detail {

// The remainder of Stirling's formula: log(k!) minus its main terms.
inline double stirling_remainder(double k) {
  static constexpr double small[] = {0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
                                     0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return small[int(k)];
  const double n = k + 1, nn = n * n;
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / nn) / nn) / n;
}

// Transformed rejection (Hoermann 1993, algorithm BTRS), for count * p of at least 10.
inline double draw_binomial_by_rejection(double count, double p, cpu::RandomEngine& engine) {
  const double deviation = std::sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p,
               c = count * p + 0.5;
  const double sure = 0.92 - 4.2 / b, odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation, mode = std::floor((count + 1) * p);
  for (;;) {
    const double u = engine.next_uniform53() - 0.5, us = 0.5 - std::abs(u);
    double v = engine.next_uniform53();
    const double k = std::floor((2 * a / us + b) * u + c);
    if (k < 0 || k > count) continue;
    if (us >= 0.07 && v <= sure) return k;
    v = std::log(v * alpha / (a / (us * us) + b));
    const double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (count - mode + 1))) +
                         (count + 1) * std::log((count - mode + 1) / (count - k + 1)) +
                         (k + 0.5) * std::log(odds * (count - k + 1) / (k + 1)) + stirling_remainder(mode) +
                         stirling_remainder(count - mode) - stirling_remainder(k) - stirling_remainder(count - k);
    if (v <= bound) return k;
  }
}

// Adds up waiting times between successes, for count * p below 10.
inline double draw_binomial_by_waiting(double count, double p, cpu::RandomEngine& engine) {
  const double log_failure = std::log1p(-p);
  double trials = 0, successes = 0;
  for (;;) {
    trials += std::ceil(std::log(engine.next_uniform53()) / log_failure);
    if (!(trials <= count)) return successes;
    successes += 1;
  }
}

}  // namespace detail

// The number of successes in `count` trials.
inline double draw_binomial(double count, double p, cpu::RandomEngine& engine) {
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  if (!(p < 1) || !std::isfinite(count)) return std::numeric_limits<double>::quiet_NaN();
  const double rarer = p <= 0.5 ? p : 1 - p;
  const double drawn = count * rarer >= 10 ? detail::draw_binomial_by_rejection(count, rarer, engine)
                                           : detail::draw_binomial_by_waiting(count, rarer, engine);
  return p <= 0.5 ? drawn : count - drawn;
}

}  // namespace mt
