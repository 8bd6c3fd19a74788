// erfinv: the inverse of the error function.
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"
#include "rules/special/special.h"

namespace mt {
namespace {

// erfinv(x) / x for floats as a function of w = -log(1 - x^2): in powers of w / 3 - 1 up to 6, then of (sqrt(w) - 105 / 32) / (5 / 6).
// Our own fits, accurate to 1e-8, from 40-digit values.
constexpr float central_coefficients[] = {1.623542f,      0.72489125f,   -0.051643495f,   -0.022577573f,    0.015803255f, -0.0030868743f,
                                          -0.0012885062f, 0.0009788295f, -0.00012745865f, -0.000106891006f, 3.986942e-05f};
constexpr float tail_coefficients[] = {3.1153052f,      0.8379862f,     0.003495963f,   -0.001993511f,  0.0010760574f,
                                       -0.00063182885f, 0.00030715828f, -6.842682e-05f, -6.4953815e-06f};
template <size_t K = 0, size_t N>
[[gnu::always_inline]] inline float evaluate_polynomial(const float (&c)[N], float t) {
  if constexpr (K + 1 == N)
    return c[K];
  else
    return cpu::vec::fused(evaluate_polynomial<K + 1>(c, t), t, c[K]);
}

// For floats 3 ULP.
constexpr auto inverse_erf_of = [](auto given) __attribute__((always_inline)) {
  using T = decltype(given);
  if constexpr (std::is_same_v<T, float>) {
    const float complement = (1 - given) * (1 + given), w = -cpu::vec::log(complement);
    const float near = evaluate_polynomial(central_coefficients, cpu::vec::fused(w, 1 / 3.0f, -1.0f));
    const float far = evaluate_polynomial(tail_coefficients, cpu::vec::fused(std::sqrt(w), 1.2f, -3.9375f));
    const float infinite = given * std::numeric_limits<float>::infinity();
    return select_(complement == 0, infinite, given * select_(w <= 6, near, far));
  } else {
    return T(cpu::vec::inverse_erf(given, (1 - given) * (1 + given)));
  }
};

MT_OP(OpDef{
    .schema = {"erfinv(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes the inverse of the error function: the y with erf(y) = x.

-1 and 1 give -inf and inf, elements beyond them NaN. float32 is right to 3 units in the last
place. Integer and bool input is converted to the default float dtype. The gradient is sqrt(pi) /
2 * exp(y^2), infinite at -1 and 1.

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.erfinv(torch.tensor([0.0, 0.5, 1.0, 2.0]))
    tensor([0.0000, 0.4769,    inf,    nan]))",
    .aliases = "special_erfinv",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<inverse_erf_of, 1, dtypes::floating>("erfinv_vml_cpu").with_grain(8192),
    .npu = {"Erfinv"},
    .sparse = on_values,
    .compressed = on_values,
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * (op<"exp">(y * y) * 0.88622692545275801365); })},
});

}  // namespace
}  // namespace mt
