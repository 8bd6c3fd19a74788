// take_along_dim: picks elements by index along `dim`, with broadcasting of other dimensions; without `dim` in the flattened tensor.
#include "core/messages.h"
#include "rules/index/indexing.h"

namespace mt {
namespace {

// The arguments for gather: the tensor, the dimension and the indices, broadcast against each other.
struct GatherArguments {
  Tensor self;
  int64_t dim = 0;
  Tensor indices;
};
GatherArguments align_for_gather(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
  check(indices.device() == self.device(), messages::take_along_dim_devices_differ, self.device(), indices.device());
  check(indices.dtype() == Dtype::int64, "torch.take_along_dim(): dtype of indices should be Long but got {}", indices.dtype());
  if (!dim) return {op<"view">(self, IntList{-1}), 0, op<"view">(indices, IntList{-1})};
  check(self.dim() == indices.dim(),
        "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions for input, and {} "
        "dimensions for indices",
        self.dim(), indices.dim());
  const int64_t d = wrap_dim(*dim, self.dim());
  check(self.dim() > 0, ErrorKind::index, messages::dim_of_scalar_tensor, d);
  Dims a(self.sizes()), b(indices.sizes());
  a[d] = 1, b[d] = 1;
  Dims sizes = broadcast_shapes(a, b), s(sizes), i(sizes);
  s[d] = self.size(d), i[d] = indices.size(d);
  const Tensor at = op<"remainder">(op<"expand">(indices, i), self.size(d));  // indices wrap around in both directions
  return {op<"expand">(self, s), d, at};
}

MT_OP(OpDef{
    .schema = {"take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Takes elements along a dimension by index; other dimensions are broadcast.

It is ``torch.gather`` after `self` and `indices` are broadcast in all dimensions but `dim`, so that
it takes what ``argmax`` (with ``keepdim=True``) and ``argsort`` return.

Args:
    self (Tensor): tensor to read.
    indices (Tensor): int64 indices; as many dimensions as `self`.
    dim (int, optional): dimension; negative counts from the last. Default: ``None``, both tensors
        flattened.

Returns:
    Tensor: the elements; a vector without `dim`.

Raises:
    RuntimeError: when `indices` is not int64, an index is out of range, or shapes do not fit.

Example:
    >>> x = torch.tensor([[10, 30, 20], [60, 40, 50]])
    >>> torch.take_along_dim(x, x.argmax(dim=1, keepdim=True), dim=1)
    tensor([[30],
            [60]]))",
    .composite = [](const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) -> Tensor {
      const GatherArguments g = align_for_gather(self, indices, dim);
      return op<"gather">(g.self, g.dim, g.indices);
    },
});
MT_OP(OpDef{
    .schema = {"take_along_dim.out(Tensor self, Tensor indices, int? dim=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Takes elements along a dimension by index into `out`, which must have the dtype of `self`.",
    .composite = [](const Tensor& self, const Tensor& indices, std::optional<int64_t> dim, const Tensor& out) -> Tensor {
      check(out.device() == self.device(), messages::take_along_dim_devices_differ, self.device(), out.device());
      const GatherArguments g = align_for_gather(self, indices, dim);
      return op<"gather.out">(g.self, g.dim, g.indices, false, out);
    },
    .out_policy = OutPolicy{.refused_inside = true},
});

}  // namespace
}  // namespace mt
