// threshold: x where it exceeds a threshold, `value` elsewhere.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto threshold_of = [](auto x, auto t, auto v) { return x <= t ? v : x; };

MT_OP(OpDef{
    .schema = {"threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Keeps x where ``x > threshold`` and sets it to `value` elsewhere.

NaN stays.

Args:
    self (Tensor): real tensor.
    threshold (number): elements up to it are replaced.
    value (number): the replacement.

Returns:
    Tensor: shape and dtype of `self`; the in-place form returns `self`.

Example:
    >>> torch.threshold(torch.tensor([0.0, -3.0, 2.0]), 1, 20)
    tensor([20., 20.,  2.]))",
    .module = "",
    .rule = pointwise(promoting),
    .cpu = elementwise<threshold_of, 3, dtypes::real>("threshold_cpu"),
    .npu = {"Threshold"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"threshold", Scalar> t) { return op<"threshold_backward">(g, x, *t); })},
});

}  // namespace
}  // namespace mt
