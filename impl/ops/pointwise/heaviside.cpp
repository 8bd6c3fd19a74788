// heaviside: 0 below zero, 1 above, `values` at zero.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto heaviside_of = [](auto x, auto v) { return x == 0 ? v : decltype(x)(x > 0); };

void refuse_mixed_or_complex_dtypes(const Call& call) {
  const Dtype dtype = Unbox<Tensor>::from(call.args[0]).dtype();
  bool any_complex = false, same = true;
  for (int8_t i : call.op.tensor_args) {
    const Dtype other = Unbox<Tensor>::from(call.args[i]).dtype();
    any_complex |= is_complex(other);
    same &= other == dtype;
  }
  check(!any_complex, "heaviside is not yet implemented for complex tensors.");
  check(same, "heaviside is not yet implemented for tensors with different dtypes.");
}

MT_OP(OpDef{
    .schema = {"heaviside(Tensor self, Tensor values) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes the unit step of each element: 0 below zero, 1 above, `values` at zero.

NaN gives 0. The tensors broadcast and need the same dtype. There is no derivative.

Args:
    self (Tensor): any real dtype or bool.
    values (Tensor): results for elements that are 0; of the same dtype.

Returns:
    Tensor: the broadcast shape, in the same dtype.

Raises:
    RuntimeError: when the dtypes differ or are complex.

Example:
    >>> torch.heaviside(torch.tensor([-1.5, 0.0, 2.0]), torch.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000]))",
    .rule = rule_after_check(refuse_mixed_or_complex_dtypes, pointwise(same_dtype)),
    .cpu = elementwise<heaviside_of, 2, dtypes::real_and_bool>("heaviside_cpu"),
    .npu = {"Heaviside"},
});

}  // namespace
}  // namespace mt
