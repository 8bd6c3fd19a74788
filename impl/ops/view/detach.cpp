// detach: the same memory without a gradient history.
#include "rules/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto shared = [](const Tensor& self) -> Tensor { return alias(self, true); };

MT_OP(OpDef{
    .schema = {"detach(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The same tensor, cut off from the graph; shares memory.",
    .view = shared,
    .sparse = shared,
    .compressed = shared,
    .grad = not_differentiable,
});

MT_BATCH("detach", batch_leading);

}  // namespace
}  // namespace mt
