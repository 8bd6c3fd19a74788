// cummax: the largest element so far along a dimension, and its index.
#include "rules/form/exact_out.h"
#include "rules/reduction/extremes.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)"},
    .forms = function | method | out,
    .doc = R"(Computes the largest element so far along `dim`, and its index.

Of equal elements the last has the index. From the first NaN on all results are NaN. The gradient
of each result goes to the element at its index.

Args:
    self (Tensor): any shape; not complex.
    dim (int): the dimension to run along.

Returns:
    tuple of Tensor: ``values``, in the dtype of `self`, and ``indices``, int64; both with the
        shape of `self`.

Example:
    >>> values, indices = torch.cummax(torch.tensor([1, 3, 2, 3, 5]), dim=0)
    >>> values
    tensor([1, 3, 3, 3, 5])
    >>> indices
    tensor([0, 1, 1, 3, 4]))",
    .rule = structured_exact(
        [](Specs& out, const Tensor& self, int64_t dim) {
          wrap_dim(dim, self.dim());
          out.add(self.sizes(), self.dtype());
          out.add(self.sizes(), Dtype::int64);
        },
        {.dtype_text = "expected scalar_type {} but found {}"}),
    .cpu = [](const Tensor& self, int64_t dim, Tensor& values,
              Tensor& indices) { running_extreme<true>(self, wrap_dim(dim, self.dim()), values, indices, "cummax_cpu"); },
    .npu = {"Cummax"},
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, Out<"indices"> i) { return running_gradient(g, self, *dim, i); })},
});

}  // namespace
}  // namespace mt
