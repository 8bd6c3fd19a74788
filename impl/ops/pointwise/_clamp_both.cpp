// _clamp_both: elements held between `min` and `max`.
#include "rules/algebra.h"
#include "rules/bounds.h"

namespace mt {
namespace {

constexpr auto three = [](const Call& c) {
  check_bounds_fit(c);
  return c.args[1].tag == MT_TAG_TENSOR ? kernel_between<"clamp_cpu">(c) : kernel_between<"clamp_scalar_cpu">(c);
};

MT_OP(OpDef{
    .schema = {"_clamp_both.Tensor(Tensor self, Tensor min, Tensor max) -> Tensor",
               "_clamp_both(Tensor self, Scalar min, Scalar max) -> Tensor"},
    .forms = internal | inplace,
    .doc = "Elements held between `min` and `max`.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(three),
    .npu = {"ClampTensor", "Clamp"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min"> a,
                            In<"max"> b) { return masked(op<"logical_and">(op<"ge">(x, a), op<"le">(x, b)), g); }),
             wrt("min", [](Grad g, In<"self"> x, In<"min"> a,
                           In<"max"> b) { return masked(op<"logical_and">(op<"lt">(x, a), op<"lt">(a, b)), g); }),
             wrt("max", [](Grad g, In<"self"> x, In<"min"> a,
                           In<"max"> b) { return masked(op<"logical_or">(op<"gt">(x, b), op<"lt">(b, a)), g); })},
    .grad_name = "ClampBackward0",
    .overloads = {overload("", {.grad_name = "ClampBackward1"})},
});

}  // namespace
}  // namespace mt
