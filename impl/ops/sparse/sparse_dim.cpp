// sparse_dim, dense_dim: how the dimensions of a sparse tensor are split; _dimI and _dimV are their older names.
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto sparse_dims = [](const Tensor& self) -> int64_t { return sparse_dim(self); };
constexpr auto dense_dims = [](const Tensor& self) -> int64_t { return dense_dim(self); };

MT_OP(OpDef{
    .schema = {"sparse_dim(Tensor self) -> int"},
    .forms = method,
    .doc = R"(Returns the number of sparse dimensions: those that coordinates count.

Args:
    self (Tensor): any tensor.

Returns:
    int: 0 for a strided tensor, 2 for a compressed one.

Example:
    >>> torch.ones(2, 3).to_sparse().sparse_dim(), torch.ones(2, 3).to_sparse(1).sparse_dim()
    (2, 1))",
    .cpu = [](const Tensor&) -> int64_t { return 0; },
    .npu = {any_device},
    .meta = [](const Tensor&) -> int64_t { return 0; },
    .sparse = sparse_dims,
    .compressed = [](const Tensor&) -> int64_t { return 2; },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"dense_dim(Tensor self) -> int"},
    .forms = method,
    .doc = R"(Returns the number of dense dimensions: those that each stored element has.

Args:
    self (Tensor): any tensor.

Returns:
    int: all dimensions for a strided tensor.

Example:
    >>> torch.ones(2, 3).to_sparse().dense_dim(), torch.ones(2, 3).to_sparse(1).dense_dim()
    (0, 1))",
    .cpu = [](const Tensor& self) -> int64_t { return self.dim(); },
    .npu = {any_device},
    .meta = [](const Tensor& self) -> int64_t { return self.dim(); },
    .sparse = dense_dims,
    .compressed = [](const Tensor& self) -> int64_t {
      const SparseComponents& parts = components_of(self);
      return parts.values.dim() - parts.plain.dim() - (has_blocks(parts.layout) ? 2 : 0);
    },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"_dimI(Tensor self) -> int"},
    .forms = method,
    .doc = "Returns ``sparse_dim`` of a sparse COO tensor.",
    .sparse = sparse_dims,
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"_dimV(Tensor self) -> int"},
    .forms = method,
    .doc = "Returns ``dense_dim`` of a sparse COO tensor.",
    .sparse = dense_dims,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
