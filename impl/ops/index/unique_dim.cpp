// unique_dim: the distinct slices along a dimension, sorted.
#include "rules/reduction/runs.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, "
               "Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Returns the different slices along a dimension, in lexicographic order.

``torch.unique`` with `dim` calls it. It has no gradient.

Args:
    self (Tensor): tensor with at least one dimension.
    dim (int): dimension whose slices are compared.
    sorted (bool): whether slices come in order; here they always do. Default: ``True``.
    return_inverse (bool): whether to return for each slice where it went. Default: ``False``.
    return_counts (bool): whether to return how often each slice occurs. Default: ``False``.

Returns:
    (Tensor, Tensor, Tensor): slices, inverse indices and counts; empty where not asked for.

Example:
    >>> torch.unique(torch.tensor([[3, 4], [1, 2], [3, 4]]), dim=0)
    tensor([[1, 2],
            [3, 4]]))",
    .cpu = [](const Tensor& self, int64_t dim, bool, bool inverse, bool counts) -> Tensors<3> {
      BelowAutograd guard;
      return unique_slices(self, dim, SliceOrder::sorted, inverse, counts);
    },
    .npu = {"UniqueDim(self, sorted, return_inverse, dim, out=items, out=places, out=counts)"},
    .grad = {wrt("self", [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for 'unique_dim' is not implemented."); })},
    .no_forward = true,
    .batch = batch_dynamic,
});

}  // namespace
}  // namespace mt
