// silu: x times its logistic function.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/complex_loops.h"

namespace mt {
namespace {

constexpr auto silu_of_power = [](auto x, auto power) { return divide_branch_free(x, decltype(x)(1) + power); };
constexpr auto silu_of = [](auto x) { return x / (decltype(x)(1) + exp_(-x)); };

MT_OP(OpDef{
    .schema = {"silu(Tensor self) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Computes x * sigmoid(x) for each element.

Also called swish: Ramachandran et al., "Searching for Activation Functions" (2017). With s =
sigmoid(x) the gradient is s * (1 + x * (1 - s)).

Args:
    self (Tensor): any shape; floating or complex.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> F.silu(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.2689,  0.0000,  0.7311]))",
    .module = "nn",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = add_complex_exp_loops<silu_of_power, -1>(elementwise<silu_of, 1, dtypes::floating_and_complex>("silu_cpu")).with_grain(4096),
    .npu = {"Silu"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return op<"silu_backward">(g, x); })},
});

}  // namespace
}  // namespace mt
