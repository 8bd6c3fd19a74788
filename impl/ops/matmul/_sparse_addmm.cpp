// _sparse_addmm: addmm in which the gradient of a sparse `mat1` is sparse too.
#include "rules/matmul/matmul.h"
#include "rules/sparse/sparse_products.h"

namespace mt {
namespace {

constexpr auto compute_sparse_addmm = [](const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha) -> Tensor {
  BelowAutograd guard;
  return op<"addmm">(self, mat1, mat2, beta, alpha);
};

MT_OP(OpDef{
    .schema = {"_sparse_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function,
    .doc = R"(Computes beta * `self` + alpha * (`mat1` @ `mat2`) with a sparse `mat1`: torch.sparse.addmm.

The gradient of a sparse `mat1` is sparse.

Args:
    self (Tensor): dense matrix of shape (n, p), or broadcast to it.
    mat1 (Tensor): sparse matrix of shape (n, m).
    mat2 (Tensor): dense matrix of shape (m, p).
    beta (Number, optional): factor of `self`. Default: ``1``.
    alpha (Number, optional): factor of the product. Default: ``1``.

Returns:
    Tensor: dense matrix of shape (n, p).

Example:
    >>> a = torch.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse()
    >>> torch.sparse.addmm(torch.ones(2, 1), a, torch.ones(2, 1), beta=10)
    tensor([[12.],
            [13.]]))",
    .module = "sparse",
    .cpu = compute_sparse_addmm,
    .meta = compute_sparse_addmm,
    .sparse = [](const Call& call, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha) -> Tensor {
      return add_coordinates_product(target_or_undefined(call), self, mat1, mat2, beta, alpha);
    },
    .compressed = compute_sparse_addmm,
    .grad = {wrt("self", [](Grad g, In<"beta", Scalar> beta) { return multiply_by_conj(g, beta); }),
             wrt("mat1", [](Grad g, In<"mat1"> a, In<"mat2"> b,
                            In<"alpha", Scalar> alpha) { return multiply_by_conj(sparse_left_gradient(g, a, b), alpha); }),
             wrt("mat2", [](Grad g, In<"mat1"> a, MetaOf<"mat2"> b,
                            In<"alpha", Scalar> alpha) { return multiply_by_conj(right_gradient(g, a, b), alpha); })},
    .grad_name = "SparseAddmmBackward0",
});

}  // namespace
}  // namespace mt
