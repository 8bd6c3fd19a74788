// combinations: all choices of r elements of a vector, one per row.
#include <vector>

#include "core/messages.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

// The columns of indices, in lexicographic order.
std::vector<Tensor> list_combinations(int64_t n, int64_t r, bool with_replacement) {
  std::vector<std::vector<int64_t>> columns(static_cast<size_t>(r));
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < r; ++i) chosen.push_back(with_replacement ? 0 : i);
  for (bool more = n > 0 && (with_replacement || r <= n); more;) {
    for (size_t i = 0; i < size_t(r); ++i) columns[i].push_back(chosen[i]);
    // Increments the last index that can still grow, and resets those behind it.
    more = false;
    for (int64_t i = r - 1; i >= 0 && !more; --i) {
      const int64_t last = with_replacement ? n - 1 : n - r + i;
      if (chosen[size_t(i)] >= last) continue;
      ++chosen[size_t(i)];
      for (int64_t k = i + 1; k < r; ++k) chosen[size_t(k)] = with_replacement ? chosen[size_t(i)] : chosen[size_t(k - 1)] + 1;
      more = true;
    }
  }
  std::vector<Tensor> out;
  for (const auto& column : columns) {
    Tensor t = empty({int64_t(column.size())}, Dtype::int64);
    for (size_t i = 0; i < column.size(); ++i) t.data<int64_t>()[i] = column[i];
    out.push_back(t);
  }
  return out;
}

MT_OP(OpDef{
    .schema = {"combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor"},
    .forms = function,
    .doc = R"(Returns all choices of `r` elements of a vector, one a row, in lexicographic order of positions.

Args:
    self (Tensor): vector of n elements.
    r (int): elements in a choice; not negative. Default: ``2``.
    with_replacement (bool): whether an element may be chosen again. Default: ``False``.

Returns:
    Tensor: matrix with ``n! / (r! (n - r)!)`` rows (with replacement
    ``(n + r - 1)! / (r! (n - 1)!)``) and `r` columns; an empty vector for `r` 0.

Raises:
    RuntimeError: when `self` is not a vector or `r` is negative.

Example:
    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]]))",
    .composite = [](const Tensor& self, int64_t r, bool with_replacement) -> Tensor {
      check(self.dim() == 1, messages::expect_a_1d_vector, self.sizes());
      check(r >= 0, "Expect a non-negative number, but got {}", r);
      check(r < int64_t(1) << 24, messages::numel_overflow);
      if (r == 0) return op<"empty">(IntList{0}, self.dtype(), nullptr, self.device());
      std::vector<Tensor> columns;
      for (const Tensor& index : list_combinations(self.size(0), r, with_replacement))
        columns.push_back(
            op<"index_select">(self, 0, self.device().is_cpu() ? index : op<"_to_copy">(index, Dtype::int64, nullptr, self.device())));
      return op<"stack">(columns, 1);
    },
});

MT_OP(OpDef{
    .schema = {"cartesian_prod(Tensor[] tensors) -> Tensor"},
    .forms = function,
    .doc = R"(Returns all choices of one element of each vector, one a row; the last vector changes fastest.

One vector alone comes back itself.

Args:
    tensors (Tensor...): vectors of one dtype.

Returns:
    Tensor: matrix with the product of the lengths as rows and a column for each vector.

Raises:
    RuntimeError: when a tensor is not a vector.

Example:
    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([4, 5]))
    tensor([[1, 4],
            [1, 5],
            [2, 4],
            [2, 5]]))",
    .composite = [](TensorList tensors) -> Tensor {
      for (const Tensor& t : tensors) check(t.dim() == 1, messages::expect_a_1d_vector, t.sizes());
      if (tensors.size() == 1) return tensors[0];
      std::vector<Tensor> grids = op<"meshgrid.indexing", std::vector<Tensor>>(tensors, "ij");
      for (Tensor& t : grids) t = op<"flatten">(t);
      return op<"stack">(grids, 1);
    },
});

}  // namespace
}  // namespace mt
