// bmm: products of two batches of matrices.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/matmul/matmul.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_products.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_bmm_shape = [](Specs& out, const Tensor& self, const Tensor& mat2) {
  check(self.dim() == 3, messages::batch1_must_be_3d);
  check(mat2.dim() == 3, messages::batch2_must_be_3d);
  check(mat2.size(0) == self.size(0) && mat2.size(1) == self.size(2), messages::batch2_sizes_mismatch, self.size(0), self.size(2),
        mat2.size(0), mat2.size(1));
  check(self.dtype() == mat2.dtype(), messages::expected_scalar_type, self.dtype(), mat2.dtype());
  out.add(IntList{self.size(0), self.size(1), mat2.size(2)}, self.dtype());
};

// Computes the batch as one product of a block-diagonal matrix.
constexpr auto multiply_sparse_coo = [](const Call& call, const Tensor& self, const Tensor& mat2) -> Tensor {
  check(!is_sparse(mat2), "bmm_sparse: Tensor 'mat2' must be dense");
  check(is_sparse(self), "bmm_sparse: Tensor 'self' must be sparse where the result is");
  check(dense_dim(self) == 0, "bmm_sparse: Tensor 'self' must have 0 dense dims, but has {}", dense_dim(self));
  check(sparse_dim(self) == 3, "bmm_sparse: Tensor 'self' must have 3 sparse dims, but has {}", sparse_dim(self));
  check(mat2.dim() == 3, "bmm_sparse: Tensor 'mat2' must have 3 dims, but has {}", mat2.dim());
  check(self.size(0) == mat2.size(0), "bmm_sparse: 'self.size(0)' and 'mat2.size(0)' must match");
  check(self.size(2) == mat2.size(1), "bmm_sparse: 'self.size(2)' and 'mat2.size(1)' must match");
  BelowAutograd guard;
  const int64_t batch = self.size(0), height = self.size(1), depth = self.size(2), width = mat2.size(2);
  const Dims sizes{batch, height, width};
  const Tensor target = target_or_undefined(call), out = target.defined() ? target : empty(sizes, mat2.dtype());
  if (is_sparse(out)) return op<"resize_">(out, IntList(sizes));
  if (out.sizes() != IntList(sizes)) resize_to(out, sizes);
  if (nnz(self) == 0) {
    copy_into(out, scalar_tensor(Scalar(0), out.dtype()));
    return out;
  }
  if (is_half(self.dtype())) not_implemented_for("bmm_sparse_dense", self.dtype());
  const Tensor indices = dense(components_of(self).indices), places = empty({2, indices.size(1)}, Dtype::int64);
  for (int64_t i = 0, n = indices.size(1); i < n; ++i) {
    const auto *const at = indices.data<int64_t>() + i, matrix = at[0], row = at[n], column = at[2 * n];
    check(column >= 0 && column < depth, messages::addmm_column_out_of_bound, column, depth);
    check(row >= 0 && row < height && matrix >= 0 && matrix < batch, messages::addmm_row_out_of_bound, row, height);
    places.data<int64_t>()[i] = matrix * height + row;
    places.data<int64_t>()[n + i] = matrix * depth + column;
  }
  const Tensor rows = coo_tensor(places, components_of(self).values, IntList{batch * height, batch * depth}, components_of(self).coalesced);
  const Tensor product = empty({batch * height, width}, out.dtype());
  add_sparse_product(product, sparse_rows_of(rows), op<"reshape">(mat2, IntList{batch * depth, width}), 0, 1, "bmm_sparse_dense");
  copy_into(out, op<"view">(product, IntList(sizes)));
  return out;
};

void batch_bmm(const BatchCall& c) {
  if (c.tensor(0).dim() != 3 || c.tensor(1).dim() != 3) return batch_looped(c);
  c.set_result(0, op<"matmul">(c.front(0), c.front(1)));
}

MT_OP(OpDef{
    .schema = {"bmm(Tensor self, Tensor mat2) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the matrix products of two batches of matrices.

Nothing broadcasts; `torch.matmul` does.

Args:
    self (Tensor): ``(b, n, k)``.
    mat2 (Tensor): ``(b, k, m)``, of the same dtype.
    out_dtype (torch.dtype): the dtype of the result; devices other than the CPU have it.

Returns:
    Tensor: ``(b, n, m)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 4, 5)).shape
    torch.Size([2, 3, 5]))",
    .rule = structured_exact(infer_bmm_shape),
    .cpu = [](const Tensor& self, const Tensor& mat2, Tensor& out) { batched_product(out, self, mat2, Tensor(), 0, 1); },
    .npu = {"BatchMatMul(self, mat2, out, 0)"},
    .sparse = multiply_sparse_coo,
    .autocast = everywhere(Autocast::lower_precision),
    .grad = {wrt("self", [](Grad g, In<"mat2"> b) { return op<"bmm">(g, conj(op<"transpose">(b, 1, 2))); }),
             wrt("mat2", [](Grad g, In<"self"> a) { return op<"bmm">(conj(op<"transpose">(a, 1, 2)), g); })},
    .batch = batch_bmm,
});

// As in torch, the overload with an `out_dtype` has no CPU kernel.
MT_OP(OpDef{
    .schema = {"bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the matrix products of two batches of matrices.

Nothing broadcasts; `torch.matmul` does.

Args:
    self (Tensor): ``(b, n, k)``.
    mat2 (Tensor): ``(b, k, m)``, of the same dtype.
    out_dtype (torch.dtype): the dtype of the result; devices other than the CPU have it.

Returns:
    Tensor: ``(b, n, m)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 4, 5)).shape
    torch.Size([2, 3, 5]))",
    .meta = [](const Tensor& self, const Tensor& mat2, Dtype dtype) -> Tensor { return op<"to.dtype">(op<"bmm">(self, mat2), dtype); },
});

}  // namespace
}  // namespace mt
