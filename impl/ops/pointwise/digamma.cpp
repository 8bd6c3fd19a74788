// digamma, polygamma: the derivative of the logarithm of the gamma function.
#include "cpu/vecmath_more.h"
#include "rules/algebra.h"
#include "rules/gamma.h"
#include "rules/pointwise.h"
#include "rules/rule.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

// Of doubles: recurrence up to 10, then the asymptotic series (Abramowitz & Stegun 6.3.18); reflection below zero.
constexpr auto psi = [](auto given) __attribute__((always_inline)) {
  using T = decltype(given);
  if constexpr (std::is_same_v<T, float>) return cpu::vec::digamma(given);
  double x = double(given), result = 0;
  if (x == 0) return T(std::copysign(__builtin_inf(), -x));
  if (x < 0) {
    if (x == std::floor(x)) return T(__builtin_nan(""));
    result -= 3.14159265358979323846 / std::tan(3.14159265358979323846 * (x - std::nearbyint(x)));
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
    .npu = {"Digamma"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"polygamma">(1, x); })},
});

// Six steps up, then the asymptotic series (Abramowitz & Stegun 6.4.12), in the element's own precision as torch has it.
constexpr auto trigamma = [](auto x) {
  using T = decltype(x);
  constexpr double pi = 3.14159265358979323846;
  T sign = 1, result = 0;
  if (x < T(0.5)) {
    sign = -1;
    const T s = std::sin(T(pi) * x);
    result -= T(pi * pi) / (s * s);
    x = 1 - x;
  }
  for (int i = 0; i < 6; ++i, x += 1) result += 1 / (x * x);
  const T z = 1 / (x * x);
  result += (1 + 1 / (2 * x) + z * (T(1) / 6 - z * (T(1) / 30 - z * (T(1) / 42)))) / x;
  return sign * result;
};

// (-1)^(n + 1) n! times Hurwitz's zeta function of n + 1.
constexpr auto polygamma_of = [](auto order, auto given) {
  using T = decltype(given);
  const double n = double(order);
  if (n == 0) return psi(given);
  if (n == 1) return trigamma(given);
  return T((std::fmod(n, 2) == 0 ? -1 : 1) * std::tgamma(n + 1) * hurwitz_zeta(n + 1, double(given)));
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

constexpr auto replace = [](const Tensor& self, int64_t n) {
  check_no_internal_overlap(self);
  BelowAutograd guard;
  const Tensor result = op<"polygamma">(n, self);
  check_result_cast(result.dtype(), self.dtype());
  if (!self.is_meta()) copy_into(self, result);
};
MT_OP(OpDef{
    .schema = {"polygamma_(Tensor(a!) self, int n) -> Tensor(a!)"},
    .forms = method,
    .doc = "The n-th derivative of digamma, in place.",
    .cpu = replace,
    .meta = replace,
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"n", int64_t> n) { return g * op<"polygamma">(*n + 1, x); })},
    .grad_name = "PolygammaBackward1",
});

}  // namespace
}  // namespace mt
