// igamma: the lower regularised incomplete gamma function P(self, other).
#include "rules/gamma.h"
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto igamma_of = [](auto a, auto x) { return decltype(a)(lower_regularized_gamma(a, x, sum_tolerance<decltype(a)>)); };

MT_OP(OpDef{
    .schema = {"igamma(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The lower regularised incomplete gamma function P(self, other).",
    .aliases = "special_gammainc",
    .rule = pointwise(promoting),
    .cpu = elementwise_of_calls<igamma_of, 2, dtypes::floating>("igamma_cpu"),
    .grad = {wrt("self",
                 [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for 'igamma: input' is not implemented."); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> x) { return g * op<"exp">((a - 1) * op<"log">(x) - x - op<"lgamma">(a)); })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
