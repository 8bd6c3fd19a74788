// fmin: the smaller of two elements, ignoring NaN.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto fmin_of = [](auto a, auto b) { return isnan_(a) ? b : isnan_(b) ? a : (b < a ? b : a); };

MT_OP(OpDef{
    .schema = {"fmin(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the smaller of two elements; where one is NaN, the other.

Both NaN give NaN. The tensors broadcast and their dtypes are promoted. Complex tensors are
refused. Where the elements are equal the gradient goes to `self`. For NaN that spreads see
`torch.minimum`.

Args:
    self, other (Tensor): any real dtype or bool.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> nan = float("nan")
    >>> torch.fmin(torch.tensor([1.0, nan, nan]), torch.tensor([2.0, 3.0, nan]))
    tensor([1., 3., nan]))",
    .rule = rule_after_check(refuse_complex<"fmin not implemented for complex tensors.">, pointwise(promoting)),
    .cpu = elementwise<fmin_of, 2, dtypes::real_and_bool>("fmin_cpu"),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> a, In<"other"> b) { return zero_where_false(op<"logical_or">(op<"le">(a, b), op<"isnan">(b)), g); }),
             wrt("other",
                 [](Grad g, In<"self"> a, In<"other"> b) { return op<"where">(op<"logical_or">(op<"le">(a, b), op<"isnan">(b)), 0, g); })},
});

}  // namespace
}  // namespace mt
