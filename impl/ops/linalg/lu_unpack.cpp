// lu_unpack: P, L and U from the result of lu_factor.
#include <cstring>

#include "rules/form/exact_out.h"
#include "rules/linalg/lu.h"

namespace mt {
namespace {

constexpr auto infer_lu_unpack_shape = [](Specs& out, const Tensor& lu, const Tensor& pivots, bool data, bool with_pivots) {
  check(lu.dim() >= 2, "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {} instead", lu.sizes());
  if (with_pivots)
    check(pivots.dtype() == Dtype::int32,
          "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this function "
          "is intended to be used "
          "with the output produced by torch.linalg.lu_factor");
  const int64_t m = lu.size(-2), n = lu.size(-1), k = std::min(m, n);
  out.add(with_pivots ? sizes_of_matrices(batch_of(lu), m, m) : Dims{0}, lu.dtype());
  out.add(data ? sizes_of_matrices(batch_of(lu), m, k) : Dims{0}, lu.dtype());
  out.add(data ? sizes_of_matrices(batch_of(lu), k, n) : Dims{0}, lu.dtype());
};

// The identity with its rows exchanged, from the last exchange to the first: column j of P has its one in the row to which row j went.
void write_permutation(const Tensor& p, const Tensor& pivots, int64_t batch) {
  const int64_t m = p.size(-1), k = pivots.dim() && pivots.numel() ? pivots.size(-1) : 0, available = k ? pivots.numel() / k : 0;
  std::vector<int64_t> order(static_cast<size_t>(m));
  BelowAutograd guard;
  op<"zero_">(p);
  const Tensor ones = op<"full">(IntList{m}, 1, p.dtype());
  const char* one = static_cast<const char*>(ones.data());
  const int64_t size = p.itemsize();
  for (int64_t b = 0; b < batch; ++b) {
    const int* exchange = available ? pivots.data<int>() + (b % available) * k : nullptr;
    for (int64_t i = 0; i < m; ++i) order[size_t(i)] = i;
    for (int64_t i = 0; i < std::min(k, m); ++i) {
      check(exchange[i] >= 1 && exchange[i] <= m,
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result "
            "of lu_factor?");
      std::swap(order[size_t(i)], order[size_t(exchange[i] - 1)]);
    }
    char* matrix = static_cast<char*>(p.data()) + b * m * m * size;
    for (int64_t i = 0; i < m; ++i) std::memcpy(matrix + (order[size_t(i)] * m + i) * size, one, size_t(size));
  }
}

constexpr auto compute_lu_unpack = [](const Tensor& lu, const Tensor& pivots, bool data, bool with_pivots, Tensor& p, Tensor& l,
                                      Tensor& u) {
  const int64_t k = std::min(lu.size(-2), lu.size(-1));
  BelowAutograd guard;
  if (data) {
    copy_into(l, op<"tril">(op<"narrow">(lu, -1, 0, k), -1));
    op<"fill_">(diagonal_of(l), 1);
    copy_into(u, op<"triu">(op<"narrow">(lu, -2, 0, k)));
  }
  if (with_pivots && p.numel()) write_permutation(p, op<"contiguous">(pivots), product(batch_of(lu)));
};

// Pads a triangle's gradient to the shape of LU.
Tensor pad_to_size(const Tensor& g, int64_t rows, int64_t columns) {
  if (g.size(-2) == rows && g.size(-1) == columns) return g;
  return op<"constant_pad_nd">(g, IntList{0, columns - g.size(-1), 0, rows - g.size(-2)}, 0);
}

MT_OP(OpDef{
    .schema = {"lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor "
               "P, Tensor L, Tensor U)"},
    .forms = function | out,
    .doc = R"(Makes P, L and U out of the compact form that `torch.linalg.lu_factor` returns.

Parts that are not asked for are empty tensors.

Args:
    LU_data (Tensor): ``(*, m, n)``: L below the diagonal, U on and above it.
    LU_pivots (Tensor): ``(*, min(m, n))``; int32.
    unpack_data (bool): whether to make L and U. Default: ``True``.
    unpack_pivots (bool): whether to make P. Default: ``True``.

Returns:
    tuple of Tensor: ``P``, ``(*, m, m)``, ``L``, ``(*, m, k)``, and ``U``, ``(*, k, n)``, with k
        = min(m, n).

Raises:
    RuntimeError: when the pivots are not int32, or no rows.

Example:
    >>> P, L, U = torch.lu_unpack(*torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [4.0, 4.0]])))
    >>> P @ L @ U
    tensor([[1., 2.],
            [4., 4.]]))",
    .rule = structured_exact(infer_lu_unpack_shape),
    .cpu = compute_lu_unpack,
    .grad = {wrt("LU_data",
                 [](GradOf<1> gl, GradOf<2> gu, MetaOf<"LU_data"> lu) {
                   const int64_t rows = lu.sizes[lu.sizes.size() - 2], columns = lu.sizes.back();
                   Tensor g;
                   if (gl.defined()) g = pad_to_size(op<"tril">(gl, -1), rows, columns);
                   if (gu.defined()) g = sum_of_defined(g, pad_to_size(op<"triu">(gu), rows, columns));
                   return g;
                 })},
});

}  // namespace
}  // namespace mt
