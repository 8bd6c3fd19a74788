// index_add: adds slices at the positions in an index vector.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/form/in_place.h"
#include "rules/index/indexing.h"
#include "rules/index/rows_by_index.h"
#include "rules/index/scatter.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// torch adds by scatter if `self` has several dimensions and `dim` is the first or the last; then its error message for an invalid index is
// another one.
Positions check_positions(const Tensor& index, const Tensor& self, int64_t dim) {
  const bool scatters = self.dim() > 1 && index.dtype() == Dtype::int64 && (dim == 0 || dim == self.dim() - 1);
  if (!scatters) return index_positions(index, self.dim() ? self.size(dim) : 1);
  const Positions at{dense_as(index, Dtype::int64)};
  const int64_t size = self.size(dim);
  if (are_all_within(at.begin(), at.size(), 0, size)) return at;
  for (int64_t i : at) check(i >= 0 && i < size, messages::index_out_of_bounds_for_dimension, i, dim, size);
  return at;
}
constexpr auto compute_index_add = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) -> Tensor {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.dim() <= 1, ErrorKind::index, "index_add_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}",
        index.dim(), index.dtype(), index.sizes());
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "index_add_(): Expected dtype int32/int64 for index but got: {}",
        index.dtype());
  check(self.dtype() == source.dtype(), "index_add_(): self ({}) and source ({}) must have the same scalar type", self.dtype(),
        source.dtype());
  check_slice_count("index_add_", index, source, d);
  check_same_slices(self, source, d);
  alpha.check_fits(self.dtype());
  const Tensor out = reuse_self_or_copy(self);
  if (out.is_meta()) return out;
  if (self.dim() > 1 && self.numel() == 0) return out;
  const auto at = check_positions(index, self, d);
  int64_t blocks = 1, width = 1;
  for (int64_t k = 0; k < d; ++k) blocks *= self.size(k);
  for (int64_t k = d + 1; k < self.dim(); ++k) width *= self.size(k);
  // Slices of one element: scatter adds them in one loop, while add_rows would start a loop for each.
  if (is_half(self.dtype()) && width == 1 && self.dim() > 0 && source.dim() == self.dim() && alpha.equals(1)) {
    BelowAutograd guard;
    scatter_combine(out, d, expand_index(at.held, d, source), source, Combine::sum, "index_add_cpu_");
    return out;
  }
  add_rows({blocks, self.dim() ? self.size(d) : 1, width, at.begin(), at.size()}, out, dense(source), alpha, "index_add_cpu_");
  return out;
};
MT_OP(OpDef{
    .schema = {"index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Adds `alpha` times the slices of `source` to the slices of `self` that `index` names.

For `dim` 0: ``self[index[i]] += alpha * source[i]``. An index may occur several times; all its
slices are added, one after another in the order of `index`, so sums are the same on every run.

Args:
    self (Tensor): tensor to add to.
    dim (int): dimension that `index` counts along; negative counts from the last.
    index (Tensor): vector of int64 or int32 indices in ``[0, self.size(dim))``.
    source (Tensor): slices to add, one for each index; dtype of `self`, and its sizes in the other
        dimensions.
    alpha (number): factor of `source`. Default: ``1``.

Returns:
    Tensor: a new tensor with the shape of `self`; the in-place form returns `self`.

Raises:
    IndexError: when an index is out of range or `index` is not a vector.
    RuntimeError: when dtypes or shapes do not fit.

Example:
    >>> torch.zeros(3).index_add_(0, torch.tensor([0, 2, 0]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.]))",
    .rule = rule_after_check(refuse_index_mixtures<"index_add">),
    .cpu = in_place_kernel(compute_index_add),
    .npu = {"IndexAdd"},
    .meta = compute_index_add,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("source",
                 [](Grad g, In<"dim", int64_t> dim, In<"index"> index, In<"alpha", Scalar> alpha, MetaOf<"source"> source) {
                   return op<"expand">(op<"index_select">(g, *dim, index), source.sizes) * alpha.value;
                 })},
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
