// indices: the coordinates of a coalesced tensor.
#include "rules/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = "The coordinates of a coalesced tensor, int64 of sparse dimensions x elements.",
    .sparse = [](const Tensor& self) -> Tensor {
      check(parts_of(self).coalesced, "Cannot get indices on an uncoalesced tensor, please call .coalesce() first");
      return alias(parts_of(self).indices, true);
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
