// _sparse_mm: torch.sparse.mm, whose gradient of a sparse matrix is sparse.
#include "rules/sparse_products.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_mm(Tensor sparse, Tensor dense) -> Tensor", "_sparse_mm.reduce(Tensor sparse, Tensor dense, str reduce) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the product of two matrices of which one or both are sparse; ``torch.sparse.mm`` calls it.

The gradient of a sparse matrix is sparse. With `reduce` (``"sum"``, ``"mean"``, ``"amax"``,
``"amin"``) the products of a sparse_csr and a dense matrix are combined by it.)",
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
