// unsqueeze: a dimension of size 1 inserted.
#include "rules/form/algebra.h"
#include "rules/sparse/sparse_shape.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto insert_dim = [](const Tensor& self, int64_t dim) -> Tensor {
  int64_t d = wrap_dim(dim, self.dim() + 1);
  Dims sizes(self.sizes()), strides(self.strides());
  int64_t stride = d >= self.dim() ? 1 : self.size(d) * self.stride(d);
  sizes.insert(d, 1);
  strides.insert(d, stride);
  return alias(self, sizes, strides, self.storage_offset());
};

MT_OP(OpDef{
    .schema = {"unsqueeze(Tensor(a) self, int dim) -> Tensor(a)"},
    .forms = function | method | inplace,
    .doc = R"(Returns a view with a dimension of size 1 inserted at `dim`.

Args:
    self (Tensor): tensor of n dimensions.
    dim (int): position of the new dimension in ``[-n - 1, n]``; negative counts from the last of
        the result.

Returns:
    Tensor: a view with one dimension more; the in-place form changes the shape of `self`.

Raises:
    IndexError: when `dim` is out of range.

Example:
    >>> x = torch.tensor([1, 2])
    >>> torch.unsqueeze(x, 0).shape, torch.unsqueeze(x, -1).shape
    (torch.Size([1, 2]), torch.Size([2, 1])))",
    .view = insert_dim,
    .sparse = [](const Call& call, const Tensor& self, int64_t dim) -> Tensor {
      if (call.op.form == Form::inplace) refuse_sparse("as_strided_");
      return sparse_unsqueeze(self, dim);
    },
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim) { return op<"squeeze.dim">(g, *dim); })},
    .batch = batch_new_dim,
});

}  // namespace
}  // namespace mt
