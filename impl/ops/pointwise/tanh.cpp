// tanh: the hyperbolic tangent.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto tanh_of = [](auto x) { return tanh_(x); };

MT_OP(OpDef{
    .schema = {"tanh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the hyperbolic tangent of each element.

Integer and bool input is converted to the default float dtype. The gradient is 1 - result^2.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.tanh(torch.tensor([0.0, 1.0, -20.0]))
    tensor([ 0.0000,  0.7616, -1.0000]))",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<tanh_of, 1, dtypes::floating_and_complex>("tanh_cpu").with_grain(4096),
    .npu = {"Tanh"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return op<"tanh_backward">(g, y); })},
});

}  // namespace
}  // namespace mt
