// digamma, polygamma: the derivative of the logarithm of the gamma function.
#include "cpu/math/vecmath_more.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/special/gamma.h"
#include "rules/special/special.h"

namespace mt {
namespace {

// For doubles: recurrence up to 10, then the asymptotic series (Abramowitz & Stegun 6.3.18); reflection below zero.
constexpr auto digamma_of = [](auto given) __attribute__((always_inline)) {
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
    .doc = R"(Computes the digamma function of each element: the derivative of log(gamma(x)).

Recurrence up to 10, then the asymptotic series (Abramowitz & Stegun 6.3.18); reflection below
zero. It is -inf at 0.0, inf at -0.0, NaN at negative integers. Integer and bool input is
converted to the default float dtype. The gradient is polygamma(1, x).

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.digamma(torch.tensor([1.0, 0.5, 10.0]))
    tensor([-0.5772, -1.9635,  2.2518]))",
    .aliases = "special_digamma special_psi",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<digamma_of, 1, dtypes::floating>("digamma"),
    .npu = {"Digamma"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"polygamma">(1, x); })},
});

// trigamma: six recurrence steps, then the asymptotic series (Abramowitz & Stegun 6.4.12), in the element's own precision, as in torch.
constexpr auto trigamma_of = [](auto, auto given) __attribute__((always_inline)) {
  using T = decltype(given);
  constexpr double pi = 3.14159265358979323846;
  const bool low = given < T(0.5);
  const T s = T(sin_(double(T(pi) * given)));  // exact for any magnitude
  T x = low ? 1 - given : given;
  T result = select_(low, -T(pi * pi) / (s * s), T(0));
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i, x += 1) result += 1 / (x * x);
  const T z = 1 / (x * x);
  result += (1 + 1 / (2 * x) + z * (T(1) / 6 - z * (T(1) / 30 - z * (T(1) / 42)))) / x;
  return low ? -result : result;
};
// (-1)^(n + 1) n! times Hurwitz's zeta function of n + 1.
constexpr auto polygamma_of = [](auto order, auto given) {
  const double n = double(order);
  double factorial = 1;
  for (int k = 2; k <= n && k < 21; ++k) factorial *= k;  // exact
  if (n > 20) factorial = std::tgamma(n + 1);
  return decltype(given)((std::fmod(n, 2) == 0 ? -1 : 1) * factorial * hurwitz_zeta(n + 1, double(given)));
};

// The loops and the kernel of polygamma, whose first operand is the order and not the element.
template <PointwiseLoop Loop>
void run_on_second_operand(void* out, const void* const* in, int64_t n) {
  Loop(out, in + 1, n);
}
PointwiseKernel make_polygamma_kernel() {
  PointwiseKernel k = elementwise_by_vector_calls<polygamma_of, 2, dtypes::floating>("polygamma");
  const auto replace = [&]<class T>(Type<T>) {
    PointwiseLoop* loops = k.loops[loop_slot_of(dtype_of<T>)];
    loops[0] = run_on_second_operand<detail::pointwise_baseline<digamma_of, T, T, 0>>;
    loops[1] = run_on_second_operand<detail::pointwise_avx2<digamma_of, T, T, 0>>;
    loops[2] = run_on_second_operand<detail::pointwise_avx512<digamma_of, T, T, 0>>;
  };
  replace(Type<float>());
  replace(Type<double>());
  return k;
}

MT_OP(OpDef{
    .schema = {"polygamma(int n, Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the `n`-th derivative of the digamma function of each element.

For n >= 1 it is (-1)^(n + 1) n! zeta(n + 1, x) with Hurwitz's zeta function (DLMF 25.11.12); n =
1 uses the asymptotic series of Abramowitz & Stegun 6.4.12; n = 0 is digamma itself. Zero and
negative integers are poles, where the result is infinite or very large. Integer and bool input
is converted to the default float dtype. The gradient is polygamma(n + 1, x).

Args:
    n (int): the order of the derivative, at least 0.
    self (Tensor): any shape; not complex. As a method: ``x.polygamma(n)``.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Raises:
    RuntimeError: when `n` is negative.

Example:
    >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348]))",
    .aliases = "special_polygamma",
    .rule = pointwise(promoting_to_float),
    .cpu = choose([](const Call& c) {
      const int64_t n = Unbox<int64_t>::from(c.args[0]);
      check(n >= 0, "polygamma(n, x) does not support negative n.");
      static const PointwiseKernel by_order[] = {make_polygamma_kernel(),
                                                 elementwise_by_vector_calls<trigamma_of, 2, dtypes::floating>("polygamma"),
                                                 elementwise_by_vector_calls<polygamma_of, 2, dtypes::floating>("polygamma")};
      return &by_order[n < 2 ? n : 2];
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
    .doc = R"(Replaces each element by the `n`-th derivative of the digamma function.

`torch.polygamma` says more.

Args:
    self (Tensor): floating; changed in place.
    n (int): the order of the derivative, at least 0.

Returns:
    Tensor: `self`.

Example:
    >>> torch.tensor([1.0, 0.5]).polygamma_(1)
    tensor([1.6449, 4.9348]))",
    .cpu = replace,
    .meta = replace,
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"n", int64_t> n) { return g * op<"polygamma">(*n + 1, x); })},
    .grad_name = "PolygammaBackward1",
});

}  // namespace
}  // namespace mt
