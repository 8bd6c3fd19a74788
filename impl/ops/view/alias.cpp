// alias: a view of the whole tensor.
#include "rules/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto shared = [](const Tensor& self) -> Tensor { return alias(self, true); };

MT_OP(OpDef{
    .schema = {"alias(Tensor(a) self) -> Tensor(a)"},
    .forms = internal,
    .doc = "A view of the whole tensor.",
    .view = shared,
    .sparse = shared,
    .compressed = shared,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); })},
});

MT_BATCH("alias", batch_leading);

}  // namespace
}  // namespace mt
