// hspmm: the product of a sparse and a dense matrix, as a sparse tensor of its non-empty rows.
#include "core/messages.h"
#include "rules/sparse/sparse_products.h"

namespace mt {
namespace {

constexpr auto compute_hspmm = [](const Call& call, const Tensor& mat1, const Tensor& mat2) -> Tensor {
  const Tensor target = target_or_undefined(call);
  const Layout out = target.defined() ? target.layout() : Layout::sparse_coo;
  check(out == Layout::sparse_coo, "hspmm: expected `out` of layout Sparse, got {}", name_of(out));
  check(mat1.layout() == Layout::sparse_coo, "hspmm: expected 'mat1' to have sparse layout, got 'mat1' with layout {}",
        name_of(mat1.layout()));
  check(sparse_dim(mat1) == 2, "hspmm: Argument #2: matrices expected, got {}D tensor", sparse_dim(mat1));
  check(dense_dim(mat1) == 0, "hspmm: Argument #2: scalar values expected, got {}D values", dense_dim(mat1));
  check(mat2.dim() == 2, "hspmm: Argument #3: matrices expected, got {}D tensor", mat2.dim());
  check(mat2.size(0) == mat1.size(1), "hspmm: Argument #3: Expected dim 0 size {}, got {}", mat1.size(1), mat2.size(0));
  check(!is_sparse(mat2), messages::sparse_addmm_expects_strided_result, name_of(mat2.layout()));
  const RowProducts made = products_of_rows(coalesce(mat1), mat2, 1, "addmm_sparse_dense");
  return coo_tensor(op<"view">(made.rows, IntList{1, made.rows.size(0)}), made.products, IntList{mat1.size(0), mat2.size(1)},
                    made.rows.size(0) == 0);
};

MT_OP(OpDef{
    .schema = {"hspmm(Tensor mat1, Tensor mat2) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the product of a sparse and a dense matrix, storing only the rows that have elements.

Args:
    mat1 (Tensor): sparse COO matrix ``(m, k)``.
    mat2 (Tensor): strided matrix ``(k, n)``.

Returns:
    Tensor: sparse COO tensor ``(m, n)`` with one sparse dimension (rows) and one dense.

Raises:
    RuntimeError: when layouts or shapes do not fit.

Example:
    >>> x = torch.sparse_coo_tensor([[0], [1]], [2.0], (2, 2))
    >>> torch.hspmm(x, torch.ones(2, 2)).to_dense()
    tensor([[2., 2.],
            [0., 0.]]))",
    .sparse = compute_hspmm,
});

}  // namespace
}  // namespace mt
