// split: views of consecutive pieces of a dimension.
#include "core/messages.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

std::vector<Tensor> narrow_by_lengths(const Tensor& self, IntList lengths, int64_t dim) {
  Dims sizes(self.sizes());
  int64_t start = 0;
  std::vector<Tensor> out;
  for (int64_t length : lengths) {
    sizes[dim] = length;
    out.push_back(alias(self, sizes, self.strides(), self.storage_offset() + start * self.stride(dim)));
    start += length;
  }
  return out;
}

Dims equal_lengths(int64_t size, int64_t split_size) {
  int64_t n = split_size == 0 ? 1 : (size + split_size - 1) / split_size;
  if (n < 1) n = 1;
  Dims lengths;
  for (int64_t i = 0; i < n; ++i) lengths.push_back(i + 1 < n ? split_size : size - split_size * (n - 1));
  return lengths;
}

constexpr auto split_by_size = [](const Tensor& self, int64_t split_size, int64_t dim) -> std::vector<Tensor> {
  check(self.dim() != 0, messages::split_of_scalar_tensor);
  int64_t d = wrap_dim(dim, self.dim()), size = self.size(d);
  check(split_size >= 0, "split expects split_size be non-negative, but got split_size={}", split_size);
  check(split_size > 0 || size == 0, "split_size can only be 0 if dimension size is 0, but got dimension size of {}", size);
  return narrow_by_lengths(self, equal_lengths(size, split_size), d);
};
constexpr auto split_by_lengths = [](const Tensor& self, IntList lengths, int64_t dim) -> std::vector<Tensor> {
  check(self.dim() != 0, messages::split_of_scalar_tensor);
  int64_t d = wrap_dim(dim, self.dim()), sum = 0;
  for (int64_t length : lengths) {
    check(length >= 0, "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={}", lengths);
    sum += length;
  }
  check(sum == self.size(d),
        "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at dimension {}), but got split_sizes={}",
        self.size(d), dim, lengths);
  return narrow_by_lengths(self, lengths, d);
};

// Joins the gradients of the pieces, with zeros for missing ones.
Tensor cat_gradients(TensorList grads, const TensorMeta& self, const Dims& lengths, int64_t dim) {
  int64_t d = dim < 0 ? dim + self.sizes.size() : dim;
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < grads.size(); ++i) {
    Dims sizes(self.sizes);
    sizes[d] = lengths[i];
    parts.push_back(grads[i].defined() ? grads[i] : op<"zeros">(sizes, self.dtype, nullptr, self.device));
  }
  return op<"cat">(parts, d);
}
MT_OP(OpDef{
    .schema = {"split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = R"(Cuts a dimension into consecutive views of `split_size` elements; the last one may be shorter.

A list of sizes instead of one number gives pieces of those sizes, as ``split_with_sizes`` does.

Args:
    self (Tensor): tensor with at least one dimension.
    split_size (int): size of a piece; positive, or 0 for an empty dimension.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: views that share memory with `self`.

Raises:
    RuntimeError: when `split_size` is negative, or 0 while the dimension is not empty.

Example:
    >>> torch.split(torch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4])))",
    .view = split_by_size,
    .grad = {wrt("self",
                 [](GradList grads, MetaOf<"self"> self, In<"split_size", int64_t> size, In<"dim", int64_t> dim) {
                   return cat_gradients(grads, self, equal_lengths(self.sizes[*dim < 0 ? *dim + self.sizes.size() : *dim], *size), *dim);
                 })},
});
MT_OP(OpDef{
    .schema = {"split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = R"(Cuts a dimension into consecutive views of the sizes in `split_size`.

Args:
    self (Tensor): tensor with at least one dimension.
    split_size (tuple of int): sizes of the pieces; they sum to the size of the dimension.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: views that share memory with `self`.

Raises:
    RuntimeError: when a size is negative or the sizes have another sum.

Example:
    >>> torch.split(torch.arange(5), [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4])))",
    .composite = [](const Tensor& self, IntList lengths, int64_t dim) -> std::vector<Tensor> {
      return op<"split_with_sizes", std::vector<Tensor>>(self, lengths, dim);
    },
});
MT_OP(OpDef{
    .schema = {"split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]"},
    .forms = function | method,
    .doc = R"(Cuts a dimension into consecutive views of the given sizes.

Args:
    self (Tensor): tensor with at least one dimension.
    split_sizes (tuple of int): sizes of the pieces; they sum to the size of the dimension.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.

Returns:
    tuple of Tensor: views that share memory with `self`.

Raises:
    RuntimeError: when a size is negative or the sizes have another sum.

Example:
    >>> torch.split_with_sizes(torch.arange(5), [2, 3])
    (tensor([0, 1]), tensor([2, 3, 4])))",
    .view = split_by_lengths,
    .grad = {wrt("self", [](GradList grads, MetaOf<"self"> self, In<"split_sizes", IntList> lengths,
                            In<"dim", int64_t> dim) { return cat_gradients(grads, self, Dims(*lengths), *dim); })},
});

}  // namespace
}  // namespace mt
