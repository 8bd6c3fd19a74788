// frac: the fractional part of each element.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto frac_of = [](auto x) { return x - std::trunc(x); };

MT_OP(OpDef{
    .schema = {"frac(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the fraction of each element: x - trunc(x).

It has the sign of x. Infinities give NaN. The gradient is 1.

Args:
    self (Tensor): any shape; floating.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.frac(torch.tensor([1.25, -1.25, 3.0]))
    tensor([ 0.2500, -0.2500,  0.0000]))",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<frac_of, 1, dtypes::floating>("frac_cpu"),
    .npu = {"Frac"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); })},
});

}  // namespace
}  // namespace mt
