// linalg_eigvals: eigenvalues of any square matrix; complex even where they are real.
#include "autograd/forward.h"
#include "rules/eigen.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& a) {
  check_square("linalg.eigvals", a);
  out.add(IntList(a.sizes().data, a.dim() - 1), eigenvalue_dtype(a.dtype()));
};

MT_OP(OpDef{
    .schema = {"_linalg_eigvals(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "The eigenvalues, without history.",
    .module = "linalg",
    .rule = structured(shape),
    .cpu = [](const Tensor& a, Tensor& values) { eigen(a, values, Tensor(), "torch.linalg.eigvals"); },
});
MT_OP(OpDef{
    .schema = {"linalg_eigvals(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The eigenvalues.",
    .module = "linalg",
    // A gradient needs the vectors.
    .composite = [](const Tensor& a) -> Tensor {
      return needs_derivative(a) ? op<"linalg_eig", Tensors<2>>(a)[0] : op<"_linalg_eigvals">(a);
    },
});

}  // namespace
}  // namespace mt
