// log1p: log(1 + x), exact near zero.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto log1p_of = [](auto x) __attribute__((always_inline)) { return log1p_(x); };

MT_OP(OpDef{
    .schema = {"log1p(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes log(1 + x) for each element, with all digits near zero.

-1 gives -inf, real numbers below it NaN. Integer and bool input is converted to the default
float dtype. The gradient is 1 / (1 + x).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.log1p(torch.tensor([0.0, 1e-8, -1.0]))
    tensor([0.0000e+00, 1.0000e-08,       -inf]))",
    .aliases = "special_log1p",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<log1p_of, 1, dtypes::floating_and_complex>("log1p_cpu").with_grain(4096),
    .npu = {"Log1p"},
    .sparse = on_values,
    .compressed = on_values,
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x) {
                   const Tensor one_more = conj((is_sparse(x) ? op<"to_dense">(x) : Tensor(x)) + 1);
                   return is_sparse(g) ? g * op<"reciprocal">(one_more) : g / one_more;
                 })},
});

}  // namespace
}  // namespace mt
