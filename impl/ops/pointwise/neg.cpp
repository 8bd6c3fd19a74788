// neg: the negative.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto neg_of = [](auto x) { return -x; };

MT_OP(OpDef{
    .schema = {"neg(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The negative of each element.",
    .aliases = "negative __neg__",
    .rule = pointwise(promoting),
    .cpu = elementwise<neg_of, 1, dtypes::numbers>("neg_cpu"),
    .grad = {wrt("self", [](Grad g) { return -g; })},
});

}  // namespace
}  // namespace mt
