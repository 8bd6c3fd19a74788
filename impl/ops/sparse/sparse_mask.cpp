// sparse_mask: the elements of a tensor at the indices of a sparse one.
#include "core/messages.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_lookup.h"

namespace mt {
namespace {

void check_sizes(const Tensor& self, const Tensor& mask) {
  check(self.sizes() == mask.sizes(), messages::sparse_mask_sizes_differ, self.sizes(), mask.sizes());
}
void check_dims(const Tensor& self, const Tensor& mask) {
  check(sparse_dim(self) == sparse_dim(mask),
        "sparse_mask(): the number of sparse dimensions in `self` should match that of the `mask`. Got `self.sparse_dim() == {}` != "
        "`mask.sparse_dim() == {}`.",
        sparse_dim(self), sparse_dim(mask));
}

constexpr auto compute_sparse_mask = [](const Tensor& self, const Tensor& mask) -> Tensor {
  BelowAutograd guard;
  if (!is_sparse(mask)) op<"_nnz", int64_t>(mask);
  check_sizes(self, mask);
  const SparseComponents& places = components_of(mask);
  auto with = [&](const Tensor& values) { return coo_tensor(op<"clone">(places.indices), values, mask.sizes(), places.coalesced); };
  if (!is_sparse(self)) return with(gather_values_at(self, places.indices));
  check_dims(self, mask);
  const Tensor source = coalesce(self);
  Dims sizes(components_of(source).values.sizes());
  sizes[0] = nnz(mask);
  const Tensor values = op<"zeros">(IntList(sizes), self.dtype());
  if (nnz(source) == 0) return with(values);
  const Tensor positions = find_positions_in(places.indices, components_of(source).indices, mask.sizes());
  const Tensor found = op<"ge.Scalar">(positions, Scalar(0));
  for (int64_t& size : sizes) size = 1;
  sizes[0] = nnz(mask);
  const Tensor picked = op<"index_select">(components_of(source).values, int64_t(0), op<"clamp_min">(positions, Scalar(0)));
  return with(op<"where.ScalarOther">(op<"view">(found, IntList(sizes)), picked, Scalar(0)));
};

MT_OP(OpDef{
    .schema = {"sparse_mask(Tensor self, Tensor mask) -> Tensor"},
    .forms = method,
    .doc = R"(Returns the elements of `self` that `mask` stores, in the layout of `mask`.

The values of `mask` do not matter. Elements that a sparse `self` does not store become stored
zeros. The gradient is zero for the elements that are left out.

Args:
    self (Tensor): strided or sparse tensor.
    mask (Tensor): sparse tensor of the same shape.

Returns:
    Tensor: a tensor with the layout and the stored coordinates of `mask`.

Raises:
    RuntimeError: when shapes or the splits of dimensions differ.

Example:
    >>> x, mask = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.eye(2).to_sparse()
    >>> x.sparse_mask(mask).values()
    tensor([1., 4.]))",
    .sparse = compute_sparse_mask,
    .compressed = [](const Tensor& self, const Tensor& mask) -> Tensor { return masked_by_compressed(self, mask); },
    .grad = {wrt("self",
                 [](Grad g, In<"mask"> mask, MetaOf<"self"> self) {
                   for (const Tensor& t : {Tensor(mask), Tensor(g)}) op<"is_coalesced", bool>(t);  // raises for other layouts
                   const Tensor kept = op<"sparse_mask">(g, mask);
                   return self.layout == Layout::strided ? op<"to_dense">(kept) : kept;
                 })},
});

MT_OP(OpDef{
    .schema = {"_sparse_mask_projection(Tensor self, Tensor mask, bool accumulate_matches=False) -> Tensor"},
    .forms = method,
    .doc = R"(Returns `self` with zeros for the elements that `mask` does not store.

With `accumulate_matches` the others are multiplied by how often `mask` stores them.)",
    .sparse = [](const Tensor& self, const Tensor& mask, bool by_count) -> Tensor {
      check(is_sparse(self) && is_sparse(mask), "_sparse_mask_projection: expected two tensors of coordinates, got layouts {} and {}",
            name_of(self.layout()), name_of(mask.layout()));
      check_sizes(self, mask);
      check_dims(self, mask);
      return select_by_mask_indices(self, mask, by_count);
    },
});

}  // namespace
}  // namespace mt
