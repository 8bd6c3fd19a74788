// unique_dim_consecutive: the first slice of each run of equal ones along a dimension.
#include "rules/reduction/runs.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema =
        {"unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)"},
    .forms = internal,
    .doc = R"(Returns the first slice of each run of equal slices along `dim`.

``torch.unique_consecutive`` with `dim` calls it.)",
    .cpu = [](const Tensor& self, int64_t dim, bool inverse, bool counts) -> Tensors<3> {
      BelowAutograd guard;
      return unique_slices(self, dim, SliceOrder::as_given, inverse, counts);
    },
    .grad = {wrt("self",
                 [](Grad) -> Tensor {
                   fail(ErrorKind::not_implemented, "the derivative for 'unique_dim_consecutive' is not implemented.");
                 })},
    .batch = batch_dynamic,
});

}  // namespace
}  // namespace mt
