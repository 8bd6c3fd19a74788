// select: a view of the elements at `index` of dimension `dim`, without that dimension.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_shape.h"

namespace mt {
namespace {

constexpr auto select_tensor = [](const Tensor& self, int64_t dim, int64_t index) -> Tensor {
  check(self.dim() > 0, ErrorKind::index, messages::select_of_scalar_tensor);
  int64_t d = wrap_dim(dim, self.dim()), size = self.size(d);
  check(index >= -size && index < size, ErrorKind::index, messages::select_index_out_of_range, index, self.sizes(), d);
  Dims sizes(self.sizes()), strides(self.strides());
  int64_t offset = self.storage_offset() + (index < 0 ? index + size : index) * strides[d];
  sizes.erase(d);
  strides.erase(d);
  return alias(self, sizes, strides, offset);
};

MT_OP(OpDef{
    .schema = {"select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a view of the elements at `index` of dimension `dim`, without that dimension.

It is ``self[index]`` for `dim` 0, ``self[:, index]`` for `dim` 1, and so on.

Args:
    self (Tensor): tensor with at least one dimension.
    dim (int): dimension to drop; negative counts from the last.
    index (int): index in ``[-n, n)``; negative counts from the end.

Returns:
    Tensor: a view with one dimension less.

Raises:
    IndexError: when `self` has no dimension or `index` is out of range.

Example:
    >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 1, -1)
    tensor([2, 4]))",
    .view = select_tensor,
    .sparse = [](const Tensor& self, int64_t dim, int64_t index) -> Tensor { return sparse_select(self, dim, index); },
    .compressed = [](const Tensor& self, int64_t dim, int64_t index) -> Tensor { return compressed_select(self, dim, index, false); },
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim,
                            In<"index", int64_t> index) { return op<"select_backward">(g, self.sizes, *dim, *index); })},
});

}  // namespace
}  // namespace mt
