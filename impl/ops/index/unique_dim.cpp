// unique_dim: the different slices along a dimension, in order.
#include "rules/runs.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, "
               "Tensor, Tensor)"},
    .forms = function,
    .doc = "The different slices along `dim`, in order.",
    .cpu = [](const Tensor& self, int64_t dim, bool, bool inverse, bool counts) -> Tensors<3> {
      BelowAutograd guard;
      return unique_slices(self, dim, SliceOrder::sorted, inverse, counts);
    },
    .npu = {"UniqueDim(self, sorted, return_inverse, dim, out=items, out=places, out=counts)"},
    .grad = {wrt("self", [](Grad) -> Tensor { fail(ErrorKind::not_implemented, "the derivative for 'unique_dim' is not implemented."); })},
    .no_forward = true,
});

MT_BATCH("unique_dim", batch_dynamic);

}  // namespace
}  // namespace mt
