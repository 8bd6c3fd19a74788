// _foreach_pow: each tensor of a list to the power of a number or a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

constexpr auto powers_of_scalar = [](Scalar self, TensorList exponents) -> std::vector<Tensor> {
  check_list(exponents);
  std::vector<Tensor> out;
  for (const Tensor& exponent : exponents) out.push_back(op<"pow.Scalar">(self, exponent));
  return out;
};

MT_OP(OpDef{
    .schema = {"_foreach_pow.Scalar(Tensor[] self, Scalar exponent) -> Tensor[]",
               "_foreach_pow.List(Tensor[] self, Tensor[] exponent) -> Tensor[]",
               "_foreach_pow.ScalarList(Tensor[] self, Scalar[] exponent) -> Tensor[]",
               "_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]"},
    .forms = function,
    .doc = "Raises each tensor of a list to the power of a number or of another list's tensor.",
    .composite = foreach_scalar<"pow">,
    .overloads = {overload("List", {.composite = foreach_list<"pow">}), overload("ScalarList", {.composite = foreach_scalars<"pow">}),
                  overload("ScalarAndTensor", {.composite = powers_of_scalar})},
});
MT_OP(OpDef{
    .schema = {"_foreach_pow_.Scalar(Tensor(a!)[] self, Scalar exponent) -> ()",
               "_foreach_pow_.List(Tensor(a!)[] self, Tensor[] exponent) -> ()",
               "_foreach_pow_.ScalarList(Tensor(a!)[] self, Scalar[] exponent) -> ()"},
    .forms = function,
    .doc = "Raises each tensor of a list to the power of a number or of another list's tensor, in place.",
    .composite = foreach_scalar_<"pow_">,
    .overloads = {overload("List", {.composite = foreach_list_<"pow_">}), overload("ScalarList", {.composite = foreach_scalars_<"pow_">})},
});

}  // namespace
}  // namespace mt
