// isneginf: whether each element is negative infinity.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto isneginf_of = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return x == -decltype(x)(__builtin_inf());
  else
    return false;
};

MT_OP(OpDef{
    .schema = {"isneginf(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Tests each element for negative infinity.

Args:
    self (Tensor): any shape; not complex.

Returns:
    Tensor: bool, with the shape of `self`.

Raises:
    RuntimeError: when `self` is complex, or `out` is not bool.

Example:
    >>> torch.isneginf(torch.tensor([-float("inf"), float("inf"), 1.0]))
    tensor([ True, False, False]))",
    .rule = rule_after_check(refuse_complex<"isneginf does not support complex inputs.">,
                             rule_after_check(refuse_non_bool_out<"isneginf does not support non-boolean outputs.">, pointwise(promoting))),
    .cpu = elementwise<isneginf_of, 1, dtypes::real_and_bool>("isneginf_cpu"),
    .npu = {"IsNegInf"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
