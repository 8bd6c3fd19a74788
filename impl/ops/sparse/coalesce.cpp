// coalesce: the same tensor with sorted, unique indices. It calls _coalesce, which sorts and sums, unless the tensor is coalesced already.
#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"coalesce(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns a tensor that stores each element once, in lexicographic order of the coordinates.

Values stored for the same element are added up. A tensor that is coalesced comes back itself. The
gradient passes unchanged.

Args:
    self (Tensor): sparse COO tensor.

Returns:
    Tensor: a coalesced sparse COO tensor.

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> x = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 3.0], (2, 2))
    >>> x.coalesce().values()
    tensor([3., 3.]))",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.layout() == Layout::sparse_coo, messages::coalesce_expects_coo, name_of(self.layout()));
      return components_of(self).coalesced ? self : op<"_coalesce">(self);
    },
});

// Numbers the distinct sorted indices from 0; equal ones share a number. Returns how many there are.
int64_t number_distinct_indices(const int64_t* sorted, int64_t n, int64_t* group) {
  int64_t last = -1;
  for (int64_t i = 0; i < n; ++i) group[i] = last += i == 0 || sorted[i] != sorted[i - 1];
  return last + 1;
}

constexpr auto compute_coalesce = [](const Tensor& self) -> Tensor {
  const SparseComponents& parts = components_of(self);
  if (parts.coalesced) return self;
  BelowAutograd guard;
  const int64_t n = nnz(self), dims = sparse_dim(self);
  if (n < 2 || self.is_meta()) return coo_tensor(op<"clone">(parts.indices), op<"clone">(parts.values), self.sizes(), true);
  const Dtype dtype = self.dtype();
  if (dtype == Dtype::complex32) not_implemented_for("cpublas_axpy_impl", dtype);
  dispatch_all(dtype, "coalesce", [](auto) {});
  const Tensor places = linearize_indices(parts.indices, self.sizes());
  const auto sorted = op<"sort.stable", Tensors<2>>(places, true, int64_t(0), false);
  const Tensor group = empty({n}, Dtype::int64);
  const auto* place = sorted[0].data<int64_t>();
  const int64_t count = number_distinct_indices(place, n, group.data<int64_t>());
  const Tensor indices = op<"narrow">(empty({dims, n}, Dtype::int64), int64_t(1), int64_t(0), count);
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = place[i];
    const int64_t column = group.data<int64_t>()[i];
    for (int64_t d = dims - 1; d >= 0; --d) {
      indices.data<int64_t>()[d * n + column] = rest % self.size(d);
      rest /= self.size(d);
    }
  }
  const Tensor ordered = op<"index_select">(parts.values, int64_t(0), sorted[1]);
  if (count == n) return coo_tensor(indices, ordered, self.sizes(), true);
  Dims sizes(ordered.sizes());
  sizes[0] = count;
  const Tensor values = op<"zeros">(sizes, ordered.dtype(), nullptr, ordered.device());
  op<"index_add_">(values, int64_t(0), group, ordered);
  return coo_tensor(indices, values, self.sizes(), true);
};

MT_OP(OpDef{
    .schema = {"_coalesce(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "Returns a coalesced copy of a sparse COO tensor; ``coalesce`` calls it.",
    .sparse = compute_coalesce,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); })},
});

}  // namespace
}  // namespace mt
