// igammac: the upper regularised incomplete gamma function Q(self, other).
#include "rules/gamma.h"
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto igammac_of = [](auto a, auto x) { return decltype(a)(upper_regularized_gamma(a, x, sum_tolerance<decltype(a)>)); };

MT_OP(OpDef{
    .schema = {"igammac(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The upper regularised incomplete gamma function Q(self, other).",
    .aliases = "special_gammaincc",
    .rule = pointwise(promoting),
    .cpu = elementwise_of_calls<igammac_of, 2, dtypes::floating>("igammac_cpu"),
    .grad = {wrt("self",
                 [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for 'igammac: input' is not implemented."); }),
             wrt("other",
                 [](Grad g, In<"self"> a, In<"other"> x) { return -g * op<"exp">((a - 1) * op<"log">(x) - x - op<"lgamma">(a)); })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
