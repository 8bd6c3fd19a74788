// narrow_copy: a range of one dimension, copied to new memory.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/sparse/sparse_shape.h"

namespace mt {
namespace {

constexpr auto compute_narrow_copy = [](const Tensor& self, int64_t dim, int64_t start, int64_t length) -> Tensor {
  check(self.dim() > 0, messages::narrow_of_scalar_tensor);
  check(dim < self.dim(),
        "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error message be improved?  If so, "
        "please report an enhancement request to PyTorch.)");
  const int64_t d = wrap_dim(dim, self.dim()), size = self.size(d);
  check(start >= -size && start <= size, ErrorKind::index, messages::start_out_of_range, -size, size, start);
  const int64_t from = start < 0 ? start + size : start;
  check(length >= 0 && from <= size - length, messages::narrow_exceeds_dimension, from, length, size);
  Dims sizes(self.sizes());
  sizes[d] = length;
  Tensor out = empty(sizes, self.dtype(), self.device());
  if (!out.is_meta()) copy_into(out, alias(self, sizes, self.strides(), self.storage_offset() + from * self.stride(d)));
  return out;
};

MT_OP(OpDef{
    .schema = {"narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor"},
    .forms = function | method,
    .doc = R"(Copies the `length` indices from `start` on of dimension `dim`.

It computes what ``torch.narrow`` shows, in memory of its own. It also takes sparse COO tensors.

Args:
    self (Tensor): tensor with at least one dimension.
    dim (int): dimension to cut; negative counts from the last.
    start (int): first index; negative counts from the end.
    length (int): number of indices; not negative.

Returns:
    Tensor: a new tensor.

Raises:
    IndexError: when `start` is outside of ``[-n, n]`` for a dimension of size ``n``.
    RuntimeError: when the range passes the end of the dimension.

Example:
    >>> torch.narrow_copy(torch.arange(5), 0, 1, 3)
    tensor([1, 2, 3]))",
    .cpu = compute_narrow_copy,
    .npu = {any_device},
    .meta = compute_narrow_copy,
    .sparse = [](const Tensor& self, int64_t dim, int64_t start, int64_t length) -> Tensor {
      return sparse_narrow_copy(self, dim, start, length);
    },
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"start", int64_t> start, In<"length", int64_t> length) {
                   const int64_t size = self.sizes[*dim < 0 ? *dim + self.sizes.size() : *dim], from = *start < 0 ? *start + size : *start;
                   return op<"slice_backward">(g, self.sizes, *dim, from, from + *length, 1);
                 })},
});

constexpr auto copy_narrowed_into = [](const Tensor& self, int64_t dim, int64_t start, int64_t length, const Tensor& out) {
  check(
      self.dtype() == out.dtype(),
      "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be improved?  If so, please report an "
      "enhancement request to PyTorch.)");
  store_result(out, compute_narrow_copy(self, dim, start, length));
};
MT_OP(OpDef{
    .schema = {"narrow_copy.out(Tensor self, int dim, SymInt start, SymInt length, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Copies a range of one dimension into `out`, which must have the dtype of `self`.",
    .rule = rule_after_check(refuse_out_elsewhere),
    .cpu = copy_narrowed_into,
    .npu = {any_device},
    .meta = copy_narrowed_into,
});

}  // namespace
}  // namespace mt
