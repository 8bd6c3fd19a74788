// signbit: whether each element's sign bit is set.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto signbit_of = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return bool(std::signbit(x));
  else
    return x < decltype(x)(0);
};

void refuse_complex_numbers(const Call& call) {
  check(!is_complex(Unbox<Tensor>::from(call.args[0]).dtype()), ErrorKind::not_implemented,
        "signbit is not implemented for complex tensors.");
}

MT_OP(OpDef{
    .schema = {"signbit(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Tests each element for a minus sign: the sign bit of floats, x < 0 for integers.

-0.0 has one, and so may NaN.

Args:
    self (Tensor): any shape; not complex.

Returns:
    Tensor: bool, with the shape of `self`.

Example:
    >>> torch.signbit(torch.tensor([-1.0, -0.0, 0.0, 2.0]))
    tensor([ True,  True, False, False]))",
    .rule = rule_after_check(refuse_complex_numbers,
                             rule_after_check(refuse_non_bool_out<"signbit does not support non-boolean outputs.">, pointwise(promoting))),
    .cpu = elementwise<signbit_of, 1, dtypes::real_and_bool>("signbit_cpu"),
    .npu = {"Signbit"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
