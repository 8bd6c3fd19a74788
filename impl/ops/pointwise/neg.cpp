// neg: the negative.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/half_bits.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto neg_of = [](auto x) { return -x; };
constexpr auto flip_sign = [](uint16_t x) { return uint16_t(x ^ half_sign); };

const PointwiseKernel* choose_kernel(const Call& c) {
  check(detail::tensor_of(c.args[0]).dtype() != Dtype::boolean,
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
        "`logical_not()` operator instead.");
  static const PointwiseKernel kernel = with_half_bits<flip_sign, 1>(
      elementwise<neg_of, 1, dtypes::numbers | dtypes::complex_half>("neg_cpu"));
  return &kernel;
}

MT_OP(OpDef{
    .schema = {"neg(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the negative of each element.

Unsigned integers and the smallest signed one wrap around. The gradient is -1.

Args:
    self (Tensor): any shape; not bool.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when `self` is bool; ``~x`` inverts a mask.

Example:
    >>> torch.neg(torch.tensor([1.0, -2.0]))
    tensor([-1.,  2.]))",
    .aliases = "negative __neg__",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = choose(choose_kernel),
    .npu = {"Neg"},
    .sparse = on_each_value,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g) { return -g; })},
});

}  // namespace
}  // namespace mt
