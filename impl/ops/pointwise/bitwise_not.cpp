// bitwise_not: inverts the bits.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto bitwise_not_of = [](auto x) {
  using T = decltype(x);
  if constexpr (std::is_same_v<T, bool>)
    return std::bit_cast<uint8_t>(x) == 0;  // a loop over !x would stay scalar
  else
    return T(~x);
};

MT_OP(OpDef{
    .schema = {"bitwise_not(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Inverts each bit; for bool the logical not.

A signed integer x becomes -x - 1. Floating and complex tensors are refused. No gradient.

Args:
    self (Tensor): any shape; integer or bool.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.bitwise_not(torch.tensor([0, 5, -1]))
    tensor([-1, -6,  0])
    >>> ~torch.tensor([True, False])
    tensor([False,  True]))",
    .aliases = "__invert__",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<bitwise_not_of, 1, dtypes::integral_and_bool>("bitwise_not_cpu"),
    .npu = {"BitwiseNot"},
});

}  // namespace
}  // namespace mt
