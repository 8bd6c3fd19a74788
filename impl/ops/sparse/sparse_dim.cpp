// sparse_dim, dense_dim: how the dimensions of a sparse tensor are split; _dimI and _dimV are their former names.
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto sparse_dims = [](const Tensor& self) -> int64_t { return sparse_dim(self); };
constexpr auto dense_dims = [](const Tensor& self) -> int64_t { return dense_dim(self); };

MT_OP(OpDef{
    .schema = {"sparse_dim(Tensor self) -> int"},
    .forms = method,
    .doc = "The number of dimensions that coordinates count; 0 of a dense tensor, 2 of a compressed one.",
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
    .doc = "The number of dimensions that each stored element has; all of a dense tensor.",
    .cpu = [](const Tensor& self) -> int64_t { return self.dim(); },
    .npu = {any_device},
    .meta = [](const Tensor& self) -> int64_t { return self.dim(); },
    .sparse = dense_dims,
    .compressed = [](const Tensor& self) -> int64_t {
      const SparseParts& parts = parts_of(self);
      return parts.values.dim() - parts.plain.dim() - (has_blocks(parts.layout) ? 2 : 0);
    },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"_dimI(Tensor self) -> int"},
    .forms = method,
    .doc = "sparse_dim of a tensor of coordinates.",
    .sparse = sparse_dims,
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"_dimV(Tensor self) -> int"},
    .forms = method,
    .doc = "dense_dim of a tensor of coordinates.",
    .sparse = dense_dims,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
