// sspaddmm: a sparse matrix and, as further elements, the product of a sparse and a dense one; smm is the product only.
#include "core/messages.h"
#include "rules/sparse/sparse_products.h"

namespace mt {
namespace {

constexpr auto compute_sspaddmm = [](const Call& call, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta,
                                     Scalar alpha) -> Tensor {
  const Tensor target = target_or_undefined(call);
  for (const Tensor& t : {self, target.defined() ? target : self})
    check(t.layout() == Layout::sparse_coo, "sspaddmm: expected a tensor of layout Sparse to add to, got {}", name_of(t.layout()));
  check(mat1.layout() == Layout::sparse_coo, "sspaddmm: expected 'mat1' to have sparse layout, got 'mat1' with layout {}",
        name_of(mat1.layout()));
  check(!is_sparse(mat2), "sspaddmm: expected 'mat2' to have strided layout, got 'mat2' with layout {}", name_of(mat2.layout()));
  check(sparse_dim(mat1) == 2, "sspaddmm: Argument #2: matrices expected, got {}D tensor", sparse_dim(mat1));
  check(dense_dim(mat1) == 0, "sspaddmm: Argument #2: scalar values expected, got {}D values", dense_dim(mat1));
  check(mat2.dim() == 2, "sspaddmm: Argument #3: matrices expected, got {}D tensor", mat2.dim());
  const int64_t height = mat1.size(0), width = mat2.size(1);
  check(mat2.size(0) == mat1.size(1), "sspaddmm: Argument #3: Expected dim 0 size {}, got {}", mat1.size(1), mat2.size(0));
  check(self.dim() == 2 && self.size(0) == height, "sspaddmm: Argument #1: Expected dim 0 size {}, got {}", height, self.size(0));
  check(self.size(1) == width, "sspaddmm: Argument #1: Expected dim 1 size {}, got {}", width, self.size(1));
  check(sparse_dim(self) == 2, "sspaddmm: Argument #1: matrices expected, got {}D tensor", sparse_dim(self));
  BelowAutograd guard;
  const Dtype dtype = mat1.dtype();
  const Tensor before = op<"_to_copy">(components_of(self).values, dtype);
  if (before.numel() > 0) op<"mul_.Scalar">(before, beta);
  if (is_half(dtype) || dtype == Dtype::boolean) fail(ErrorKind::not_implemented, "\"sspmm\" not implemented for '{}'", dtype);
  const RowProducts made = products_of_rows(coalesce(mat1), mat2, alpha, "sspmm");
  const Dtype expected = target.defined() ? target.dtype() : self.dtype();
  check(dtype == expected, messages::values_dtype_mismatch, dtype, expected);
  const int64_t n = made.products.numel();
  const Tensor places = empty({2, n}, Dtype::int64);
  auto* const row = places.data<int64_t>();
  for (int64_t i = 0; i < n; ++i) row[i] = made.rows.data<int64_t>()[i / width], row[n + i] = i % width;
  const Tensor indices[] = {components_of(self).indices, places}, values[] = {before, op<"view">(made.products, IntList{n})};
  return coo_tensor(op<"cat">(TensorList(indices, 2), int64_t(1)), op<"cat">(TensorList(values, 2), int64_t(0)), IntList{height, width},
                    false);
};

MT_OP(OpDef{
    .schema = {"sspaddmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes ``beta * self + alpha * (mat1 @ mat2)`` for sparse `self` and `mat1`, as a sparse matrix.

The elements of the product are stored beside those of `self`: the result is not coalesced.

Args:
    self (Tensor): sparse COO matrix ``(m, n)``.
    mat1 (Tensor): sparse COO matrix ``(m, k)``.
    mat2 (Tensor): strided matrix ``(k, n)``.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: sparse COO matrix ``(m, n)``.

Raises:
    RuntimeError: when layouts, dtypes or shapes do not fit.

Example:
    >>> x = torch.eye(2).to_sparse()
    >>> torch.sspaddmm(x, x, torch.ones(2, 2)).to_dense()
    tensor([[2., 1.],
            [1., 2.]]))",
    .deprecated_signatures = "sspaddmm(Number beta, Tensor input, Number alpha, Tensor mat1, Tensor mat2)\n"
                             "sspaddmm(Number beta, Tensor input, Tensor mat1, Tensor mat2)",
    .cpu = [](const Tensor&, const Tensor&, const Tensor&, Scalar, Scalar) -> Tensor {
      fail("tensor.sspaddmm(...) can only be called on sparse tensors");
    },
    .sparse = compute_sspaddmm,
});

MT_OP(OpDef{
    .schema = {"smm(Tensor self, Tensor mat2) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the product of a sparse and a dense matrix, as a sparse matrix.

Args:
    self (Tensor): sparse COO matrix ``(m, k)``.
    mat2 (Tensor): strided matrix ``(k, n)``.

Returns:
    Tensor: sparse COO matrix ``(m, n)``.

Raises:
    RuntimeError: when layouts or shapes do not fit.

Example:
    >>> torch.smm(torch.eye(2).to_sparse(), torch.ones(2, 2)).to_dense()
    tensor([[1., 1.],
            [1., 1.]]))",
    .composite = [](const Tensor& self, const Tensor& mat2) -> Tensor {
      const Dims sizes{self.size(wrap_dim(0, self.dim())), mat2.size(wrap_dim(1, mat2.dim()))};
      const Tensor none = op<"zeros">(IntList(sizes), self.dtype(), self.layout(), self.device());
      return op<"sspaddmm">(none, self, mat2, Scalar(0), Scalar(1));
    },
});

}  // namespace
}  // namespace mt
