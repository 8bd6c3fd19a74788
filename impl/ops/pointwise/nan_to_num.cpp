// nan_to_num, logit, sinc, erfinv, digamma, deg2rad, rad2deg: further functions of one element.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "NaN and infinities replaced: by 0 and the dtype's largest and smallest numbers unless given.",
    .cpu = [](const Tensor& self, std::optional<double> nan, std::optional<double> high, std::optional<double> low) -> Tensor {
      BelowAutograd guard;
      if (is_integral(self.dtype(), true)) return op<"clone">(self);
      const double most = self.dtype() == Dtype::float64 ? 1.7976931348623157e308 : self.dtype() == Dtype::float16 ? 65504.0 : self.dtype() == Dtype::bfloat16 ? 3.3895313892515355e38 : 3.4028234663852886e38;
      auto part = [&](const Tensor& t) {
        Tensor y = op<"masked_fill">(t, op<"isnan">(t), nan.value_or(0.0));
        y = op<"masked_fill">(y, op<"isposinf">(t), high.value_or(most));
        return op<"masked_fill">(y, op<"isneginf">(t), low.value_or(-most));
      };
      if (!is_complex(self.dtype())) return part(self);
      Tensor out = op<"clone">(self);
      Tensor parts = op<"view_as_real">(out);
      op<"copy_">(parts, self.dtype() == Dtype::complex128 ? (most > 1e300 ? part(parts) : part(parts)) : part(parts));
      return out;
    },
    .meta = [](const Tensor& self, std::optional<double>, std::optional<double>, std::optional<double>) -> Tensor { return empty(self.sizes(), self.dtype(), self.device()); },
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"isfinite">(x); })},
});
constexpr auto log_odds = [](auto x) { return log_(x / (1 - x)); };
MT_OP(OpDef{
    .schema = {"logit(Tensor self, float? eps=None) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "log(x / (1 - x)); x is held between eps and 1 - eps where eps is given.",
    .aliases = "special_logit",
    .composite = [](const Tensor& self, std::optional<double> eps) -> Tensor {
      Tensor x = eps ? op<"clamp">(self, *eps, 1 - *eps) : self;
      return op<"_logit_of">(x);
    },
});
MT_OP(OpDef{
    .schema = {"_logit_of(Tensor self) -> Tensor"},
    .doc = "log(x / (1 - x)).",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<log_odds, 1, dtypes::floating>("logit_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / (x * (1 - x)); })},
    .grad_name = "LogitBackward0",
});
constexpr auto sinc_of = [](auto x) {
  using T = decltype(x);
  if (x == T(0)) return T(1);
  const T p = x * T(3.14159265358979323846);
  return sin_(p) / p;
};
MT_OP(OpDef{
    .schema = {"sinc(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "sin(pi x) / (pi x), 1 at zero.",
    .aliases = "special_sinc",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<sinc_of, 1, dtypes::floating_and_complex>("sinc_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x) {
      const double pi = 3.14159265358979323846;
      Tensor p = x * pi;
      return g * op<"masked_fill">(conj((op<"cos">(p) * p - op<"sin">(p)) / (p * x)), op<"eq">(x, 0), 0);
    })},
});
// Winitzki's start, then two steps of Newton in double.
constexpr auto inverse_erf = [](auto given) {
  using T = decltype(given);
  const double y = double(given);
  if (y != y || y < -1 || y > 1) return T(__builtin_nan(""));
  if (y == 1 || y == -1) return T(y * __builtin_inf());
  const double w = std::log1p(-y * y), k = 2 / (3.14159265358979323846 * 0.147) + w / 2;
  double x = std::copysign(std::sqrt(std::sqrt(k * k - w / 0.147) - k), y);
  for (int i = 0; i < 3; ++i) {
    // Near the ends the complement keeps the difference exact.
    const double e = std::fabs(y) > 0.9 ? (y > 0 ? (1 - y) - std::erfc(x) : std::erfc(-x) - (1 + y)) : std::erf(x) - y;
    x -= (std::fabs(y) > 0.9 && y > 0 ? e : e) / (1.12837916709551257390 * std::exp(-x * x));
  }
  return T(x);
};
MT_OP(OpDef{
    .schema = {"erfinv(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The inverse of the error function.",
    .aliases = "special_erfinv",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<inverse_erf, 1, dtypes::floating>("erfinv_cpu"),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * (op<"exp">(y * y) * 0.88622692545275801365); })},
});
// Recurrence up to 10, then the asymptotic series (Abramowitz & Stegun 6.3.18); reflection below zero.
constexpr auto psi = [](auto given) {
  using T = decltype(given);
  double x = double(given), result = 0;
  if (x == 0) return T(std::copysign(__builtin_inf(), -x));
  if (x < 0) {
    if (x == std::floor(x)) return T(__builtin_nan(""));
    result -= 3.14159265358979323846 / std::tan(3.14159265358979323846 * (x - std::floor(x)));
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  if (x == 10) return T(result + 2.25175258906672110764);
  const double z = 1 / (x * x);
  double series = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return T(result + std::log(x) - 0.5 / x - series);
};
MT_OP(OpDef{
    .schema = {"digamma(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The derivative of the logarithm of the gamma function.",
    .aliases = "special_digamma special_psi",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<psi, 1, dtypes::floating>("digamma"),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"polygamma">(1, x); })},
});
// Recurrence up to 20, then Euler-Maclaurin for the Hurwitz zeta function (n + 1, x) times n! (-1)^(n+1).
constexpr auto polygamma_of = [](auto order, auto given) {
  using T = decltype(given);
  const double n = double(order);
  double x = double(given);
  if (n == 0) return psi(given);
  const double s = n + 1;
  if (x <= 0 && x == std::floor(x)) return T(__builtin_inf());
  double sum = 0;
  for (; x < 20; x += 1) sum += std::pow(x, -s);
  double term = std::pow(x, -s), total = sum + x * term / (s - 1) + term / 2, factor = s;
  constexpr double bernoulli[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160};
  double power = term / x;
  for (int k = 0; k < 5; ++k) {
    total += bernoulli[k] * factor * power;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= x * x;
  }
  const double sign = int(n) % 2 ? 1 : -1;
  return T(sign * std::tgamma(s) * total);
};
MT_OP(OpDef{
    .schema = {"polygamma(int n, Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "The n-th derivative of digamma.",
    .aliases = "special_polygamma",
    .rule = pointwise(promoting_to_float),
    .cpu = choose([](const Call& c) {
      check(Unbox<int64_t>::from(c.args[0]) >= 0, "polygamma(n, x) does not support negative n.");
      return kernel_of<polygamma_of, 2, dtypes::floating>("polygamma");
    }),
    .grad = {wrt("self", [](Grad g, In<"n", int64_t> n, In<"self"> x) { return g * op<"polygamma">(*n + 1, x); })},
});
constexpr auto to_radians = [](auto x) { return x * decltype(x)(0.017453292519943295769); };
constexpr auto to_degrees = [](auto x) { return x * decltype(x)(57.295779513082320877); };
MT_OP(OpDef{
    .schema = {"deg2rad(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "Degrees to radians.",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<to_radians, 1, dtypes::floating>("deg2rad"),
    .grad = {wrt("self", [](Grad g) { return g * 0.017453292519943295769; })},
});
MT_OP(OpDef{
    .schema = {"rad2deg(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "Radians to degrees.",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<to_degrees, 1, dtypes::floating>("rad2deg"),
    .grad = {wrt("self", [](Grad g) { return g * 57.295779513082320877; })},
});

}  // namespace
}  // namespace mt
