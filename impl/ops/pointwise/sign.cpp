// sign: the sign of each element.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto sign_of = [](auto x) {
  using T = decltype(x);
  if constexpr (std::is_same_v<T, bool>)
    return x;
  else
    return T((T(0) < x) - (x < T(0)));
};

void refuse_complex_numbers(const Call& call) {
  check(!is_complex(Unbox<Tensor>::from(call.args[0]).dtype()), ErrorKind::not_implemented,
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.");
}

MT_OP(OpDef{
    .schema = {"sign(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes the sign of each element: -1, 0 or 1.

0, -0.0 and NaN give 0; bool stays as it is. The gradient is 0.

Args:
    self (Tensor): any shape; not complex (see `torch.sgn`).

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.sign(torch.tensor([-3.0, 0.0, 0.5]))
    tensor([-1.,  0.,  1.]))",
    .rule = rule_after_check(refuse_complex_numbers, rule_after_check(refuse_converting_out, pointwise(promoting))),
    .cpu = elementwise<sign_of, 1, dtypes::real_and_bool>("sign_cpu"),
    .npu = {"Sign"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
