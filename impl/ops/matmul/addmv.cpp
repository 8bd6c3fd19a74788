// addmv: beta * `self` + alpha * (`mat` @ `vec`).
#include "rules/matmul.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "beta * `self` + alpha * (`mat` @ `vec`).",
    .deprecated_signatures = "addmv(Number beta, Tensor input, Number alpha, Tensor mat, Tensor vec)\naddmv(Number beta, Tensor input, Tensor mat, Tensor vec)",
    .composite = [](const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha) -> Tensor {
      check(mat.dim() == 2 && vec.dim() == 1 && self.dim() <= 1, "vector + matrix @ vector expected, got {}, {}, {}", self.dim(), mat.dim(), vec.dim());
      check(mat.size(1) == vec.size(0) && (self.numel() == mat.size(0) || self.numel() == 1),
            "size mismatch, got input ({}), mat ({}x{}), vec ({})", self.dim() ? self.size(0) : 1, mat.size(0), mat.size(1), vec.size(0));
      if (is_integral(mat.dtype())) {  // integers scale by integers
        if (beta.is_real()) beta = Scalar(beta.to_int());
        if (alpha.is_real()) alpha = Scalar(alpha.to_int());
      }
      Tensor product = op<"mv">(mat, vec);
      if (!alpha.equals(1)) product = product * alpha;
      if (beta.equals(0)) return product;
      return op<"add">(beta.equals(1) ? self : self * beta, product);
    },
});

}  // namespace
}  // namespace mt
