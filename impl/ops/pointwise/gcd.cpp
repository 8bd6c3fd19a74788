// gcd, lcm: the greatest common divisor and the least common multiple.
#include <type_traits>

#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

// Division of the smallest integer by -1 overflows, so -1 is treated separately.
constexpr auto is_minus_one = [](auto x) { return std::is_signed_v<decltype(x)> && x == decltype(x)(-1); };

constexpr auto gcd_of = [](auto a, auto b) {
  auto x = abs_(a), y = abs_(b);
  while (x != 0) {
    auto t = x;
    x = is_minus_one(x) ? decltype(x)(0) : decltype(x)(y % x);
    y = t;
  }
  return y;
};

constexpr auto lcm_of = [](auto a, auto b) {
  using T = decltype(a);
  const T d = gcd_of(a, b);
  if (d == 0) return T(0);
  // For types narrower than int, multiplies and takes the absolute value in int, and wraps to T last. The arithmetic is unsigned, since the
  // smallest number has no positive counterpart, and the product of wide numbers overflows.
  using W = std::conditional_t<(sizeof(T) < sizeof(int)), int, T>;
  using U = std::make_unsigned_t<W>;
  const W quotient = is_minus_one(d) ? W(U(0) - U(W(a))) : W(a / d);
  const W product = W(U(quotient) * U(W(b)));
  return T(product < 0 ? W(U(0) - U(product)) : product);
};

MT_OP(OpDef{
    .schema = {"gcd(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the greatest common divisor of each pair of elements.

It is not negative, unless it leaves the dtype, and gcd(0, 0) is 0. The tensors broadcast and
their dtypes are promoted. Integers only.

Args:
    self, other (Tensor): integer.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.gcd(torch.tensor([12, -4, 0]), torch.tensor([18, 6, 5]))
    tensor([6, 2, 5]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<gcd_of, 2, dtypes::integral>("gcd_cpu"),
    .npu = {"Gcd"},
});

MT_OP(OpDef{
    .schema = {"lcm(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the least common multiple of each pair of elements.

It is not negative, 0 if either is 0, and wraps around where it leaves the dtype. The tensors
broadcast and their dtypes are promoted. Integers only.

Args:
    self, other (Tensor): integer.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.lcm(torch.tensor([4, -6, 0]), torch.tensor([6, 4, 5]))
    tensor([12, 12,  0]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<lcm_of, 2, dtypes::integral>("lcm_cpu"),
});

}  // namespace
}  // namespace mt
