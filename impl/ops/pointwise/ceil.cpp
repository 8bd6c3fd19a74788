// ceil: rounds up.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto ceil_of = [](auto x) {
  if constexpr (std::is_integral_v<decltype(x)>)
    return x;
  else
    return std::ceil(x);
};

void refuse_complex_numbers(const Call& call) {
  check(!is_complex(Unbox<Tensor>::from(call.args[0]).dtype()), ErrorKind::not_implemented, "ceil is not supported for complex inputs");
}

MT_OP(OpDef{
    .schema = {"ceil(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Rounds each element up: the smallest integer not below it.

Integers stay as they are; infinities and NaN too. Bool and complex tensors are refused. The
gradient is 0.

Args:
    self (Tensor): any shape; floating or integer.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.ceil(torch.tensor([1.2, -1.2, 3.0]))
    tensor([ 2., -1.,  3.]))",
    .rule = rule_after_check(refuse_complex_numbers, rule_after_check(refuse_converting_out, pointwise(promoting))),
    .cpu = elementwise<ceil_of, 1, dtypes::real>("ceil_vml_cpu"),
    .npu = {"Ceil"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
