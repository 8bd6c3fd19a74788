// detach: the same memory without a gradient history.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"detach(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The same tensor, cut off from the graph; shares memory.",
    .view = [](const Tensor& self) -> Tensor { return alias(self, true); },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
