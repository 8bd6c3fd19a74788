// _sparse_mm: torch.sparse.mm, in which the gradient of a sparse matrix is sparse.
#include "rules/sparse/sparse_products.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_mm(Tensor sparse, Tensor dense) -> Tensor", "_sparse_mm.reduce(Tensor sparse, Tensor dense, str reduce) -> Tensor"},
    .forms = function,
    .doc = R"(Multiplies two matrices of which one or both are sparse: torch.sparse.mm.

The gradient of a sparse matrix is sparse. With `reduce` the products of a sparse_csr and a dense
matrix are combined otherwise than by their sum.

Args:
    sparse (Tensor): matrix of shape (n, m), sparse or dense.
    dense (Tensor): matrix of shape (m, p), sparse or dense.
    reduce (str): ``"sum"``, ``"mean"``, ``"amax"`` or ``"amin"``.

Returns:
    Tensor: shape (n, p); sparse where both are, else dense.

Raises:
    RuntimeError: shapes that do not fit each other, or a `reduce` that is none of these.

Example:
    >>> a = torch.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse()
    >>> torch.sparse.mm(a, torch.ones(2, 1))
    tensor([[2.],
            [3.]]))",
    .module = "sparse",
    .composite = [](const Tensor& mat1, const Tensor& mat2) -> Tensor {
      if (mat1.layout() == Layout::sparse_coo && mat2.layout() == Layout::sparse_coo) return op<"_sparse_sparse_matmul">(mat1, mat2);
      auto added = [](const Tensor& a, const Tensor& b) {
        const Dims sizes{a.size(wrap_dim(-2, a.dim())), b.size(wrap_dim(-1, b.dim()))};
        const Tensor zeros = op<"zeros">(IntList(sizes), b.dtype(), b.layout(), b.device());
        return op<"_sparse_addmm">(zeros, a, b, Scalar(0), Scalar(1));
      };
      auto turned = [](const Tensor& t) { return op<"transpose.int">(t, int64_t(-2), int64_t(-1)); };
      return is_sparse(mat1) ? added(mat1, mat2) : turned(added(turned(mat2), turned(mat1)));
    },
    .overloads = {overload("reduce", {.composite = [](const Tensor& mat1, const Tensor& mat2, Text reduce) -> Tensor {
                             return op<"_sparse_mm_reduce_impl", Tensors<2>>(mat1, mat2, reduce)[0];
                           }})},
});

}  // namespace
}  // namespace mt
