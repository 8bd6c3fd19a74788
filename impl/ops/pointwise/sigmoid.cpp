// sigmoid: the logistic function.
#include "rules/form/algebra.h"
#include "rules/pointwise/complex_loops.h"

namespace mt {
namespace {

constexpr auto sigmoid_of_power = [](auto x, auto power) { return divide_branch_free(decltype(x)(1), decltype(x)(1) + power); };
constexpr auto sigmoid_of = [](auto x) { return decltype(x)(1) / (decltype(x)(1) + exp_(-x)); };

MT_OP(OpDef{
    .schema = {"sigmoid(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the logistic function of each element: 1 / (1 + exp(-x)).

Integer and bool input is converted to the default float dtype. The gradient is result * (1 -
result).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.sigmoid(torch.tensor([0.0, 2.0, -2.0]))
    tensor([0.5000, 0.8808, 0.1192]))",
    .aliases = "special_expit",
    .rule = pointwise(promoting_to_float),
    .cpu = add_complex_exp_loops<sigmoid_of_power, -1>(elementwise<sigmoid_of, 1, dtypes::floating_and_complex>("sigmoid_cpu"))
               .with_grain(4096),
    .npu = {"Sigmoid"},
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return op<"sigmoid_backward">(g, y); })},
});

}  // namespace
}  // namespace mt
