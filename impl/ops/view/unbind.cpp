// unbind: a tuple of the views at each index of one dimension.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_shape.h"

namespace mt {
namespace {

constexpr auto compute_unbind = [](const Tensor& self, int64_t dim) -> std::vector<Tensor> {
  int64_t d = wrap_dim(dim, self.dim());
  check(self.dim() > 0, ErrorKind::index, messages::dim_of_scalar_tensor, dim);
  Dims sizes(self.sizes()), strides(self.strides());
  sizes.erase(d);
  strides.erase(d);
  std::vector<Tensor> out;
  for (int64_t i = 0; i < self.size(d); ++i) out.push_back(alias(self, sizes, strides, self.storage_offset() + i * self.stride(d)));
  return out;
};

// Replaces missing gradients by zeros.
std::vector<Tensor> replace_missing_by_zeros(TensorList grads, const TensorMeta& self, int64_t dim) {
  Dims sizes(self.sizes);
  sizes.erase(dim < 0 ? dim + sizes.size() : dim);
  std::vector<Tensor> out(grads.begin(), grads.end());
  for (Tensor& g : out)
    if (!g.defined()) g = op<"zeros">(sizes, self.dtype, nullptr, self.device);
  return out;
}

MT_OP(OpDef{
    .schema = {"unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = R"(Returns a view of every index of a dimension, without that dimension.

It is ``(self[0], self[1], ...)`` for `dim` 0, and what a loop over a tensor walks through.

Args:
    self (Tensor): tensor with at least one dimension.
    dim (int): dimension to take apart; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: as many views as the dimension is long.

Raises:
    IndexError: when `self` has no dimension or `dim` is out of range.

Example:
    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]), 1)
    (tensor([1, 3]), tensor([2, 4])))",
    .view = compute_unbind,
    .sparse = [](const Tensor& self, int64_t dim) -> std::vector<Tensor> {
      const int64_t d = wrap_dim(dim, self.dim());
      check(self.dim() > 0, ErrorKind::index, messages::dim_of_scalar_tensor, dim);
      std::vector<Tensor> out;
      for (int64_t i = 0; i < self.size(d); ++i) out.push_back(sparse_select(self, d, i));
      return out;
    },
    .compressed = [](const Tensor& self, int64_t dim) -> std::vector<Tensor> {
      const int64_t d = wrap_dim(dim, self.dim());
      std::vector<Tensor> out;
      for (int64_t i = 0; i < self.size(d); ++i) out.push_back(compressed_select(self, d, i, false));
      return out;
    },
    .grad = {wrt("self", [](GradList grads, MetaOf<"self"> self,
                            In<"dim", int64_t> dim) { return op<"stack">(replace_missing_by_zeros(grads, self, *dim), *dim); })},
});

}  // namespace
}  // namespace mt
