// hardshrink: x outside an interval around zero, 0 inside.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardshrink_of = [](auto x, auto l) { return x >= -l && x <= l ? x * 0 : x; };

MT_OP(OpDef{
    .schema = {"hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Keeps x where ``|x| > lambd`` and sets it to 0 elsewhere.

Args:
    self (Tensor): floating tensor.
    lambd (number): half of the width of the interval that becomes 0. Default: ``0.5``.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.hardshrink(torch.tensor([-1.0, 0.2, 0.6]))
    tensor([-1.0000,  0.0000,  0.6000]))",
    .module = "",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<hardshrink_of, 2, dtypes::floating>("hardshrink_cpu"),
    .npu = {"Hardshrink"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"lambd", Scalar> l) { return op<"hardshrink_backward">(g, x, *l); })},
});

}  // namespace
}  // namespace mt
