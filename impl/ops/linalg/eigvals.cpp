// linalg_eigvals: eigenvalues of any square matrix; complex even where they are real.
#include "autograd/forward.h"
#include "dispatch/out_words.h"
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

MT_OUT("linalg_eigvals", .converts = true,
       .dtype = "torch.linalg.eigvals: Expected eigenvalues to be safely castable from {} dtype, but got eigenvalues with dtype {}",
       .recorded_as = "aten::linalg_eigvals");

}  // namespace
}  // namespace mt
