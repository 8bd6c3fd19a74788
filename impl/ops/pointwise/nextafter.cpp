// nextafter: the next representable number after `self` towards `other`.
#include <bit>

#include "core/half.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

// The bits of neighbours differ by one, counting away from zero. Without branches, so that the loop vectorises.
constexpr auto nextafter_of = [](auto a, auto b) {
  using T = decltype(a);
  using IntegerOfSize = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  const IntegerOfSize away = IntegerOfSize(a > 0) ^ IntegerOfSize(a < b), bits = std::bit_cast<IntegerOfSize>(a) + 1 - 2 * away;
  constexpr T least = std::numeric_limits<T>::denorm_min();
  const T from_zero = select_(b > 0, least, -least), stepped = select_(a == 0, from_zero, std::bit_cast<T>(bits));
  return select_(a != a || b != b, a + b, select_(a == b, b, stepped));
};
// Half types usually compute in float, where the next number would be too close: these work on the 16 bits.
template <class H>
constexpr auto nextafter_half_of = [](float a, float b) {
  if (a != a || b != b) return float(__builtin_nanf(""));
  if (a == b) return b;
  if (a == 0) return float(std::bit_cast<H>(uint16_t(b > 0 ? 1 : 0x8001)));
  const auto bits = std::bit_cast<uint16_t>(H(a));
  return float(std::bit_cast<H>(uint16_t((a < b) == (a > 0) ? bits + 1 : bits - 1)));
};

constexpr Dtypes single_and_double{dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64)};

MT_OP(OpDef{
    .schema = {"nextafter(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes the next number of the dtype after `self` in the direction of `other`.

Equal elements give `other`; NaN in either gives NaN. From zero the step leads to the smallest
subnormal number. The tensors broadcast and their dtypes are promoted. The gradient is 1 for
`self` and 0 for `other`.

Args:
    self (Tensor): where to start; floating.
    other (Tensor): the direction; floating.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> eps = torch.finfo(torch.float32).eps
    >>> torch.nextafter(torch.tensor([1.0]), torch.tensor([2.0])) == 1 + eps
    tensor([True]))",
    .rule = pointwise(promoting),
    .cpu = choose([](const Call& c) {
      const Tensor both[] = {Unbox<Tensor>::from(c.args[0]), Unbox<Tensor>::from(c.args[1])};
      switch (result_type(both, 2)) {
        case Dtype::float16: return kernel_of<nextafter_half_of<Half>, 2, Dtypes(dtype_bit(Dtype::float16))>("nextafter_cpu");
        case Dtype::bfloat16: return kernel_of<nextafter_half_of<BFloat16>, 2, Dtypes(dtype_bit(Dtype::bfloat16))>("nextafter_cpu");
        default: return kernel_of<nextafter_of, 2, single_and_double>("nextafter_cpu");
      }
    }),
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }), wrt("other", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
