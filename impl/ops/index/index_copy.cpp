// index_copy: replaces slices at the positions in an index vector.
#include "rules/form/checked.h"
#include "rules/form/in_place.h"
#include "rules/index/scatter.h"
#include "vmap/rule.h"

namespace mt {
namespace {

Dims sizes_without_dim(const Tensor& t, int64_t dim) {
  Dims sizes(t.sizes());
  if (t.dim()) sizes.erase(dim);
  return sizes;
}
// Sizes in the format of torch's error message: without brackets and commas.
std::string join_with_spaces(const Dims& sizes) {
  std::string text;
  for (int64_t size : sizes) text += (text.empty() ? "" : " ") + std::to_string(size);
  return text;
}
void check_slices(const Tensor& self, const Tensor& source, int64_t dim) {
  const Dims to = sizes_without_dim(self, dim), from = sizes_without_dim(source, source.dim() ? dim : 0);
  if (IntList(to) != IntList(from))
    fail(
        "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {} at dimension {} and source "
        "slice "
        "shape: {} at dimension 0.",
        join_with_spaces(to), dim, join_with_spaces(from));
}

constexpr auto compute_index_copy = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) -> Tensor {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.dim() < 2, ErrorKind::index, "index_copy_(): Index should have dimension 1 or 0 (got {})", index.dim());
  check(source.dim() != 0 || index.numel() == 1, ErrorKind::index,
        "index_copy_(): When source is scalar, index should have one element (got {})", index.numel());
  check(!source.dim() || !self.dim() || source.dim() == self.dim(), ErrorKind::index,
        "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality ({}), "
        "destination "
        "dimensionality ({})",
        source.dim(), self.dim());
  check(index.dtype() == Dtype::int64, "index_copy_(): Expected a long tensor for index, but got {}", index.dtype());
  check(self.dtype() == source.dtype(), "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
        self.dtype(), source.dtype());
  check_slices(self, source, d);
  check(source.dim() == 0 || index.numel() == source.size(d), ErrorKind::index,
        "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})", index.numel(), source.dim() ? source.size(d) : 1);
  const Tensor out = reuse_self_or_copy(self);
  if (out.is_meta()) return out;
  const auto at = index_positions(index, self.dim() ? self.size(d) : 1, d,
                                  "index_copy_(): index {0} is out of bounds for dimension {2} with size {1}");
  if (self.dim() && source.dim())
    scatter_place(out, d, expand_index(at.held, d, source), source);
  else
    for (int64_t k = 0; k < at.size(); ++k) copy_into(slice_at(out, d, at[k]), source.dim() ? slice_at(source, 0, k) : source);
  return out;
};

MT_OP(OpDef{
    .schema = {"index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Replaces the slices of `self` that `index` names by those of `source`.

For `dim` 0: ``self[index[i]] = source[i]``. Do not repeat an index: which of its slices stays is
not defined.

Args:
    self (Tensor): tensor to write to.
    dim (int): dimension that `index` counts along; negative counts from the last.
    index (Tensor): vector of int64 indices in ``[0, self.size(dim))``.
    source (Tensor): slices to write, one for each index; dtype of `self`, and its sizes in the
        other dimensions.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    IndexError: when an index is out of range, or the numbers of indices and slices differ.
    RuntimeError: when dtypes or shapes do not fit.

Example:
    >>> torch.zeros(3).index_copy_(0, torch.tensor([2, 0]), torch.tensor([5.0, 6.0]))
    tensor([6., 0., 5.]))",
    .rule = rule_after_check(refuse_index_mixtures<"index_copy">),
    .cpu = in_place_kernel(compute_index_copy),
    .npu = {"IndexCopy"},
    .meta = compute_index_copy,
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"index_fill">(g, *dim, index, 0); }),
             wrt("source", [](Grad g, In<"dim", int64_t> dim, In<"index"> index,
                              MetaOf<"source"> source) { return op<"expand">(op<"index_select">(g, *dim, index), source.sizes); })},
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
