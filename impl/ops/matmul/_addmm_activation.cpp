// _addmm_activation: addmm, then ReLU or GELU.
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

constexpr auto compute_addmm_activation = [](const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha,
                                             bool use_gelu) -> Tensor {
  BelowAutograd guard;
  const Tensor sum = op<"addmm">(self, mat1, mat2, beta, alpha);
  return use_gelu ? op<"gelu">(sum) : op<"relu">(sum);
};

MT_OP(OpDef{
    .schema = {"_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool use_gelu=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes ReLU, or GELU with `use_gelu`, of beta * `self` + alpha * (`mat1` @ `mat2`).

Fused layers use it.)",
    .cpu = compute_addmm_activation,
    .npu = {any_device},
    .meta = compute_addmm_activation,
    .autocast = Autocast::lower_precision,
});

}  // namespace
}  // namespace mt
