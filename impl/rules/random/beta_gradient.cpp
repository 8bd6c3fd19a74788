// The derivative of a beta sample with respect to its first parameter: a series, a saddle point expansion or a fit, in four regions.
#include "rules/random/beta_gradient.h"

#include <cmath>

namespace mt {
namespace {

// The derivative with respect to alpha by a series in x around 0.
double alpha_derivative_by_series(double x, double alpha, double beta, double psi_alpha, double psi_total) {
  const double factor = psi_alpha - psi_total - std::log(x);
  double numerator = 1, series = numerator / alpha * (factor + 1 / alpha);
  for (int i = 1; i <= 10; ++i) {
    numerator *= (i - beta) * x / i;
    const double denominator = alpha + i;
    series += numerator / denominator * (factor + 1 / denominator);
  }
  const double result = x * std::pow(1 - x, -beta) * series;
  return std::isnan(result) ? 0 : result;
}

// The derivative with respect to beta by a series in x around 0.
double beta_derivative_by_series(double x, double alpha, double beta, double psi_beta, double psi_total) {
  const double factor = psi_total - psi_beta;
  double numerator = 1, product = 1, slope = 0, series = factor / alpha;
  for (int i = 1; i <= 8; ++i) {
    numerator *= -x / i;
    slope = slope * (beta - i) + product;
    product *= beta - i;
    series += numerator / (alpha + i) * (slope + factor * product);
  }
  const double result = -std::pow(1 - x, 1 - beta) * series;
  return std::isnan(result) ? 0 : result;
}

// Rice's saddle point expansion, with a Taylor series in the middle, where the expansion is singular.
double expand_saddle_point(double x, double alpha, double beta) {
  const double total = alpha + beta, mean = alpha / total, deviation = std::sqrt(alpha * beta / (total + 1)) / total;
  if (mean - 0.1 * deviation <= x && x <= mean + 0.1 * deviation) {
    const double bb = beta * beta;
    const double poly = 47 * x * bb * bb +
                        alpha * ((43 + 20 * (16 + 27 * beta) * x) * bb * beta +
                                 alpha * (3 * (59 + 180 * beta - 90 * x) * bb + alpha * ((453 + 1620 * beta * (1 - x) - 455 * x) * beta +
                                                                                         alpha * (8 * (1 - x) * (135 * beta - 11)))));
    const double above = (1 + 12 * alpha) * (1 + 12 * beta) / (total * total);
    return above / (1 - x) * poly / (12960 * alpha * alpha * alpha * bb * (1 + 12 * total));
  }
  auto stirling = [](double n) { return 1 + 1 / (12 * n) + 1 / (288 * n * n); };
  const double prefactor = -x / std::sqrt(2 * alpha * beta / total), correction = stirling(alpha) * stirling(beta) / stirling(total);
  const double away = alpha * (x - 1) + beta * x;
  const double first = (2 * (alpha * alpha) * (x - 1) + alpha * beta * (x - 1) - x * (beta * beta)) /
                       (std::sqrt(2 * alpha / beta) * std::pow(total, 1.5) * away * away);
  const double second = 0.5 * std::log(alpha / (total * x)), third = std::sqrt(8 * alpha * beta / total) / away;
  const double fourth = std::pow(beta * std::log(beta / (total * (1 - x))) + alpha * std::log(alpha / (total * x)), -1.5);
  return correction * prefactor * (first + second * (third + (x < mean ? fourth : -fourth)));
}

// A polynomial with the terms u^i a^j b^k for i, j <= 2 and k <= 3. The coefficients of the powers of b are contiguous.
struct Polynomial {
  double coefficients[36];

  double evaluate(double u, double a, double b) const {
    const double powers_u[] = {1, u, u * u}, powers_a[] = {1, a, a * a};
    const double* c = coefficients;
    double sum = 0;
    for (double by_u : powers_u)
      for (double by_a : powers_a) {
        sum += by_u * by_a * (c[0] + b * (c[1] + b * (c[2] + b * c[3])));
        c += 4;
      }
    return sum;
  }
};

// The fit that PyTorch uses (aten/src/ATen/native/Distributions.h): gradients have to be the same numbers.
constexpr Polynomial fit_numerator = {
    {1.003668233,    -0.01061107488,  -0.0657888334,    0.01201642863,    0.6336835991,  -0.3557432599,  0.05486251648,   -0.001465281033,
     -0.03276231906, 0.004474107445,  0.002429354597,   -0.0001557569013, 0.221950385,   -0.3187676331,  0.01799915743,   0.01074823814,
     -0.2951249643,  0.06219954479,   0.01535556598,    0.001550077057,   0.02155310298, 0.004170831599, 0.001292462449,  6.976601077e-05,
     -0.05980841433, 0.008441916499,  0.01085618172,    0.002319392565,   0.02911413504, 0.01400243777,  -0.002721828457, 0.000751041181,
     0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05}};
constexpr Polynomial fit_denominator = {
    {1.000000000,     -0.02924021934,   -0.04438342661,   0.007285809825,   0.6357567472,    -0.3473456711,
     0.05454656494,   -0.002407477521,  -0.03301322327,   0.004845219414,   0.00231480583,   -0.0002307248149,
     0.5925320577,    -0.1757678135,    0.01505928619,    0.000564515273,   0.1014815858,    -0.06589186703,
     0.01272886114,   -0.0007316646956, -0.007258481865,  0.001096195486,   0.0003934994223, -4.12701925e-05,
     0.06469649321,   -0.0236701437,    0.002902096474,   -5.896963079e-05, 0.001925008108,  -0.002869809258,
     0.0008000589141, -6.063713228e-05, -0.0003477407336, 6.959756487e-05,  1.097287507e-05, -1.650964693e-06}};

// Between the regions of the series and the expansion: a rational fit in log(x), log(alpha) and log(total), times a simple approximation.
double evaluate_fit(double x, double alpha, double total, const DigammaPair& psi) {
  const double u = std::log(x), a = std::log(alpha) - u, b = std::log(total) - a;
  const double ratio = fit_numerator.evaluate(u, a, b) / fit_denominator.evaluate(u, a, b);
  return ratio * x * (psi.total - psi.alpha) / (total - alpha);
}

}  // namespace

double beta_gradient(double x, double alpha, double total, const DigammaPair& psi) {
  const double beta = total - alpha, boundary = total * x * (1 - x);
  if (x <= 0.5 && boundary < 2.5) return alpha_derivative_by_series(x, alpha, beta, psi.alpha, psi.total);
  if (x >= 0.5 && boundary < 0.75) return -beta_derivative_by_series(1 - x, beta, alpha, psi.alpha, psi.total);
  if (alpha > 6 && beta > 6) return expand_saddle_point(x, alpha, beta);
  return evaluate_fit(x, alpha, total, psi);
}

}  // namespace mt
