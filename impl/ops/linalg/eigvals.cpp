// linalg_eigvals: eigenvalues of any square matrix; always complex.
#include "autograd/forward.h"
#include "rules/linalg/eigen.h"

namespace mt {
namespace {

constexpr auto infer_eigvals_shape = [](Specs& out, const Tensor& a) {
  check_square("linalg.eigvals", a);
  out.add(IntList(a.sizes().data, a.dim() - 1), eigenvalue_dtype(a.dtype()));
};

MT_OP(OpDef{
    .schema = {"_linalg_eigvals(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "Computes the eigenvalues of square matrices without a gradient. linalg_eigvals uses it.",
    .module = "linalg",
    .rule = structured(infer_eigvals_shape),
    .cpu = [](const Tensor& a, Tensor& values) { eigen(a, values, Tensor(), "torch.linalg.eigvals"); },
});
MT_OP(OpDef{
    .schema = {"linalg_eigvals(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the eigenvalues of each square matrix; complex even where they are real, in no order.

As `torch.linalg.eig` without the eigenvectors, which are computed for a gradient only.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.

Returns:
    Tensor: ``(*, n)``; complex.

Example:
    >>> torch.linalg.eigvals(torch.tensor([[2.0, 1.0], [0.0, 3.0]]))
    tensor([2.+0.j, 3.+0.j]))",
    .module = "linalg",
    // The gradient needs the eigenvectors.
    .composite = [](const Tensor& a) -> Tensor {
      return needs_derivative(a) ? op<"linalg_eig", Tensors<2>>(a)[0] : op<"_linalg_eigvals">(a);
    },
    .out_policy =
        OutPolicy{.dtype_error =
                      "torch.linalg.eigvals: Expected eigenvalues to be safely castable from {} dtype, but got eigenvalues with dtype {}",
                  .recorded_as = "aten::linalg_eigvals",
                  .casts = true},
});

}  // namespace
}  // namespace mt
