// detach: the same memory without a gradient history.
#include "rules/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"detach(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The same tensor, cut off from the graph; shares memory.",
    .view = [](const Tensor& self) -> Tensor { return alias(self, true); },
    .grad = not_differentiable,
});

MT_BATCH("detach", batch_leading);

}  // namespace
}  // namespace mt
