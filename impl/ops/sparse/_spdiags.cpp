// _spdiags: a sparse matrix from its diagonals.
#include <algorithm>

#include "rules/reduction/rows.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto compute_spdiags = [](const Tensor& diagonals, const Tensor& offsets, IntList shape, std::optional<Layout> layout) -> Tensor {
  const Tensor lines = diagonals.dim() == 1 ? op<"unsqueeze">(diagonals, int64_t(0)) : Tensor(diagonals);
  const Tensor at = offsets.dim() == 0 ? op<"unsqueeze">(offsets, int64_t(0)) : Tensor(offsets);
  check(lines.dim() == 2, "Diagonals must be vector or matrix");
  check(shape.size() == 2, "Output shape must be 2d");
  check(at.dim() == 1, "Offsets must be scalar or vector");
  check(lines.size(0) == at.size(0), "Number of diagonals ({}) does not match the number of offsets ({})", lines.size(0), at.size(0));
  const Layout to = layout.value_or(Layout::sparse_coo);
  check(to == Layout::sparse_coo || to == Layout::sparse_csc || to == Layout::sparse_csr,
        "Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {}", name_of(to));
  check(at.dtype() == Dtype::int64, "Offset Tensor must have dtype Long but got {}", at.dtype());
  BelowAutograd guard;
  const Tensor offset = dense(at);
  const int64_t n = offset.numel(), length = lines.size(1);
  const auto* o = offset.data<int64_t>();
  std::vector<int64_t> sorted(o, o + n), rows, columns, from;
  std::sort(sorted.begin(), sorted.end());
  check(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "Offset tensor contains duplicate values");
  for (int64_t d = 0; d < n; ++d)
    for (int64_t column = std::max<int64_t>(o[d], 0); column < std::min(length, shape[1]) && column - o[d] < shape[0]; ++column) {
      rows.push_back(column - o[d]);
      columns.push_back(column);
      from.push_back(d * length + column);
    }
  const auto count = int64_t(rows.size());
  const Tensor indices = empty({2, count}, Dtype::int64), places = empty({count}, Dtype::int64);
  std::copy(rows.begin(), rows.end(), indices.data<int64_t>());
  std::copy(columns.begin(), columns.end(), indices.data<int64_t>() + count);
  std::copy(from.begin(), from.end(), places.data<int64_t>());
  const Tensor values = op<"index_select">(op<"reshape">(lines, IntList({-1})), int64_t(0), places);
  const Tensor made = coo_tensor(indices, values, shape, count < 2);
  return to == Layout::sparse_coo ? made : op<"to_sparse">(made, to);
};

MT_OP(OpDef{
    .schema = {"_spdiags(Tensor diagonals, Tensor offsets, int[] shape, Layout? layout=None) -> Tensor"},
    .forms = function,
    .doc =
        R"(Returns a sparse matrix with the rows of `diagonals` on its diagonals `offsets`.

Element j of a row stands in column j. ``torch.sparse.spdiags`` calls it.)",
    .module = "sparse",
    .cpu = compute_spdiags,
});

}  // namespace
}  // namespace mt
