// unsafe_split, unsafe_split_with_sizes, unsafe_chunk: pieces of a dimension that autograd does not treat as views.
#include "core/messages.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

// Replaces each view by an alias of the same memory that has its own version counter.
std::vector<Tensor> give_own_version_counters(std::vector<Tensor> views) {
  for (Tensor& t : views) t = alias(t, false);
  return views;
}
constexpr auto split_by_size = [](const Tensor& self, int64_t split_size, int64_t dim) -> std::vector<Tensor> {
  BelowAutograd guard;
  return give_own_version_counters(op<"split.Tensor", std::vector<Tensor>>(self, split_size, dim));
};
constexpr auto split_by_lengths = [](const Tensor& self, IntList lengths, int64_t dim) -> std::vector<Tensor> {
  BelowAutograd guard;
  return give_own_version_counters(op<"split_with_sizes", std::vector<Tensor>>(self, lengths, dim));
};
// Joins the gradients of the pieces, with zeros for missing ones.
Tensor cat_gradients(TensorList grads, const TensorMeta& self, int64_t dim, const Dims& lengths) {
  const int64_t d = dim < 0 ? dim + self.sizes.size() : dim;
  std::vector<Tensor> parts(grads.begin(), grads.end());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].defined()) continue;
    Dims sizes(self.sizes);
    sizes[d] = lengths[int64_t(i)];
    parts[i] = op<"zeros">(sizes, self.dtype, nullptr, self.device);
  }
  return op<"cat">(parts, d);
}

MT_OP(OpDef{
    .schema = {"unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]"},
    .forms = function | method,
    .doc = R"(Cuts a dimension into pieces of `split_size` elements that autograd does not treat as views.

The pieces share memory with `self`, but writes are counted for each piece apart. Where the backward
pass needs elements that were overwritten through another piece, autograd cannot notice it and
gradients are wrong. Use ``torch.split`` unless `self` is never used again.

Args:
    self (Tensor): tensor with at least one dimension.
    split_size (int): size of a piece; the last may be shorter.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: the pieces.

Example:
    >>> torch.unsafe_split(torch.arange(5), 3)
    (tensor([0, 1, 2]), tensor([3, 4])))",
    .cpu = split_by_size,
    .npu = {any_device},
    .meta = split_by_size,
    .grad = {wrt("self",
                 [](GradList grads, MetaOf<"self"> self, In<"split_size", int64_t> size, In<"dim", int64_t> dim) {
                   const int64_t d = *dim < 0 ? *dim + self.sizes.size() : *dim, n = grads.size();
                   Dims lengths(n, *size);
                   lengths[n - 1] = self.sizes[d] - *size * (n - 1);
                   return cat_gradients(grads, self, d, lengths);
                 })},
});
MT_OP(OpDef{
    .schema = {"unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]"},
    .forms = function | method,
    .doc = R"(Cuts a dimension into pieces of the given sizes that autograd does not treat as views.

As with ``torch.unsafe_split``, autograd cannot notice overwritten elements: use
``torch.split_with_sizes`` unless `self` is never used again.

Args:
    self (Tensor): tensor with at least one dimension.
    split_sizes (tuple of int): sizes of the pieces; they sum to the size of the dimension.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: the pieces.

Example:
    >>> torch.unsafe_split_with_sizes(torch.arange(3), [1, 2])
    (tensor([0]), tensor([1, 2])))",
    .cpu = split_by_lengths,
    .npu = {any_device},
    .meta = split_by_lengths,
    .grad = {wrt("self", [](GradList grads, MetaOf<"self"> self, In<"split_sizes", IntList> lengths,
                            In<"dim", int64_t> dim) { return cat_gradients(grads, self, *dim, Dims(*lengths)); })},
});
MT_OP(OpDef{
    .schema = {"unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]"},
    .forms = function | method,
    .doc = R"(Cuts a dimension into at most `chunks` pieces that autograd does not treat as views.

As with ``torch.unsafe_split``, autograd cannot notice overwritten elements: use ``torch.chunk``
unless `self` is never used again.

Args:
    self (Tensor): tensor with at least one dimension.
    chunks (int): largest number of pieces; positive.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: pieces of ``ceil(n / chunks)`` elements; the last may be shorter.

Example:
    >>> torch.unsafe_chunk(torch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3])))",
    .composite = [](const Tensor& self, int64_t chunks, int64_t dim) -> std::vector<Tensor> {
      check(self.dim() > 0, messages::chunk_of_scalar_tensor);
      check(chunks > 0, messages::chunk_count_must_be_positive, chunks);
      const int64_t size = self.size(wrap_dim(dim, self.dim())), length = size / chunks + (size % chunks != 0);
      check(size > 0 || chunks < int64_t(1) << 32, ErrorKind::out_of_memory, messages::chunk_count_too_large, chunks);
      // Splits an empty dimension into the requested number of pieces.
      if (size == 0) return op<"unsafe_split_with_sizes", std::vector<Tensor>>(self, IntList(Dims(chunks, 0)), dim);
      return op<"unsafe_split.Tensor", std::vector<Tensor>>(self, length, dim);
    },
});

}  // namespace
}  // namespace mt
