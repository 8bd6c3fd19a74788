// logaddexp: log(exp(self) + exp(other)) without overflow.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

// Computes log1p from the modulus, so that small exponentials stay accurate.
template <class T>
Complex<T> logaddexp_of_complex(Complex<T> a, Complex<T> b) {
  if (a.re != a.re || a.im != a.im) return a;
  if (b.re != b.re || b.im != b.im) return b;
  const Complex<T> low = a.re < b.re ? a : b, high = a.re < b.re ? b : a;
  if (low.re == high.re && !std::isfinite(low.re)) return low.re < 0 ? low : log_(exp_(low) + exp_(high));
  const T scale = std::exp(low.re - high.re), turn = low.im - high.im;
  const T x = scale * std::cos(turn), y = scale * std::sin(turn);
  return Complex<T>{std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)} + high;
}
constexpr auto logaddexp_of = [](auto a, auto b) __attribute__((always_inline)) {
  if constexpr (is_complex_type<decltype(a)>) {
    return logaddexp_of_complex(a, b);
  } else {
    const auto m = a < b ? b : a;
    return select_((abs_(a) == decltype(a)(__builtin_inf())) & (a == b), a, m + log1p_(exp_(-abs_(a - b))));
  }
};

MT_OP(OpDef{
    .schema = {"logaddexp(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes log(exp(`self`) + exp(`other`)), element by element, without overflow.

The larger of the two is kept outside: max + log1p(exp(-|`self` - other|)). Two equal infinities
give that infinity. The tensors broadcast and their dtypes are promoted. The gradients are
sigmoid(`self` - `other`) and sigmoid(`other` - `self`), NaN where both are -inf.

Args:
    self, other (Tensor): floating or complex.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.logaddexp(torch.tensor([0.0, 1000.0]), torch.tensor([0.0, 1000.0]))
    tensor([6.9315e-01, 1.0007e+03]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<logaddexp_of, 2, dtypes::floating_and_complex>("logaddexp_cpu"),
    .npu = {"LogAddExp"},
    .grad = {wrt("self", [](Grad g, In<"self"> a, In<"other"> b) { return g / conj(op<"exp">(b - a) + 1); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return g / conj(op<"exp">(a - b) + 1); })},
});

}  // namespace
}  // namespace mt
