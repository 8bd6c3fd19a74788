// isposinf: whether each element is positive infinity.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto isposinf_of = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return x == decltype(x)(__builtin_inf());
  else
    return false;
};

MT_OP(OpDef{
    .schema = {"isposinf(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Tests each element for positive infinity.

Args:
    self (Tensor): any shape; not complex.

Returns:
    Tensor: bool, with the shape of `self`.

Raises:
    RuntimeError: when `self` is complex, or `out` is not bool.

Example:
    >>> torch.isposinf(torch.tensor([-float("inf"), float("inf"), 1.0]))
    tensor([False,  True, False]))",
    .rule = rule_after_check(refuse_complex<"isposinf does not support complex inputs.">,
                             rule_after_check(refuse_non_bool_out<"isposinf does not support non-boolean outputs.">, pointwise(promoting))),
    .cpu = elementwise<isposinf_of, 1, dtypes::real_and_bool>("isposinf_cpu"),
    .npu = {"IsPosInf"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
