// embedding_renorm_: scales the rows of a table to which the indices refer down to a maximum norm, in place.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/messages.h"
#include "rules/index/rows_by_index.h"

namespace mt {
namespace {

constexpr auto compute_embedding_renorm = [](const Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
  check(self.dim() == 2,
        "Expected 2-dimensional tensor, but got {}-dimensional tensor for argument #1 'self' (while checking arguments for "
        "embedding_renorm_)",
        self.dim());
  check_is_index(indices, 2, "embedding_renorm_");
  if (self.is_meta()) return;
  const Tensor wide = dense_as(indices, Dtype::int64);
  std::vector<int64_t> rows(wide.data<int64_t>(), wide.data<int64_t>() + wide.numel());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  BelowAutograd guard;
  for (int64_t r : rows) {
    check(r >= 0 && r < self.size(0), ErrorKind::index, "select(): index {} out of range for tensor of size {} at dimension 0", r,
          self.sizes());
    check(is_floating(self.dtype()) || is_complex(self.dtype()), messages::norm_of_integers, self.dtype());
    const Tensor row = op<"select.int">(self, 0, r);
    const double norm = *dense_as(op<"linalg_vector_norm">(row, norm_type), Dtype::float64).data<double>();
    if (norm > max_norm) op<"mul_">(row, max_norm / (norm + 1e-7));
  }
};

MT_OP(OpDef{
    .schema = {"embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)"},
    .forms = function,
    .doc = R"(Scales each row of a table that `indices` name down to a largest norm, in place.

Rows within the norm stay; a longer row is multiplied by ``max_norm / (norm + 1e-7)``. Autograd does
not follow it. ``torch.nn.functional.embedding`` with `max_norm` calls it.

Args:
    self (Tensor): table; shape ``(V, D)``.
    indices (Tensor): int64 or int32 indices of rows.
    max_norm (float): largest norm.
    norm_type (float): p of the p-norm.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `self` is not a floating matrix.
    IndexError: when an index is out of range.

Example:
    >>> table = torch.tensor([[3.0, 4.0], [30.0, 40.0]])
    >>> torch.embedding_renorm_(table, torch.tensor([1]), 5.0, 2.0)
    tensor([[3., 4.],
            [3., 4.]]))",
    .cpu = compute_embedding_renorm,
    .npu = {"EmbeddingRenorm"},
    .meta = compute_embedding_renorm,
});

}  // namespace
}  // namespace mt
