// square: the square of each element.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"square(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the square of each element.

Integers wrap around. The gradient is 2 x.

Args:
    self (Tensor): any shape and dtype.

Returns:
    Tensor: shape and dtype of `self`; int64 for bool.

Example:
    >>> torch.square(torch.tensor([-2, 3]))
    tensor([4, 9]))",
    .composite = [](const Tensor& self) -> Tensor { return op<"pow.Tensor_Scalar">(self, 2); },
    .out_policy = OutPolicy{.recorded_as = "pow", .casts = true, .takes_strides = true},
});

}  // namespace
}  // namespace mt
