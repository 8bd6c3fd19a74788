// _foreach_norm: the norm of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]"},
    .forms = function,
    .doc = R"(Computes the vector norm of order `ord` of each tensor of a list.

``torch.nn.utils.clip_grad_norm_`` uses it. An empty tensor has no infinity norm.)",
    .composite = [](TensorList self, Scalar ord, std::optional<Dtype> dtype) -> std::vector<Tensor> {
      check_list(self);
      std::vector<Tensor> out;
      for (const Tensor& t : self) {
        check(ord.to_double() != __builtin_inf() || t.numel() > 0,
              "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does not have an identity");
        out.push_back(op<"linalg_vector_norm">(t, ord, nullptr, false, dtype));
      }
      return out;
    },
});

}  // namespace
}  // namespace mt
