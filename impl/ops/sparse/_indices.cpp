// _indices, _values: the parts of a tensor of coordinates, whatever state they are in.
#include "rules/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = "The coordinates, int64 of sparse dimensions x elements, of a tensor that need not be coalesced.",
    .sparse = [](const Tensor& self) -> Tensor { return alias(parts_of(self).indices, true); },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"_values(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = "The values, elements x dense dimensions, of a tensor that need not be coalesced.",
    .sparse = [](const Tensor& self) -> Tensor { return alias(parts_of(self).values, true); },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
