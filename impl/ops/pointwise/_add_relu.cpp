// _add_relu: the sum, or 0 where it is negative.
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

constexpr auto add_tensors_then_relu = [](const Tensor& self, const Tensor& other, Scalar alpha) -> Tensor {
  BelowAutograd guard;
  return op<"clamp_min">(op<"add">(self, other, alpha), 0);
};
constexpr auto add_number_then_relu = [](const Tensor& self, Scalar other, Scalar alpha) -> Tensor {
  BelowAutograd guard;
  return op<"clamp_min">(op<"add">(self, other, alpha), 0);
};

MT_OP(OpDef{
    .schema = {"_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
    .forms = function | inplace_function,
    .doc = R"(Computes max(0, `self` + `alpha` * `other`) in one call.

It has no gradient; quantised graphs use it.)",
    .overloads = {overload("Tensor", {.forms = function | inplace_function | out,
                                      .cpu = add_tensors_then_relu,
                                      .npu = {any_device},
                                      .meta = add_tensors_then_relu}),
                  overload("Scalar", {.cpu = add_number_then_relu, .npu = {any_device}, .meta = add_number_then_relu})},
});

}  // namespace
}  // namespace mt
