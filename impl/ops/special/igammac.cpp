// igammac: the upper regularised incomplete gamma function Q(self, other).
#include "rules/special/gamma.h"
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto igammac_of = [](auto a, auto x) { return decltype(a)(upper_regularized_gamma(a, x, sum_tolerance<decltype(a)>)); };

MT_OP(OpDef{
    .schema = {"igammac(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes the regularised upper incomplete gamma function Q(`self`, `other`) (DLMF 8.2.4).

Q(a, x) = 1 - P(a, x), with all digits where it is small; see `torch.igamma`. Negative arguments
give NaN, and so does Q(0, 0). The tensors broadcast and their dtypes are promoted. The gradient
for `other` is -x^(a - 1) exp(-x) / gamma(a); for `self` there is none.

Args:
    self (Tensor): the parameter a; floating.
    other (Tensor): the lower end x of the integral; floating.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    NotImplementedError: when a gradient for `self` is asked for.

Example:
    >>> torch.igammac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 20.0]))
    tensor([3.6788e-01, 4.3284e-08]))",
    .aliases = "special_gammaincc",
    .rule = pointwise(promoting),
    .cpu = elementwise_by_vector_calls<igammac_of, 2, dtypes::floating>("igammac_cpu"),
    .grad = {wrt("self",
                 [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for 'igammac: input' is not implemented."); }),
             wrt("other",
                 [](Grad g, In<"self"> a, In<"other"> x) { return -g * op<"exp">((a - 1) * op<"log">(x) - x - op<"lgamma">(a)); })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
