// _indices, _values: the components of a sparse_coo tensor, coalesced or not.
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns the int64 coordinates of a sparse COO tensor as a view, coalesced or not.

The shape is ``(sparse_dim, elements)``. ``Tensor.indices`` is the public form.)",
    .sparse = [](const Tensor& self) -> Tensor { return alias(components_of(self).indices, true); },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"_values(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns the stored values of a sparse COO tensor as a view, coalesced or not.

The shape is ``(elements, *dense sizes)``. ``Tensor.values`` is the public form.)",
    .sparse = [](const Tensor& self) -> Tensor { return alias(components_of(self).values, true); },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
