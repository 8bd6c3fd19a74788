// igamma: the lower regularised incomplete gamma function P(self, other).
#include "rules/special/gamma.h"
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto igamma_of = [](auto a, auto x) { return decltype(a)(lower_regularized_gamma(a, x, sum_tolerance<decltype(a)>)); };

MT_OP(OpDef{
    .schema = {"igamma(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes the regularised lower incomplete gamma function P(`self`, `other`) (DLMF 8.2.4).

P(a, x) is the integral of t^(a - 1) exp(-t) from 0 to x, divided by gamma(a). Negative arguments
give NaN, and so does P(0, 0); P(0, x) is 1. The tensors broadcast and their dtypes are promoted.
The gradient for `other` is x^(a - 1) exp(-x) / gamma(a); for `self` there is none.

Args:
    self (Tensor): the parameter a; floating.
    other (Tensor): the upper end x of the integral; floating.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    NotImplementedError: when a gradient for `self` is asked for.

Example:
    >>> torch.igamma(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]))
    tensor([0.6321, 0.5940]))",
    .aliases = "special_gammainc",
    .rule = pointwise(promoting),
    .cpu = elementwise_by_vector_calls<igamma_of, 2, dtypes::floating>("igamma_cpu"),
    .grad = {wrt("self",
                 [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for 'igamma: input' is not implemented."); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> x) { return g * op<"exp">((a - 1) * op<"log">(x) - x - op<"lgamma">(a)); })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
