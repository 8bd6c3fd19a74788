// _add_relu: the sum, or 0 where it is negative.
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {
namespace {

constexpr auto add_tensors = [](const Tensor& self, const Tensor& other, Scalar alpha) -> Tensor {
  BelowAutograd guard;
  return op<"clamp_min">(op<"add">(self, other, alpha), 0);
};
constexpr auto add_number = [](const Tensor& self, Scalar other, Scalar alpha) -> Tensor {
  BelowAutograd guard;
  return op<"clamp_min">(op<"add">(self, other, alpha), 0);
};

MT_OP(OpDef{
    .schema = {"_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
    .forms = function | inplace_function,
    .doc = R"(Computes max(0, `self` + `alpha` * `other`) in one call.

It has no gradient; quantised graphs use it.)",
    .overloads = {overload("Tensor",
                           {.forms = function | inplace_function | out, .cpu = add_tensors, .npu = {any_device}, .meta = add_tensors}),
                  overload("Scalar", {.cpu = add_number, .npu = {any_device}, .meta = add_number})},
});

}  // namespace
}  // namespace mt
