// _standard_gamma_grad: the derivative of a gamma sample with respect to its shape parameter, at fixed randomness (implicit
// reparameterisation).
#include <cmath>

#include "core/messages.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

// Minus the derivative of the distribution function with respect to alpha, divided by the density; by the Taylor series of the incomplete
// gamma function.
double differentiate_by_series(double alpha, double x, double psi) {
  double numerator = 1, denominator = alpha, first = numerator / denominator, second = numerator / (denominator * denominator);
  for (int i = 1; i <= 5; ++i) {
    numerator *= -x / i;
    denominator += 1;
    first += numerator / denominator;
    second += numerator / (denominator * denominator);
  }
  const double power = std::pow(x, alpha), density = std::pow(x, alpha - 1) * std::exp(-x), total = power * first;
  const double result = -((std::log(x) - psi) * total - power * second) / density;
  return std::isnan(result) ? 0 : result;
}

// Rice's saddle point expansion, with a Taylor series in the middle, where the expansion is singular.
double differentiate_by_saddle_point(double alpha, double x) {
  if (0.9 * alpha <= x && x <= 1.1 * alpha) {
    const double first = 1 + 24 * alpha * (1 + 12 * alpha);
    const double second = 1440 * (alpha * alpha) + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x);
    return first * second / (1244160 * (alpha * alpha) * (alpha * alpha));
  }
  const double root = std::sqrt(8 * alpha), away = alpha - x, log_ratio = std::log(x / alpha);
  const double near = root / away, far = std::pow(x - alpha - alpha * log_ratio, -1.5);
  const double main = log_ratio * (x < alpha ? near - far : near + far) - std::sqrt(2 / alpha) * (alpha + x) / (away * away);
  const double stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha));
  return -stirling * x * main / root;
}

// For arguments between those of the series and of the expansion: a rational fit in log(x / alpha) and log(alpha).
double differentiate_by_fit(double alpha, double x) {
  static constexpr double fit[3][8] = {{0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084},
                                       {0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915,
                                        -0.00058392623},
                                       {0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367,
                                        -1.5247877e-07}};
  const double u = std::log(x / alpha), v = std::log(alpha);
  double c[8];
  for (int i = 0; i < 8; ++i) c[i] = fit[0][i] + u * (fit[1][i] + u * fit[2][i]);
  return std::exp((c[0] + v * (c[1] + v * (c[2] + v * c[3]))) / (c[4] + v * (c[5] + v * (c[6] + v * c[7]))));
}

constexpr auto compute_standard_gamma_grad = [](const Tensor& self, const Tensor& output) -> Tensor {
  check(self.dtype() == output.dtype(), messages::found_dtype_but_expected, output.dtype(), self.dtype());
  const Dims sizes = broadcast_shapes(self.sizes(), output.sizes());
  Tensor out = empty(sizes, self.dtype(), self.device());
  if (out.is_meta()) return out;
  if (self.dtype() != Dtype::float32 && self.dtype() != Dtype::float64) not_implemented_for("_standard_gamma_grad_cpu", self.dtype());
  BelowAutograd guard;
  const Tensor alpha = dense_as(op<"expand">(self, sizes), Dtype::float64), x = dense_as(op<"expand">(output, sizes), Dtype::float64);
  const Tensor psi = op<"digamma">(alpha);
  const Tensor result = empty(sizes, Dtype::float64);
  for_rows(result.numel(), 64, [&](int64_t i) {
    const double a = alpha.data<double>()[i], y = x.data<double>()[i];
    result.data<double>()[i] = y < double(0.8f) ? differentiate_by_series(a, y, psi.data<double>()[i])
                               : a > 8          ? differentiate_by_saddle_point(a, y)
                                                : differentiate_by_fit(a, y);
  });
  copy_into(out, result);
  return out;
};

MT_OP(OpDef{
    .schema = {"_standard_gamma_grad(Tensor self, Tensor output) -> Tensor"},
    .forms = function,
    .doc = "Computes the derivative of a gamma number by its shape parameter, at fixed randomness.",
    .cpu = compute_standard_gamma_grad,
    .meta = compute_standard_gamma_grad,
});

}  // namespace
}  // namespace mt
